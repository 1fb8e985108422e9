"""A run as a page shows it: totals, charts, the matrix of tests and targets, its tests."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_agentv.html import texts
from pytest_agentv.html.cases import VERDICTS, CaseMaker, excused_by
from pytest_agentv.html.figures import figures_of, shared_of, targets_of
from pytest_agentv.html.rooms import Rooms
from pytest_agentv.html.texts import line_of, plural
from pytest_agentv.results.outcomes import outcome_of_row
from pytest_agentv.results.totals import totals_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_agentv.html.cases import CaseView
    from pytest_agentv.html.figures import FiguresRow, SharedView, TargetView
    from pytest_agentv.results.model import Outcome, Repeats, Row
    from pytest_agentv.results.reading import Run

# The worst first: it is what a cell of the matrix says of several sessions.
_OUTCOMES: tuple[Outcome, ...] = ("error", "failed", "passed", "skipped")
_MOST_OPEN = 10
_MOST_K = 5
_GATE_HOLDS = "gate holds"


@dataclass(frozen=True, slots=True)
class Cell:
    """A test on one target."""

    outcome: str
    text: str
    href: str
    # Why the run does not fail by it, or what its gate says.
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixRow:
    """A test on each target; None where it did not run."""

    test_id: str
    href: str
    cells: tuple[Cell | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatsView:
    """How a test did on several sessions of a target."""

    target: str
    rate: str
    interval: str
    at_k: str
    hat_k: str
    others: str
    gate: tuple[str, str] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TestView:
    """A test with its cases."""

    anchor: str
    test_id: str
    suite: str
    tags: tuple[str, ...]
    where: str
    prompt: str
    figures: tuple[FiguresRow, ...]
    repeats: tuple[RepeatsView, ...]
    cases: tuple[CaseView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunView:
    """A run; its tests are made while the page is written, so that few sessions are in memory."""

    run_id: str
    complete: bool
    facts: tuple[tuple[str, str], ...]
    outcomes: tuple[tuple[str, int], ...]
    # How many of those that failed do not make the run fail.
    excused: int
    targets: tuple[TargetView, ...]
    shared: SharedView | None
    matrix: tuple[MatrixRow, ...]
    suites: tuple[str, ...]
    tags: tuple[str, ...]
    shortened: bool
    # Whether what failed is shown open; of many only the list.
    open_broken: bool
    tests: Iterator[TestView]


def run_view(run: Run, *, kept: bool = True) -> RunView:
    """A run as a page shows it; one that is not ``kept`` is gone when somebody reads the page."""
    rows, summary = run.rows, run.summary
    totals = totals_of(rows)
    rooms = Rooms(run)
    groups = _groups(rows)
    numbers = {id(row): number for number, row in enumerate(_in_order(groups), 1)}
    counts = Counter(map(outcome_of_row, rows))
    gates = _gates(run)
    facts = {
        "Started": texts.clock(summary.started_at),
        "Ended": texts.clock(summary.ended_at) if summary.ended_at else "never",
        "agentv": summary.agentv_version,
        "pytest": summary.pytest_version,
        "Arguments": " ".join(summary.arguments[:50]),
    }
    return RunView(
        run_id=summary.run_id,
        complete=summary.complete,
        facts=tuple((name, line_of(value, 300)) for name, value in facts.items() if value),
        outcomes=tuple((name, counts[name]) for name in ("passed", "failed", "error", "skipped")),
        excused=sum(_is_excused(row, gates) for row in rows),
        targets=tuple(targets_of(totals, rows)),
        shared=shared_of(rows),
        matrix=tuple(_matrix(groups, [one.target for one in totals], numbers, gates)),
        suites=tuple(sorted({line_of(row.suite) for row in rows if row.suite})),
        tags=tuple(sorted({line_of(tag) for row in rows for tag in row.tags})),
        shortened=rooms.shortened,
        open_broken=counts["failed"] + counts["error"] <= _MOST_OPEN,
        tests=_tests(run, groups, CaseMaker(run, rooms, kept=kept), numbers),
    )


def _groups(rows: Sequence[Row]) -> list[list[Row]]:
    """The rows of each test, in the order of the first."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.eval_file, row.test_id), []).append(row)
    return list(groups.values())


def _in_order(groups: Iterable[Sequence[Row]]) -> Iterator[Row]:
    for group in groups:
        yield from group


def _gates(run: Run) -> dict[tuple[str, str, str | None], str]:
    """What the gates say, by file, test and target."""
    return {
        (one.eval_file, one.test_id, one.target): f"gate {VERDICTS.get(one.gate.verdict, 'error')}"
        for one in run.summary.repeats
        if one.gate is not None
    }


def _is_excused(row: Row, gates: dict[tuple[str, str, str | None], str]) -> bool:
    """Whether the run does not fail by a case; where a gate does not hold, it fails by the gate."""
    gate = gates.get((row.eval_file, row.test_id, row.target), _GATE_HOLDS)
    return excused_by(row) is not None and gate == _GATE_HOLDS


def _matrix(
    groups: Sequence[Sequence[Row]],
    targets: Sequence[str | None],
    numbers: dict[int, int],
    gates: dict[tuple[str, str, str | None], str],
) -> Iterator[MatrixRow]:
    for number, group in enumerate(groups, 1):
        of_target: dict[str | None, list[Row]] = {}
        for row in group:
            of_target.setdefault(row.target, []).append(row)
        yield MatrixRow(
            test_id=line_of(group[0].test_id),
            href=f"#test-{number}",
            cells=tuple(_cell(of_target.get(target, []), numbers, gates) for target in targets),
        )


def _cell(
    rows: Sequence[Row], numbers: dict[int, int], gates: dict[tuple[str, str, str | None], str]
) -> Cell | None:
    if not rows:
        return None
    counts = Counter(map(outcome_of_row, rows))
    outcome = next(one for one in _OUTCOMES if counts[one])
    first = next(row for row in rows if outcome_of_row(row) == outcome)
    rate = f"{counts['passed']} of {len(rows)} passed"
    broken = [row for row in rows if outcome_of_row(row) in ("failed", "error")]
    is_excused = bool(broken) and all(map(excused_by, broken))
    gate = gates.get((first.eval_file, first.test_id, first.target))
    return Cell(
        outcome,
        outcome if len(rows) == 1 else rate,
        f"#case-{numbers[id(first)]}",
        gate or ("excused" if is_excused else ""),
    )


def _tests(
    run: Run, groups: Sequence[Sequence[Row]], maker: CaseMaker, numbers: dict[int, int]
) -> Iterator[TestView]:
    repeats: dict[tuple[str, str], list[Repeats]] = {}
    for one in run.summary.repeats:
        repeats.setdefault((one.eval_file, one.test_id), []).append(one)
    for number, group in enumerate(groups, 1):
        first = group[0]
        line = "" if first.line is None else f":{first.line}"
        prompt = next((row.input for row in group if row.input), "")
        yield TestView(
            anchor=f"test-{number}",
            test_id=line_of(first.test_id),
            suite=line_of(first.suite),
            tags=tuple(dict.fromkeys(line_of(tag) for row in group for tag in row.tags)),
            where=f"{first.eval_file}{line}" if first.eval_file else "",
            prompt=line_of(prompt, 400),
            figures=tuple(figures_of(group, numbers)) if any(row.target for row in group) else (),
            repeats=tuple(map(_repeats, repeats.get((first.eval_file, first.test_id), []))),
            cases=tuple(maker.case(row, number=numbers[id(row)]) for row in group),
        )


def _repeats(one: Repeats) -> RepeatsView:
    interval = f"{texts.share(one.wilson_low)} to {texts.share(one.wilson_high)}"
    others = [
        plural(one.errors, "error") if one.errors else "",
        f"{one.skipped} skipped" if one.skipped else "",
    ]
    gate = None
    if one.gate is not None:
        verdict = one.gate.verdict if one.gate.verdict in VERDICTS else "error"
        gate = (verdict, line_of(one.gate.reason or one.gate.claim, 300))
    return RepeatsView(
        target=line_of(one.target),
        rate=f"{one.passed} of {one.runs} ({texts.share(one.pass_rate)})",
        interval=texts.UNKNOWN if one.wilson_low is None else interval,
        at_k=_by_k(one.pass_at_k),
        hat_k=_by_k(one.pass_hat_k),
        others=", ".join(part for part in others if part),
        gate=gate,
    )


def _by_k(chances: Sequence[float]) -> str:
    shown = list(enumerate(chances, 1))[1:_MOST_K]
    return ", ".join(f"{k}: {texts.share(chance)}" for k, chance in shown) or texts.UNKNOWN
