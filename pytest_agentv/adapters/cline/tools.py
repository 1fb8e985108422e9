"""Tools of Cline, its SDK, and Roo Code: names that went out of use stay here.

The screen of the extension has names of its own for some of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_agentv.transcript.tools.patches import described_patch
from pytest_agentv.transcript.tools.table import MCP, Reader, Tool, unlisted

if TYPE_CHECKING:
    from pytest_agentv.transcript.tools.table import Description, Table

_PATH = ("path", "path")
_FILE = ("path", "file_path")

_OTHER = Tool("other")
_READ = Tool("read", (_PATH,))
_WRITE = Tool("write", (_PATH, ("content", "content")))
_CHANGE = Tool("edit", (_PATH, ("content", "diff"), ("content", "content")))
_EXCHANGE = Tool("edit", (_FILE, _PATH, ("content", "new_string"), ("content", "new_text")))
_FOLDER = Tool("search", (_PATH,))
_TEXT_SEARCH = Tool("search", (("pattern", "regex"), ("pattern", "pattern"), _PATH))
_QUESTION = Tool("search", (("query", "query"), _PATH))
_FETCH = Tool("fetch", (("url", "url"),))
_WEB_SEARCH = Tool("web_search", (("query", "query"),))
_MESSAGE = Tool("task", (("content", "message"), ("content", "context"), ("content", "task")))
_TODO = Tool("todo", (("content", "todos"),))
_SERVER = Tool("mcp", (("url", "uri"),))


def unlisted_tool(name: str) -> Tool | Reader:
    """A tool that is not in the table: those of servers have the server's name in theirs."""
    return MCP if name.startswith(("mcp_", "mcp--")) or "0mcp0" in name else unlisted(name)


def _read(native: Any) -> Description:
    """One file, or several: each form of these clients has another place for them."""
    paths = list(_paths_in(native))
    if len(paths) == 1:
        return "read", {"path": paths[0]}
    return "read", {"paths": paths} if paths else {}


def _paths_in(native: Any, depth: int = 0) -> list[str]:
    if type(native) is str:
        return [native]
    if type(native) is list and depth < _MAX_DEPTH:
        return [path for one in native for path in _paths_in(one, depth + 1)]
    if type(native) is not dict or depth >= _MAX_DEPTH:
        return []
    for name in ("path", "file_path", "files", "file_paths", "paths", "args", "file"):
        if native.get(name):
            return _paths_in(native[name], depth + 1)
    return []


_MAX_DEPTH = 6


def _commands(native: Any) -> Description:
    """Commands that run side by side; as a script each of them is a line."""
    if type(native) is dict:
        given = native.get("commands") or native.get("command") or native.get("cmd")
        if type(given) is str and type(native.get("args")) is list:
            given = [native]
    else:
        given = native
    lines = [_command_line(one) for one in (given if type(given) is list else [given])]
    script = "\n".join(line for line in lines if line)
    return "shell", {"command": script} if script else {}


def _command_line(one: Any) -> str:
    if type(one) is dict and type(one.get("command")) is str:
        arguments = one.get("args")
        words = arguments if type(arguments) is list else []
        return " ".join([one["command"], *(word for word in words if type(word) is str)])
    return one if type(one) is str else ""


def _editor(native: Any) -> Description:
    if type(native) is not dict:
        return "edit", {}
    is_new = native.get("old_text") is None and native.get("insert_line") is None
    return Tool("write" if is_new else "edit", (_PATH, ("content", "new_text"))).described(native)


def _requests(native: Any) -> Description:
    several = native.get("requests") if type(native) is dict else None
    first = several[0] if type(several) is list and several else native
    return Tool("fetch", (("url", "url"), ("query", "prompt"))).described(first)


def _queries(native: Any) -> Description:
    given = native.get("queries") if type(native) is dict else native
    patterns = [one for one in (given if type(given) is list else [given]) if type(one) is str]
    return "search", {"pattern": "|".join(patterns)} if patterns else {}


TOOLS: Table = {
    "execute_command": Tool("shell", (("command", "command"),)),
    "run_commands": Reader(_commands),
    "command": Reader(_commands),
    "read_command_output": _OTHER,
    "read_file": Reader(_read),
    "read_files": Reader(_read),
    "readFile": _READ,
    "write_to_file": _WRITE,
    "write_file": _WRITE,
    "new_rule": _WRITE,
    "newFileCreated": _WRITE,
    "replace_in_file": _CHANGE,
    "apply_diff": Tool("edit", (_PATH, ("content", "diff"))),
    "edit_file_roo": _CHANGE,
    "insert_content": _CHANGE,
    "editedExistingFile": _CHANGE,
    "appliedDiff": _CHANGE,
    "insertContent": _CHANGE,
    "searchAndReplace": _CHANGE,
    "fileDeleted": Tool("edit", (_PATH,)),
    "delete_file": Tool("edit", (_PATH,)),
    "search_and_replace": _EXCHANGE,
    "search_replace": _EXCHANGE,
    "edit": _EXCHANGE,
    "edit_file": _EXCHANGE,
    "edit_file_anthropic": _EXCHANGE,
    "edit_file_grok": _EXCHANGE,
    "edit_file_gemini": _EXCHANGE,
    "edit_file_codex": Reader(described_patch),
    "apply_patch": Reader(described_patch),
    "editor": Reader(_editor),
    "list_files": _FOLDER,
    "list_code_definition_names": _FOLDER,
    "listFiles": _FOLDER,
    "listFilesTopLevel": _FOLDER,
    "listFilesRecursive": _FOLDER,
    "listCodeDefinitionNames": _FOLDER,
    "search_files": _TEXT_SEARCH,
    "searchFiles": _TEXT_SEARCH,
    "search_codebase": Reader(_queries),
    "codebase_search": _QUESTION,
    "codebaseSearch": _QUESTION,
    "search_subagent": _QUESTION,
    "web_fetch": _FETCH,
    "webFetch": _FETCH,
    "fetch_web_content": Reader(_requests),
    "browser_action": Tool("other", (("url", "url"),)),
    "web_search": _WEB_SEARCH,
    "webSearch": _WEB_SEARCH,
    "use_mcp_tool": _SERVER,
    "access_mcp_resource": _SERVER,
    "use_mcp_server": _SERVER,
    "load_mcp_documentation": _OTHER,
    "new_task": _MESSAGE,
    "newTask": _MESSAGE,
    "use_subagents": Tool("task", (("content", "prompt_1"),)),
    "spawn_agent": _MESSAGE,
    "use_skill": Tool("skill"),
    "skill": Tool("skill"),
    "skills": Tool("skill", (("content", "args"),)),
    "run_slash_command": Tool("skill", (("content", "args"),)),
    "focus_chain": _TODO,
    "update_todo_list": _TODO,
    "updateTodoList": _TODO,
    "attempt_completion": Tool("other", (("content", "result"),)),
    "submit_and_exit": Tool("other", (("content", "summary"),)),
    "plan_mode_respond": Tool("other", (("content", "response"),)),
    "plan_mode_response": Tool("other", (("content", "response"),)),
    "act_mode_respond": Tool("other", (("content", "response"),)),
    "ask_followup_question": Tool("other", (("content", "question"),)),
    "ask_question": Tool("other", (("content", "question"),)),
    "condense": Tool("other", (("content", "context"),)),
    "summarize_task": Tool("other", (("content", "context"),)),
    "generate_explanation": _OTHER,
    "generate_image": Tool("other", (_PATH, ("content", "prompt"))),
    "report_bug": _OTHER,
    "switch_mode": _OTHER,
    "fetch_instructions": _OTHER,
}
