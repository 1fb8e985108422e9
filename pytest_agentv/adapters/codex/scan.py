"""One pass over the records of a session: each is told to whoever makes something of it."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any

from pytest_agentv.adapters.codex.about import About
from pytest_agentv.adapters.codex.attachments import attachments_of
from pytest_agentv.adapters.codex.builder import Builder
from pytest_agentv.adapters.codex.calls import Calls
from pytest_agentv.adapters.codex.echoes import Echoes
from pytest_agentv.adapters.codex.events import Events
from pytest_agentv.adapters.codex.forks import Copies
from pytest_agentv.adapters.codex.frequent import (
    Compacted,
    ContextCompacted,
    CustomCall,
    CustomOutput,
    FunctionCall,
    FunctionOutput,
    Said,
    Search,
    Snapshot,
    Thought,
    ToolSearch,
    ToolsFound,
    TurnContext,
    World,
)
from pytest_agentv.adapters.codex.known import (
    KNOWN_EVENTS,
    KNOWN_ITEMS,
    KNOWN_STATES,
    KNOWN_TYPES,
)
from pytest_agentv.adapters.codex.prompts import is_image_mark, working_directory
from pytest_agentv.adapters.codex.records import Payload, Record, parts_of
from pytest_agentv.adapters.codex.tokens import Totals
from pytest_agentv.adapters.records import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pytest_agentv.adapters.bulk import Run
    from pytest_agentv.adapters.codex.events import Handlers, ItemHandlers, Spawned
    from pytest_agentv.adapters.codex.records import Item
    from pytest_agentv.adapters.records import Drift
    from pytest_agentv.transcript.model import Attachment

_NONE: dict[str | None, Callable[[Payload], None]] = {}
_LEFT_OUT = (("response_item", "item", KNOWN_ITEMS), ("event_msg", "event", KNOWN_EVENTS))


class Scan:
    """What the records of one session amount to."""

    def __init__(self, drift: Drift, *, spawned: Spawned) -> None:
        """``spawned`` is told of every child thread and of the call that began it."""
        self.drift = drift
        self.left_out: Counter[str] = Counter()
        self.about = About()
        self.builder = Builder()
        self.totals = Totals()
        self._copies = Copies()
        self._echoes = Echoes(self.builder)
        calls = Calls(self.builder, drift, self.left_out, spawned)
        self.dead_spawns = calls.dead_spawns
        items: ItemHandlers = {
            "message": self._message,
            "reasoning": self._reasoning,
            "function_call": calls.function,
            "function_call_output": calls.output,
            "custom_tool_call": calls.custom,
            "custom_tool_call_output": calls.output,
            "local_shell_call": calls.shell,
            "local_shell_call_output": calls.output,
            "tool_search_call": calls.tool_search,
            "tool_search_output": calls.tools_found,
            "web_search_call": calls.hosted,
            "image_generation_call": calls.hosted,
            "agent_message": self._agent_message,
        }
        events = Events(
            self.builder,
            self._echoes,
            calls,
            about=self.about,
            totals=self.totals,
            drift=drift,
            left_out=self.left_out,
            spawned=spawned,
        )
        self._items = items
        # By a record's type, then by its payload's; that of some records has none.
        self._types: dict[str | None, Handlers] = {
            "response_item": items,
            "event_msg": events.handlers,
            "turn_context": {None: self._turn_context},
            "compacted": {None: self._compacted},
            "token_usage_record": {None: self._response_tokens},
            "inter_agent_communication": {None: self._agent_message},
        }
        # By the type of the payload; records of any kind have one of the last two.
        self._frequent: dict[type, Callable[[Any], None] | None] = {
            Said: self._message,
            Thought: self._reasoning,
            FunctionCall: calls.function,
            FunctionOutput: calls.written_output,
            CustomCall: calls.custom,
            CustomOutput: calls.output,
            Search: calls.hosted,
            ToolSearch: calls.tool_search,
            ToolsFound: calls.tools_found,
            Snapshot: partial(self._leave_out, "ghost_snapshot", "item", KNOWN_ITEMS),
            TurnContext: self._turn_context,
            Compacted: self._compacted,
            World: partial(self._leave_out, "world_state", "record", KNOWN_TYPES),
            ContextCompacted: partial(self._leave_out, "context_compacted", "event", KNOWN_EVENTS),
            **events.frequent,
            Payload: None,
            type(None): None,
        }

    def read(
        self, runs: Iterable[Run], *, expect_frequent: Callable[[], None] = lambda: None
    ) -> None:
        """Take in all records.

        ``expect_frequent`` is called when records of frequent kinds may come as such: from then
        on none is a copy, of which more must be known.
        """
        builder, about, frequent = self.builder, self.about, self._frequent
        is_settled = False
        for run in runs:
            builder.conversation.grow(sum(run.sizes))
            for builder.line, record in enumerate(run.records, run.first):
                payload = record.payload
                handle = frequent[type(payload)]
                if handle is None:
                    assert isinstance(record, Record)
                    self._any(record)
                else:
                    time = builder.time = record.timestamp
                    if time is not None:
                        if about.ended is None or time < about.ended:
                            about.at(time)
                        else:
                            about.ended = time
                    handle(payload)
            if not (is_settled or self._copies.may_come):
                is_settled = True
                expect_frequent()
        self._echoes.finish()
        builder.conversation.finish()

    def _any(self, record: Record) -> None:
        """A record of any kind."""
        payload = record.payload
        if payload is None:
            self._bare(record)
        elif record.type == "session_meta":
            self._meta(payload, record)
        elif self._copies.may_come and self._copies.is_copy(record, payload):
            self._copied(payload)
        else:
            self.builder.time = record.timestamp
            if record.timestamp is not None:
                self.about.at(record.timestamp)
            handle = self._types.get(record.type, _NONE).get(payload.type)
            if handle is None:
                self._other(record.type, payload)
            else:
                handle(payload)

    def _other(self, type_: str | None, payload: Payload) -> None:
        """A record that nothing is made of."""
        for of_type, word, known in _LEFT_OUT:
            if type_ == of_type:
                self._leave_out(payload.type, word, known)
                return
        self._leave_out(type_, "record", KNOWN_TYPES)

    def _leave_out(
        self, name: str | None, word: str, known: frozenset[str], _: object = None
    ) -> None:
        if name in known:
            self.left_out[f"{name} {word}"] += 1
        else:
            self.drift.note(f"{word} type {shown(name)}", self.builder.line)

    def _bare(self, record: Record) -> None:
        """A line of the first versions: the head, an item, or the state between them."""
        if record.type is not None:
            handle = self._items.get(record.type)
            if handle is None:
                self._leave_out(record.type, "item", KNOWN_ITEMS)
            else:
                handle(record)
        elif record.record_type is not None:
            self._leave_out(record.record_type, "record", KNOWN_STATES)
        elif record.id is not None and record.timestamp is not None and not self.about.has_head:
            self.about.bare_head(record)
        else:
            self.drift.note("record without a type", self.builder.line)

    def _meta(self, meta: Payload, record: Record) -> None:
        about = self.about
        if not about.has_head:
            about.head(meta)
            self._copies.begin(meta, record.timestamp)
            if meta.history_base is not None:
                self._go_on(meta)
        elif meta.id != about.session_id:
            self._copies.parent(meta)
            self.left_out["head of another session"] += 1
        else:
            self._echoes.tell_prompts()
            self.builder.resumed()
        if self._copies.is_copying or self._copies.is_copy(record, meta):
            # The session's own time begins after the copies.
            about.started = about.ended = None
        elif record.timestamp is not None:
            about.at(record.timestamp)

    def _go_on(self, meta: Payload) -> None:
        """What was said before is in another file: a parent's, or that of this same thread."""
        self.totals.goes_on = True
        if meta.forked_from_id is None:
            self.drift.note("beginning in another file", self.builder.line)

    def _copied(self, payload: Payload) -> None:
        self.left_out["record copied from another session"] += 1
        if payload.type == "token_count" and payload.info is not None:
            self.totals.inherit(payload.info)
        if payload.type is None:
            self.about.inherited_model = payload.model or self.about.inherited_model

    # What the model was told, said and did.

    def _message(self, item: Item | Said) -> None:
        content = item.content
        attachments: list[Attachment] = []
        if type(content) is list and len(content) == 1 and content[0].text is not None:
            texts = [content[0].text]
        else:
            parts = parts_of(item.content)
            texts = [part.text for part in parts if part.text is not None]
            attachments = attachments_of(parts)
            if attachments:
                texts = [text for text in texts if not is_image_mark(text)]
        role = item.role
        if role == "assistant":
            for text in texts:
                self._echoes.answer_item(text)
            message = self.builder.response()
            if message.id is None:
                message.id = item.id
            message.texts += texts
            message.attachments.extend(attachments)
        elif role == "user":
            if self.about.cwd is None:
                self.about.cwd = working_directory(texts)
            self._echoes.user_item(texts, attachments, item.id)
        elif role in ("developer", "system"):
            self.builder.say("user", "\n".join(texts), origin="injected", id_=item.id)
        else:
            self.drift.note(f"message role {shown(role)}", self.builder.line)

    def _reasoning(self, item: Item | Thought) -> None:
        self._echoes.thought_item()
        thoughts = self.builder.response().thoughts
        for parts in (item.summary, item.content):
            if type(parts) is list and parts:
                thoughts += [part.text for part in parts if part.text]

    def _agent_message(self, item: Item) -> None:
        """What one agent tells another."""
        text = "\n".join(part.text for part in parts_of(item.content) if part.text)
        # What a child thread is told first is its prompt, though no person typed it.
        is_brief = bool(text) and self.about.is_child and self.builder.opening is None
        if not is_brief:
            self.builder.instructed()
        if not text:
            self.left_out["encrypted message between agents"] += 1
            return
        self.builder.say("user", text, origin="human" if is_brief else "injected", id_=item.id)

    def _turn_context(self, context: Payload | TurnContext) -> None:
        self.builder.end_response()
        self.builder.model = context.model or self.builder.model
        self.about.model = self.about.model or context.model
        self.about.cwd = self.about.cwd or context.cwd

    def _compacted(self, _: Payload) -> None:
        """The model goes on with a summary; what was said before stays said."""
        self.left_out["compacted record"] += 1
        self.builder.end_response()

    def _response_tokens(self, record: Payload) -> None:
        thread, own = record.thread_id, self.about.session_id
        if thread is not None and own not in (None, thread):
            # A review that a thread has made tells it what its responses took.
            self.left_out["tokens of another thread"] += 1
        elif record.usage is not None:
            self.builder.counted(self.totals.respond(record.response_id, record.usage))
