"""Tools of SWE-agent. In text mode a call is a command line, else it has arguments by name."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from pytest_agentv.transcript.tools.commands import described_command
from pytest_agentv.transcript.tools.editors import EDITOR_COMMANDS, described_editor
from pytest_agentv.transcript.tools.table import Reader, Tool

if TYPE_CHECKING:
    from pytest_agentv.transcript.tools.table import Description, Table

_PATH = ("path", "path")


def _words(native: Any) -> list[str]:
    """The words of a command that was given as a text, its name left out."""
    text = native.get("command") if isinstance(native, dict) else None
    if not isinstance(text, str):
        return []
    try:
        return shlex.split(text.partition("\n")[0])[1:]
    except ValueError:  # a quote that is not closed
        return text.partition("\n")[0].split()[1:]


def _command(tool: Tool, *order: str) -> Reader:
    """A tool that is called by a command line in text mode: its arguments by their order."""

    def described(native: Any) -> Description:
        kind, args = tool.described(native)
        found = dict(zip(order, _words(native), strict=False))
        return kind, {**found, **args}

    return Reader(described)


def _edited(native: Any) -> Description:
    """An edit: ``edit 4:6`` and the text that replaces these lines, or what the editor takes."""
    fields = native if isinstance(native, dict) else {}
    text = fields.get("command")
    args = {}
    content = next(
        (fields[name] for name in ("replace", "replacement_text", "new_str", "text")
         if isinstance(fields.get(name), str)), None,
    )  # fmt: skip
    if content is None and isinstance(text, str) and "\n" in text:
        content = text.partition("\n")[2].rstrip().removesuffix("end_of_edit").removesuffix("\n")
    if isinstance(fields.get("path"), str):
        args["path"] = fields["path"]
    return "edit", args if content is None else {**args, "content": content}


def _editor(native: Any) -> Description:
    """The editor that is one tool: told what to do by arguments, or by a command line."""
    fields = native if isinstance(native, dict) else {}
    command = fields.get("command")
    is_known = isinstance(command, str) and command in EDITOR_COMMANDS
    if not is_known and (words := _words(native)):
        fields = dict(zip(("command", "path"), words, strict=False))
    return described_editor(fields)


_OTHER = Tool("other")
TOOLS: Table = {
    "bash": Reader(described_command),
    "execute_bash": Reader(described_command),
    "open": _command(Tool("read", (_PATH,)), "path"),
    "goto": _OTHER,
    "scroll_up": _OTHER,
    "scroll_down": _OTHER,
    "filemap": _command(Tool("read", (("path", "file_path"), _PATH)), "path"),
    "view_image": _command(Tool("read", (("path", "image_file"), _PATH)), "path"),
    "create": _command(Tool("write", (("path", "filename"), _PATH)), "path"),
    "edit": Reader(_edited),
    "insert": Reader(_edited),
    "str_replace_editor": Reader(_editor),
    "edit_anthropic": Reader(_editor),
    "search_dir": _command(
        Tool("search", (("pattern", "search_term"), ("path", "dir"))), "pattern", "path"
    ),
    "search_file": _command(
        Tool("search", (("pattern", "search_term"), ("path", "file"))), "pattern", "path"
    ),
    "find_file": _command(
        Tool("search", (("pattern", "file_name"), ("path", "dir"))), "pattern", "path"
    ),
    "submit": _OTHER,
    "exit_forfeit": _OTHER,
    "exit_cost": _OTHER,
    "exit_context": _OTHER,
    "exit_format": _OTHER,
    "think": Tool("other", (("content", "thought"),)),
}
