"""What ``agentv compare`` prints: tables, JSON, or Markdown for a comment on a pull request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from pytest_agentv.cli.console import count, put
from pytest_agentv.cli.tables import UNKNOWN, Column, print_table
from pytest_agentv.report.markdown import cell, code, table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from pytest_agentv.results.comparing import Comparison, Difference, Side, TestKey, TestResult

    Matrix = Mapping[TestKey, Sequence[float | None]]

# Beyond so many tests ties are counted, not listed.
_MANY = 40
# GitHub takes some 65,000 characters for a comment.
_MOST_ROWS = 200
_TESTS = ("test", "baseline", "candidate", "delta", "gain", "")
_FIGURES = ("figure", "baseline", "candidate", "delta", "ratio", "tests")
_STYLES = {"win": "green", "loss": "red", "tie": "dim"}
_FIGURE_NAMES: dict[str, tuple[str, Callable[[float], str]]] = {
    "duration_ms": ("duration", lambda ms: f"{ms / 1000:,.1f} s"),
    "cost_usd": ("cost", lambda usd: f"${usd:,.4f}"),
    "input_tokens": ("input tokens", lambda number: f"{number:,.0f}"),
    "output_tokens": ("output tokens", lambda number: f"{number:,.0f}"),
    "total_tokens": ("tokens together", lambda number: f"{number:,.0f}"),
    "tool_calls": ("tool calls", lambda number: f"{number:,.1f}"),
    "tool_errors": ("tool errors", lambda number: f"{number:,.1f}"),
    "llm_calls": ("model responses", lambda number: f"{number:,.1f}"),
}


def as_json(
    sides: Sequence[Side], comparisons: Sequence[Comparison], scores: Matrix
) -> dict[str, Any]:
    """Everything, for programs."""
    return {
        "sides": [
            {
                "label": side.label,
                "run_id": side.run_id,
                "complete": side.complete,
                "targets": side.targets,
                "cases": len(side.rows),
            }
            for side in sides
        ],
        "comparisons": [
            {**msgspec.to_builtins(one), "regression": one.losses > 0} for one in comparisons
        ],
        "matrix": [
            {
                **msgspec.to_builtins(key),
                "scores": dict(zip((side.label for side in sides), row, strict=True)),
            }
            for key, row in scores.items()
        ],
    }


def print_tables(
    sides: Sequence[Side], comparisons: Sequence[Comparison], scores: Matrix, *, show_all: bool
) -> None:
    """For people at a terminal."""
    if len(sides) > 2:  # noqa: PLR2004
        columns = [Column("test"), *(Column(side.label, right=True) for side in sides)]
        rows = [[str(key), *map(_score, row)] for key, row in scores.items()]
        print_table("scores", columns, rows)
        put("")
    for number, comparison in enumerate(comparisons):
        if number:
            put("")
        _print_comparison(comparison, show_all=show_all)


def _print_comparison(comparison: Comparison, *, show_all: bool) -> None:
    tests = comparison.tests
    if len(tests) > _MANY and not show_all:
        tests = tuple(one for one in tests if one.result != "tie")
    columns = [
        Column("test", wrap=True),
        *(Column(name, right=True) for name in _TESTS[1:-1]),
        Column("", style=_STYLES.get),
    ]
    print_table(_title(comparison), columns, map(_test_row, tests))
    if hidden := len(comparison.tests) - len(tests):
        put(f"{count(hidden, 'tie')} not shown; --all shows them")
    put("")
    if comparison.figures:
        columns = [Column(_FIGURES[0]), *(Column(name, right=True) for name in _FIGURES[1:])]
        print_table(
            None, columns, map(_figure_row, comparison.figures, comparison.figures.values())
        )
        put("")
    put("\n".join([*_verdict(comparison), *_left_out(comparison)]))


def print_markdown(
    sides: Sequence[Side], comparisons: Sequence[Comparison], scores: Matrix
) -> None:
    """For a comment on a pull request."""
    parts = []
    if len(sides) > 2:  # noqa: PLR2004
        header = ["test", *(cell(side.label) for side in sides)]
        rows = [[cell(str(key)), *map(_known, map(_score, row))] for key, row in scores.items()]
        parts += ["## Scores", table(header, rows[:_MOST_ROWS])]
    for one in comparisons:
        parts += _markdown(one)
    put("\n\n".join(parts))


def _markdown(comparison: Comparison) -> Iterator[str]:
    sign = "\N{CROSS MARK}" if comparison.losses else "\N{WHITE HEAVY CHECK MARK}"
    yield f"### {sign} {code(comparison.candidate)} against {code(comparison.baseline)}"
    yield "\n".join(f"- {line}" for line in _verdict(comparison))
    changed = [one for one in comparison.tests if one.result != "tie"]
    if changed:
        shown = changed[:_MOST_ROWS]
        rows = [[cell(str(one.test)), *map(_known, _test_row(one)[1:])] for one in shown]
        yield table(_TESTS, rows)
    if len(changed) > _MOST_ROWS:
        yield f"… and {len(changed) - _MOST_ROWS:,} more."
    if comparison.figures:
        figures = map(_figure_row, comparison.figures, comparison.figures.values())
        yield table(_FIGURES, [[*map(_known, row)] for row in figures])
    left_out = [*_left_out(comparison, name=code)]
    if left_out:
        yield "\n".join(f"- {line}" for line in left_out)


def _title(comparison: Comparison) -> str:
    return f"{comparison.candidate} against {comparison.baseline}"


def _test_row(one: TestResult) -> list[str | None]:
    return [
        str(one.test),
        _score(one.baseline.score),
        _score(one.candidate.score),
        f"{one.delta:+.3f}",
        None if one.normalized_gain is None else f"{one.normalized_gain:+.3f}",
        one.result,
    ]


def _figure_row(name: str, one: Difference) -> list[str | None]:
    shown, form = _FIGURE_NAMES[name]
    sign = "-" if one.delta < 0 else "+"
    return [
        shown,
        form(one.baseline),
        form(one.candidate),
        sign + form(abs(one.delta)),
        None if one.ratio is None else f"{one.ratio:.2f}x",
        str(one.tests),
    ]


def _verdict(comparison: Comparison) -> Iterator[str]:
    """What came of it, in sentences."""
    counts = [
        count(comparison.wins, "win"),
        "1 loss" if comparison.losses == 1 else f"{comparison.losses} losses",
        count(comparison.ties, "tie"),
    ]
    tests = count(len(comparison.tests), "test")
    yield f"{', '.join(counts)} of {tests} (threshold {comparison.threshold:g})"
    if comparison.mean_delta is None:
        return
    interval = ""
    if comparison.interval is not None:
        low, high = comparison.interval
        interval = f", 95% interval {low:+.3f} to {high:+.3f}"
    means = f"{_score(comparison.mean_baseline)} to {_score(comparison.mean_candidate)}"
    yield f"mean score {means}: {comparison.mean_delta:+.3f}{interval}"
    if comparison.normalized_gain is not None:
        yield f"normalized gain {comparison.normalized_gain:+.3f}"
    yield f"scores that rose or fell: sign test p = {_p(comparison.sign_test_p)}"
    only = f"{comparison.passed_only_baseline} and {comparison.passed_only_candidate}"
    yield (
        f"tests that passed on one side only: {only} "
        f"(baseline, candidate), McNemar p = {_p(comparison.mcnemar_p)}"
    )


def _left_out(comparison: Comparison, *, name: Callable[[str], str] = str) -> Iterator[str]:
    unmatched = comparison.unmatched
    for what, keys in (
        ("only in the baseline", unmatched.baseline_only),
        ("only in the candidate", unmatched.candidate_only),
        ("not graded on both sides", unmatched.not_graded),
    ):
        if keys:
            shown = ", ".join(name(str(key)) for key in keys[:_MANY])
            more = f" and {len(keys) - _MANY:,} more" if len(keys) > _MANY else ""
            yield f"{what}: {shown}{more}"


def _score(value: float | None) -> str | None:
    return None if value is None else f"{value:.3f}"


def _known(text: str | None) -> str:
    return UNKNOWN if text is None else text


def _p(value: float | None) -> str:
    """A probability; there is none where nothing differs."""
    if value is None:
        return UNKNOWN
    return "< 0.001" if value < 0.001 else f"{value:.3f}"  # noqa: PLR2004
