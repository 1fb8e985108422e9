"""What an assertion says for itself: why it does not hold, or why nobody can tell."""

from __future__ import annotations

import textwrap
from pathlib import Path

from hostile_texts import FOREIGN_TEXTS, assert_harmless
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_agentv.errors import Location
from pytest_agentv.graders.grade import Evidence, Grade, failed, missing
from pytest_agentv.report.failure import MAX_BYTES, failure_text, skip_text, soft_text

_laws = settings(max_examples=100, deadline=None, derandomize=True, database=None)

_AT = Location("evals/auth.eval.yaml", 14, 9)
_CLAIM = "the final answer contains 'JWT_SECRET'"
_REASON = "not found in 1,204 characters"

_EVIDENCE = st.builds(
    Evidence,
    message=st.none() | st.integers(1, 99),
    line=st.none() | st.integers(1, 99),
    excerpt=FOREIGN_TEXTS,
)
_GRADES = st.builds(
    Grade,
    outcome=st.just("failed"),
    claim=FOREIGN_TEXTS,
    reason=FOREIGN_TEXTS,
    evidence=st.lists(_EVIDENCE, max_size=3).map(tuple),
    details=FOREIGN_TEXTS,
)


def _text(grade: Grade) -> str:
    return failure_text(grade, at=_AT, assertion="contains-JWT_SECRET")


def test_a_failure_says_what_was_expected_what_was_found_and_where() -> None:
    grade = failed(
        _CLAIM,
        _REASON,
        Evidence(12, 48, "I added the middleware.\n\nThe secret is read from the environment."),
        details="- JWT_SECRET\n+ APP_SECRET",
    )
    text = failure_text(
        grade,
        at=_AT,
        assertion="contains-JWT_SECRET",
        provider="claude-cli",
        session_id="0763061e-1111-4000-8000-000000000000",
        session_path=Path("transcripts/claude-0763061e.jsonl"),
    )
    assert text + "\n" == textwrap.dedent("""\
        evals/auth.eval.yaml:14: contains-JWT_SECRET does not hold (claude-cli)
          expected: the final answer contains 'JWT_SECRET'
          found:    not found in 1,204 characters
          session:  0763061e-1111-4000-8000-000000000000 transcripts/claude-0763061e.jsonl
          at message 12, line 48 of the session:
          | I added the middleware.
          |
          | The secret is read from the environment.
          details:
            - JWT_SECRET
            + APP_SECRET
        """)


def test_what_is_not_known_is_left_out() -> None:
    assert _text(Grade("failed")) == "evals/auth.eval.yaml:14: contains-JWT_SECRET does not hold"


def test_an_entry_of_unknown_line_has_its_file() -> None:
    text = failure_text(Grade("failed"), at=Location("a.eval.yaml"), assertion="equals")
    assert text == "a.eval.yaml: equals does not hold"


def test_more_lines_of_a_phrase_stand_under_the_first() -> None:
    lines = _text(failed("one\ntwo", "three")).split("\n")
    assert lines[1:] == ["  expected: one", "            two", "  found:    three"]


def test_a_place_without_an_excerpt_stands_alone() -> None:
    text = _text(failed("", "", Evidence(3), Evidence(line=7), Evidence(excerpt="said")))
    assert text.split("\n")[1:] == ["  at message 3", "  at line 7 of the session", "  | said"]


def test_blanks_at_the_end_of_an_excerpt_are_kept() -> None:
    assert _text(failed("", "", Evidence(excerpt="end \t"))).endswith("\n  | end \t")


def test_ten_places_are_shown_and_the_others_counted() -> None:
    lines = _text(failed("", "", *map(Evidence, range(1, 1301)))).split("\n")
    assert lines[-2:] == ["  at message 10", "  and 1,290 more places"]
    assert _text(failed("", "", *map(Evidence, range(11)))).endswith("\n  and 1 more place")


def test_a_quoted_command_to_a_ci_system_stays_a_quotation() -> None:
    text = _text(failed("", "", Evidence(excerpt="::error::x\nand ##[group]\x1b[2J")))
    assert text.split("\n")[1:] == ["  | : :error::x", r"  | and # #[group]\x1b[2J"]


def test_a_long_phrase_does_not_push_out_the_others() -> None:
    text = _text(failed("c" * 1_000_000, "r" * 1_000_000, Evidence(1, 2, "e" * 1_000_000)))
    assert len(text) < 10_000
    assert "\n  found:    rrr" in text
    assert "\n  at message 1, line 2 of the session:\n  | eee" in text
    assert text.count("characters left out") == 3


def test_a_failure_has_64_kib_at_most_in_any_script() -> None:
    for character in ("x", "ż", "日", "👩", "\x1b", "\n", "x\n"):
        text = _text(failed(_CLAIM, _REASON, details=character * 10_000_000))
        assert MAX_BYTES // 2 < len(text.encode()) <= MAX_BYTES == 65_536
        assert text.startswith("evals/auth.eval.yaml:14: contains-JWT_SECRET does not hold\n")
        assert "characters left out" in text


def test_a_skip_says_what_the_session_lacks() -> None:
    grade = missing("the cost is at most 0.5 US dollars", "the session does not say its cost")
    assert skip_text(grade) == (
        "not evaluable: the session does not say its cost (the cost is at most 0.5 US dollars)"
    )
    assert skip_text(Grade("skipped")) == "not evaluable: the session does not say"


def test_a_soft_failure_says_what_was_expected_and_found() -> None:
    assert soft_text(failed(_CLAIM, _REASON)) == (
        "soft: expected: the final answer contains 'JWT_SECRET'; "
        "found: not found in 1,204 characters"
    )
    assert soft_text(Grade("failed")) == "soft: does not hold"


def test_reasons_are_one_line_of_500_characters_at_most() -> None:
    grade = failed("several\nlines", "r" * 1_000_000)
    for text in (skip_text(grade), soft_text(grade)):
        assert len(text) == 500
        assert "\n" not in text


@_laws
@given(_GRADES, FOREIGN_TEXTS)
def test_texts_made_of_anything_are_harmless(grade: Grade, foreign: str) -> None:
    text = failure_text(
        grade,
        at=Location(foreign, 3),
        assertion=foreign,
        provider=foreign,
        session_id=foreign,
        session_path=foreign,
    )
    assert_harmless(text)
    assert_harmless(skip_text(grade))
    assert_harmless(soft_text(grade))


@_laws
@given(_GRADES)
def test_only_the_first_line_begins_at_the_margin(grade: Grade) -> None:
    first, *others = _text(grade).split("\n")
    assert first == "evals/auth.eval.yaml:14: contains-JWT_SECRET does not hold"
    assert all(line.startswith("  ") for line in others if line)
