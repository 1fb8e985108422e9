"""Kind and canonical arguments of every built-in tool of Claude Code."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_agentv.transcript.tools import describe

FILE = {"file_path": "/a.py"}
TOOLS: dict[str, tuple[dict[str, Any], str, dict[str, Any]]] = {
    "Bash": (
        {"command": "make", "description": "Build", "timeout": 5},
        "shell",
        {"command": "make"},
    ),
    "PowerShell": ({"command": "dir"}, "shell", {"command": "dir"}),
    "Monitor": ({"command": "tail -f log"}, "shell", {"command": "tail -f log"}),
    "REPL": ({"code": "1 + 1"}, "shell", {"command": "1 + 1"}),
    "BashOutput": ({"bash_id": "b1"}, "other", {}),
    "KillShell": ({"shell_id": "b1"}, "other", {}),
    "KillBash": ({"shell_id": "b1"}, "other", {}),
    "Read": ({**FILE, "offset": 1, "limit": 5}, "read", {"path": "/a.py"}),
    "NotebookRead": ({"notebook_path": "/a.ipynb"}, "read", {"path": "/a.ipynb"}),
    "Write": ({**FILE, "content": "x"}, "write", {"path": "/a.py", "content": "x"}),
    "Edit": (
        {**FILE, "old_string": "x", "new_string": "y"},
        "edit",
        {"path": "/a.py", "content": "y"},
    ),
    "MultiEdit": ({**FILE, "edits": [{"old_string": "x"}]}, "edit", {"path": "/a.py"}),
    "NotebookEdit": (
        {"notebook_path": "/a.ipynb", "new_source": "x"},
        "edit",
        {"path": "/a.ipynb", "content": "x"},
    ),
    "Grep": (
        {"pattern": "def", "path": "/src", "glob": "*.py"},
        "search",
        {"pattern": "def", "path": "/src"},
    ),
    "Glob": ({"pattern": "**/*.py"}, "search", {"pattern": "**/*.py"}),
    "LS": ({"path": "/src"}, "search", {"path": "/src"}),
    "LSP": ({"filePath": "/a.py", "query": "main"}, "search", {"path": "/a.py", "query": "main"}),
    "ToolSearch": ({"query": "web"}, "search", {"query": "web"}),
    "WebFetch": (
        {"url": "https://example.org", "prompt": "What?"},
        "fetch",
        {"url": "https://example.org", "query": "What?"},
    ),
    "WebSearch": ({"query": "pytest"}, "web_search", {"query": "pytest"}),
    "Task": (
        {"prompt": "Dig", "subagent_type": "Explore", "description": "d"},
        "task",
        {"content": "Dig"},
    ),
    "Agent": ({"prompt": "Dig"}, "task", {"content": "Dig"}),
    "Workflow": ({"script": "run()"}, "task", {"content": "run()"}),
    "SendMessage": ({"to": "bob", "message": "Hi"}, "task", {"content": "Hi"}),
    "TaskOutput": ({"task_id": "t1"}, "other", {}),
    "AgentOutputTool": ({"agentId": "a1"}, "other", {}),
    "TaskStop": ({"task_id": "t1"}, "other", {}),
    "Skill": ({"skill": "pdf", "args": "a.pdf"}, "skill", {"content": "a.pdf"}),
    "SlashCommand": ({"command": "/review 1"}, "skill", {"content": "/review 1"}),
    "TodoWrite": ({"todos": []}, "todo", {}),
    "TodoRead": ({}, "todo", {}),
    "TaskCreate": ({"subject": "s", "description": "d"}, "todo", {"content": "d"}),
    "TaskUpdate": ({"taskId": "1", "status": "completed"}, "todo", {}),
    "TaskList": ({}, "todo", {}),
    "TaskGet": ({"taskId": "1"}, "todo", {}),
    "ListMcpResourcesTool": ({"server": "docs"}, "mcp", {}),
    "ListMcpResources": ({"server": "docs"}, "mcp", {}),
    "ReadMcpResourceTool": ({"server": "docs", "uri": "doc://a"}, "mcp", {"url": "doc://a"}),
    "ReadMcpResource": ({"server": "docs", "uri": "doc://a"}, "mcp", {"url": "doc://a"}),
    "ReadMcpResourceDirTool": ({"server": "docs", "uri": "doc://"}, "mcp", {"url": "doc://"}),
    "AskUserQuestion": ({"questions": []}, "other", {}),
    "EnterPlanMode": ({}, "other", {}),
    "ExitPlanMode": ({"plan": "# Plan"}, "other", {"content": "# Plan"}),
    "exit_plan_mode": ({"plan": "# Plan"}, "other", {"content": "# Plan"}),
    "EnterWorktree": ({"path": "/w"}, "other", {"path": "/w"}),
    "ExitWorktree": ({}, "other", {}),
    "CronCreate": ({"cron": "* * * * *", "prompt": "Look"}, "other", {"content": "Look"}),
    "CronDelete": ({"id": "1"}, "other", {}),
    "CronList": ({}, "other", {}),
    "RemoteTrigger": ({"action": "list"}, "other", {}),
    "ScheduleWakeup": ({"delaySeconds": 5, "prompt": "Look"}, "other", {"content": "Look"}),
    "PushNotification": ({"message": "Done"}, "other", {}),
    "StructuredOutput": ({"answer": 1}, "other", {}),
    "TeamCreate": ({"team_name": "x"}, "other", {}),
    "TeamDelete": ({}, "other", {}),
    "Artifact": (FILE, "other", {"path": "/a.py"}),
    "SendUserFile": (FILE, "other", {"path": "/a.py"}),
    "ReportFindings": ({"findings": []}, "other", {}),
    "WaitForMcpServers": ({}, "other", {}),
    "ShareOnboardingGuide": ({}, "other", {}),
    "mcp__docs__search": ({"query": "x", "limit": 3}, "mcp", {"query": "x"}),
    "mcp__fs__read_file": ({"path": "/a.py"}, "mcp", {"path": "/a.py"}),
    "mcp__fs__read_many": ({"paths": ["/a", "/b"]}, "mcp", {"paths": ["/a", "/b"]}),
    "mcp__": ({}, "mcp", {}),
    "SomethingNew": ({**FILE, "command": "x", "n": 1}, "other", {"path": "/a.py", "command": "x"}),
    "bash": ({"command": "make"}, "other", {"command": "make"}),
}


@pytest.mark.parametrize("tool", TOOLS)
def test_a_tool_has_its_kind_and_its_canonical_arguments(tool: str) -> None:
    arguments, kind, canonical = TOOLS[tool]
    assert describe(tool, arguments, "claude-cli") == (kind, canonical)


@pytest.mark.parametrize("tool", ["Bash", "Read", "Grep", "mcp__docs__search", "SomethingNew"])
@pytest.mark.parametrize("arguments", [None, [], "make", 3, {}])
def test_arguments_that_are_no_object_have_no_canonical_form(tool: str, arguments: Any) -> None:
    assert describe(tool, arguments, "claude-cli")[1] == {}


@pytest.mark.parametrize("odd", [None, 1, ["/a.py"], {"path": "/a.py"}, True])
def test_a_value_that_is_no_text_is_no_canonical_argument(odd: Any) -> None:
    assert describe("Read", {"file_path": odd}, "claude-cli") == ("read", {})
    assert describe("mcp__fs__x", {"paths": odd, "path": odd}, "claude-cli")[1] in (
        {},
        {"paths": ["/a.py"]},
    )


def test_the_first_argument_that_is_there_wins() -> None:
    both = {"message": "new", "content": "old"}
    assert describe("SendMessage", both, "claude-cli") == ("task", {"content": "new"})
    assert describe("SendMessage", {"content": "old"}, "claude-cli") == ("task", {"content": "old"})
