"""``agentv schema transcript``: a true JSON Schema, which every line that we write keeps."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import pytest
from agentv_command import run_agentv, transcript_of
from claude_sessions import Session, image, text, thinking, tool_use
from generate_claude import generate
from jsonschema import Draft202012Validator

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from agentv_command import ClaudeHome, InProcess


@pytest.fixture
def schema(agentv: InProcess) -> dict[str, Any]:
    """The schema as the command prints it."""
    printed = agentv("schema", "transcript")
    assert (printed.code, printed.err) == (0, "")
    value: dict[str, Any] = json.loads(printed.out)
    return value


@pytest.fixture
def transcript(home: ClaudeHome, agentv: InProcess, work: Path) -> dict[str, Any]:
    """A transcript with something of everything in it."""
    session = Session()
    session.user([image(), text("Fix the login page")])
    session.response(
        "msg_1", thinking("Hm."), tool_use("toolu_1", "Bash", {"command": "make"}), text("Look:")
    )
    session.tool_result("toolu_1", "Exit code 2\nno rule", is_error=True)
    session.response("msg_2", tool_use("toolu_2", "mcp__x__y", {"any": [1, None, {"z": 2.5}]}))
    session.about("brand-new")
    agentv("import", "claude", "--file", session.write_in(work), "-o", work / "t.jsonl")
    del home
    return transcript_of(work / "t.jsonl")


def test_the_schema_is_a_schema_of_draft_2020_12(schema: dict[str, Any]) -> None:
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    Draft202012Validator.check_schema(schema)


def test_the_real_command_prints_the_same(schema: dict[str, Any], work: Path) -> None:
    assert json.loads(run_agentv("schema", "transcript", cwd=work).out) == schema


def test_a_transcript_keeps_the_schema(schema: dict[str, Any], transcript: dict[str, Any]) -> None:
    assert [error.message for error in Draft202012Validator(schema).iter_errors(transcript)] == []


@pytest.mark.parametrize("arguments", [[], ["--include-subagents", "--test-id", "x"]])
def test_a_long_session_keeps_the_schema(
    schema: dict[str, Any], agentv: InProcess, work: Path, arguments: list[str]
) -> None:
    generate(work / "session.jsonl", megabytes=0.3, seed=5, subagents=1)

    agentv("import", "claude", "--file", "session.jsonl", "-o", "t.jsonl", *arguments)

    errors = Draft202012Validator(schema).iter_errors(transcript_of(work / "t.jsonl"))
    assert [error.message for error in errors] == []


def test_fields_of_a_newer_version_keep_the_schema(
    schema: dict[str, Any], transcript: dict[str, Any]
) -> None:
    transcript["new"] = 1
    transcript["source"]["new"] = {"deep": []}
    for message in transcript["output"]:
        message["new"] = None
        for call in message.get("tool_calls", ()):
            call["new"] = "x"

    assert [error.message for error in Draft202012Validator(schema).iter_errors(transcript)] == []


def _set(*path: str | int, value: object) -> Callable[[Any], None]:
    def change(transcript: Any) -> None:
        for key in path[:-1]:
            transcript = transcript[key]
        transcript[path[-1]] = value

    return change


@pytest.mark.parametrize(
    "change",
    [
        _set("output", value="text"),
        _set("output", value=None),
        _set("input", value=["Fix"]),
        _set("source", value=None),
        _set("source", "provider", value=None),
        _set("source", "model", value=4),
        _set("duration_ms", value=-1),
        _set("duration_ms", value="1 s"),
        _set("cost_usd", value="free"),
        _set("token_usage", "input", value=1.5),
        _set("token_usage", "output_complete", value="yes"),
        _set("drift", value={"x": "often"}),
        _set("output", 0, "content", value=[{"type": "text"}]),
        _set("output", 0, "role", value=None),
        _set("output", 1, "tool_calls", 0, "tool", value=7),
        _set("output", 1, "tool_calls", 0, "args", value=[]),
        _set("output", 1, "tool_calls", 0, "exit_code", value="2"),
        _set("output", 1, "usage", value=[]),
    ],
)
def test_wrong_types_do_not_keep_the_schema(
    schema: dict[str, Any], transcript: dict[str, Any], change: Callable[[Any], None]
) -> None:
    changed = copy.deepcopy(transcript)
    change(changed)

    assert changed != transcript
    assert not Draft202012Validator(schema).is_valid(changed)


@pytest.mark.parametrize("name", ["source", "output"])
def test_what_every_transcript_has_is_required(
    schema: dict[str, Any], transcript: dict[str, Any], name: str
) -> None:
    del transcript[name]

    assert not Draft202012Validator(schema).is_valid(transcript)


@pytest.mark.parametrize("arguments", [["transcripts"], [""], [], ["transcript", "twice"]])
def test_a_schema_that_is_not_there_is_a_usage_error(
    agentv: InProcess, arguments: list[str]
) -> None:
    printed = agentv("schema", *arguments)

    assert (printed.code, printed.out) == (2, "")
    assert "Traceback" not in printed.err


def test_an_unknown_schema_is_told_the_known_ones(agentv: InProcess) -> None:
    printed = agentv("schema", "evil")

    assert printed.code == 2
    assert "'evil'" in printed.err
    assert "eval" in printed.err
    assert "transcript" in printed.err
