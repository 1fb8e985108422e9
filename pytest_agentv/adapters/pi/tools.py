"""Tools of Pi, of all versions, and of the extensions that come with it."""

from __future__ import annotations

from typing import Any

from pytest_agentv.transcript.tools.table import Description, Reader, Table, Tool

_PATH = ("path", "path")
_FILE = ("path", "file_path")
_SEARCH = Tool("search", (("pattern", "pattern"), _PATH))
_EDIT = Tool("edit", (_PATH, _FILE, ("content", "newText")))
_OTHER = Tool("other")


def _edit(native: Any) -> Description:
    """One replacement, or since 0.61 a list of them; of several no one is the content."""
    kind, found = _EDIT.described(native)
    edits = native.get("edits") if type(native) is dict else None
    if type(edits) is list and len(edits) == 1 and type(edits[0]) is dict:
        text = edits[0].get("newText")
        if type(text) is str:
            found.setdefault("content", text)
    return kind, found


TOOLS: Table = {
    "bash": Tool("shell", (("command", "command"),)),
    "read": Tool("read", (_PATH, _FILE)),
    "write": Tool("write", (_PATH, _FILE, ("content", "content"))),
    "edit": Reader(_edit),
    "grep": _SEARCH,
    "find": _SEARCH,
    "ls": Tool("search", (_PATH,)),
    "subagent": Tool("task", (("content", "task"),)),
    "todo": Tool("todo"),
    "question": _OTHER,
    "questionnaire": _OTHER,
}
