"""Cells of code mode: JavaScript in which Codex calls its other tools.

No record tells of the calls inside a cell, so its text is all there is. The rule is that no command
can hide in it: what the text does not say plainly counts as a command.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_agentv.transcript.tools.commands import described_command
from pytest_agentv.transcript.tools.patches import path_arguments, paths_in

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from pytest_agentv.transcript.tools.table import Description

# The kind of a cell is the first of these that one of its calls has: what changes things first.
_KINDS = (
    "shell", "edit", "web_search", "fetch", "task", "mcp", "skill", "read", "search", "todo",
)  # fmt: skip
_CODE = ("input", "code", "source")

Nested: TypeAlias = "Callable[[str, Any], Description]"


def described_cell(native: Any, nested: Nested) -> Description:
    """A call of the tool that runs cells; ``nested`` describes the calls inside."""
    code = native
    if type(native) is dict:
        values = (native.get(name) for name in _CODE)
        code = next((value for value in values if type(value) is str), None)
        if code is None and ("command" in native or "cmd" in native):
            return described_command(native)  # a shell of the same name in another client
    if type(code) is not str:
        return "other", {}
    from pytest_agentv.transcript.tools.javascript import calls_on  # noqa: PLC0415 (rarely needed)

    found = calls_on("tools", code)
    inside = [nested(call.name, call.argument) for call in found.calls]
    kinds = {kind for kind, _ in inside}
    kind = next((kind for kind in _KINDS if kind in kinds), "other") if found.clear else "shell"
    args = _first(inside, kind) if kind not in ("shell", "edit") else {}
    args |= path_arguments(_changed_paths(inside, found.texts))
    commands = _commands(inside) if found.clear else None
    if kind == "shell" or commands:
        args["command"] = code if commands is None else "\n".join(commands)
    return kind, {**args, "content": code}


def _commands(inside: list[Description]) -> list[str] | None:
    """The command lines of all calls that run one; None if one of them is not known."""
    if any(kind == "shell" and "command" not in args for kind, args in inside):
        return None
    runs = (args for kind, args in inside if kind in ("shell", "edit"))
    return [args["command"] for args in runs if "command" in args]


def _changed_paths(inside: list[Description], texts: list[str]) -> list[str]:
    """The files of all patches of a cell."""
    if any(kind == "edit" and "paths" not in args for kind, args in inside):
        # A patch may be put together from texts before the call that applies it.
        return paths_in("\n".join(texts))
    changes = (args.get("paths", ()) for kind, args in inside if kind in ("shell", "edit"))
    return list(dict.fromkeys(path for paths in changes for path in paths))


def _first(inside: list[Description], kind: str) -> dict[str, Any]:
    return next((dict(args) for call_kind, args in inside if call_kind == kind), {})
