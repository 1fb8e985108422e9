"""The timeline of a session: turns, messages and tool calls as a page shows them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any

from pytest_agentv.html.diffs import diffs_of
from pytest_agentv.html.selection import MOST_ATTACHMENTS, MOST_CALLS, WHOLE
from pytest_agentv.html.texts import (
    Clip,
    clip,
    duration,
    json_of,
    line_of,
    plural,
    since,
    tokens,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from pytest_agentv.html.diffs import FileDiff
    from pytest_agentv.html.selection import Limits
    from pytest_agentv.transcript.model import Attachment, Message, ToolCall, Usage

_LABELS = {"human": "User", "injected": "Injected", "command": "Command"}
_ROLES = {"user": "User", "assistant": "Assistant", "system": "System"}
# The argument that says best what a call is about.
_MAIN_ARGUMENTS = ("command", "query", "pattern", "url", "path", "content")


@dataclass(frozen=True, slots=True, kw_only=True)
class CallView:
    """A tool call."""

    anchor: str
    tool: str
    kind: str
    argument: str
    status: str
    failed: bool
    exit_code: int | None
    duration: str
    diffs: tuple[FileDiff, ...]
    arguments: Clip | None
    output: Clip | None
    # The assertions that it decides.
    decides: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageView:
    """A message."""

    anchor: str
    number: int
    line: int | None
    role: str
    label: str
    text: Clip
    thinking: Clip | None
    model: str | None
    at: str
    tokens: str
    calls: tuple[CallView, ...]
    calls_left_out: int
    attachments: tuple[str, ...]
    # The assertions that it decides.
    decides: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Messages one after another by the main thread, or by one sub-agent.

    An entry is a message, or a number of messages that are not shown.
    """

    agent_id: str | None
    about: str
    entries: tuple[MessageView | int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What a person typed, and all that came of it."""

    number: int
    parts: tuple[Part, ...]


def anchor_of(name: str, message: int, call: int | None) -> str:
    """Where on the page a message is, or a call of it."""
    return f"{name}-m{message + 1}" if call is None else f"{name}-m{message + 1}-c{call + 1}"


def turns_of(messages: Sequence[Message], shown: dict[int, Limits], maker: Maker) -> Iterator[Turn]:
    """The turns of a session; what stands before the first prompt is part of the first turn."""
    starts = [place for place, message in enumerate(messages) if _is_prompt(message)]
    for number, (start, end) in enumerate(pairwise([0, *starts[1:], len(messages)]), 1):
        parts = groupby(range(start, end), key=lambda place: messages[place].agent_id)
        yield Turn(
            number=number,
            parts=tuple(
                _part(agent, list(places), messages, shown, maker) for agent, places in parts
            ),
        )


def _is_prompt(message: Message) -> bool:
    return message.role == "user" and message.origin == "human" and message.agent_id is None


def _part(
    agent: str | None,
    places: list[int],
    messages: Sequence[Message],
    shown: dict[int, Limits],
    maker: Maker,
) -> Part:
    entries: list[MessageView | int] = []
    for is_shown, group in groupby(places, key=shown.__contains__):
        several = list(group)
        if is_shown:
            entries += [maker.message(one, messages[one], shown[one]) for one in several]
        else:
            entries.append(len(several))
    failures = Counter(call.failed for place in places for call in messages[place].tool_calls)
    about = f"{plural(len(places), 'message')}, {plural(failures.total(), 'tool call')}"
    if failed := failures[True]:
        about = f"{about}, {failed:,} failed"
    return Part(agent_id=agent, about=about, entries=tuple(entries))


class Maker:
    """Makes the views of the messages of one session."""

    def __init__(
        self,
        name: str,
        *,
        start: datetime | None,
        folder: str | None,
        deciding: Mapping[tuple[int, int | None], str],
    ) -> None:
        self._name = name
        self._start = start
        # Files in the folder of the session are named from there.
        self._folder = f"{folder.rstrip('/')}/" if folder else None
        self._deciding = deciding
        self._model: str | None = None

    def message(self, place: int, message: Message, limits: Limits) -> MessageView:
        """A message; the model is named where it changes."""
        is_new = message.model is not None and message.model != self._model
        self._model = message.model or self._model
        calls = message.tool_calls[:MOST_CALLS]
        role = message.role if message.role in _ROLES else "other"
        label = _LABELS.get(message.origin or "") if role == "user" else None
        return MessageView(
            anchor=anchor_of(self._name, place, None),
            number=place + 1,
            line=message.line,
            role=message.origin if label and message.origin else role,
            label=label or _ROLES.get(message.role) or line_of(message.role, 40),
            text=clip(message.content, limits.message),
            thinking=clip(message.thinking, limits.thinking) if message.thinking else None,
            model=line_of(message.model or "", 80) if is_new else None,
            at=since(self._start, message.timestamp),
            tokens=_used(message.usage),
            calls=tuple(self._call(place, n, call, limits) for n, call in enumerate(calls)),
            calls_left_out=len(message.tool_calls) - len(calls),
            attachments=tuple(map(_attached, message.attachments[:MOST_ATTACHMENTS])),
            decides=self._deciding.get((place, None), ""),
        )

    def _call(self, place: int, number: int, call: ToolCall, limits: Limits) -> CallView:
        diffs = tuple(replace(one, path=self._relative(one.path)) for one in diffs_of(call))
        arguments = None if diffs and limits is not WHOLE else _arguments(call.input, limits)
        return CallView(
            anchor=anchor_of(self._name, place, number),
            tool=line_of(call.tool, 80),
            kind=line_of(call.kind, 20),
            argument=self._main_argument(call),
            status=line_of(call.status, 20),
            failed=call.failed,
            exit_code=call.exit_code,
            duration="" if call.duration_ms is None else duration(call.duration_ms),
            diffs=diffs,
            arguments=arguments,
            output=None if call.output is None else clip(call.output, limits.output),
            decides=self._deciding.get((place, number), ""),
        )

    def _main_argument(self, call: ToolCall) -> str:
        for name in _MAIN_ARGUMENTS:
            value = call.args.get(name)
            if name == "path" and call.paths:
                return line_of(", ".join(map(self._relative, call.paths[:5])))
            if isinstance(value, str) and value.strip():
                return line_of(value)
        return ""

    def _relative(self, path: str) -> str:
        return path.removeprefix(self._folder) if self._folder else path


def _arguments(native: Any, limits: Limits) -> Clip | None:
    """The arguments of a call, a text as it stands, all else as JSON."""
    if native is None or native in ({}, []):
        return None
    text = native if isinstance(native, str) else json_of(native)
    return clip(text, limits.arguments)


def _used(usage: Usage | None) -> str:
    if usage is None or (usage.input is None and usage.output is None):
        return ""
    return f"{tokens(usage.input)} in, {tokens(usage.output)} out"


def _attached(one: Attachment) -> str:
    known = [one.kind, one.name, one.media_type, None if one.size is None else f"{one.size:,} B"]
    return line_of(", ".join(part for part in known if part))
