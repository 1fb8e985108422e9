"""The table at the end of a run: how each provider did."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import pytest
from hostile_texts import FOREIGN_TEXTS, assert_harmless
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_agentv.report.summary import summary_lines
from pytest_agentv.report.tally import ItemFacts, tallies
from pytest_agentv.results.verdicts import PytestOutcome

if TYPE_CHECKING:
    from pytest_agentv.results.model import Verdict

_laws = settings(max_examples=100, deadline=None, derandomize=True, database=None)

_OUTCOMES: tuple[PytestOutcome, ...] = get_args(PytestOutcome)


def _item(
    outcome: PytestOutcome,
    *,
    case: str = "adds-jwt",
    provider: str | None = "claude-cli",
    session: str | None = None,
    if_xfailed: Verdict = "soft",
) -> ItemFacts:
    return ItemFacts(
        nodeid=f"auth.eval.yaml::{case}[{provider}]::contains",
        file="auth.eval.yaml",
        line=3,
        case=case,
        assertion="contains",
        provider=provider,
        session=session,
        outcome=outcome,
        if_xfailed=if_xfailed,
    )


def test_each_provider_has_a_line_and_all_have_a_total() -> None:
    items = [
        _item("passed", provider="codex-cli"),
        _item("error", provider="codex-cli"),
        _item("xfailed", provider="codex-cli"),
        _item("skipped", provider=None),
        *[_item("passed")] * 17,
        *[_item("failed", case="rotates-secret")] * 2,
        _item("passed", case="logs-out"),
    ]
    assert summary_lines(items) == [
        "                cases  assertions",
        "provider       passed  passed  failed  errors  skipped  soft   held",
        "claude-cli        2/3      18       2       0        0     0  90.0%",
        "codex-cli         0/1       1       0       1        0     1  50.0%",
        "no transcript     0/1       0       0       0        1     0      -",
        "total             2/5      19       2       1        1     1  86.3%",
    ]


def test_one_provider_needs_no_total() -> None:
    assert summary_lines([_item("passed")]) == [
        "             cases  assertions",
        "provider    passed  passed  failed  errors  skipped  soft    held",
        "claude-cli     1/1       1       0       0        0     0  100.0%",
    ]


def test_a_run_without_assertions_has_no_summary() -> None:
    assert summary_lines([]) == []


@pytest.mark.parametrize(
    ("outcomes", "passed"),
    [
        (["passed"], 1),
        (["xpassed"], 1),
        (["passed", "skipped", "xfailed"], 1),
        (["passed", "failed"], 0),
        (["passed", "error"], 0),
        (["skipped"], 0),
        (["xfailed"], 0),
        (["skipped", "xfailed"], 0),
    ],
)
def test_a_case_passes_if_something_holds_and_nothing_is_broken(
    outcomes: list[PytestOutcome], passed: int
) -> None:
    (tally,) = tallies(map(_item, outcomes))
    assert (tally.cases_passed, tally.cases) == (passed, 1)


@pytest.mark.parametrize(
    ("if_xfailed", "counted"),
    [("soft", (1, 0, 0, 0, 1)), ("fail", (1, 0, 0, 0, 1)), ("error", (1, 0, 1, 0, 0))],
)
def test_an_expected_failure_fails_its_case_but_is_not_among_what_fails_the_run(
    if_xfailed: Verdict, counted: tuple[int, ...]
) -> None:
    (tally,) = tallies([_item("passed"), _item("xfailed", if_xfailed=if_xfailed)])
    assert (tally.passed, tally.failed, tally.errors, tally.skipped, tally.soft) == counted
    assert tally.cases_passed == (if_xfailed == "soft")


def test_a_case_counts_once_for_each_session() -> None:
    items = [
        _item("passed", session="a"),
        _item("failed", session="b"),
        _item("passed", session="a"),
    ]
    (tally,) = tallies(items)
    assert (tally.cases_passed, tally.cases) == (1, 2)


def test_cases_of_two_providers_are_two_in_the_total() -> None:
    *_, total = tallies([_item("passed"), _item("failed", provider="codex-cli")])
    assert (total.provider, total.cases_passed, total.cases) == ("total", 1, 2)


@pytest.mark.parametrize(
    ("outcomes", "rate"),
    [
        (["passed"] * 2999 + ["failed"], "99.9%"),
        (["passed"] * 2999 + ["xfailed"], "99.9%"),
        (["passed", "skipped", "error"], "100.0%"),
        (["failed"], "0.0%"),
        (["skipped", "error"], "-"),
    ],
)
def test_what_held_is_of_what_was_graded_and_never_rounded_up(
    outcomes: list[PytestOutcome], rate: str
) -> None:
    (tally,) = tallies(map(_item, outcomes))
    assert tally.held == rate


def test_wide_characters_do_not_break_the_columns() -> None:
    _, _, latin, wide, _ = summary_lines(
        [_item("passed"), _item("passed", provider="日本語e\u0301")]
    )
    assert latin == "claude-cli     1/1       1       0       0        0     0  100.0%"
    assert wide == "日本語e\u0301        1/1       1       0       0        0     0  100.0%"


def test_the_table_fits_in_80_columns() -> None:
    items = [_item("passed", case=str(number), provider="p" * 300) for number in range(999)]
    lines = summary_lines(items)
    assert max(map(len, lines)) <= 80
    assert lines[-1].startswith("ppppppppppppppppppp…  999/999     999 ")


@_laws
@given(st.lists(st.builds(_item, st.sampled_from(_OUTCOMES), provider=st.none() | FOREIGN_TEXTS)))
def test_every_item_is_counted_once_and_every_line_is_harmless(items: list[ItemFacts]) -> None:
    counted = tallies(items)
    rows = counted[:-1] if len(counted) > 1 else counted
    numbers = [(one.passed, one.failed, one.errors, one.skipped, one.soft) for one in rows]
    assert sum(map(sum, numbers)) == len(items)
    for line in summary_lines(items):
        assert "\n" not in line
        assert_harmless(line)
