"""The commands that a call ran, and whether what it ran is written out at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_agentv.graders.calls import native_arguments
from pytest_agentv.graders.path_forms import is_windows
from pytest_agentv.graders.shell_commands import commands_in
from pytest_agentv.graders.shell_scripts import UNIX_SHELLS
from pytest_agentv.graders.shell_wrappers import program_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_agentv.graders.shell_commands import Command
    from pytest_agentv.transcript.model import ToolCall

_POWERSHELLS = frozenset({"powershell", "pwsh"})


def commands_of(call: ToolCall, cwd: str | None) -> Iterable[Command]:
    """Every command of a call's command line; none if it has no such line."""
    line = call.command
    if line is None:
        return ()
    return commands_in(line, "powershell" if _is_for_powershell(call, cwd) else "shell")


def is_code(call: ToolCall) -> bool:
    """Whether the command line of a call is code, in which commands are put together."""
    return call.command is not None and call.args.get("content") == call.command


def _is_for_powershell(call: ToolCall, cwd: str | None) -> bool:
    """Whether PowerShell reads a call's line: it is the usual shell of Windows."""
    tool = call.tool.lower()
    if any(name in tool for name in _POWERSHELLS):
        return True
    if not is_windows(cwd) or tool in UNIX_SHELLS:
        return False
    native = native_arguments(call).get("command")
    program = native[0] if isinstance(native, list) and native else ""
    return not (isinstance(program, str) and program_of(program) in UNIX_SHELLS)
