"""Kind and canonical arguments that a call gets from its tool's name, input and provider."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from sample_transcripts import Read

    from pytest_agentv import ToolCall


def _call(read: Read, tool: str, arguments: Any, provider: str) -> ToolCall:
    """A call as it comes out of a transcript that has neither kind nor args."""
    message = {"role": "assistant", "tool_calls": [{"tool": tool, "input": arguments}]}
    line = {"source": {"provider": provider}, "output": [message]}
    (transcript,) = read(json.dumps(line).encode())
    (call,) = transcript.tool_calls()
    return call


@pytest.mark.parametrize(
    ("tool", "arguments", "kind", "args"),
    [
        ("Bash", {"command": "ls", "description": "x"}, "shell", {"command": "ls"}),
        ("PowerShell", {"command": "dir"}, "shell", {"command": "dir"}),
        ("REPL", {"code": "1+1"}, "shell", {"command": "1+1"}),
        ("Read", {"file_path": "/a", "limit": 5}, "read", {"path": "/a"}),
        ("NotebookRead", {"notebook_path": "/n.ipynb"}, "read", {"path": "/n.ipynb"}),
        ("Write", {"file_path": "/a", "content": "t"}, "write", {"path": "/a", "content": "t"}),
        (
            "Edit",
            {"file_path": "/a", "old_string": "o", "new_string": "n"},
            "edit",
            {"path": "/a", "content": "n"},
        ),
        ("MultiEdit", {"file_path": "/a", "edits": []}, "edit", {"path": "/a"}),
        (
            "NotebookEdit",
            {"notebook_path": "/n", "new_source": "s"},
            "edit",
            {"path": "/n", "content": "s"},
        ),
        ("Grep", {"pattern": "p", "path": "/d"}, "search", {"pattern": "p", "path": "/d"}),
        ("Glob", {"pattern": "**/*.ts"}, "search", {"pattern": "**/*.ts"}),
        ("LS", {"path": "/d"}, "search", {"path": "/d"}),
        ("WebFetch", {"url": "u", "prompt": "q"}, "fetch", {"url": "u", "query": "q"}),
        ("WebSearch", {"query": "q"}, "web_search", {"query": "q"}),
        ("Task", {"prompt": "do", "subagent_type": "x"}, "task", {"content": "do"}),
        ("Agent", {"prompt": "do"}, "task", {"content": "do"}),
        ("Skill", {"skill": "pdf", "args": "a"}, "skill", {"content": "a"}),
        ("SlashCommand", {"command": "/init"}, "skill", {"content": "/init"}),
        ("TodoWrite", {"todos": []}, "todo", {}),
        ("ListMcpResourcesTool", {"server": "s"}, "mcp", {}),
        ("ReadMcpResourceTool", {"uri": "u"}, "mcp", {"url": "u"}),
        ("AskUserQuestion", {"questions": []}, "other", {}),
    ],
)
def test_tools_of_claude_code(
    read: Read, tool: str, arguments: Any, kind: str, args: dict[str, Any]
) -> None:
    call = _call(read, tool, arguments, "claude-cli")
    assert (call.kind, call.args) == (kind, args)
    assert (call.tool, call.input) == (tool, arguments)


@pytest.mark.parametrize("tool", ["BashOutput", "KillShell", "KillBash", "TaskOutput"])
def test_looking_at_a_running_shell_runs_no_command(read: Read, tool: str) -> None:
    call = _call(read, tool, {"bash_id": "1", "command": "ls"}, "claude-cli")
    assert call.kind == "other"
    assert call.command is None


@pytest.mark.parametrize("provider", ["claude-cli", "my-agent"])
def test_tools_of_servers_are_known_by_their_prefix(read: Read, provider: str) -> None:
    call = _call(read, "mcp__db__run", {"query": "select 1", "limit": 3}, provider)
    assert (call.kind, call.args) == ("mcp", {"query": "select 1"})


@pytest.mark.parametrize(
    ("arguments", "args"),
    [
        ({"path": "/a", "file_path": "/b"}, {"path": "/a"}),
        ({"filePath": "/c"}, {"path": "/c"}),
        ({"paths": ["/a", "/b"]}, {"paths": ["/a", "/b"]}),
        ({"paths": ["/a", 7]}, {}),
        ({"command": "ls"}, {"command": "ls"}),
        ({"command": ["ls", "-l"]}, {}),
        ({"url": "u", "uri": "v"}, {"url": "u"}),
        (
            {"pattern": "p", "content": "c", "query": "q"},
            {"pattern": "p", "content": "c", "query": "q"},
        ),
        ({"path": None, "file_path": "/b"}, {"path": "/b"}),
        ("text", {}),
        (["ls"], {}),
        (None, {}),
    ],
)
def test_an_unknown_tool_has_the_arguments_that_have_usual_names(
    read: Read, arguments: Any, args: dict[str, Any]
) -> None:
    call = _call(read, "DoIt", arguments, "claude-cli")
    assert (call.kind, call.args) == ("other", args)


def test_without_a_known_provider_a_vendors_tool_is_known_by_its_name(read: Read) -> None:
    call = _call(read, "Bash", {"command": "ls"}, "my-agent")
    assert (call.kind, call.args) == ("shell", {"command": "ls"})


def test_names_of_tools_are_matched_exactly(read: Read) -> None:
    # A real name from a session in which the model's output was garbled.
    assert _call(read, 'Task" >\n<parameter name="x', {}, "claude-cli").kind == "other"
    assert _call(read, "bash", {"command": "ls"}, "claude-cli").kind == "other"
    assert _call(read, "", {}, "claude-cli").kind == "other"


def test_a_single_path_where_several_may_stand_is_found(read: Read) -> None:
    assert _call(read, "DoIt", {"paths": "/a"}, "my-agent").paths == ("/a",)
