"""Tools that Gemini CLI and Qwen Code share, of all versions: names out of use stay here."""

from __future__ import annotations

import re
from typing import Any

from pytest_agentv.transcript.tools.table import MCP, Description, Reader, Table, Tool, unlisted


def unlisted_tool(name: str) -> Tool | Reader:
    """A tool that is not in the table: a server's name stands before its tools', in two ways."""
    return MCP if name.startswith("mcp_") or "__" in name.strip("_") else unlisted(name)


_FILE = ("path", "file_path")
# What a folder was called, the newest first.
_FOLDER = (("path", "dir_path"), ("path", "path"))
_SHELL = Tool("shell", (("command", "command"),))
_TEXT_SEARCH = Tool("search", (("pattern", "pattern"), *_FOLDER))
_WRITE = Tool("write", (_FILE, ("content", "content")))
_EDIT = Tool("edit", (_FILE, ("content", "new_string")))
_READ = Tool("read", (_FILE, ("path", "absolute_path"), ("path", "path")))
_TASK = Tool(
    "task",
    (("content", "objective"), ("content", "request"), ("content", "prompt"), ("content", "query")),
)
_OTHER = Tool("other")

_FETCH = Tool("fetch", (("url", "url"), ("query", "prompt")))
_URL = re.compile(r"https?://[^\s'\"<>)\]]+")


def _fetch(native: Any) -> Description:
    """What is to be read from the web: the address may stand in the middle of a prompt."""
    kind, found = _FETCH.described(native)
    address = _URL.search(found.get("query", ""))
    if address is not None:
        found.setdefault("url", address[0].rstrip(".,;:"))
    return kind, found


TOOLS: Table = {
    "run_shell_command": _SHELL,
    # Looking at a shell runs nothing: an assertion on commands must not see it.
    "list_background_processes": _OTHER,
    "read_background_output": _OTHER,
    "read_file": _READ,
    "read_many_files": Tool("read", (("paths", "include"), ("paths", "paths"))),
    "write_file": _WRITE,
    "replace": _EDIT,
    "edit": _EDIT,
    "list_directory": Tool("search", _FOLDER),
    "glob": _TEXT_SEARCH,
    "search_file_content": _TEXT_SEARCH,
    "grep_search": _TEXT_SEARCH,
    "grep_search_ripgrep": _TEXT_SEARCH,
    "web_fetch": Reader(_fetch),
    "google_web_search": Tool("web_search", (("query", "query"),)),
    "activate_skill": Tool("skill"),
    "write_todos": Tool("todo"),
    "write_todos_list": Tool("todo"),
    "tracker_create_task": Tool("todo", (("content", "description"),)),
    "tracker_update_task": Tool("todo", (("content", "description"),)),
    "tracker_get_task": Tool("todo"),
    "tracker_list_tasks": Tool("todo"),
    "tracker_add_dependency": Tool("todo"),
    "tracker_visualize": Tool("todo"),
    "codebase_investigator": _TASK,
    "cli_help": _TASK,
    "generalist": _TASK,
    "browser_agent": Tool("task", (("content", "task"),)),
    "delegate_to_agent": _TASK,
    "invoke_agent": _TASK,
    "introspection_agent": _TASK,
    "complete_task": _OTHER,
    "save_memory": Tool("other", (("content", "fact"),)),
    "get_internal_docs": Tool("read", (("path", "path"),)),
    "ask_user": _OTHER,
    "enter_plan_mode": _OTHER,
    "exit_plan_mode": Tool("other", (("path", "plan_path"), ("path", "plan_filename"))),
    "update_topic": Tool("other", (("content", "summary"),)),
    "list_mcp_resources": Tool("mcp"),
    "read_mcp_resource": Tool("mcp", (("url", "uri"),)),
}
