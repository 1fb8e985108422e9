"""Elements in texts: what stands in them, what is left, and hostile texts."""

from __future__ import annotations

import pytest
from runaway import no_runaway

from pytest_agentv.adapters.elements import split_elements


@pytest.mark.parametrize(
    ("text", "rest", "inner"),
    [
        ("none", "none", []),
        ("a <task> do\nit </task> b", "a  b", ["do\nit"]),
        ("<task>a</task><answer>b</answer>", "", ["a", "b"]),
        ("<task>a <answer>b</answer></task>", "", ["a <answer>b</answer>"]),
        ("<task>open <answer>b</answer>", "<task>open ", ["b"]),
        ("<task>a</answer>", "<task>a</answer>", []),
        ("<task></task>", "", [""]),
    ],
)
def test_what_stands_in_elements_and_around_them(text: str, rest: str, inner: list[str]) -> None:
    assert split_elements(text, "task", "answer") == (rest, inner)


@pytest.mark.parametrize(
    "text",
    [
        "<task>" * 100_000,
        "<task>" + " " * 500_000,
        "<task><answer>" * 50_000 + "</answer>",
        ("<task>" + " " * 20) * 30_000,
        "<task></task>" * 50_000,
    ],
    ids=lambda text: text[:20],
)
def test_any_text_is_split_in_time(text: str) -> None:
    with no_runaway():  # what is quadratic takes minutes
        rest, inner = split_elements(text, "task", "answer")
    assert len(rest) + sum(map(len, inner)) <= len(text)
