"""Tools of Codex, of all versions: names that went out of use stay here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_agentv.transcript.tools.code_mode import described_cell
from pytest_agentv.transcript.tools.commands import command_line, described_command
from pytest_agentv.transcript.tools.patches import described_patch
from pytest_agentv.transcript.tools.table import MCP, OTHER, Reader, Tool, unlisted

if TYPE_CHECKING:
    from pytest_agentv.transcript.tools.table import Description, Table

# Groups of Codex's own tools; any other group is a server.
OWN_NAMESPACES = frozenset(
    {"collaboration", "functions", "image_gen", "multi_agent_v1", "multi_agent_v2", "skills", "web"}
)


def unlisted_tool(name: str) -> Tool | Reader:
    """A tool that is not in the table: a server's name stands before its tools' names."""
    namespace, separator, own_name = name.partition("__")
    if separator and namespace in OWN_NAMESPACES:
        return TOOLS.get(own_name, OTHER)
    return MCP if separator and namespace else unlisted(name)


def _unified_exec(native: Any) -> Description:
    """Starts a program, or feeds the one of a session that it names."""
    if type(native) is not dict:
        return "shell", {}
    fed = native.get("input")
    if native.get("session_id") is None:
        command = command_line(fed)
        return "shell", {} if command is None else {"command": command}
    texts = fed if type(fed) is list else [fed]
    return "other", {"content": " ".join(text for text in texts if type(text) is str)}


def _code(native: Any) -> Description:
    """A program in JavaScript, run as it stands."""
    code = native if type(native) is str else _field(native, "code", "input")
    return "shell", {} if code is None else {"command": code}


def _cell(native: Any) -> Description:
    return described_cell(native, _nested)


def _nested(name: str, arguments: Any) -> Description:
    entry = TOOLS.get(name)
    if entry is _CELL:  # a cell cannot hold another one
        return "other", {}
    return (entry or unlisted_tool(name)).described(arguments)


def _web_search(native: Any) -> Description:
    """One action of the search tool: a search, or a page that is opened or looked through."""
    action = native.get("action", native) if type(native) is dict else None
    if type(action) is not dict:
        return "web_search", {}
    kind = "fetch" if action.get("type") in ("open_page", "find_in_page") else "web_search"
    args = {name: action[name] for name in ("url", "pattern") if type(action.get(name)) is str}
    query = _field(action, "query") or _lines(action.get("queries"))
    return kind, {"query": query, **args} if query else args


def _web_run(native: Any) -> Description:
    """Several actions of the web tool at once: searches, or pages that are opened."""
    if type(native) is not dict:
        return "web_search", {}
    searches = [*_objects(native.get("search_query")), *_objects(native.get("image_query"))]
    pages = [*_objects(native.get("open")), *_objects(native.get("find"))]
    args: dict[str, Any] = {}
    if query := _lines([search.get("q") for search in searches]):
        args["query"] = query
    for page in pages:
        address, pattern = page.get("ref_id"), page.get("pattern")
        if type(address) is str and "://" in address:  # else the number of a search result
            args.setdefault("url", address)
        if type(pattern) is str:
            args.setdefault("pattern", pattern)
    return "fetch" if pages and not searches else "web_search", args


def _message(native: Any) -> Description:
    """What a sub-agent is told: a text, or a list of parts."""
    text = _field(native, "message", "prompt", "instruction")
    if text is None and type(native) is dict:
        text = _lines([part.get("text") for part in _objects(native.get("items"))])
    return "task", {"content": text} if text else {}


def _field(native: Any, *names: str) -> str | None:
    """The first of some fields that is a text."""
    if type(native) is not dict:
        return None
    return next((native[name] for name in names if type(native.get(name)) is str), None)


def _lines(texts: Any) -> str:
    """The texts of a list, one per line."""
    return "\n".join(text for text in texts if type(text) is str) if type(texts) is list else ""


def _objects(value: Any) -> list[dict[str, Any]]:
    return [one for one in value if type(one) is dict] if type(value) is list else []


_SHELL = Reader(described_command)
_JAVASCRIPT = Reader(_code)
_CELL = Reader(_cell)
_SEARCH_THE_WEB = Reader(_web_search)
_SUBAGENT = Reader(_message)
_PLAN = Tool("todo", (("content", "explanation"),))
_FIND_TOOLS = Tool("search", (("query", "query"),))
_IMAGE = Tool("other", (("content", "prompt"), ("content", "revised_prompt")))
_RESOURCES = Tool("mcp", (("url", "uri"),))
_OTHER = Tool("other")

TOOLS: Table = {
    "shell": _SHELL,
    "shell_command": _SHELL,
    "exec_command": _SHELL,
    "container.exec": _SHELL,
    "local_shell": _SHELL,
    "local_shell_call": _SHELL,
    "unified_exec": Reader(_unified_exec),
    "js_repl": _JAVASCRIPT,
    "artifacts": _JAVASCRIPT,
    "exec": _CELL,
    "code_mode": _CELL,
    # Feeding, awaiting or ending a program runs nothing: an assertion on commands must not see it.
    "write_stdin": Tool("other", (("content", "chars"),)),
    "js_repl_reset": _OTHER,
    "wait": _OTHER,
    "exec_wait": _OTHER,
    "apply_patch": Reader(described_patch),
    "view_image": Tool("read", (("path", "path"),)),
    "read_file": Tool("read", (("path", "file_path"), ("path", "path"))),
    "list_dir": Tool("search", (("path", "dir_path"), ("path", "path"))),
    "grep_files": Tool("search", (("pattern", "pattern"), ("path", "path"))),
    "tool_search": _FIND_TOOLS,
    "tool_search_call": _FIND_TOOLS,
    "search_tool_bm25": _FIND_TOOLS,
    "tool_suggest": _OTHER,
    "request_plugin_install": _OTHER,
    "list_available_plugins_to_install": _OTHER,
    "web_search": _SEARCH_THE_WEB,
    "web_search_call": _SEARCH_THE_WEB,
    "web_search_preview": _SEARCH_THE_WEB,
    "web__run": Reader(_web_run),
    "web.run": Reader(_web_run),
    "spawn_agent": _SUBAGENT,
    "send_input": _SUBAGENT,
    "send_message": _SUBAGENT,
    "followup_task": _SUBAGENT,
    "assign_task": _SUBAGENT,
    "spawn_agents_on_csv": _SUBAGENT,
    "wait_agent": _OTHER,
    "close_agent": _OTHER,
    "resume_agent": _OTHER,
    "interrupt_agent": _OTHER,
    "list_agents": _OTHER,
    "report_agent_job_result": _OTHER,
    "skills__read": Tool("skill"),
    "skills__list": _OTHER,
    "update_plan": _PLAN,
    "create_goal": Tool("other", (("content", "objective"),)),
    "update_goal": _OTHER,
    "get_goal": _OTHER,
    "list_mcp_resources": _RESOURCES,
    "list_mcp_resource_templates": _RESOURCES,
    "read_mcp_resource": _RESOURCES,
    "image_generation": _IMAGE,
    "image_generation_call": _IMAGE,
    "image_gen__imagegen": _IMAGE,
    "request_user_input": _OTHER,
    "request_permissions": _OTHER,
    "get_context_remaining": _OTHER,
    "test_sync_tool": _OTHER,
}
