"""Sessions of Kimi Code: a log of everything that was done to the context of an agent."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING, Any

import msgspec

from pytest_agentv.adapters.clock import from_epoch
from pytest_agentv.adapters.placelist import PlaceList
from pytest_agentv.adapters.records import Drift, RecordFile, shown
from pytest_agentv.adapters.spending import usage_beside_caches
from pytest_agentv.adapters.values import attachments_of, text_of

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from pytest_agentv.adapters.told import Told
    from pytest_agentv.transcript.model import Usage

# Groups of records that are no part of the conversation; of turns only echoes are logged.
_PASSED = frozenset(
    """
    background config cron forked full_compaction goal job llm mcp micro_compaction permission
    plan_mode plugin profile prompt runtime session skill subagent swarm_mode task token_counting
    tools turn usage metadata
    """.split()  # noqa: SIM905 (words read better so)
)
_ABOUT_CONTEXT = frozenset(("context.clear", "context.spliced", "context.undone"))
_SUMMARY = "compaction_summary"
_EXIT_CODE = re.compile(r"Command failed with exit code: (-?\d{1,9})\.?\s*\Z")
_TIMED_OUT = re.compile(r"(?:killed by timeout|timed out after)[^\n]{0,60}\Z")
_AGENT = re.compile(r"\Aagent_id: (\S{1,100})$", re.MULTILINE)
_REFUSED = frozenset(("rejected", "denied", "reject", "deny"))
_TAIL = 200


class Event(msgspec.Struct, rename="camel"):
    """A part of what the model said, or the result of a call."""

    type: str | None = None
    uuid: str | None = None
    part: dict[str, Any] | None = None
    tool_call_id: str | None = None
    name: str | None = None
    args: Any = None
    result: dict[str, Any] | None = None
    usage: dict[str, Any] | None = None
    message_id: str | None = None


class Said(msgspec.Struct, rename="camel"):
    """A message."""

    role: str | None = None
    content: Any = None
    origin: dict[str, Any] | None = None


class Record(msgspec.Struct, rename="camel"):
    """A record."""

    type: str | None = None
    time: float | None = None
    event: Event | None = None
    message: Said | None = None
    count: int | None = None
    # Of what the agent runs with.
    model_alias: str | None = None
    environment_disclosure: dict[str, Any] | None = None
    app_version: str | None = msgspec.field(default=None, name="app_version")
    # Of tokens, and of what a person allowed.
    usage: dict[str, Any] | None = None
    usage_scope: str | None = None
    tool_call_id: str | None = None
    result: Any = None


class _Kind(msgspec.Struct):
    """What is needed to know which records count."""

    type: str | None = None
    message: Said | None = None
    count: int | None = None


class Wire:
    """The log of one agent, and those of its sub-agents if they are wanted."""

    def __init__(self, told: Told, agents: dict[str, Path]) -> None:
        self._told = told
        self._agents = agents
        self._refused: set[str] = set()
        self._is_open = False
        # Sub-agents of the step that is being told: it says what it took at its end.
        self._named: list[str] = []

    def read(self, path: Path, *, agent_id: str | None = None, until_opening: bool = False) -> None:
        """Say what the records mean that were not taken back."""
        told, again = self._told, Drift()
        with RecordFile(path, Record, again) as file:
            kept, undone = self._places(path)
            for place in kept:
                for line, record in file.records_at([place]):
                    self._record(record, line, agent_id)
                if until_opening and told.opening is not None:
                    break
            for place in undone if agent_id is None else ():
                for _, record in file.records_at([place]):
                    self._pay(record)
        told.drift.include(again)

    def remaining_agents(self) -> None:
        """Sub-agents that no result named."""
        for agent in list(self._agents):
            self._agent(agent)

    def _named_agents(self) -> None:
        named, self._named = self._named, []
        for agent in named:
            self._agent(agent)

    def _agent(self, agent: str) -> None:
        path = self._agents.pop(agent, None)
        if path is not None:
            self._is_open = False
            self.read(path, agent_id=agent)
            self._is_open = False

    def _places(self, path: Path) -> tuple[PlaceList, PlaceList]:
        """Records that count, and others: ``context.undo`` takes back prompts and what followed."""
        places, undone = PlaceList(), PlaceList()
        prompts: list[int] = []
        with RecordFile(path, _Kind, self._told.drift) as file:
            for place, record in file.records():
                if record.type == "context.undo":
                    start = (prompts[-(record.count or 1) :] or [0])[0]
                    self._told.left_out["record taken back"] += len(places) - start
                    for number in range(start, len(places)):
                        undone.append(places[number])
                    places.truncate(start)
                    del prompts[bisect_left(prompts, start) :]
                    continue
                if record.type == "context.append_message" and _origin(record.message) == "human":
                    prompts.append(len(places))
                places.append(place)
        return places, undone

    def _pay(self, record: Record) -> None:
        """A record that was taken back: what a response took was paid for all the same."""
        if record.event is not None and record.event.type == "step.end":
            self._told.spending.add(_usage(record.event.usage))
        elif record.type == "usage.record" and record.usage_scope == "session":
            self._told.spending.add(_usage(record.usage))

    def _record(self, record: Record, line: int, agent_id: str | None) -> None:
        told, type_ = self._told, record.type or ""
        time = from_epoch(record.time, per_second=1000)
        if type_ == "context.append_message":
            self._message(record.message or Said(), line, time, agent_id)
        elif type_ == "context.append_loop_event":
            self._event(record.event or Event(), line, time, agent_id)
        elif type_ == "context.apply_compaction":
            told.left_out["compaction"] += 1
        elif type_ == "permission.record_approval_result":
            decision = record.result.get("decision") if isinstance(record.result, dict) else None
            is_refused = isinstance(decision, str) and decision in _REFUSED
            if is_refused and record.tool_call_id is not None:
                self._refused.add(record.tool_call_id)
        elif type_ == "usage.record" and record.usage_scope == "session" and agent_id is None:
            told.spending.add(_usage(record.usage))  # of no step: a compaction
        elif type_.partition(".")[0] not in _PASSED and type_ not in _ABOUT_CONTEXT:
            told.drift.note(f"record type {shown(record.type)}", line)
        elif agent_id is None:
            self._about(record)

    def _about(self, record: Record) -> None:
        told = self._told
        told.version = told.version or record.app_version
        told.model = told.model or record.model_alias
        cwd = (record.environment_disclosure or {}).get("cwd")
        told.cwd = told.cwd or (cwd if isinstance(cwd, str) else None)

    def _message(
        self, message: Said, line: int, time: datetime | None, agent_id: str | None
    ) -> None:
        told = self._told
        self._is_open = False
        text = text_of(message.content)
        origin = _origin(message)
        if (message.origin or {}).get("kind") == _SUMMARY:
            told.left_out["compaction"] += 1
        elif message.role == "user":
            said = told.user(
                text,
                origin=origin if agent_id is None else "injected",
                line=line,
                time=time,
                agent_id=agent_id,
            )
            said.attachments.extend(attachments_of(message.content))
        elif message.role == "assistant":
            told.assistant(text, line=line, time=time, agent_id=agent_id)
        else:
            told.drift.note(f"message of role {shown(message.role)}", line)

    def _event(self, event: Event, line: int, time: datetime | None, agent_id: str | None) -> None:
        told = self._told
        if event.type == "step.begin":
            self._is_open = False
            self._named_agents()
        elif event.type in ("content.part", "tool.call"):
            self._open(line, time, agent_id)
            if event.type == "content.part":
                self._part(event.part or {}, line)
            elif event.name is None:
                told.drift.note("tool call without a name", line)
            else:
                told.call(event.name, event.args, id=event.tool_call_id, line=line, time=time)
        elif event.type == "tool.result":
            self._result(event, line, time)
        elif event.type == "step.end":
            self._end(event, time, agent_id)
        else:
            told.drift.note(f"event {shown(event.type)}", line)

    def _open(self, line: int, time: datetime | None, agent_id: str | None) -> None:
        """A step becomes a message when it says something: one that was retried may not."""
        if not self._is_open or self._told.conversation.current is None:
            self._told.assistant(line=line, time=time, agent_id=agent_id)
            self._is_open = True

    def _part(self, part: dict[str, Any], line: int) -> None:
        current = self._told.conversation.current
        thought, text = part.get("think"), part.get("text")
        if current is None:
            return
        if part.get("type") == "think":
            current.thoughts.append(text_of(thought))
        elif part.get("type") == "text":
            current.texts.append(text_of(text))
        elif attachments_of([part]):
            current.attachments.extend(attachments_of([part]))
        else:
            self._told.drift.note(f"content of type {shown(part.get('type'))}", line)

    def _result(self, event: Event, line: int, time: datetime | None) -> None:
        told, result = self._told, event.result or {}
        call = told.waiting(event.tool_call_id)
        if call is None:
            told.drift.note("result of an unknown call", line)
            return
        output = text_of(result.get("output"))
        failed = result.get("isError") is True
        found = _EXIT_CODE.search(output[-_TAIL:]) if call.kind == "shell" else None
        status = None
        if event.tool_call_id in self._refused:
            status = "denied"
        elif failed and call.kind == "shell" and _TIMED_OUT.search(output[-_TAIL:].rstrip()):
            status = "timeout"
        told.answer(
            call,
            output,
            status=status,
            exit_code=int(found[1]) if found else None,
            is_error=failed,
            time=time,
        )
        named = _AGENT.search(output) if call.kind == "task" else None
        if named is not None:
            self._named.append(named[1])

    def _end(self, event: Event, time: datetime | None, agent_id: str | None) -> None:
        told, usage = self._told, _usage(event.usage)
        told.at(time)
        current = told.conversation.current
        if self._is_open and current is not None and current.role == "assistant":
            current.id = event.message_id or event.uuid
            current.usage = usage
            current.model = None if agent_id is not None else told.model
            if agent_id is None:
                told.spending.replace(None, usage)
        elif usage is not None and agent_id is None:
            told.spending.add(usage)
        self._is_open = False
        self._named_agents()


def _origin(message: Said | None) -> str:
    kind = ((message and message.origin) or {}).get("kind")
    if message is None or message.role != "user" or kind == _SUMMARY:
        return "injected"
    if kind in ("shell", "shell_command", "bash"):
        return "command"
    return "human" if kind in (None, "user", "slash_command", "skill_activation") else "injected"


def _usage(usage: dict[str, Any] | None) -> Usage | None:
    """Tokens of a response."""
    stated = usage or {}
    return usage_beside_caches(
        fresh=stated.get("inputOther"),
        cached=stated.get("inputCacheRead"),
        cache_write=stated.get("inputCacheCreation"),
        output=stated.get("output"),
    )
