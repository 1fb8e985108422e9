"""Searching a session: every line that fits, in texts only, within a limit of time."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kept_runs import session

from pytest_agentv import Message, ToolCall, Transcript
from pytest_agentv.errors import NotGradable
from pytest_agentv.results.searching import Match, finder, matches

if TYPE_CHECKING:
    from collections.abc import Sequence


def search(
    transcript: Transcript,
    pattern: str,
    *,
    is_regex: bool = False,
    roles: Sequence[str] = (),
    parts: Sequence[str] = (),
) -> list[Match]:
    find = finder(pattern, is_regex=is_regex, ignore_case=False)
    return list(matches(transcript, find, roles=roles, parts=parts))


SESSION = session(
    Message(role="user", origin="human", content="needle one\nhay\nneedle two", line=3),
    Message(
        role="assistant",
        content="a needle",
        thinking="needle?",
        line=5,
        tool_calls=(
            ToolCall(
                id="needle",
                tool="needle-tool",
                line=6,
                input={"needle": ["hay", {"deep": "needle deep"}]},
                args={"content": "needle"},
                output="needle out",
            ),
        ),
    ),
    Message(role="system", content="needle system", line=9),
)


def test_every_line_that_fits_is_found_and_keys_and_names_are_not() -> None:
    found = search(SESSION, "needle")

    assert [(one.message, one.line, one.role, one.part) for one in found] == [
        (1, 3, "user", "text"),
        (1, 3, "user", "text"),
        (2, 5, "assistant", "thinking"),
        (2, 5, "assistant", "text"),
        (2, 6, "assistant", "tool-input"),
        (2, 6, "tool", "tool-output"),
        (3, 9, "system", "text"),
    ]
    assert found[4].tool == "needle-tool"
    assert found[4].excerpt == "needle deep"


@pytest.mark.parametrize(
    ("roles", "parts", "messages"),
    [
        (["tool"], [], [2]),
        (["user", "system"], [], [1, 1, 3]),
        ([], ["thinking", "tool-output"], [2, 2]),
        (["user"], ["thinking"], []),
    ],
)
def test_roles_and_parts_can_be_chosen(
    roles: list[str], parts: list[str], messages: list[int]
) -> None:
    found = search(SESSION, "needle", roles=roles, parts=parts)

    assert [one.message for one in found] == messages


LINES = st.lists(st.text("ab.\n", max_size=12), max_size=6).map("\n".join)


@given(text=LINES, needle=st.text("ab.", min_size=1, max_size=3), is_regex=st.booleans())
def test_a_match_is_a_line_that_fits(text: str, needle: str, *, is_regex: bool) -> None:
    find = finder(needle, is_regex=is_regex, ignore_case=False)
    pattern = re.compile(needle if is_regex else re.escape(needle))

    found = list(find(text))

    assert len(found) == sum(pattern.search(line) is not None for line in text.split("\n"))
    assert all(pattern.fullmatch(text[start:end]) for start, end in found)


@pytest.mark.parametrize("is_regex", [False, True])
def test_upper_and_lower_case_can_be_the_same(*, is_regex: bool) -> None:
    find = finder("jwt", is_regex=is_regex, ignore_case=True)

    assert [*find("a JWT here")] == [(2, 5)]


def test_what_is_no_regular_expression_is_refused() -> None:
    with pytest.raises(ValueError, match="is no regular expression"):
        finder("(", is_regex=True, ignore_case=False)


def test_a_pattern_that_runs_away_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_agentv.results.searching._SECONDS", 0.2)
    text = "a" * 40

    with pytest.raises(NotGradable, match=r"took longer than 0.2 s"):
        search(session(Message(role="user", content=text)), "(a|a)+$b", is_regex=True)
