"""Tools of Cursor's agent: as transcripts name them, in two spellings, and as its stream does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_agentv.transcript.tools.patches import described_patch
from pytest_agentv.transcript.tools.table import MCP, Reader, Tool, unlisted

if TYPE_CHECKING:
    from pytest_agentv.transcript.tools.table import Table

_PATHS = (
    ("path", "path"),
    ("path", "target_file"),
    ("path", "file_path"),
    ("path", "relative_workspace_path"),
    ("path", "target_notebook"),
)
_FOLDERS = (
    ("path", "path"),
    ("path", "target_directory"),
    ("path", "targetDirectory"),
    ("path", "directory_path"),
)
_CONTENTS = (
    ("content", "contents"),
    ("content", "fileText"),
    ("content", "code_edit"),
    ("content", "new_string"),
    ("content", "new_str"),
    ("content", "newString"),
    ("content", "content"),
)
_SHELL = Tool("shell", (("command", "command"),))
_READ = Tool("read", _PATHS)
_WRITE = Tool("write", (*_PATHS, *_CONTENTS))
_EDIT = Tool("edit", (*_PATHS, *_CONTENTS))
_PATTERN = Tool("search", (("pattern", "pattern"), ("query", "query"), *_FOLDERS))
_GLOB = Tool(
    "search",
    (("pattern", "glob_pattern"), ("pattern", "globPattern"), ("pattern", "pattern"), *_FOLDERS),
)
_FOLDER = Tool("search", _FOLDERS)
_QUESTION = Tool("search", (("query", "query"),))
_WEB_SEARCH = Tool(
    "web_search", (("query", "search_term"), ("query", "searchTerm"), ("query", "query"))
)
_FETCH = Tool("fetch", (("url", "url"),))
_TASK = Tool("task", (("content", "prompt"), ("content", "description")))
_TODO = Tool("todo")
_OTHER = Tool("other")


def unlisted_tool(name: str) -> Tool:
    """A tool that is not in the table: those of servers say so."""
    return MCP if name.lower().startswith(("mcp_", "mcp:", "mcp-")) else unlisted(name)


TOOLS: Table = {
    "Shell": _SHELL,
    "shell": _SHELL,
    "run_terminal_cmd": _SHELL,
    "run_terminal_command": _SHELL,
    "Read": _READ,
    "ReadFile": _READ,
    "read": _READ,
    "read_file": _READ,
    "Write": _WRITE,
    "write": _WRITE,
    "StrReplace": _EDIT,
    "str_replace": _EDIT,
    "search_replace": _EDIT,
    "Edit": _EDIT,
    "edit": _EDIT,
    "edit_file": _EDIT,
    "MultiEdit": _EDIT,
    "EditNotebook": _EDIT,
    "edit_notebook": _EDIT,
    "ApplyPatch": Reader(described_patch),
    "apply_patch": Reader(described_patch),
    "Delete": Tool("edit", _PATHS),
    "delete": Tool("edit", _PATHS),
    "delete_file": Tool("edit", _PATHS),
    "Grep": _PATTERN,
    "grep": _PATTERN,
    "grep_search": _PATTERN,
    "rg": _PATTERN,
    "Glob": _GLOB,
    "glob": _GLOB,
    "glob_file_search": _GLOB,
    "file_search": _QUESTION,
    "LS": _FOLDER,
    "ls": _FOLDER,
    "list_dir": _FOLDER,
    "SemanticSearch": _QUESTION,
    "semSearch": _QUESTION,
    "codebase_search": _QUESTION,
    "WebSearch": _WEB_SEARCH,
    "webSearch": _WEB_SEARCH,
    "web_search": _WEB_SEARCH,
    "WebFetch": _FETCH,
    "webFetch": _FETCH,
    "web_fetch": _FETCH,
    "fetch": _FETCH,
    "Task": _TASK,
    "task": _TASK,
    "TodoWrite": _TODO,
    "todo_write": _TODO,
    "updateTodos": _TODO,
    "ReadLints": _OTHER,
    "read_lints": _OTHER,
    "readLints": _OTHER,
    "AskQuestion": Tool("other", (("content", "question"),)),
    "CreatePlan": Tool("other", (("content", "plan"),)),
    "create_plan": Tool("other", (("content", "plan"),)),
    "createPlan": Tool("other", (("content", "plan"),)),
    "SwitchMode": _OTHER,
    "CallMcpTool": Tool("mcp"),
    "mcp": Tool("mcp"),
    "FetchMcpResource": Tool("mcp", (("url", "uri"),)),
    "ListMcpResources": Tool("mcp"),
    "Await": _OTHER,
    "GenerateImage": _OTHER,
    "update_memory": _OTHER,
}
