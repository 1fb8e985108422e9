"""Laws that hold for every tool of every client, whatever its arguments are."""

from __future__ import annotations

import json
import shlex
from typing import Any, get_args

from hypothesis import given
from hypothesis import strategies as st

from pytest_agentv.transcript.model import Kind
from pytest_agentv.transcript.tools import claude, codex, copilot, describe

KEYS = ("path", "paths", "command", "query", "url", "pattern", "content")
NATIVE = (
    *KEYS, "cmd", "action", "input", "patch", "code", "chars", "items", "queries", "search_query",
    "open", "find", "message", "session_id", "type",
)  # fmt: skip
CODE = ("tools", "exec_command", "apply_patch", "cmd", "eval", "*** Begin Patch", "<<E", "E", "cd")

providers = st.sampled_from(["claude-cli", "codex-cli", "copilot-cli", "my-agent", None])
names = (
    st.sampled_from(sorted({*claude.TOOLS, *codex.TOOLS, *copilot.TOOLS, "mcp__a__b", "a-b"}))
    | st.text()
)
pieces = st.sampled_from([*CODE, *"{}[]()`'\"/\\$.,:;?+-*<>\n ", "${", "=>", "a", "1", "\\u0041"])
texts = st.text() | st.lists(pieces, max_size=40).map("".join)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda children: (
        st.lists(children, max_size=4)
        | st.dictionaries(st.sampled_from(NATIVE) | st.text(), children, max_size=4)
    ),
    max_leaves=12,
)


def _is_canonical(key: str, value: Any) -> bool:
    if key == "paths":
        return type(value) is list and all(type(path) is str for path in value)
    return key in KEYS and type(value) is str


@given(names, values, providers, st.none() | st.sampled_from(["mcp__a", "web", "a"]) | st.text())
def test_any_arguments_have_a_kind_and_canonical_arguments(
    tool: str, arguments: Any, provider: str | None, namespace: str | None
) -> None:
    before = repr(arguments)
    (kind, args) = describe(tool, arguments, provider, namespace)
    assert kind in get_args(Kind)
    assert all(_is_canonical(key, value) for key, value in args.items())
    assert repr(arguments) == before


@given(st.lists(pieces, max_size=60).map("".join))
def test_any_code_is_kept_and_says_its_kind(code: str) -> None:
    (kind, args) = describe("exec", code, "codex-cli")
    assert args["content"] == code
    assert (kind == "shell") <= ("command" in args)


@given(st.text())
def test_any_text_is_a_command_that_code_can_run(command: str) -> None:
    # JSON is JavaScript too, and so is its way to write any text.
    code = f"text(await tools.exec_command({{cmd: {json.dumps(command)}}}))"
    (kind, args) = describe("exec", code, "codex-cli")
    assert (kind, args["command"]) == ("shell", command)


@given(st.lists(st.text(), min_size=1))
def test_the_command_line_of_an_argument_list_parses_back(argv: list[str]) -> None:
    argv = ["program", *argv]
    command = describe("shell", {"command": argv}, "codex-cli")[1]["command"]
    assert shlex.split(command) == argv


@given(st.sampled_from(["bash", "/bin/sh", "zsh"]), st.sampled_from(["-c", "-lc"]), st.text())
def test_the_script_of_a_shell_is_the_command(shell: str, option: str, script: str) -> None:
    described = describe("shell", {"command": [shell, option, script]}, "codex-cli")
    assert described == ("shell", {"command": script})


@given(st.lists(st.from_regex(r"[a-z./][a-z. /]*[a-z]", fullmatch=True), unique=True))
def test_a_patch_names_the_files_of_its_headers(paths: list[str]) -> None:
    patch = "".join(f"*** Update File: {path}\n@@\n-a\n+b\n" for path in paths)
    (kind, args) = describe("apply_patch", patch, "codex-cli")
    assert (kind, args.get("paths", [])) == ("edit", paths)
    assert args.get("path") == (paths[0] if len(paths) == 1 else None)


def test_a_name_that_two_clients_have_is_of_one_kind() -> None:
    tables = {"claude-cli": claude.TOOLS, "codex-cli": codex.TOOLS, "copilot-cli": copilot.TOOLS}
    for name in {name for table in tables.values() for name in table}:
        kinds = {
            describe(name, {"command": "x", "query": "x"}, provider)[0]
            for provider, table in tables.items()
            if name in table
        }
        assert kinds == {describe(name, {"command": "x", "query": "x"}, None)[0]}
