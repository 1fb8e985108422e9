"""Kind and canonical arguments of Copilot CLI's tools, of all versions, and of unknown clients."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_agentv.transcript.tools import describe

COPILOT = "copilot-cli"
PATCH = "*** Begin Patch\n*** Delete File: a.py\n*** End Patch"
EDIT = {"path": "/a", "old_str": "o", "new_str": "n"}

TOOLS: list[tuple[str, Any, str, dict[str, Any]]] = [
    ("bash", {"command": "ls", "description": "x"}, "shell", {"command": "ls"}),
    ("powershell", {"command": "dir", "shellId": "1"}, "shell", {"command": "dir"}),
    ("shell", {"command": "ls"}, "shell", {"command": "ls"}),
    ("read_bash", {"shellId": "1", "delay": 2}, "other", {}),
    ("read_powershell", {"shellId": "1", "delay": 2}, "other", {}),
    ("write_bash", {"shellId": "1", "input": "y{enter}"}, "other", {"content": "y{enter}"}),
    ("write_powershell", {"shellId": "1", "input": "y"}, "other", {"content": "y"}),
    ("stop_bash", {"shellId": "1"}, "other", {}),
    ("stop_powershell", {"shellId": "1"}, "other", {}),
    ("list_bash", {}, "other", {}),
    ("list_powershell", {}, "other", {}),
    ("view", {"path": "/a", "view_range": [1, 2]}, "read", {"path": "/a"}),
    ("show_file", {"path": "/a"}, "read", {"path": "/a"}),
    ("create", {"path": "/a", "file_text": "t"}, "write", {"path": "/a", "content": "t"}),
    ("edit", EDIT, "edit", {"path": "/a", "content": "n"}),
    ("str_replace", EDIT, "edit", {"path": "/a", "content": "n"}),
    ("insert", {"path": "/a", "new_str": "n"}, "edit", {"path": "/a", "content": "n"}),
    ("apply_patch", PATCH, "edit", {"path": "a.py", "paths": ["a.py"], "content": PATCH}),
    (
        "apply_patch",
        {"patch": PATCH},
        "edit",
        {"path": "a.py", "paths": ["a.py"], "content": PATCH},
    ),
    ("grep", {"pattern": "p", "path": "/d", "-n": True}, "search", {"pattern": "p", "path": "/d"}),
    (
        "grep",
        {"pattern": "p", "paths": ["/d", "/e"]},
        "search",
        {"pattern": "p", "paths": ["/d", "/e"]},
    ),
    ("grep", {"pattern": "p", "paths": "/d"}, "search", {"pattern": "p", "paths": ["/d"]}),
    ("rg", {"pattern": "p"}, "search", {"pattern": "p"}),
    ("glob", {"pattern": "**/*.ts"}, "search", {"pattern": "**/*.ts"}),
    ("lsp", {"operation": "x", "file": "/a"}, "search", {"path": "/a"}),
    ("semantic_code_search", {"question": "q"}, "search", {"query": "q"}),
    ("tool_search_tool_regex", {"pattern": "p"}, "search", {"pattern": "p"}),
    ("web_fetch", {"url": "u", "max_length": 5}, "fetch", {"url": "u"}),
    ("fetch", {"url": "u"}, "fetch", {"url": "u"}),
    ("web_search", {"query": "q"}, "web_search", {"query": "q"}),
    ("github-mcp-server-web_search", {"query": "q"}, "web_search", {"query": "q"}),
    ("task", {"prompt": "do", "agent_type": "x"}, "task", {"content": "do"}),
    ("write_agent", {"agent_id": "1", "message": "more"}, "task", {"content": "more"}),
    ("read_agent", {"agent_id": "1"}, "other", {}),
    ("list_agents", {}, "other", {}),
    ("skill", {"skill": "pdf"}, "skill", {}),
    ("update_todo", {"todos": "- [ ] a"}, "todo", {"content": "- [ ] a"}),
    ("sql", {"query": "SELECT 1", "description": "x"}, "other", {"query": "SELECT 1"}),
    ("session_store_sql", {"query": "SELECT 1"}, "other", {"query": "SELECT 1"}),
    ("report_intent", {"intent": "Look"}, "other", {"content": "Look"}),
    ("ask_user", {"question": "Which?", "choices": []}, "other", {}),
    ("store_memory", {"fact": "f", "subject": "s"}, "other", {"content": "f"}),
    ("task_complete", {"summary": "s"}, "other", {"content": "s"}),
    ("exit_plan_mode", {"summary": "s"}, "other", {"content": "s"}),
    ("fetch_copilot_cli_documentation", {}, "other", {}),
    ("gh-advisory-database", {"dependencies": []}, "other", {}),
    ("github-mcp-server-search_code", {"query": "q"}, "mcp", {"query": "q"}),
    ("docs-search", {"query": "q"}, "mcp", {"query": "q"}),
    ("mcp__docs__search", {"query": "q"}, "mcp", {"query": "q"}),
    ("brand_new", {"path": "/a"}, "other", {"path": "/a"}),
    ("-", {}, "other", {}),
    ("", None, "other", {}),
]


@pytest.mark.parametrize(("tool", "arguments", "kind", "args"), TOOLS)
def test_tools_of_copilot(tool: str, arguments: Any, kind: str, args: dict[str, Any]) -> None:
    assert describe(tool, arguments, COPILOT) == (kind, args)


@pytest.mark.parametrize(
    ("command", "kind", "content"),
    [
        ("view", "read", None),
        ("create", "write", "t"),
        ("str_replace", "edit", "n"),
        ("insert", "edit", "n"),
        ("undo_edit", "edit", None),
        ("brand_new", "other", None),
        (["view"], "other", None),
    ],
)
def test_the_old_editor_is_what_its_command_says(
    command: Any, kind: str, content: str | None
) -> None:
    arguments = {"command": command, "path": "/a", "file_text": "t", "new_str": "n"}
    args = {"path": "/a"} if content is None else {"path": "/a", "content": content}
    assert describe("str_replace_editor", arguments, COPILOT) == (kind, args)


def test_the_old_editor_without_arguments_is_nothing_known() -> None:
    assert describe("str_replace_editor", "view", COPILOT) == ("other", {})


def test_a_tool_of_a_server_is_known_by_the_server() -> None:
    described = describe("intercom_send", {"content": "x"}, COPILOT, "intercom")
    assert described == ("mcp", {"content": "x"})
    assert describe("view", {"path": "/a"}, COPILOT, "intercom")[0] == "read"


@pytest.mark.parametrize(
    ("tool", "arguments", "kind", "args"),
    [
        ("Bash", {"command": "ls"}, "shell", {"command": "ls"}),
        ("bash", {"command": "ls"}, "shell", {"command": "ls"}),
        ("shell", {"command": ["bash", "-lc", "ls"]}, "shell", {"command": "ls"}),
        ("shell", {"command": "ls"}, "shell", {"command": "ls"}),
        ("exec", {"command": "ls"}, "shell", {"command": "ls"}),
        ("exec_command", {"cmd": "ls"}, "shell", {"command": "ls"}),
        ("web_search", {"query": "q"}, "web_search", {"query": "q"}),
        ("exit_plan_mode", {"plan": "p"}, "other", {"content": "p"}),
        ("exit_plan_mode", {"summary": "s"}, "other", {"content": "s"}),
        ("mcp__docs__search", {"query": "q"}, "mcp", {"query": "q"}),
        ("docs-search", {"query": "q"}, "other", {"query": "q"}),
        ("docs__search", {"query": "q"}, "other", {"query": "q"}),
    ],
)
@pytest.mark.parametrize("provider", ["my-agent", "", None])
def test_without_a_known_client_the_tools_of_all_are_known(
    tool: str, arguments: Any, kind: str, args: dict[str, Any], provider: str | None
) -> None:
    assert describe(tool, arguments, provider) == (kind, args)
