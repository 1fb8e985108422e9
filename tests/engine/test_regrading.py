"""Grading without pytest: the verdicts that pytest would give, and errors as errors."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest
from kept_runs import answer

from pytest_agentv import Grade, assertion
from pytest_agentv.engine.compiling import CompiledCase, compile_entry
from pytest_agentv.engine.regrading import graded_case
from pytest_agentv.errors import Location
from pytest_agentv.evalfile.given import given_entry
from pytest_agentv.evalfile.model import Case, Xfail
from pytest_agentv.graders.base import CaseFacts, Grader
from pytest_agentv.grading.contexts import context_of
from pytest_agentv.plugins import assertion_types, plugin_manager
from pytest_agentv.results.model import Place, Score
from pytest_agentv.results.outcomes import outcome_of

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_agentv import Transcript


@assertion("crashes")
def _crashes() -> Grade:
    raise KeyError("x")


@assertion("ends")
def _ends(value: str) -> None:
    match value:
        case "skip":
            pytest.skip("not here")
        case "fail":
            pytest.fail("it is not so")
        case "xfail":
            pytest.xfail("known")
        case "exit":
            sys.exit("enough")


class _Skipping(Grader):
    types = ("skipping",)

    def grade(self, transcript: Transcript, case: CaseFacts) -> Grade:
        pytest.skip(f"{case.id}: {len(transcript.output)} messages")


@assertion("takes-a-fixture")
def _takes_a_fixture(tmp_path: Path) -> bool:
    return tmp_path.exists()


def compiled(*entries: Any, **case: Any) -> CompiledCase:
    types = assertion_types(plugin_manager())
    for grader in (_crashes, _ends, _Skipping, _takes_a_fixture):
        types.add(grader, plugin="this")
    assertions = tuple(compile_entry(given_entry(one), types) for one in entries)
    return CompiledCase(Case(id="a", at=Location("x"), entries=(), **case), assertions)


def verdicts(case: CompiledCase) -> list[Score]:
    return list(graded_case(case, context_of(answer("the JWT works"), CaseFacts(id="a"))))


def test_what_holds_what_does_not_and_what_nobody_knows() -> None:
    holds, fails, unknown = verdicts(
        compiled({"contains": "JWT"}, {"contains": "cookie"}, {"cost": 1})
    )

    assert (holds.verdict, holds.score, holds.evidence) == (
        "pass", 1.0, (Place(message=2, line=2, excerpt="the JWT works"),),
    )  # fmt: skip
    assert (fails.verdict, fails.score) == ("fail", 0.0)
    assert fails.claim == "the final answer contains 'cookie'"
    assert (unknown.verdict, unknown.score) == ("skip", None)


@pytest.mark.parametrize("entry", [{"type": "crashes"}, {"type": "not-crashes"}])
def test_a_grader_that_crashes_is_an_error_negated_or_not(entry: dict[str, Any]) -> None:
    (found,) = verdicts(compiled(entry))

    assert (found.verdict, found.score, found.reason) == ("error", None, "KeyError: 'x'")


@pytest.mark.parametrize(
    ("how", "verdict", "reason"),
    [
        ("skip", "skip", "not here"),
        ("fail", "fail", "it is not so"),
        ("xfail", "error", "assertion 'ends' raised XFailed: known"),
        ("exit", "error", "SystemExit: enough"),
    ],
)
def test_exceptions_of_pytest_mean_what_they_mean_there(
    how: str, verdict: str, reason: str
) -> None:
    (found,) = verdicts(compiled({"ends": how}))

    assert (found.verdict, found.reason) == (verdict, reason)


def test_a_grader_may_skip_as_in_pytest() -> None:
    (found,) = verdicts(compiled({"type": "skipping"}))

    assert (found.verdict, found.reason) == ("skip", "a: 2 messages")


@pytest.mark.parametrize(("mode", "verdict"), [("all", "fail"), ("any", "skip")])
def test_a_grader_in_a_set_that_skips_takes_nothing_with_it(mode: str, verdict: str) -> None:
    members = [{"contains": "cookie"}, {"type": "skipping", "on_missing": "fail"}]
    (found,) = verdicts(compiled({"type": "assert-set", "mode": mode, "assert": members}))

    assert found.verdict == verdict
    assert found.details.endswith("skipping: skipped: a: 2 messages")


def test_who_interrupts_a_grading_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(_Skipping, "grade", interrupt)
    with pytest.raises(KeyboardInterrupt):
        verdicts(compiled({"type": "skipping"}))


def test_what_takes_fixtures_needs_pytest() -> None:
    (found,) = verdicts(compiled({"type": "takes-a-fixture"}))

    assert (found.verdict, found.reason) == (
        "error", "it takes the fixture 'tmp_path', which only pytest has",
    )  # fmt: skip


def test_with_a_threshold_the_score_decides() -> None:
    entries = [{"contains": "JWT"}, {"contains": "cookie"}]

    good = verdicts(compiled(*entries, threshold=0.5))
    bad = verdicts(compiled(*entries, threshold=0.6))

    assert [one.verdict for one in good] == ["pass", "soft", "pass"]
    assert [one.verdict for one in bad] == ["pass", "soft", "fail"]
    assert (bad[-1].name, bad[-1].score) == ("score", 0.5)
    assert outcome_of(one.verdict for one in good) == "passed"


def test_with_a_threshold_what_is_required_must_hold_and_an_error_is_one_of_the_score() -> None:
    required = verdicts(compiled({"contains": "cookie", "required": True}, threshold=0.1))
    broken = verdicts(compiled({"contains": "JWT"}, {"type": "crashes"}, threshold=0.1))

    assert required[0].verdict == "fail"
    assert [one.verdict for one in broken] == ["pass", "error", "error"]


def test_a_case_that_is_skipped_or_known_to_fail() -> None:
    skipped = verdicts(compiled({"contains": "JWT"}, skip="not yet"))
    known = verdicts(compiled({"contains": "cookie"}, {"type": "crashes"}, xfail=Xfail("bug")))

    assert [(one.verdict, one.reason) for one in skipped] == [("skip", "not yet")]
    assert [(one.verdict, one.excused) for one in known] == [("fail", "xfail"), ("error", None)]


@pytest.mark.parametrize(
    ("strict", "verdict", "reason"),
    [
        (True, "fail", "[XPASS(strict)] bug 12"),
        (False, "pass", "found"),
        (None, "pass", "found"),
    ],
)
def test_what_holds_though_it_is_known_to_fail_passes_unless_that_is_strict(
    *, strict: bool | None, verdict: str, reason: str
) -> None:
    entries = [{"contains": "JWT"}, {"cost": 1}, {"type": "crashes"}]
    held, unknown, broken = verdicts(compiled(*entries, xfail=Xfail("bug 12", strict)))

    assert (held.verdict, held.excused, held.reason) == (verdict, None, reason)
    assert [unknown.verdict, broken.verdict] == ["skip", "error"]


def test_no_assertion_no_score() -> None:
    assert verdicts(compiled()) == []
