"""Comparing calls: by tool or kind, by native or canonical arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tool_sessions import calls, made

from pytest_agentv import ToolCall
from pytest_agentv.graders.calls import (
    Matcher,
    arguments_known,
    described,
    steps,
    value_at,
)
from pytest_agentv.graders.expected_texts import check_expected

if TYPE_CHECKING:
    from pytest_agentv.graders.calls import ArgsMode

CLAUDE_EDIT = ToolCall(
    tool="Edit",
    kind="edit",
    input={"file_path": "/home/dev/shop/src/auth.ts", "old_string": "a", "new_string": "b"},
    args={"path": "/home/dev/shop/src/auth.ts", "content": "b"},
)
PATCH = ToolCall(
    tool="apply_patch",
    kind="edit",
    input="*** Begin Patch",
    args={"paths": ["src/auth.ts", "src/b.ts"]},
)
FOREIGN = ToolCall(tool="db_query", kind="mcp", input={"limit": 5, "where": {"id": 1, "on": True}})
SILENT = ToolCall(tool="db_query", kind="mcp")


def _matcher(cwd: str | None = "/home/dev/shop") -> Matcher:
    return Matcher(calls(cwd=cwd))


@pytest.mark.parametrize(
    ("name", "holds"),
    [
        ("Edit", True), ("edit", True), ("E*", True), ("*", True), ("EDIT", False), ("Read", False),
    ],
)  # fmt: skip
def test_a_tool_is_found_by_its_name_and_by_its_kind(name: str, *, holds: bool) -> None:
    assert _matcher().is_tool(CLAUDE_EDIT, name) is holds


@pytest.mark.parametrize(
    ("call", "args", "holds"),
    [
        (CLAUDE_EDIT, {"path": "src/auth.ts"}, True),
        (CLAUDE_EDIT, {"path": "/home/dev/shop/src/auth.ts"}, True),
        (CLAUDE_EDIT, {"path": "**/auth.*"}, True),
        (CLAUDE_EDIT, {"path": r"/auth\.(ts|js)$/"}, True),
        (CLAUDE_EDIT, {"path": "auth.ts"}, False),
        (CLAUDE_EDIT, {"file_path": "src/auth.ts"}, True),
        (CLAUDE_EDIT, {"file_path": "**/auth.ts", "old_string": "a"}, True),
        (CLAUDE_EDIT, {"old_string": "b"}, False),
        (CLAUDE_EDIT, {"command": "*"}, False),
        (PATCH, {"path": "src/b.ts"}, True),
        (PATCH, {"path": "src/c.ts"}, False),
        (PATCH, {"paths": ["src/b.ts"]}, True),
        (PATCH, {"paths": ["src/b.ts", "src/c.ts"]}, False),
        (FOREIGN, {"limit": 5}, True),
        (FOREIGN, {"limit": 5.0}, True),
        (FOREIGN, {"limit": "5"}, False),
        (FOREIGN, {"where": {"id": 1}}, True),
        (FOREIGN, {"where": {"id": True}}, False),
        (FOREIGN, {"where": {"on": 1}}, False),
        (FOREIGN, {"where": [1]}, False),
        (FOREIGN, {}, True),
    ],
)
def test_a_call_has_the_arguments_that_are_expected(
    call: ToolCall, args: dict[str, Any], *, holds: bool
) -> None:
    assert (_matcher().different(call, args) == []) is holds


@pytest.mark.parametrize(
    ("call", "mode", "args", "wrong"),
    [
        (FOREIGN, "exact", {"limit": 5, "where": {"id": 1, "on": True}}, []),
        (FOREIGN, "exact", {"limit": 5, "where": {"id": 1}}, ["where"]),
        (FOREIGN, "exact", {"limit": 5}, ["where"]),
        (FOREIGN, "exact", {}, ["limit", "where"]),
        (FOREIGN, "subset", {"limit": 5, "where": {"id": 1}, "more": 1}, []),
        (FOREIGN, "subset", {"limit": 5}, ["where"]),
        (FOREIGN, "subset", {}, ["limit", "where"]),
        (FOREIGN, "ignore", {"limit": 6}, []),
        (FOREIGN, ("limit",), {"limit": 5, "where": 9}, []),
        (FOREIGN, ("where.id",), {"limit": 6, "where": {"id": 1}}, []),
        (FOREIGN, ("where.id",), {"where": {"id": 2}}, ["where.id"]),
        (FOREIGN, ("where.id.deeper",), {"where": {"id": {"deeper": 1}}}, ["where.id.deeper"]),
        (FOREIGN, ("elsewhere",), {"limit": 6}, []),
        # By the names that all clients share, although the client has more arguments.
        (CLAUDE_EDIT, "exact", {"path": "src/auth.ts", "content": "b"}, []),
        (CLAUDE_EDIT, "subset", {"path": "src/auth.ts", "content": "b"}, []),
        (CLAUDE_EDIT, "exact", {"path": "src/auth.ts"}, ["content"]),
        (CLAUDE_EDIT, "exact", {"file_path": "**", "old_string": "a", "new_string": "b"}, []),
        (PATCH, "exact", {"paths": ["src/*", "src/b.ts"]}, []),
        (PATCH, "exact", {"paths": ["src/*"]}, ["paths"]),
    ],
)
def test_how_arguments_are_compared(
    call: ToolCall, mode: ArgsMode | tuple[str, ...], args: dict[str, Any], wrong: list[str]
) -> None:
    assert _matcher().different(call, args, mode) == wrong


@pytest.mark.parametrize(
    ("path", "cwd", "expected", "holds"),
    [
        ("/home/dev/shop/a.ts", "/home/dev/shop", "a.ts", True),
        ("/home/dev/shop/a.ts", "/home/dev/shop/", "a.ts", True),
        ("/home/dev/shop2/a.ts", "/home/dev/shop", "a.ts", False),
        ("/home/dev/shop2/a.ts", "/home/dev/shop", "2/a.ts", False),
        ("/home/dev/shop/./src//a.ts", "/home/dev/shop", "src/a.ts", True),
        ("/home/dev/shop/docs/../src/a.ts", "/home/dev/shop", "src/a.ts", True),
        ("./src/a.ts", None, "src/a.ts", True),
        ("src/a.ts", "/home/dev/shop", "src/*.ts", True),
        (r"C:\repos\shop\src\a.ts", r"c:\Repos\shop", "src/a.ts", True),
        (r"C:\repos\shop\src\a.ts", None, "C:/repos/shop/src/a.ts", True),
        ("C:/repos/shop/src/a.ts", "c:/Repos/shop", "src/a.ts", True),
        (r"src\a.ts", "C:/repos", "src/a.ts", True),
        (r"src\a.ts", r"C:\repos", "src/a.ts", True),
        (r"src\a.ts", "/home/dev", "src/a.ts", False),
    ],
)
def test_a_path_is_seen_from_the_folder_of_the_session(
    path: str, cwd: str | None, expected: str, *, holds: bool
) -> None:
    assert _matcher(cwd).is_path(path, expected) is holds


def test_a_session_may_not_say_what_the_arguments_were() -> None:
    assert not arguments_known(SILENT)
    assert arguments_known(PATCH)
    assert arguments_known(ToolCall(tool="x", input={}))


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ({"a": ["/(/"]}, "is no regular expression"),
        ({"a": {"b": "/(a{1000}){1000}/"}}, "repeats too much"),
    ],
)
def test_what_cannot_be_compared_is_refused(value: Any, problem: str) -> None:
    check_expected({"a": ["/x/i", 5, None]})
    with pytest.raises(ValueError, match=problem):
        check_expected(value)


def test_a_deep_value_is_refused() -> None:
    deep: list[Any] = []
    for _ in range(300):
        deep = [deep]
    with pytest.raises(ValueError, match="nested deeper than 200"):
        check_expected(deep)


def test_names_with_dots_lead_to_values() -> None:
    assert value_at({"a": {"b": None}}, "a.b") == (None,)
    assert value_at({"a.b": 1}, "a.b") == (1,)
    assert value_at({"a": 1}, "a.b") is None


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (made("shell npm test"), "Bash npm test"),
        (PATCH, "apply_patch src/auth.ts, src/b.ts"),
        (made("todo"), "todo"),
        (made("shell a\nb"), "Bash a⏎b"),
    ],
)
def test_a_call_on_one_line(call: ToolCall, text: str) -> None:
    assert described(call) == text


def test_a_call_on_one_line_names_a_path_as_seen_from_the_folder() -> None:
    call = ToolCall(tool="Read", kind="read", args={"path": "/home/dev/shop/src/a.ts"})
    assert described(call, "/home/dev/shop") == "Read src/a.ts"
    assert described(call, "/home/dev/other") == "Read /home/dev/shop/src/a.ts"


def test_a_call_on_one_line_is_short_whatever_it_holds() -> None:
    long = "x" * 1_000_000
    call = ToolCall(tool=long, args={"paths": [long] * 10})
    assert len(described(call)) < 200


def test_steps_say_where_they_stand() -> None:
    [first, second] = steps(calls("read a.ts", "shell ls"))
    assert (first.message, second.message) == (2, 3)
    assert second.evidence.excerpt == "Bash ls"
