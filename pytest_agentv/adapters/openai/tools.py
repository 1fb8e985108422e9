"""Tools that agents are given whose conversations are kept as chat messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_agentv.transcript.tools.commands import described_command
from pytest_agentv.transcript.tools.editors import EDITOR
from pytest_agentv.transcript.tools.table import Reader, Tool

if TYPE_CHECKING:
    from pytest_agentv.transcript.tools.table import Table

_PATH = ("path", "path")
_FILE = ("path", "file_path")
_SHELL = Reader(described_command)
_READ = Tool("read", (_PATH, _FILE))
_WRITE = Tool("write", (_PATH, _FILE, ("content", "content"), ("content", "file_text")))
_EDIT = Tool("edit", (_PATH, _FILE, ("content", "new_str"), ("content", "new_string")))
_SEARCH = Tool("search", (("pattern", "pattern"), ("query", "query"), _PATH))
_OTHER = Tool("other")

TOOLS: Table = {
    "bash": _SHELL,
    "shell": _SHELL,
    "execute_bash": _SHELL,
    "run_command": _SHELL,
    "terminal": _SHELL,
    "str_replace_editor": EDITOR,
    "str_replace_based_edit_tool": EDITOR,
    "file_editor": EDITOR,
    "read_file": _READ,
    "view": _READ,
    "read": _READ,
    "write_file": _WRITE,
    "create_file": _WRITE,
    "write": _WRITE,
    "create": _WRITE,
    "edit_file": _EDIT,
    "edit": _EDIT,
    "str_replace": _EDIT,
    "grep": _SEARCH,
    "glob": _SEARCH,
    "search": _SEARCH,
    "web_search": Tool("web_search", (("query", "query"),)),
    "fetch": Tool("fetch", (("url", "url"),)),
    "execute_ipython_cell": Tool("other", (("content", "code"),)),
    "python": Tool("other", (("content", "code"),)),
    "think": Tool("other", (("content", "thought"),)),
    "finish": Tool("other", (("content", "message"),)),
    "submit": _OTHER,
}
