"""How much content is kept: of files, outputs and thinking, each counted once when it goes."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_agentv.redact import ContentPolicy
from pytest_agentv.redact.policy import kept
from pytest_agentv.transcript.model import Message, ToolCall

NO_FILES = ContentPolicy(include_file_contents=False)
NO_OUTPUTS = ContentPolicy(tool_output="none")
GONE = "[REDACTED:file-contents]"


def _left(policy: ContentPolicy, *calls: ToolCall, **fields: Any) -> tuple[Message, list[str]]:
    """What is left of a message, and the rules that took something away."""
    noted: list[str] = []
    message = Message(role="assistant", tool_calls=calls, **fields)
    return kept(message, policy, noted.append), noted


def test_everything_is_kept_unless_the_policy_says_otherwise() -> None:
    calls = (
        ToolCall(tool="Write", kind="write", input={"content": "a"}, args={"content": "a"}),
        ToolCall(tool="Read", kind="read", input={"path": "a"}, output="text"),
    )
    message, noted = _left(ContentPolicy(), *calls, thinking="hm")
    assert (message.tool_calls, message.thinking, noted) == (calls, "hm", [])


def test_thinking_goes_and_is_counted_where_there_is_any() -> None:
    policy = ContentPolicy(thinking=False)
    message, noted = _left(policy, thinking="hm")
    assert (message.thinking, noted) == (None, ["thinking"])
    assert _left(policy)[1] == []


@pytest.mark.parametrize("kind", ["write", "edit", "read", "shell"])
def test_contents_go_from_the_calls_of_files_alone_and_count_once(kind: str) -> None:
    given = {"path": "a", "content": "text", "old_string": ""}
    message, noted = _left(NO_FILES, ToolCall(tool="x", kind=kind, input=given, args=given))
    (call,) = message.tool_calls
    if kind == "shell":
        assert (call.input, call.args, noted) == (given, given, [])
    else:
        left = {**given, "content": GONE}
        assert (call.input, call.args, noted) == (left, left, ["file-contents"])


@pytest.mark.parametrize(
    ("given", "left", "count"), [("*** patch", GONE, 1), ("", "", 0), (GONE, GONE, 0)]
)
def test_a_patch_that_is_a_whole_input_goes(given: str, left: str, count: int) -> None:
    message, noted = _left(NO_FILES, ToolCall(tool="x", kind="edit", input=given))
    assert (message.tool_calls[0].input, noted) == (left, ["file-contents"] * count)


@pytest.mark.parametrize(
    ("policy", "kind", "left", "noted"),
    [
        (NO_OUTPUTS, "shell", "[REDACTED:tool-output]", "tool-output"),
        (NO_OUTPUTS, "read", "[REDACTED:tool-output]", "tool-output"),
        (ContentPolicy(tool_output="metadata-only"), "shell",
         "[REDACTED:tool-output, 3 characters, 2 lines]", "tool-output"),
        (ContentPolicy(tool_output="truncated", output_limit=1), "shell",
         "a… [REDACTED:tool-output-truncated]", "tool-output-truncated"),
        (NO_FILES, "read", "[REDACTED:file-contents, 3 characters, 2 lines]", "file-contents"),
        (NO_FILES, "shell", "a\nb", None),
    ],
)  # fmt: skip
def test_what_goes_of_an_output_is_counted_once_and_never_again(
    policy: ContentPolicy, kind: str, left: str, noted: str | None
) -> None:
    message, first = _left(policy, ToolCall(tool="x", kind=kind, output="a\nb"))
    assert (message.tool_calls[0].output, first) == (left, [] if noted is None else [noted])
    again, second = _left(policy, *message.tool_calls)
    assert (again.tool_calls, second) == (message.tool_calls, [])


@pytest.mark.parametrize("output", ["[REDACTED:tool-output] all of it]", "[REDACTED:tool-output"])
def test_an_output_that_only_looks_taken_away_goes_as_well(output: str) -> None:
    message, noted = _left(NO_OUTPUTS, ToolCall(tool="x", kind="shell", output=output))
    assert message.tool_calls[0].output == "[REDACTED:tool-output]"
    assert noted == ["tool-output"]


@pytest.mark.parametrize("place", range(3))
def test_one_call_of_several_loses_its_output(place: int) -> None:
    calls = [ToolCall(tool="x", kind="shell") for _ in range(3)]
    calls[place] = ToolCall(tool="x", kind="shell", output="a")
    message, _ = _left(NO_OUTPUTS, *calls)
    left = [None, None, None, "[REDACTED:tool-output]"]
    assert [one.output for one in message.tool_calls] == [left[3 * (n == place)] for n in range(3)]
