"""What the sessions of a run took, as small charts: for each target, and for each test."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_agentv.html import texts
from pytest_agentv.html.cases import NO_TARGET, label_of
from pytest_agentv.html.charts import WIDTH, Bar, Mix, Segment, bars, mix, segments
from pytest_agentv.html.texts import line_of
from pytest_agentv.results.comparing import compared_score, graded_rows
from pytest_agentv.results.outcomes import outcome_of_row
from pytest_agentv.results.statistics import mean, total_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pytest_agentv.results.model import Row, Totals


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetView:
    """How a target did, and what its sessions took on average."""

    name: str
    cases: int
    passed: int
    counts: tuple[Segment, ...]
    score: str
    charts: tuple[tuple[str, Bar], ...]
    mix: Mix


@dataclass(frozen=True, slots=True, kw_only=True)
class FiguresRow:
    """What one session of a test took, beside the others."""

    label: str
    href: str
    outcome: str
    score: Bar
    tokens: Bar
    duration: Bar
    cost: Bar
    calls: Bar
    errors: str
    mix: Mix


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedRow:
    """A target on the tests that were graded on all targets."""

    name: str
    passed: str
    score: Bar
    charts: tuple[Bar, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedView:
    """The targets of a run on the tests graded on all of them, of which there may be none."""

    tests: int
    rows: tuple[SharedRow, ...]


def targets_of(totals: Sequence[Totals], rows: Sequence[Row]) -> Iterator[TargetView]:
    """The totals of each target, and charts of what a session of it took on average."""
    of_target: dict[str | None, list[Row]] = {one.target: [] for one in totals}
    for row in rows:
        of_target[row.target].append(row)
    charts = {
        name: bars([_mean(of_target[one.target], value) for one in totals], says)
        for name, value, says in _FIGURES
    }
    for place, one in enumerate(totals):
        several = of_target[one.target]
        tools: Counter[str] = Counter()
        for row in several:
            tools.update(row.tools)
        yield TargetView(
            name=line_of(one.target or NO_TARGET),
            cases=one.cases,
            passed=one.passed,
            counts=_segments(one),
            score=texts.score(one.mean_score),
            # Where there was no session, there is nothing to be unknown of it.
            charts=tuple((name, of_all[place]) for name, of_all in charts.items() if one.target),
            mix=Mix("none") if all(row.tool_calls == 0 for row in several) else mix(tools),
        )


def shared_of(rows: Sequence[Row]) -> SharedView | None:
    """The targets on equal terms; None if all of them ran the same tests, or there is only one.

    Scores are those that ``agentv compare`` compares.
    """
    by_target: dict[str, dict[tuple[str, str], list[Row]]] = {}
    for row in rows:
        if row.target is not None:
            tests = by_target.setdefault(row.target, {})
            tests.setdefault((row.eval_file, row.test_id), []).append(row)
    ran = [set(tests) for tests in by_target.values()]
    if all(one == ran[0] for one in ran):
        return None
    graded = [
        {test for test, several in tests.items() if graded_rows(several)}
        for tests in by_target.values()
    ]
    shared = set.intersection(*graded)
    targets = sorted(by_target) if shared else []
    of_target = [
        [graded_rows(by_target[target][test]) for test in sorted(shared)] for target in targets
    ]
    scores = [_mean_of_tests(tests, compared_score) for tests in of_target]
    charts = [
        bars([_mean_of_tests(tests, value) for tests in of_target], says)
        for _, value, says in _FIGURES
    ]
    return SharedView(
        tests=len(shared),
        rows=tuple(
            SharedRow(
                name=line_of(target),
                passed=_passed([row for test in tests for row in test]),
                score=_score_bar(score),
                charts=tuple(one[place] for one in charts),
            )
            for place, (target, tests, score) in enumerate(
                zip(targets, of_target, scores, strict=True)
            )
        ),
    )


def _passed(rows: Sequence[Row]) -> str:
    passed = sum(outcome_of_row(row) == "passed" for row in rows)
    return f"{passed:,} of {len(rows):,}"


def _mean_of_tests(
    tests: Sequence[Sequence[Row]], value: Callable[[Row], float | None]
) -> float | None:
    """Every test counts the same, however often it ran; one of which nothing is known spoils it."""
    means = [_mean(rows, value) for rows in tests]
    known = [one for one in means if one is not None]
    return mean(known) if len(known) == len(means) else None


def _score_bar(score: float | None) -> Bar:
    return Bar(texts.score(score), None if score is None else WIDTH * min(max(score, 0), 1))


def _segments(totals: Totals) -> tuple[Segment, ...]:
    counts = {
        "passed": totals.passed,
        "failed": totals.failed,
        "error": totals.errors,
        "skipped": totals.skipped,
    }
    return segments(counts)


_FIGURES: tuple[tuple[str, Callable[[Row], float | None], Callable[[float | None], str]], ...] = (
    ("Tokens", total_tokens, texts.tokens),
    ("Time", lambda row: row.duration_ms, texts.duration),
    ("Cost", lambda row: row.cost_usd, texts.cost),
    ("Tool calls", lambda row: row.tool_calls, texts.number),
)


def _mean(rows: Sequence[Row], value: Callable[[Row], float | None]) -> float | None:
    known = [found for row in rows if (found := value(row)) is not None]
    return mean(known) if known else None


def figures_of(rows: Sequence[Row], numbers: dict[int, int]) -> Iterator[FiguresRow]:
    """A row for each session of a test, with bars of the same scale."""
    columns = [bars([value(row) for row in rows], says) for _, value, says in _FIGURES]
    for row, tokens, duration, cost, calls in zip(rows, *columns, strict=True):
        yield FiguresRow(
            label=line_of(label_of(row), 60),
            href=f"#case-{numbers[id(row)]}",
            outcome=outcome_of_row(row),
            score=_score_bar(row.score),
            tokens=tokens,
            duration=duration,
            cost=cost,
            calls=calls,
            errors=f"{row.tool_errors:,} failed" if row.tool_errors else "",
            mix=Mix("none") if row.tool_calls == 0 else mix(row.tools),
        )
