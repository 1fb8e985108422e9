"""Tools of Copilot CLI, of all versions: names that went out of use stay here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_agentv.transcript.tools.editors import EDITOR
from pytest_agentv.transcript.tools.patches import described_patch
from pytest_agentv.transcript.tools.table import MCP, Reader, Tool, unlisted

if TYPE_CHECKING:
    from pytest_agentv.transcript.tools.table import Table


def unlisted_tool(name: str) -> Tool | Reader:
    """A tool that is not in the table: a server's name and a hyphen stand before its tools'."""
    return MCP if "-" in name.strip("-") else unlisted(name)


_PATH = ("path", "path")
_NEW_TEXT = ("content", "new_str")

_SHELL = Tool("shell", (("command", "command"),))
_READ = Tool("read", (_PATH,))
_WRITE = Tool("write", (_PATH, ("content", "file_text")))
_EDIT = Tool("edit", (_PATH, _NEW_TEXT))
_INSERT = Tool("edit", (_PATH, _NEW_TEXT, ("content", "insert_text")))
_TEXT_SEARCH = Tool("search", (("pattern", "pattern"), _PATH, ("paths", "paths")))
_QUESTION = Tool("search", (("query", "question"), ("query", "query")))
_FEED = Tool("other", (("content", "input"),))
_QUERY = Tool("other", (("query", "query"),))
_SUMMARY = Tool("other", (("content", "summary"),))
_TODO = Tool("todo", (("content", "todos"),))
_OTHER = Tool("other")

TOOLS: Table = {
    "bash": _SHELL,
    "powershell": _SHELL,
    "shell": _SHELL,
    "local_shell": _SHELL,
    "search_bash": _SHELL,
    # Looking at, feeding or ending a shell runs nothing: an assertion on commands must not see it.
    "read_bash": _OTHER,
    "read_powershell": _OTHER,
    "write_bash": _FEED,
    "write_powershell": _FEED,
    "stop_bash": _OTHER,
    "stop_powershell": _OTHER,
    "list_bash": _OTHER,
    "list_powershell": _OTHER,
    "view": _READ,
    "show_file": _READ,
    "create": _WRITE,
    "edit": _EDIT,
    "str_replace": _EDIT,
    "insert": _INSERT,
    "undo_edit": _EDIT,
    "str_replace_editor": EDITOR,
    "apply_patch": Reader(described_patch),
    "grep": _TEXT_SEARCH,
    "rg": _TEXT_SEARCH,
    "glob": _TEXT_SEARCH,
    "lsp": Tool("search", (("path", "file"), ("query", "query"))),
    "search": _QUESTION,
    "semantic_code_search": _QUESTION,
    "search_code_subagent": _QUESTION,
    "tool_search_tool_regex": Tool("search", (("pattern", "pattern"),)),
    "web_fetch": Tool("fetch", (("url", "url"),)),
    "fetch": Tool("fetch", (("url", "url"),)),
    "web_search": Tool("web_search", (("query", "query"),)),
    "github-mcp-server-web_search": Tool("web_search", (("query", "query"),)),
    "task": Tool("task", (("content", "prompt"),)),
    "write_agent": Tool("task", (("content", "message"),)),
    "read_agent": _OTHER,
    "list_agents": _OTHER,
    "stop_agent": _OTHER,
    "skill": Tool("skill", (("content", "args"),)),
    "update_todo": _TODO,
    "todo": _TODO,
    "sql": _QUERY,
    "session_store_sql": _QUERY,
    "store_memory": Tool("other", (("content", "fact"),)),
    "vote_memory": _OTHER,
    "report_intent": Tool("other", (("content", "intent"),)),
    "report_progress": _OTHER,
    "think": Tool("other", (("content", "thought"),)),
    "ask_user": _OTHER,
    "task_complete": _SUMMARY,
    "exit_plan_mode": _SUMMARY,
    "fetch_copilot_cli_documentation": _OTHER,
    "code_review": _OTHER,
    "codeql_checker": _OTHER,
    "parallel_validation": _OTHER,
    "secret_scanning": _OTHER,
    "gh-advisory-database": _OTHER,
    "reply_to_comment": Tool("other", (("content", "reply"),)),
    "create_pull_request": Tool("other", (("content", "description"),)),
    "propose_work": _OTHER,
    "mcp_reload": _OTHER,
    "mcp_validate": Tool("other", (_PATH,)),
}
