"""Tools of OpenCode, of all versions: names that went out of use stay here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_agentv.transcript.tools.patches import described_patch
from pytest_agentv.transcript.tools.table import MCP, Reader, Tool, unlisted

if TYPE_CHECKING:
    from pytest_agentv.transcript.tools.table import Description, Table


def unlisted_tool(name: str) -> Tool | Reader:
    """A tool that is not in the table: a server's name and an underscore stand before it."""
    return MCP if "_" in name.strip("_") else unlisted(name)


def _patch(native: Any) -> Description:
    text = native.get("patchText") if type(native) is dict else None
    return described_patch(text if type(text) is str else native)


_FILE = ("path", "filePath")
_PATTERN = ("pattern", "pattern")
_PATH = ("path", "path")
_SHELL = Tool("shell", (("command", "command"),))
_SEARCH = Tool("search", (_PATTERN, _PATH))
_QUERY = (("query", "query"),)
_TODO = Tool("todo")
_OTHER = Tool("other")

TOOLS: Table = {
    "bash": _SHELL,
    "shell": _SHELL,
    "read": Tool("read", (_FILE, _PATH)),
    "write": Tool("write", (_FILE, _PATH, ("content", "content"))),
    "edit": Tool("edit", (_FILE, _PATH, ("content", "newString"))),
    "multiedit": Tool("edit", (_FILE,)),
    "patch": Reader(_patch),
    "apply_patch": Reader(_patch),
    "grep": _SEARCH,
    "glob": _SEARCH,
    "list": Tool("search", (_PATH,)),
    "lsp": Tool("search", (_FILE, *_QUERY)),
    "lsp_hover": Tool("search", (("path", "file"),)),
    "lsp_diagnostics": Tool("search", (_PATH,)),
    "codesearch": Tool("web_search", _QUERY),
    "websearch": Tool("web_search", _QUERY),
    "webfetch": Tool("fetch", (("url", "url"),)),
    "todowrite": _TODO,
    "todoread": _TODO,
    "task": Tool("task", (("content", "prompt"),)),
    "subagent": Tool("task", (("content", "prompt"),)),
    "task_status": _OTHER,
    "skill": Tool("skill", (("content", "args"),)),
    "batch": _OTHER,
    "execute": _OTHER,
    "invalid": _OTHER,
    "question": _OTHER,
    "plan_enter": _OTHER,
    "plan_exit": _OTHER,
    "StructuredOutput": _OTHER,
}
