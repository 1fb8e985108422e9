"""The figures behind small charts."""

from __future__ import annotations

from pytest_agentv.html.charts import WIDTH, bars, mix, mix_of
from pytest_agentv.html.texts import tokens


def test_bars_are_of_one_scale_and_unknown_has_none() -> None:
    assert [(one.text, one.width) for one in bars([1000, 500, None, 0], tokens)] == [
        ("1,000", WIDTH),
        ("500", WIDTH / 2),
        ("unknown", None),
        ("0", 0),
    ]


def test_bars_of_nothing_but_zeros_and_unknowns_are_empty() -> None:
    assert [one.width for one in bars([0, None], tokens)] == [0, None]
    assert [one.width for one in bars([-5, 10], tokens)] == [0, WIDTH]


def test_tools_are_parts_of_a_whole_and_unknown_kinds_are_others() -> None:
    found = mix({"read": 1, "brand-new": 2, "shell": 1, "edit": 0})

    assert found.text == "shell 1, read 1, other 2"
    assert [(one.start, one.width) for one in found.segments] == [(0, 25), (25, 25), (50, 50)]


def test_no_tools_are_told_from_unknown_ones() -> None:
    assert mix({}).text == "unknown"
    assert mix_of({}).text == "no tool calls"
    assert mix_of({"shell": 1}).text == "shell 1"
