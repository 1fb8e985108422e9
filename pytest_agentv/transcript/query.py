"""Questions about a transcript: the methods that graders and test authors call on it.

They are mixed into the types of ``model.py`` and answer from ``output`` alone. Names and values
are matched as glob patterns (``*`` also crosses ``/``, ``**/`` is any folders or none); case
counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_agentv.globs import fits

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_agentv.transcript.model import Message, ToolCall


class CallQueries:
    """Questions about one tool call."""

    __slots__ = ()

    if TYPE_CHECKING:
        tool: str
        kind: str
        args: dict[str, Any]
        status: str

    @property
    def command(self) -> str | None:
        """The command line that was run, if this call ran one."""
        command = self.args.get("command")
        return command if isinstance(command, str) else None

    @property
    def paths(self) -> tuple[str, ...]:
        """Every file or folder this call names, in the order it names them."""
        several = self.args.get("paths")
        candidates = [
            self.args.get("path"),
            *(several if isinstance(several, list) else [several]),
        ]
        return tuple(dict.fromkeys(path for path in candidates if isinstance(path, str)))

    @property
    def failed(self) -> bool:
        """Whether the call got an answer and the answer is not good."""
        return self.status not in ("ok", "unknown")

    def is_tool(self, name: str) -> bool:
        """Whether ``name``, a glob, is this tool's native name or its kind."""
        return fits(self.tool, name) or fits(self.kind, name)


class TranscriptQueries:
    """Questions about a whole transcript."""

    __slots__ = ()

    if TYPE_CHECKING:
        output: tuple[Message, ...]

    @property
    def final_answer(self) -> str | None:
        """Text of the last thing the assistant said on the main thread; None if it said nothing."""
        return next(
            (
                message.content
                for message in reversed(self.output)
                if message.role == "assistant" and message.agent_id is None and message.content
            ),
            None,
        )

    @property
    def prompts(self) -> tuple[str, ...]:
        """Everything a person typed for the assistant, in order."""
        return tuple(message.content for message in self.messages(role="user", origin="human"))

    def messages(
        self, *, role: str | None = None, origin: str | None = None, agent_id: str | None = None
    ) -> tuple[Message, ...]:
        """Messages of the main thread, or of one sub-agent, by role and origin."""
        return tuple(
            message
            for message in self.output
            if message.agent_id == agent_id
            and (role is None or message.role == role)
            and (origin is None or message.origin == origin)
        )

    def tool_calls(
        self,
        tool: str | None = None,
        *,
        kind: str | None = None,
        command: str | None = None,
        path: str | None = None,
        status: str | None = None,
    ) -> tuple[ToolCall, ...]:
        """Tool calls in order, sub-agents' included; every condition given must hold.

        ``tool`` matches the native name or the kind; ``command`` the whole command line; ``path``
        any file the call names. All are globs, ``kind`` and ``status`` are exact.
        """
        return tuple(
            call
            for call in _calls(self.output)
            if (tool is None or call.is_tool(tool))
            and (kind is None or call.kind == kind)
            and (status is None or call.status == status)
            and (command is None or _matches(call.command, command))
            and (path is None or any(fits(named, path) for named in call.paths))
        )

    def message_of(self, call: ToolCall) -> Message:
        """The message that made a call of this transcript."""
        for message in self.output:
            if any(one is call for one in message.tool_calls):
                return message
        raise LookupError(f"this transcript made no such call: {call.tool} {call.id}")

    def before(self, mark: Message | ToolCall) -> tuple[Message | ToolCall, ...]:
        """All messages and calls that come before ``mark``, in order."""
        steps = tuple(_steps(self.output))
        return steps[: _position(steps, mark)]

    def after(self, mark: Message | ToolCall) -> tuple[Message | ToolCall, ...]:
        """All messages and calls that come after ``mark``, in order."""
        steps = tuple(_steps(self.output))
        return steps[_position(steps, mark) + 1 :]

    def between(
        self, first: Message | ToolCall, last: Message | ToolCall
    ) -> tuple[Message | ToolCall, ...]:
        """All messages and calls after ``first`` and before ``last``, in order."""
        steps = tuple(_steps(self.output))
        return steps[_position(steps, first) + 1 : _position(steps, last)]


def _matches(text: str | None, pattern: str) -> bool:
    return text is not None and fits(text, pattern)


def _calls(messages: Iterable[Message]) -> Iterator[ToolCall]:
    for message in messages:
        yield from message.tool_calls


def _steps(messages: Iterable[Message]) -> Iterator[Message | ToolCall]:
    for message in messages:
        yield message
        yield from message.tool_calls


def _position(steps: tuple[Message | ToolCall, ...], mark: Message | ToolCall) -> int:
    # By identity: two calls may be equal in every field.
    for position, step in enumerate(steps):
        if step is mark:
            return position
    raise LookupError("the mark is not part of this transcript")
