"""Shells that go on when their call returns: how they ended is told later, by another call.

Copilot calls it a success that a command was begun. Whether the command succeeds is unknown until
somebody reads the rest of its output, stops it, or is notified of its end.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pytest_agentv.adapters.copilot.records import Notification

if TYPE_CHECKING:
    from pytest_agentv.adapters.conversation import Conversation, OpenCall, Result

_GOES_ON = re.compile(
    r"<command (?:with shellId: (?P<slow>[^<>\n]{1,80}?) is still running[^<>]{0,300}"
    r"|started in (?:detached )?background with shellId: (?P<begun>[^<>\n]{1,80}?))>\s*\Z"
)
_GOES_ON_LENGTH = 500
_READERS = ("read_", "write_")
_STOPPERS = "stop_"
_COMPLETED = "shell_completed"
# How many may go on at a time; nobody has more.
_MAX_RUNNING = 1000


class Shells:
    """The shells of one session that go on."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        # The calls that began them, by the id of the shell.
        self._running: dict[str, OpenCall] = {}

    def returned(self, call: OpenCall, result: Result) -> None:
        """A call returned; may change its result, which is not told yet."""
        if call.kind == "shell":
            self._note_running(call, result)
        elif self._running and call.tool.startswith(_READERS):
            if result.exit_code is not None:
                self._end(_shell_of(call.input), result.exit_code)
        elif self._running and call.tool.startswith(_STOPPERS) and result.status == "ok":
            begun = self._running.pop(_shell_of(call.input), None)
            if begun is not None:
                self._conversation.correct(begun, status="cancelled")

    def notified(self, kind: Notification | str | None) -> None:
        """The client notifies the model of something; maybe that a shell ended."""
        if not isinstance(kind, Notification) or kind.type != _COMPLETED:
            return
        if kind.exit_code is not None:
            self._end(kind.shell_id or "", kind.exit_code)

    def forget(self) -> None:
        """Another run begins, and counts its shells anew."""
        self._running.clear()

    def _note_running(self, call: OpenCall, result: Result) -> None:
        output = result.output or ""
        if result.status != "ok" or result.exit_code is not None or not output.endswith(">"):
            return
        found = _GOES_ON.search(output, max(0, len(output) - _GOES_ON_LENGTH))
        if found is None:
            return
        if len(self._running) >= _MAX_RUNNING:
            del self._running[next(iter(self._running))]
        self._running[found["slow"] or found["begun"]] = call
        result.status = "unknown"
        # How long somebody waited for it is not how long it took.
        result.duration_ms = result.duration_source = None

    def _end(self, shell: str, exit_code: int) -> None:
        begun = self._running.pop(shell, None)
        if begun is not None:
            status = "error" if exit_code else "ok"
            self._conversation.correct(begun, exit_code=exit_code, status=status)


def _shell_of(arguments: Any) -> str:
    """The shell that a call is about."""
    name = arguments.get("shellId") if isinstance(arguments, dict) else None
    return name if isinstance(name, str) else ""
