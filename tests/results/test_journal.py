"""From notes to rows: in whatever order they came, and whatever was noted twice."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from runs import score

from pytest_agentv.results.journal import Graded, Notes
from pytest_agentv.results.model import Row
from pytest_agentv.transcript.model import Source

_laws = settings(max_examples=100, deadline=None, derandomize=True, database=None)
_VERDICTS = st.sampled_from(["pass", "fail", "error", "skip", "soft"])


def note(
    name: str = "holds",
    verdict: str = "pass",
    *,
    case: str = "one[claude-cli]",
    line: int | None = 3,
    number: int | None = None,
    kind: str = "contains",
    known: bool = True,
) -> Graded:
    """What is noted of one assertion; ``known``: its session could be read."""
    about = Row(
        timestamp=f"2026-07-14T08:30:{number or 0:02d}.000Z",
        test_id=case.partition("[")[0],
        suite="" if line is None else "auth",
        eval_file="a.eval.yaml",
        line=line,
        case=case,
        target="claude-cli",
        source=Source(provider="claude-cli", session_id="1") if known else None,
        messages=2 if known else None,
    )
    return Graded(about=about, score=score(name, verdict, type=kind), number=number)


@st.composite
def journals(draw: st.DrawFn) -> list[Graded]:
    """Notes as runs make them: some assertions twice, sessions that could not be read."""
    notes = []
    for case in draw(st.sets(st.sampled_from(["a", "b", "c"]), min_size=1)):
        known = draw(st.booleans())
        for number in range(draw(st.integers(1, 4))):
            made = note(
                f"n{number}", draw(_VERDICTS), case=f"{case}[claude-cli]", number=number,
                line=ord(case), known=known and draw(st.booleans()),
            )  # fmt: skip
            notes.append(made)
            if draw(st.booleans()):  # an error of its teardown
                notes.append(replace(made, score=score(f"n{number}", "error")))
    return notes


@_laws
@given(journals().flatmap(lambda notes: st.tuples(st.just(notes), st.permutations(notes))))
def test_rows_are_the_same_in_whatever_order_was_noted(
    orders: tuple[list[Graded], list[Graded]],
) -> None:
    one, other = orders
    assert Notes(one).rows == Notes(other).rows


def test_assertions_come_in_the_order_of_the_case_though_they_share_a_line() -> None:
    notes = [note("z", number=0), note("score", number=2), note("a", number=1)]
    (row,) = Notes(notes[::-1]).rows
    assert [one.name for one in row.scores] == ["z", "a", "score"]


def test_the_worse_of_two_verdicts_counts() -> None:
    for first, second in (("pass", "error"), ("error", "pass")):
        (row,) = Notes([note(verdict=first), note(verdict=second)]).rows
        assert [one.verdict for one in row.scores] == ["error"]
        assert row.outcome == "error"


def test_an_assertion_that_crashed_after_it_was_graded_keeps_its_place() -> None:
    notes = [
        note("first", number=0),
        note("second", number=1),
        note("third", number=2),
        note("second", "error", number=None, line=None, known=False),
    ]
    for told in (notes, notes[::-1]):
        (row,) = Notes(told).rows
        assert [(one.name, one.verdict) for one in row.scores] == [
            ("first", "pass"), ("second", "error"), ("third", "pass"),
        ]  # fmt: skip
        assert (row.line, row.timestamp) == (3, "2026-07-14T08:30:02.000Z")


def test_of_a_crash_the_case_is_known_by_its_other_assertions() -> None:
    crash = note("dies", "error", line=None, known=False)
    (row,) = Notes([crash, note()]).rows
    assert (row.line, row.suite, row.messages) == (3, "auth", 2)
    (alone,) = Notes([crash]).rows
    assert (alone.line, alone.case, alone.source) == (None, "one[claude-cli]", None)


def test_the_score_of_a_case_leaves_its_score_item_out() -> None:
    (row,) = Notes([note("a"), note("b", "soft"), note("score", "pass", kind="score")]).rows
    assert row.score == 0.5
    assert row.outcome == "passed"


def test_a_gate_is_no_row() -> None:
    notes = [note(), note("gate", "fail", kind="gate")]
    (row,) = Notes(notes).rows
    assert row.outcome == "passed"
    assert Notes(notes).gates["a.eval.yaml", "one", "claude-cli"].verdict == "fail"


def test_the_worse_of_two_words_of_a_gate_counts() -> None:
    notes = [note("gate", verdict, kind="gate") for verdict in ("pass", "error")]
    for several in (notes, notes[::-1]):
        assert Notes(several).gates["a.eval.yaml", "one", "claude-cli"].verdict == "error"
