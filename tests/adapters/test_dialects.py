"""Calls that a model wrote as text, and the results that come back as text."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_agentv.adapters.dialects import (
    brings_result,
    exit_code_in,
    thoughts_of,
    written_calls,
    written_results,
)


@pytest.mark.parametrize(
    ("text", "rest", "calls"),
    [
        ("Hello.", "Hello.", []),
        ("a < b and <function> is a word", "a < b and <function> is a word", []),
        ("Go.\n\n<function=submit>\n</function>", "Go.", [("submit", {})]),
        (
            "<function=bash>\n<parameter=command>ls\npwd</parameter>\n</function>",
            "",
            [("bash", {"command": "ls\npwd"})],
        ),
        # One line end on either side is not part of a text of several lines.
        (
            "<function=e>\n<parameter=old_str>\n\n  x\n\n</parameter>\n</function>",
            "",
            [("e", {"old_str": "\n  x\n"})],
        ),
        # Markup in a value.
        (
            ("<function=e>\n<parameter=a></parameter> in a value</parameter>\n"
            "<parameter=b>1</parameter>\n</function>"),
            "",
            [("e", {"a": "</parameter> in a value", "b": "1"})],
        ),
        # Cut off by a stop word.
        ("<function=bash>\n<parameter=command>ls</parameter>\n", "", [("bash", {"command": "ls"})]),
        (
            "One.\n<function=a>\n</function>\n<function=b>\n</function>",
            "One.",
            [("a", {}), ("b", {})],
        ),
        ('<tool_call>{"name": "a", "arguments": {"x": 1}}</tool_call>', "", [("a", {"x": 1})]),
        ('<tool_call>{"name": 7}</tool_call>', '<tool_call>{"name": 7}</tool_call>', []),
        ("<tool_call>{torn</tool_call>", "<tool_call>{torn</tool_call>", []),
        ("<tool_call>\n<function=a>\n</function>\n</tool_call>", "", [("a", {})]),
        ("See:\n```\nls\n```", "See:\n```\nls\n```", []),
    ],
)  # fmt: skip
def test_calls_are_found_in_a_text_and_taken_out_of_it(
    text: str, rest: str, calls: list[tuple[str, Any]]
) -> None:
    assert written_calls(text) == (rest, calls)


def test_a_block_at_the_end_of_a_text_is_a_call_only_where_that_is_the_way() -> None:
    text = "First\n```js\nx()\n```\nthen\n```bash\nls -la\npwd\n```\n"
    rest, (call,) = written_calls(text, ticks=True)
    assert rest == "First\n```js\nx()\n```\nthen"
    assert call == ("bash", {"command": "ls -la\npwd"})
    assert written_calls("```\nls\n```\nand more words", ticks=True)[1] == []


@pytest.mark.parametrize(
    ("text", "results"),
    [
        ("OBSERVATION:\na\n", ["a\n"]),
        ("Observation: a", ["a"]),
        ("EXECUTION RESULT of [execute_bash]:\na", ["a"]),
        ("Your command ran successfully and did not produce any output.",) * 2,
        ("<tool_response>\na\n</tool_response>\n<tool_response>\nb\n</tool_response>", ["a", "b"]),
    ],
)  # fmt: skip
def test_a_result_loses_what_marks_it(text: str, results: list[str] | str) -> None:
    assert written_results(text) == ([results] if isinstance(results, str) else results)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("<returncode>3</returncode>\n<output>", 3),
        ("x\n[The command completed with exit code 0.]", 0),
        ("[Command finished with exit code 1]\n[Command finished with exit code 127]", 127),
        ("it says exit code 1", None),
        ("[The command completed with exit code 1.]" + "x" * 600, None),
    ],
)
def test_an_exit_code_is_read_where_agents_write_it(text: str, code: int | None) -> None:
    assert exit_code_in(text) == code


def test_a_text_that_is_marked_brings_a_result() -> None:
    assert brings_result("OBSERVATION:\nx")
    assert brings_result("x\n(Current directory: /x)\nbash-$")
    assert not brings_result("What is an OBSERVATION:\n?")


def test_thoughts_stand_before_a_text() -> None:
    assert thoughts_of("<think>\na\n</think>\n\nb") == ("b", "a")
    assert thoughts_of("b <think>a</think>") == ("b <think>a</think>", None)
    assert thoughts_of("<think></think>b") == ("b", None)


def test_a_long_text_of_markup_is_read_in_time() -> None:
    for text in ("<function=a>" * 20_000, "<parameter=a>" * 20_000, "<tool_call>{" * 20_000):
        written_calls(text)
        written_calls(f"<function=a>{text}")
