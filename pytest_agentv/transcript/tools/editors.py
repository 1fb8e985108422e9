"""The editor that several agents share: one tool, whose argument ``command`` says what it does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_agentv.transcript.tools.table import Reader, Tool

if TYPE_CHECKING:
    from pytest_agentv.transcript.tools.table import Description

_PATH = ("path", "path")
_NEW_TEXT = ("content", "new_str")
_EDIT = Tool("edit", (_PATH, _NEW_TEXT))
_COMMANDS = {
    "view": Tool("read", (_PATH,)),
    "create": Tool("write", (_PATH, ("content", "file_text"))),
    "str_replace": _EDIT,
    "edit": _EDIT,
    "insert": Tool("edit", (_PATH, _NEW_TEXT, ("content", "insert_text"))),
    "undo_edit": Tool("edit", (_PATH,)),
}
_UNKNOWN = Tool("other", (_PATH,))


def described_editor(native: Any) -> Description:
    """A call of the editor, by its command."""
    command = native.get("command") if type(native) is dict else None
    known = _COMMANDS.get(command, _UNKNOWN) if type(command) is str else _UNKNOWN
    return known.described(native)


EDITOR = Reader(described_editor)
EDITOR_COMMANDS = frozenset(_COMMANDS)
