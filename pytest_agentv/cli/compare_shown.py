"""What ``agentv compare`` prints: tables, JSON, or Markdown for a comment on a pull request."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from pytest_agentv.cli.console import count, put
from pytest_agentv.cli.figures import METRICS_SHOWN
from pytest_agentv.cli.tables import UNKNOWN, Column, print_table
from pytest_agentv.report.figures import points
from pytest_agentv.report.markdown import cell, code, table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pytest_agentv.results.comparing import Comparison, Difference, FailOn, TestResult
    from pytest_agentv.results.matching import Side, TestKey

# Beyond so many tests ties are counted, not listed.
_MANY = 40
# GitHub takes some 65,000 characters for a comment.
_MOST_ROWS = 200
_TESTS = ("test", "baseline", "candidate", "delta", "gain", "")
_FIGURES = ("figure", "baseline", "candidate", "delta", "ratio", "tests")
_WHOLE = ("candidate", "wins", "losses", "ties", "mean", "delta", "95% interval")
_STYLES = {"win": "green", "loss": "red", "tie": "dim"}


class Compared(NamedTuple):
    """All that was compared, and what makes it a regression."""

    sides: Sequence[Side]
    # Each candidate against the first side.
    comparisons: Sequence[Comparison]
    scores: Mapping[TestKey, Sequence[float | None]]
    fail_on: FailOn

    @property
    def is_of_many(self) -> bool:
        """Whether there is more than one candidate."""
        return len(self.comparisons) > 1

    def is_regression(self, comparison: Comparison) -> bool:
        """Whether a candidate is worse, or broke off before anybody knows."""
        if comparison.is_regression(self.fail_on):
            return True
        first, *others = self.sides
        candidate = others[self.comparisons.index(comparison)]
        return self.fail_on != "never" and first.complete and not candidate.complete

    def notes(self, name: Callable[[str], str] = str) -> list[str]:
        """What has to be known of the sides."""
        return [
            f"{name(side.label)} is incomplete: it ended before all was graded"
            for side in self.sides
            if not side.complete
        ]

    def changed(self) -> dict[TestKey, Sequence[float | None]]:
        """The scores of tests that are no tie of all candidates."""
        ties = Counter(
            one.test for each in self.comparisons for one in each.tests if one.result == "tie"
        )
        return {key: row for key, row in self.scores.items() if ties[key] < len(self.comparisons)}


def as_json(compared: Compared) -> dict[str, Any]:
    """Everything, for programs."""
    labels = [side.label for side in compared.sides]
    return {
        "sides": [
            {
                "label": side.label,
                "run_id": side.run_id,
                "complete": side.complete,
                "targets": side.targets,
                "cases": len(side.rows),
            }
            for side in compared.sides
        ],
        "fail_on": compared.fail_on,
        "comparisons": [
            {**msgspec.to_builtins(one), "regression": compared.is_regression(one)}
            for one in compared.comparisons
        ],
        "matrix": [
            {**msgspec.to_builtins(key), "scores": dict(zip(labels, row, strict=True))}
            for key, row in compared.scores.items()
        ],
    }


def put_tables(compared: Compared, *, show_all: bool) -> None:
    """For people at a terminal."""
    if compared.is_of_many:
        _put_overview(compared, show_all=show_all)
    for number, comparison in enumerate(compared.comparisons):
        if number or compared.is_of_many:
            put("")
        _put_comparison(comparison, show_all=show_all)


def _put_overview(compared: Compared, *, show_all: bool) -> None:
    """All sides beside each other."""
    many = len(compared.scores) > _MANY and not show_all
    scores = compared.changed() if many else compared.scores
    labels = [side.label for side in compared.sides]
    columns = [Column("test", wrap=True), *(Column(one, right=True, wrap=True) for one in labels)]
    named = _names(scores)
    rows = [[named[key], *map(_score, row)] for key, row in scores.items()]
    print_table("scores", columns, rows)
    if hidden := len(compared.scores) - len(scores):
        put(f"{count(hidden, 'tie')} not shown; --all shows them")
    put("")
    columns = [Column(_WHOLE[0], wrap=True), *(Column(name, right=True) for name in _WHOLE[1:])]
    print_table(f"against {labels[0]}", columns, map(_whole_row, compared.comparisons))


def _put_comparison(comparison: Comparison, *, show_all: bool) -> None:
    tests = comparison.tests
    if len(tests) > _MANY and not show_all:
        tests = tuple(one for one in tests if one.result != "tie")
    columns = [
        Column("test", wrap=True),
        *(Column(name, right=True) for name in _TESTS[1:-1]),
        Column("", style=_STYLES.get),
    ]
    named = _names(one.test for one in comparison.tests)
    title = f"{comparison.candidate} against {comparison.baseline}"
    print_table(title, columns, [[named[one.test], *_test_cells(one)] for one in tests])
    if hidden := len(comparison.tests) - len(tests):
        put(f"{count(hidden, 'tie')} not shown; --all shows them")
    put("")
    if comparison.figures:
        columns = [Column(_FIGURES[0]), *(Column(name, right=True) for name in _FIGURES[1:])]
        print_table(None, columns, map(_figure_row, *_items(comparison)))
        put("")
    put("\n".join([*_verdict(comparison), *_left_out(comparison)]))


def put_markdown(compared: Compared) -> None:
    """For a comment on a pull request."""
    put("\n\n".join(_markdown(compared)))


def _markdown(compared: Compared) -> Iterator[str]:
    if notes := compared.notes(code):
        yield "\n".join(f"- {note}" for note in notes)
    if compared.is_of_many:
        yield "## Scores"
        scores = compared.changed()
        named = _names(scores)
        rows = [[cell(named[key]), *map(_known, map(_score, row))] for key, row in scores.items()]
        header = ["test", *(cell(side.label) for side in compared.sides)]
        yield from _markdown_table(header, rows)
        if hidden := len(compared.scores) - len(scores):
            yield f"{count(hidden, 'tie')} not shown."
        whole = [[*map(_known, _whole_row(one))] for one in compared.comparisons]
        yield table(_WHOLE, [[cell(row[0]), *row[1:]] for row in whole])
    for one in compared.comparisons:
        sign = "\N{CROSS MARK}" if compared.is_regression(one) else "\N{WHITE HEAVY CHECK MARK}"
        yield f"### {sign} {code(one.candidate)} against {code(one.baseline)}"
        yield from _comparison_markdown(one)


def _comparison_markdown(comparison: Comparison) -> Iterator[str]:
    yield "\n".join(f"- {line}" for line in _verdict(comparison))
    changed = [one for one in comparison.tests if one.result != "tie"]
    named = _names(one.test for one in comparison.tests)
    rows = [[cell(named[one.test]), *map(_known, _test_cells(one))] for one in changed]
    if rows:
        yield from _markdown_table(_TESTS, rows)
    if comparison.figures:
        figures = map(_figure_row, *_items(comparison))
        yield table(_FIGURES, [[*map(_known, row)] for row in figures])
    left_out = [*_left_out(comparison, name=code)]
    if left_out:
        yield "\n".join(f"- {line}" for line in left_out)


def _markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield table(header, rows[:_MOST_ROWS])
    if len(rows) > _MOST_ROWS:
        yield f"… and {len(rows) - _MOST_ROWS:,} more."


def _names(keys: Iterable[TestKey]) -> dict[TestKey, str]:
    """What tests are called: by their eval files too, where the same id is in several."""
    distinct = list(dict.fromkeys(keys))
    counts = Counter(map(str, distinct))
    return {key: str(key) if counts[str(key)] == 1 else f"{key.file}::{key}" for key in distinct}


def _items(comparison: Comparison) -> tuple[Iterable[str], Iterable[Difference]]:
    return comparison.figures.keys(), comparison.figures.values()


def _test_cells(one: TestResult) -> list[str | None]:
    return [
        _score(one.baseline.score),
        _score(one.candidate.score),
        f"{one.delta:+.3f}",
        None if one.normalized_gain is None else f"{one.normalized_gain:+.3f}",
        one.result,
    ]


def _whole_row(one: Comparison) -> list[str | None]:
    return [
        one.candidate,
        str(one.wins),
        str(one.losses),
        str(one.ties),
        _score(one.mean_candidate),
        None if one.mean_delta is None else f"{one.mean_delta:+.3f}",
        None if one.interval is None else _interval(*one.interval),
    ]


def _figure_row(name: str, one: Difference) -> list[str | None]:
    shown, form = METRICS_SHOWN[name]
    delta = None
    if one.delta is not None:
        delta = f"{'-' if one.delta < 0 else '+'}{form(abs(one.delta))}"
    return [
        shown,
        f"{'≥' if one.baseline_at_least else ''}{form(one.baseline)}",
        f"{'≥' if one.candidate_at_least else ''}{form(one.candidate)}",
        delta,
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
        interval = f", 95% interval {_interval(*comparison.interval)}"
    means = f"{_score(comparison.mean_baseline)} to {_score(comparison.mean_candidate)}"
    yield f"mean score {means}: {comparison.mean_delta:+.3f}{interval}"
    if comparison.normalized_gain is not None:
        yield f"normalized gain {comparison.normalized_gain:+.3f}"
    # Where nothing differs there is nothing to be sure of.
    if comparison.sign_test_p is not None:
        yield f"scores that rose or fell: sign test p {_p(comparison.sign_test_p)}"
    if comparison.mcnemar_p is not None:
        yield (
            f"passed on one side only: {comparison.passed_only_baseline} of the baseline, "
            f"{comparison.passed_only_candidate} of the candidate, "
            f"McNemar p {_p(comparison.mcnemar_p)}"
        )


def _left_out(comparison: Comparison, *, name: Callable[[str], str] = str) -> Iterator[str]:
    unmatched = comparison.unmatched
    for what, keys in (
        ("only in the baseline", unmatched.baseline_only),
        ("only in the candidate", unmatched.candidate_only),
        ("not graded on one side or both", unmatched.not_graded),
    ):
        if keys:
            shown = ", ".join(name(one) for one in list(_names(keys).values())[:_MANY])
            more = f" and {len(keys) - _MANY:,} more" if len(keys) > _MANY else ""
            yield f"{what}: {shown}{more}"


def _score(value: float | None) -> str | None:
    return points(value, digits=3)


def _interval(low: float, high: float) -> str:
    return f"{low:+.3f} to {high:+.3f}"


def _known(text: str | None) -> str:
    return UNKNOWN if text is None else text


def _p(value: float) -> str:
    """A probability."""
    return "< 0.001" if value < 0.001 else f"= {value:.3f}"  # noqa: PLR2004
