"""Tool calls and what is told of them: outputs, ends of commands, searches, processes that go on.

An output answers a call by its id. Ends of commands, patches and MCP calls carry the same id and
say more exactly what happened. A process that goes on is ended by the output of a later call.
"""

from __future__ import annotations

from datetime import timedelta
from itertools import islice
from typing import TYPE_CHECKING, Any

import msgspec

from pytest_agentv.adapters.clock import timestamp
from pytest_agentv.adapters.codex import PROVIDER
from pytest_agentv.adapters.codex.attachments import attachments_of
from pytest_agentv.adapters.codex.outputs import of_command, outcome_of, outcome_of_parts
from pytest_agentv.adapters.codex.records import Output, Part, Record
from pytest_agentv.adapters.codex.results import changes_by, complete, may_become, status_for
from pytest_agentv.adapters.codex.searches import Searches
from pytest_agentv.adapters.conversation import OpenCall, Result
from pytest_agentv.adapters.ids import UUID
from pytest_agentv.adapters.records import decoded, record_of
from pytest_agentv.jsontext import MAX_DEPTH, too_deep
from pytest_agentv.transcript.tools import tool_of

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable
    from datetime import datetime

    from pytest_agentv.adapters.codex.builder import Builder
    from pytest_agentv.adapters.codex.events import Spawned
    from pytest_agentv.adapters.codex.frequent import (
        CustomCall,
        CustomOutput,
        FunctionCall,
        FunctionOutput,
    )
    from pytest_agentv.adapters.codex.outputs import Outcome
    from pytest_agentv.adapters.codex.records import Item
    from pytest_agentv.adapters.records import Drift

# Ends come soon after their calls. Codex itself has no more processes at a time than this.
_MAX_RECENT = 2000
_MAX_RUNNING = 64
# What is written at once is so many milliseconds apart at most.
_AT_ONCE = timedelta(milliseconds=20)
_SPAWN, _WAIT = "spawn_agent", "wait"
# Calls that ask how a process or a script goes on or that begin a child thread, and the argument
# that names it.
_NAMING = {"write_stdin": "session_id", _WAIT: "cell_id", _SPAWN: "task_name"}
_MAX_NAME = 40
_THREAD_ID_WITHIN = 1000

_UNREADABLE = (msgspec.MsgspecError, UnicodeError, RecursionError)

_decode = msgspec.json.Decoder().decode
_decode_output: Callable[[msgspec.Raw], Output] = msgspec.json.Decoder(Output).decode


class Calls:
    """The calls of one session."""

    def __init__(
        self,
        builder: Builder,
        drift: Drift,
        left_out: Counter[str],
        spawned: Spawned,
    ) -> None:
        self._builder = builder
        self._conversation = builder.conversation
        self._drift = drift
        self._left_out = left_out
        self._recent: dict[str, OpenCall] = {}
        self._running: dict[str, OpenCall] = {}
        self._polled: dict[str, str] = {}
        # What ends said of calls whose output is still to come.
        self._statuses: dict[str, str] = {}
        self._spawned = spawned
        # Calls that spawned a child thread, by the name they gave it.
        self._spawning: dict[str, str] = {}
        # Ids of such calls that were taken back.
        self.dead_spawns: set[str] = set()
        self.searches = Searches(builder.conversation)

    def function(self, item: Item | FunctionCall) -> None:
        """A call with arguments, which are JSON in a text."""
        given = item.arguments
        if type(given) is not str:
            arguments = self._shallow(given)
        else:
            try:
                arguments = _decode(given)
            except _UNREADABLE:
                arguments = self._repaired(given)
            if type(arguments) is not dict:
                arguments = given  # what is no object stays the text it is
            elif len(given) >= MAX_DEPTH:  # a shorter text cannot be nested deep
                arguments = self._shallow(arguments)
        self._call(item, item.name, arguments)

    def custom(self, item: Item | CustomCall) -> None:
        """A call with a text of its own form: a patch, a script."""
        self._call(item, item.name, self._shallow(item.input))

    def shell(self, item: Item) -> None:
        """A command in the form of the first API."""
        self._call(item, item.name or item.type, self._shallow(item.action))

    def tool_search(self, item: Item) -> None:
        """A search for tools."""
        self._call(item, item.name or item.type, self._shallow(item.arguments))

    def hosted(self, item: Item) -> None:
        """A call that the model's host makes itself; no output of it is written."""
        arguments = self._shallow(item.action)
        call = self._call(item, item.name or item.type, arguments, Result())
        if call is not None and item.type == "web_search_call":
            self.searches.begun(call)

    def written_output(self, item: FunctionOutput) -> None:
        """The output of a call, as JSON that nobody has looked at."""
        outcome = of_command(item.output)
        if outcome is None:
            self._output(item.call_id, self._given(item.output))
        else:
            self._answer(item.call_id, outcome)

    def output(self, item: Item | CustomOutput) -> None:
        """The output of a call."""
        if item.name is not None and self._is_answered(item.call_id):
            # Outputs have no name: a script that goes on told something, which is not its end.
            self._left_out["notice of a script"] += 1
        else:
            self._output(item.call_id, item.output)

    def tools_found(self, item: Item) -> None:
        """What a search for tools found: their names."""
        names = [
            tool.name
            for group in item.tools or []
            for tool in (group, *(group.tools or ()))
            if tool.name
        ]
        self._answer(item.call_id, outcome_of("\n".join(names)))

    def ended(self, call_id: str | None, changes: dict[str, Any]) -> bool:
        """What an end says of its call; whether there is such a call."""
        call = None if call_id is None else self._recent.get(call_id)
        if call is None or call_id is None:
            return False
        status = changes.get("status")
        if self._conversation.unanswered(call_id) is not None:
            # Without an output nobody knows what came of a call, but that it may be denied.
            if status in ("ok", "error"):
                _put(self._statuses, call_id, changes.pop("status"), _MAX_RECENT)
        elif call.result is not None and not may_become(call.result, status):
            changes.pop("status", None)
        if changes:
            self._conversation.correct(call, **changes)
        return True

    def spawning(self, event_id: str | None, agent_path: str | None) -> str | None:
        """The id of the call that spawned an agent: the event's own, or by the agent's name."""
        if event_id in self._recent:
            return event_id
        name = (agent_path or "").rpartition("/")[2]
        return self._spawning.get(name[:_MAX_NAME])

    def taken_back(self, count: int) -> None:
        """Only so many messages are left: forget the calls of the others."""
        recent = self._recent
        while recent and next(reversed(recent.values())).number >= count:
            call_id, call = recent.popitem()
            if call.tool == _SPAWN:
                self.dead_spawns.add(call_id)
        self._running = {key: one for key, one in self._running.items() if one.number < count}
        self.searches.forget()

    def _is_answered(self, call_id: str | None) -> bool:
        return call_id in self._recent and self._conversation.unanswered(call_id) is None

    def _given(self, output: msgspec.Raw) -> Output:
        """An output as a value; one of another type is lost, and counted."""
        try:
            return _decode_output(output)
        except _UNREADABLE:
            written = b'{"payload":{"output":%b}}' % bytes(output)
            record = record_of(written, Record, self._drift, self._builder.line)
        return None if record is None or record.payload is None else record.payload.output

    def _output(self, call_id: str | None, given: Output) -> None:
        if isinstance(given, str):
            outcome = outcome_of(given)
        else:
            parts = [given] if isinstance(given, Part) else given or []
            outcome = outcome_of_parts(parts)
            if any(part.type is None and part.text is None for part in parts):
                self._drift.note("output of no known form", self._builder.line)
            self._attach(call_id, parts)
        self._answer(call_id, outcome)

    def _repaired(self, arguments: str) -> Any:
        """Arguments that are no good JSON, as far as they can be had."""
        return decoded(arguments.encode("utf-8", "replace"), self._drift, self._builder.line)

    def _shallow(self, arguments: Any) -> Any:
        """Arguments that nobody need fear to walk through; None in place of others."""
        if type(arguments) is str or not too_deep(arguments):
            return arguments
        self._drift.note("tool input nested too deep", self._builder.line)
        return None

    def _call(
        self,
        item: Item | FunctionCall | CustomCall,
        tool: str | None,
        arguments: Any,
        result: Result | None = None,
    ) -> OpenCall | None:
        builder = self._builder
        if tool is None:
            self._drift.note("tool call without a name", builder.line)
            tool = "unknown"
        message = builder.response()
        kind, args = tool_of(tool, PROVIDER, item.namespace).described(arguments)
        call = OpenCall(
            item.call_id or item.id,
            builder.line,
            tool,
            kind,
            arguments,
            args,
            timestamp(builder.time),
            builder.time,
            result,
        )
        if not self._conversation.call(call) and not self._is_another(call):
            self._left_out["repeated tool call"] += 1
            if not (message.calls or message.texts or message.thoughts):
                message.texts.append("")
            return None
        call_id = call.id
        if call_id is not None:
            recent = self._recent
            recent[call_id] = call
            if len(recent) > _MAX_RECENT:
                _forget_half(recent)
            named = _NAMING.get(tool)
            if named is not None and type(arguments) is dict:
                self._note_name(call_id, tool, arguments.get(named))
        return call

    def _is_another(self, call: OpenCall) -> bool:
        """Tell a call whose id was used before, unless it is a copy; whether it is none.

        Some servers number the calls of each response anew.
        """
        conversation, earlier = self._conversation, self._recent.get(call.id or "")
        if earlier is not None and earlier.tool == call.tool:
            if not conversation.is_open(earlier):  # what it was called with is gone
                is_copy = conversation.unanswered(call.id) is not None
            else:
                is_copy = earlier.input == call.input
            if is_copy or call.result is not None:
                return False
        self._recent.pop(call.id or "", None)  # they stand in the order of their messages
        return conversation.call(call, is_new=True)

    def _note_name(self, call_id: str, tool: str, name: Any) -> None:
        if type(name) is not str and type(name) is not int:
            return
        short = str(name)[:_MAX_NAME]
        if tool == _SPAWN:
            _put(self._spawning, short, call_id, _MAX_RECENT)
        else:
            _put(self._polled, call_id, short, _MAX_RECENT)

    def _answer(self, call_id: str | None, outcome: Outcome) -> None:
        builder = self._builder
        builder.answered()
        call = self._conversation.unanswered(call_id)
        if call is None or call_id is None:
            self._answer_again(call_id, outcome)
            return
        answered = builder.time
        if builder.is_counted_first:
            if _took_time(call.called, answered):
                builder.took_time()
            else:
                answered = None  # call and output were written at once: the times say nothing
        if outcome.is_script:
            outcome.status = status_for(call, outcome)
        status = self._statuses.pop(call_id, None) if self._statuses else None
        is_poll = call_id in self._polled
        if is_poll or status is not None or call.result is not None or outcome.duration_ms is None:
            complete(outcome, call, status=status, answered=answered, is_poll=is_poll)
        self._conversation.answer(call, outcome)
        if is_poll or outcome.running is not None or call.tool == _SPAWN:
            self._follow(call, outcome)

    def _answer_again(self, call_id: str | None, outcome: Outcome) -> None:
        """An output of no call that waits for one."""
        call = None if call_id is None else self._recent.get(call_id)
        if call is not None:
            # A script may have told something before it ended.
            self._left_out["earlier output of a tool call"] += 1
            outcome.status = status_for(call, outcome)
            self._conversation.correct(call, **changes_by(outcome))
            self._follow(call, outcome)
        elif self._conversation.is_known(call_id):
            self._left_out["output of a call that was taken back"] += 1
        else:
            self._drift.note("tool result without a call", self._builder.line)

    def _follow(self, call: OpenCall, outcome: Outcome) -> None:
        """A process goes on, or is over: tell the call that started it."""
        if call.tool == _SPAWN:
            found = UUID.search(outcome.text, 0, _THREAD_ID_WITHIN)
            if found is not None:
                self._spawned(found[0], call.id)
        polled = self._polled.pop(call.id or "", None)
        if polled is None:
            if outcome.running is not None:
                _put(self._running, outcome.running[:_MAX_NAME], call, _MAX_RUNNING)
            return
        started = self._running.get(polled)
        # Scripts have no exit code. Without one, a process goes on: its poll was aborted.
        is_over = outcome.exit_code is not None or call.tool == _WAIT
        if started is None or outcome.running is not None or not is_over:
            return
        del self._running[polled]
        status = status_for(started, outcome)
        self._conversation.correct(started, exit_code=outcome.exit_code, status=status)

    def _attach(self, call_id: str | None, parts: list[Part]) -> None:
        attachments = attachments_of(parts, call_id=call_id)
        if not attachments:
            return
        conversation = self._conversation
        current = conversation.current
        call = conversation.unanswered(call_id) or self._recent.get(call_id or "")
        if current is not None and call is not None and call.number == len(conversation) - 1:
            current.attachments.extend(attachments)
        else:
            self._left_out["image in a late tool output"] += len(attachments)


def _took_time(called: datetime | None, answered: datetime | None) -> bool:
    return called is not None and answered is not None and answered - called > _AT_ONCE


def _put(book: dict[str, Any], key: str, value: Any, limit: int) -> None:
    """Note something in a book that forgets: half of it, when it is full."""
    book[key] = value
    if len(book) > limit:
        _forget_half(book)


def _forget_half(book: dict[str, Any]) -> None:
    for old in list(islice(book, len(book) // 2)):
        del book[old]
