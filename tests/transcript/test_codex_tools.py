"""Kind and canonical arguments of Codex's tools, of all versions."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_agentv.transcript.tools import describe

CODEX = "codex-cli"
PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** End Patch"

# Tool, its arguments, and the kind and canonical arguments that it must get.
TOOLS: list[tuple[str, Any, str, dict[str, Any]]] = [
    ("shell_command", {"command": "ls", "workdir": "/w"}, "shell", {"command": "ls"}),
    ("exec_command", {"cmd": "ls", "yield_time_ms": 5}, "shell", {"command": "ls"}),
    ("shell", {"command": ["ls"]}, "shell", {"command": "ls"}),
    ("shell", {"cmd": ["ls"]}, "shell", {"command": "ls"}),
    ("shell", {"command": "ls"}, "shell", {"command": "ls"}),
    ("container.exec", {"command": ["ls"]}, "shell", {"command": "ls"}),
    ("local_shell_call", {"type": "exec", "command": ["ls"]}, "shell", {"command": "ls"}),
    ("local_shell_call", {"action": {"command": ["ls"]}}, "shell", {"command": "ls"}),
    ("local_shell", {"command": ["ls"]}, "shell", {"command": "ls"}),
    ("unified_exec", {"input": ["bash", "-lc", "ls"]}, "shell", {"command": "ls"}),
    ("unified_exec", {"session_id": "1", "input": ["y", "\n"]}, "other", {"content": "y \n"}),
    ("unified_exec", {"session_id": "1", "input": "y"}, "other", {"content": "y"}),
    ("unified_exec", {"input": 7}, "shell", {}),
    ("unified_exec", None, "shell", {}),
    ("js_repl", "1 + 1", "shell", {"command": "1 + 1"}),
    ("js_repl", {"code": "1 + 1"}, "shell", {"command": "1 + 1"}),
    ("js_repl", 7, "shell", {}),
    ("js_repl_reset", {}, "other", {}),
    ("write_stdin", {"session_id": 7, "chars": "y\n"}, "other", {"content": "y\n"}),
    ("wait", {"cell_id": "1"}, "other", {}),
    (
        "apply_patch",
        {"input": PATCH},
        "edit",
        {"path": "a.py", "paths": ["a.py"], "content": PATCH},
    ),
    ("view_image", {"path": "/a.png"}, "read", {"path": "/a.png"}),
    ("read_file", {"file_path": "/a", "limit": 5}, "read", {"path": "/a"}),
    ("list_dir", {"dir_path": "/d"}, "search", {"path": "/d"}),
    (
        "grep_files",
        {"pattern": "p", "path": "/d", "include": "*.py"},
        "search",
        {"pattern": "p", "path": "/d"},
    ),
    ("tool_search", {"query": "q", "limit": 3}, "search", {"query": "q"}),
    ("tool_search_call", {"query": "q"}, "search", {"query": "q"}),
    ("web_search", {"query": "q"}, "web_search", {"query": "q"}),
    ("web_search_call", {"type": "search", "query": "q"}, "web_search", {"query": "q"}),
    (
        "web_search_call",
        {"type": "search", "queries": ["a", 7, "b"], "url": None},
        "web_search",
        {"query": "a\nb"},
    ),
    ("web_search_call", {"action": {"type": "search", "query": "q"}}, "web_search", {"query": "q"}),
    ("web_search_call", {"type": "open_page", "url": "u"}, "fetch", {"url": "u"}),
    (
        "web_search_call",
        {"type": "find_in_page", "url": "u", "pattern": "p"},
        "fetch",
        {"url": "u", "pattern": "p"},
    ),
    ("web_search_call", None, "web_search", {}),
    ("web_search_call", {"action": None}, "web_search", {}),
    (
        "web__run",
        {"search_query": [{"q": "a"}, {"q": 7}, 7], "image_query": [{"q": "b"}]},
        "web_search",
        {"query": "a\nb"},
    ),
    (
        "web__run",
        {"open": [{"ref_id": "turn0search1"}, {"ref_id": "https://x.example"}]},
        "fetch",
        {"url": "https://x.example"},
    ),
    ("web__run", {"find": [{"ref_id": "t", "pattern": "p"}]}, "fetch", {"pattern": "p"}),
    ("web__run", {"open": "https://x.example"}, "web_search", {}),
    ("web__run", "q", "web_search", {}),
    ("spawn_agent", {"message": "do", "agent_type": "x"}, "task", {"content": "do"}),
    (
        "spawn_agent",
        {"items": [{"type": "text", "text": "do"}, {"type": "image"}, {"text": "it"}]},
        "task",
        {"content": "do\nit"},
    ),
    ("spawn_agent", "do", "task", {}),
    ("send_input", {"id": "1", "message": "more"}, "task", {"content": "more"}),
    ("send_message", {"target": "a", "message": "more"}, "task", {"content": "more"}),
    ("followup_task", {"target": "a", "message": "more"}, "task", {"content": "more"}),
    ("spawn_agents_on_csv", {"instruction": "do"}, "task", {"content": "do"}),
    ("wait_agent", {"targets": ["a"]}, "other", {}),
    ("close_agent", {"target": "a"}, "other", {}),
    ("resume_agent", {"id": "a"}, "other", {}),
    ("list_agents", {"path_prefix": "a"}, "other", {}),
    ("update_plan", {"explanation": "why", "plan": []}, "todo", {"content": "why"}),
    ("create_goal", {"objective": "win"}, "other", {"content": "win"}),
    ("list_mcp_resources", {"server": "s"}, "mcp", {}),
    ("list_mcp_resource_templates", {}, "mcp", {}),
    ("read_mcp_resource", {"server": "s", "uri": "doc://a"}, "mcp", {"url": "doc://a"}),
    ("image_generation_call", {"revised_prompt": "a cat"}, "other", {"content": "a cat"}),
    ("image_gen__imagegen", {"prompt": "a cat"}, "other", {"content": "a cat"}),
    ("request_user_input", {"questions": []}, "other", {}),
    ("request_permissions", {}, "other", {}),
    ("mcp__docs__search", {"query": "q"}, "mcp", {"query": "q"}),
    ("docs__search", {"query": "q"}, "mcp", {"query": "q"}),
    ("fs__read_file", {"path": "/a"}, "mcp", {"path": "/a"}),
    ("multi_agent_v1__spawn_agent", {"message": "do"}, "task", {"content": "do"}),
    ("multi_agent_v1__new_one", {"message": "do"}, "other", {}),
    ("__new", {}, "other", {}),
    ("brand_new", {"path": "/a", "n": 1}, "other", {"path": "/a"}),
    ("assistant", {}, "other", {}),
    ("", None, "other", {}),
]


@pytest.mark.parametrize(("tool", "arguments", "kind", "args"), TOOLS)
def test_tools_of_codex(tool: str, arguments: Any, kind: str, args: dict[str, Any]) -> None:
    assert describe(tool, arguments, CODEX) == (kind, args)


@pytest.mark.parametrize(
    ("namespace", "tool", "kind"),
    [
        ("mcp__codex_apps__github", "_fetch_pr", "mcp"),
        ("mcp__fs", "read_file", "mcp"),
        ("docs", "search", "mcp"),
        ("multi_agent_v1", "spawn_agent", "task"),
        ("multi_agent_v1", "brand_new", "other"),
        ("web", "run", "web_search"),
        ("image_gen", "imagegen", "other"),
        ("skills", "read", "skill"),
        ("functions", "shell", "shell"),
        ("functions", "brand_new", "other"),
        ("", "shell", "shell"),
        (None, "shell", "shell"),
    ],
)
def test_a_group_is_a_server_unless_it_is_one_of_the_vendors_own(
    namespace: str | None, tool: str, kind: str
) -> None:
    assert describe(tool, {}, CODEX, namespace)[0] == kind


@pytest.mark.parametrize(
    "name", ["shell<|channel|>commentary", "shell<|", " shell ", "functions.shell"]
)
def test_a_slip_of_the_model_in_a_name_does_not_hide_the_tool(name: str) -> None:
    assert describe(name, {"command": ["ls"]}, CODEX) == ("shell", {"command": "ls"})


def test_arguments_that_came_as_text_are_read() -> None:
    assert describe("shell", '{"command": ["ls"]}', CODEX) == ("shell", {"command": "ls"})
    assert describe("shell", "ls -l", CODEX) == ("shell", {"command": "ls -l"})


@pytest.mark.parametrize("torn", ['{"command": ["rm', "{" * 5000, '{"a": "\ud800"}'])
def test_a_command_does_not_hide_in_arguments_that_are_no_json(torn: str) -> None:
    assert describe("shell", torn, CODEX) == ("shell", {"command": torn})


@pytest.mark.parametrize("arguments", [None, [], 3, {}, {"command": 3}, {"command": [1]}])
def test_a_call_without_a_command_line_has_none(arguments: Any) -> None:
    assert describe("shell", arguments, CODEX) == ("shell", {})


def test_tools_of_another_client_are_not_tools_of_codex() -> None:
    assert describe("Bash", {"command": "ls"}, CODEX)[0] == "other"
