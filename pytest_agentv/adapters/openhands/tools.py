"""Tools of OpenHands: by the names that the model calls, and by those of version 0's actions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_agentv.transcript.tools.commands import described_command
from pytest_agentv.transcript.tools.editors import EDITOR, described_editor
from pytest_agentv.transcript.tools.patches import described_patch
from pytest_agentv.transcript.tools.table import MCP, Reader, Tool

if TYPE_CHECKING:
    from pytest_agentv.transcript.tools.table import Description, Table

_PATH = ("path", "path")
_SHELL = Reader(described_command)
_URL = Tool("fetch", (("url", "url"),))
_CODE = Tool("other", (("content", "code"), ("content", "browser_actions")))
_TODO = Tool("todo")
_SEARCH = Tool("search", (("pattern", "pattern"), _PATH))
_TASK = Tool("task", (("content", "prompt"), ("content", "task"), ("content", "message")))
_FINISH = Tool("other", (("content", "message"), ("content", "final_thought")))
_THINK = Tool("other", (("content", "thought"),))


def _edited(native: Any) -> Description:
    """The action of an edit: it has the editor's arguments, or a whole text for some lines."""
    if isinstance(native, dict) and isinstance(native.get("command"), str) and native["command"]:
        return described_editor(native)
    return Tool("edit", (_PATH, ("content", "content"))).described(native)


def _typed(native: Any) -> Description:
    """A shell; what is typed into a program that runs is no command."""
    if isinstance(native, dict) and native.get("is_input") in (True, "true", "True"):
        return "other", {}
    return described_command(native)


TOOLS: Table = {
    "terminal": Reader(_typed),
    "execute_bash": Reader(_typed),
    "bash": _SHELL,
    "run": Reader(_typed),
    "cmd_run": _SHELL,
    "file_editor": EDITOR,
    "str_replace_editor": EDITOR,
    "planning_file_editor": EDITOR,
    "edit_file": Tool("edit", (_PATH, ("content", "content"))),
    "apply_patch": Reader(described_patch),
    "read": Tool("read", (_PATH,)),
    "read_file": Tool("read", (("path", "file_path"), _PATH)),
    "write": Tool("write", (_PATH, ("content", "content"))),
    "write_file": Tool("write", (("path", "file_path"), _PATH, ("content", "content"))),
    "edit": Reader(_edited),
    "list_directory": Tool("read", (("path", "dir_path"), _PATH)),
    "grep": _SEARCH,
    "glob": _SEARCH,
    "execute_ipython_cell": _CODE,
    "run_ipython": _CODE,
    "browser": _CODE,
    "browse_interactive": _CODE,
    "browse": _URL,
    "web_read": _URL,
    "browser_navigate": _URL,
    "delegate": _TASK,
    "task": _TASK,
    "delegate_to_browsing_agent": _TASK,
    "task_tracker": _TODO,
    "task_tracking": _TODO,
    "invoke_skill": Tool("skill", (("content", "name"),)),
    "think": _THINK,
    "finish": _FINISH,
    "reject": Tool("other"),
    "call_tool_mcp": MCP,
    "mcp": MCP,
    "request_condensation": Tool("other"),
}
