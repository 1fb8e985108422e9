"""``agentv inspect stats``: means and percentiles by groups, with what is unknown counted."""

from __future__ import annotations

import json
import statistics
from typing import TYPE_CHECKING, Any

import pytest
from kept_runs import agentv_4_rows, three_clients
from runs import MadeCase, make_run, score

from pytest_agentv import TokenUsage
from pytest_agentv.results.model import Figures
from pytest_agentv.results.places import INDEX, ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from agentv_command import InProcess, Outcome

TIMES = [1_000, 2_000, 4_000, 8_000, 16_000]


def groups(printed: Outcome) -> dict[str | None, Any]:
    assert printed.code == 0, printed.err
    return {one["group"]: one for one in json.loads(printed.out)["groups"]}


def keep(work: Path) -> None:
    cases = [
        MadeCase(
            test_id=f"t{number}",
            suite="even" if number % 2 == 0 else "odd",
            target="claude-cli" if number < 4 else "codex-cli",
            scores=(score("a", "pass" if number else "fail"),),
            figures=Figures(
                duration_ms=time,
                cost_usd=0.5 if number == 1 else None,
                token_usage=TokenUsage(input=10 * number, output=number) if number else None,
                tool_calls=number,
            ),
        )
        for number, time in enumerate(TIMES)
    ]
    make_run(work / ROOT, cases)


def test_all_cases_together(agentv: InProcess, work: Path) -> None:
    keep(work)

    found = groups(agentv("inspect", "stats", "--group-by", "none", "-f", "json"))["all cases"]

    cuts = statistics.quantiles(TIMES, n=100, method="inclusive")
    assert found["metrics"]["duration_ms"] == {
        "known": 5, "unknown": 0, "lower_bounds": 0, "mean": 6_200, "min": 1_000, "max": 16_000,
        "p50": cuts[49], "p90": pytest.approx(cuts[89]),
        "p95": pytest.approx(cuts[94]), "p99": pytest.approx(cuts[98]),
    }  # fmt: skip
    assert found["metrics"]["cost_usd"]["known"] == 1
    assert found["metrics"]["cost_usd"]["unknown"] == 4
    assert found["metrics"]["tool_calls"]["min"] == 0
    assert found["metrics"]["total_tokens"]["known"] == 4
    assert found["metrics"]["llm_calls"] == {
        "known": 0, "unknown": 5, "lower_bounds": 0, "mean": None, "min": None, "max": None,
        "p50": None, "p90": None, "p95": None, "p99": None,
    }  # fmt: skip
    assert (found["cases"], found["passed"], found["failed"]) == (5, 4, 1)
    assert found["pass_rate"] == 0.8


@pytest.mark.parametrize(
    ("group_by", "expected"),
    [
        ("target", {"claude-cli": 4, "codex-cli": 1}),
        ("suite", {"even": 3, "odd": 2}),
        ("test", {"t0": 1, "t1": 1, "t2": 1, "t3": 1, "t4": 1}),
        ("model", {None: 5}),
    ],
)
def test_cases_are_grouped(
    agentv: InProcess, work: Path, group_by: str, expected: dict[str | None, int]
) -> None:
    keep(work)

    found = groups(agentv("inspect", "stats", "-g", group_by, "-f", "json"))

    assert {name: one["cases"] for name, one in found.items()} == expected


def test_a_group_that_is_none_is_wrong_usage_and_never_ignored(
    agentv: InProcess, work: Path
) -> None:
    keep(work)

    printed = agentv("inspect", "stats", "-g", "eval-set")

    assert printed.code == 2
    assert "'suite'" in printed.err


def test_several_runs_are_taken_together_or_apart(agentv: InProcess, work: Path) -> None:
    keep(work)
    keep(work)
    first, second = sorted(path.name for path in (work / ROOT).iterdir())

    together = groups(agentv("inspect", "stats", first, second, first, "-f", "json"))
    apart = groups(agentv("inspect", "stats", first, second, "-g", "run", "-f", "json"))

    assert {name: one["cases"] for name, one in together.items()} == {
        "claude-cli": 8,
        "codex-cli": 2,
    }
    assert {name: one["cases"] for name, one in apart.items()} == {first: 5, second: 5}


def test_errors_and_skips_are_not_in_the_pass_rate(agentv: InProcess, work: Path) -> None:
    three_clients(work / ROOT)

    found = groups(agentv("inspect", "stats", "-g", "none", "-f", "json"))["all cases"]

    assert (found["errors"], found["skipped"]) == (1, 1)
    assert found["pass_rate"] == pytest.approx(2 / 3)
    assert found["metrics"]["score"]["known"] == 3


def test_the_tables_show_groups_side_by_side(agentv: InProcess, work: Path) -> None:
    keep(work)

    printed = agentv("inspect", "stats")

    counts, figures = ([*map(str.split, one.splitlines())] for one in printed.out.split("\n\n"))
    assert counts[1:] == [
        ["claude-cli", "4", "3", "1", "0", "0", "75.0%"],
        ["codex-cli", "1", "1", "0", "0", "0", "100.0%"],
    ]
    assert figures[0] == (
        ["figure", "target", "known", "mean", "p50", "p90", "p95", "p99", "min", "max"]
    )
    assert [
        "time",
        "claude-cli",
        "4",
        "3.8s",
        "3.0s",
        "6.8s",
        "7.4s",
        "7.9s",
        "1.0s",
        "8.0s",
    ] in figures
    assert ["cost", "claude-cli", "1/4", *["$0.50"] * 7] in figures
    assert ["llm", "calls", "codex-cli", "0/1", *["-"] * 7] in figures


def test_one_figure_can_be_chosen(agentv: InProcess, work: Path) -> None:
    keep(work)

    found = groups(agentv("inspect", "stats", "--metric", "score", "-f", "json"))

    assert [*found["claude-cli"]["metrics"]] == ["score"]


def test_a_lower_bound_is_shown_as_one(agentv: InProcess, work: Path) -> None:
    used = TokenUsage(input=100, output=50, output_complete=False)
    make_run(work / ROOT, [MadeCase(figures=Figures(token_usage=used))])

    printed = agentv("inspect", "stats")

    lines = [line.split() for line in printed.out.splitlines()]
    assert ["tokens", "out", "claude-cli", "1", *["≥50"] * 7] in lines
    assert ["tokens", "in", "claude-cli", "1", *["100"] * 7] in lines


def test_rows_of_agentv_have_figures_too(agentv: InProcess, work: Path) -> None:
    path = agentv_4_rows(work / "theirs" / INDEX)

    found = groups(agentv("inspect", "stats", path, "-f", "json"))["transcript"]

    assert (found["cases"], found["passed"], found["failed"], found["errors"]) == (3, 1, 1, 1)
    assert found["metrics"]["total_tokens"]["mean"] == 1_500


def test_numbers_that_are_none_are_unknown(agentv: InProcess, work: Path) -> None:
    rows = [
        {"test_id": "a", "target": "x", "score": "nan", "cost_usd": "inf"},
        {"test_id": "b", "target": "x", "score": 1e308, "cost_usd": 1e308},
        {"test_id": "c", "target": "x", "score": 1e308, "cost_usd": -1e308},
    ]
    (work / "odd.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")

    found = groups(agentv("inspect", "stats", "odd.jsonl", "-f", "json"))["x"]

    assert found["metrics"]["score"]["known"] == 2
    assert found["metrics"]["cost_usd"]["mean"] == 0
    assert agentv("inspect", "stats", "odd.jsonl").code == 0
    assert agentv("inspect", "show", "odd.jsonl", "-f", "json").code == 0
    assert agentv("inspect", "show", "odd.jsonl").code == 0
