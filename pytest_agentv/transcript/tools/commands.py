"""Calls that run a command: one command line, whatever form a vendor gives it.

Argument lists that only start a shell become the script that the shell runs, so that one pattern
fits the same command in every client's sessions.
"""

from __future__ import annotations

import re
import shlex
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec

from pytest_agentv.transcript.tools.patches import (
    BEGIN,
    PROGRAMS,
    described_program,
    described_script,
)

if TYPE_CHECKING:
    from pytest_agentv.transcript.tools.table import Description

_UNIX_SHELLS = frozenset({"bash", "sh", "zsh", "dash", "ksh", "fish", "ash"})
_POWERSHELLS = frozenset({"powershell", "pwsh"})
_OPTION_WITH_SCRIPT = re.compile(r"-[A-Za-z]*c")
_OTHER_OPTION = re.compile(r"-[A-Za-z]+|--[a-z]+|pipefail")
_PATCH_ARGUMENTS = 2


def described_command(native: Any) -> Description:
    """A call of a shell tool: ``command`` or ``cmd``, a text or an argument list."""
    if type(native) is str:
        native = _object(native)
    if type(native) is not dict:
        return "shell", {}
    value = native.get("command")
    if value is None:
        value = native.get("cmd")
    if value is None and type(native.get("action")) is dict:
        value = native["action"].get("command")
    command = value if type(value) is str else command_line(value)
    if command is None:
        return "shell", {}
    if BEGIN in command:
        if type(value) is list and len(value) == _PATCH_ARGUMENTS and _program(value) in PROGRAMS:
            return described_program(command, value[1])
        return described_script(command)
    return "shell", {"command": command}


def command_line(value: Any) -> str | None:
    """The command line of a text or an argument list; None if it is neither."""
    if type(value) is str:
        return value
    if type(value) is not list or not value or any(type(part) is not str for part in value):
        return None
    script = _script(value)
    return shlex.join(value) if script is None else script


def _script(argv: list[str]) -> str | None:
    """What a shell is started for, if that is all that an argument list does."""
    program = _program(argv)
    if program in _UNIX_SHELLS:
        return _unix_script(argv)
    # What follows the option is one command line for these shells, spaces between.
    if program in _POWERSHELLS:
        position = _command_option(argv)
        return " ".join(argv[position + 1 :]) if position else None
    if program == "cmd" and len(argv) > len(("cmd", "/c")) and argv[1].lower() == "/c":
        return " ".join(argv[2:])
    return None


def _program(argv: list[str]) -> str:
    return argv[0].replace("\\", "/").rpartition("/")[2].lower().removesuffix(".exe")


def _unix_script(argv: list[str]) -> str | None:
    """The last argument, if all before it are options and the last option asks for a script.

    With more arguments behind the script they are its parameters and may be what is run.
    """
    *options, option, script = argv[1:] if len(argv) >= len(("sh", "-c", "script")) else ("", "")
    if _OPTION_WITH_SCRIPT.fullmatch(option) is None:
        return None
    return script if all(map(_OTHER_OPTION.fullmatch, options)) else None


def _command_option(argv: list[str]) -> int:
    """Where PowerShell's option for a command stands, with a command behind it; 0 for nowhere."""
    if len(argv) > 1 and not argv[1].startswith("-"):
        return 0  # a script file, and the rest are its parameters
    for position, part in enumerate(argv[1:-1], start=1):
        if part.lower() in ("-command", "-c"):
            return position
        if part.lower() in ("-file", "-f", "-encodedcommand", "-enc", "-e", "-ec"):
            return 0
    return 0


def _object(text: str) -> Any:
    """Arguments that came as text: an object in JSON, else the command itself."""
    if text.lstrip()[:1] == "{":
        with suppress(msgspec.DecodeError, UnicodeEncodeError, RecursionError):
            return msgspec.json.decode(text)
    return {"command": text}
