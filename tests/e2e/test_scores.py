"""Cases with a threshold: soft assertions, and one more item that holds their mean against it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from eval_runs import WORKERS, recorded

if TYPE_CHECKING:
    from eval_runs import EvalProject

OWN = """\
import pytest
import pytest_agentv

@pytest.fixture
def dictionary():
    return {"JWT"}

@pytest_agentv.assertion("crashes")
def crashes(transcript):
    return 1 / 0

@pytest_agentv.assertion("known")
def known(transcript, dictionary):
    return any(word in transcript.output[-1].content for word in dictionary)

@pytest_agentv.assertion("half")
def half(transcript):
    return 0.5

@pytest.fixture
def server():
    pytest.skip("no server here")

@pytest.fixture(scope="session")
def trouble():
    pytest.xfail("bug 12")

@pytest_agentv.assertion("served")
def served(server):
    return True

@pytest_agentv.assertion("troubled")
def troubled(trouble):
    return True
"""


@pytest.fixture
def scored(project: EvalProject) -> EvalProject:
    """A project with assertions of its own, and one session."""
    project.conftest(OWN)
    project.sessions(recorded("I use JWT now."))
    return project


def test_soft_failures_do_not_fail_the_run_if_the_score_is_reached(scored: EvalProject) -> None:
    scored.assertions("contains: JWT", "contains: OAuth", test="threshold: 0.5")
    run = scored.grade()
    assert run.by_name == {"contains-JWT": "passed", "contains-OAuth": "xfailed", "score": "passed"}
    assert run.code == 0
    assert run.text_of["contains-OAuth"].startswith(
        "soft: expected: the final answer contains 'OAuth'; found: not found"
    )


def test_a_score_below_the_threshold_fails_with_the_members(scored: EvalProject) -> None:
    scored.assertions("contains: JWT", "contains: OAuth", test="threshold: 0.6")
    run = scored.grade()
    assert run.by_name["score"] == "failed"
    assert run.code == 1
    text = run.text_of["score"]
    assert text.startswith("a.eval.yaml:2: score does not hold (claude-cli)\n")
    assert "0.5 over 2 assertions" in text
    assert "contains-OAuth: failed: not found in 14 characters" in text


def test_a_required_assertion_fails_whatever_the_score(scored: EvalProject) -> None:
    scored.assertions(
        "contains: JWT", "{type: contains, value: OAuth, required: true}", test="threshold: 0.1"
    )
    run = scored.grade()
    assert run.by_name == {"contains-JWT": "passed", "contains-OAuth": "failed", "score": "passed"}
    assert run.code == 1


def test_weights_count(scored: EvalProject) -> None:
    scored.assertions(
        "{type: contains, value: JWT, weight: 3}", "contains: OAuth", test="threshold: 0.75"
    )
    assert scored.grade().by_name["score"] == "passed"
    scored.assertions(
        "contains: JWT", "{type: contains, value: OAuth, weight: 3}", test="threshold: 0.75"
    )
    assert scored.grade().by_name["score"] == "failed"


def test_scores_between_count_as_they_are(scored: EvalProject) -> None:
    scored.assertions("{type: half}", "contains: JWT", test="threshold: 0.75")
    assert scored.grade().by_name == {
        "half": "xfailed",
        "contains-JWT": "passed",
        "score": "passed",
    }


def test_what_is_skipped_leaves_the_mean(scored: EvalProject) -> None:
    scored.assertions("contains: JWT", "{type: cost, max_usd: 1}", test="threshold: 1.0")
    assert scored.grade().by_name == {
        "contains-JWT": "passed",
        "cost": "skipped",
        "score": "passed",
    }


def test_if_all_is_skipped_the_score_is(scored: EvalProject) -> None:
    scored.assertions("{type: cost, max_usd: 1}", test="threshold: 0.1")
    assert scored.grade().by_name == {"cost": "skipped", "score": "skipped"}


@pytest.mark.parametrize("args", [(), ("-k", "score"), WORKERS])
@pytest.mark.parametrize(("kind", "outcome"), [("served", "skipped"), ("troubled", "xfailed")])
def test_a_member_whose_fixture_skips_leaves_the_mean(
    scored: EvalProject, kind: str, outcome: str, args: tuple[str, ...]
) -> None:
    scored.assertions("contains: JWT", "contains: OAuth", f"type: {kind}", test="threshold: 0.6")
    run = scored.grade(*args)
    assert run.by_name["score"] == "failed"
    assert run.code == 1
    assert "0.5 over 2 assertions" in run.text_of["score"]
    if "-k" not in args:
        assert run.by_name[kind] == outcome


@pytest.mark.parametrize(
    ("keys", "outcome"),
    [
        ("mode: all", "failed"),
        ("mode: any", "skipped"),
        ("{type: not-assert-set}", "passed"),
        ("threshold: 0.5", "failed"),
    ],
)
def test_a_member_of_a_set_whose_fixture_skips_is_no_more_than_skipped(
    scored: EvalProject, keys: str, outcome: str
) -> None:
    members = "assert: [{contains: OAuth}, {type: served}]"
    entry = keys.strip("{}") if "type" in keys else f"type: assert-set, {keys}"
    scored.assertions(f"{{{entry}, metric: both, {members}}}")
    assert scored.grade().by_name == {"both": outcome}


def test_if_the_fixtures_of_all_members_skip_the_score_is_skipped(scored: EvalProject) -> None:
    scored.assertions("type: served", test="threshold: 0.1")
    run = scored.grade()
    assert run.by_name == {"served": "skipped", "score": "skipped"}
    assert run.code == 0


def test_a_fixture_that_breaks_is_an_error_of_the_score(scored: EvalProject) -> None:
    scored.conftest(OWN.replace('pytest.skip("no server here")', "assert False"))
    scored.assertions("contains: JWT", "type: served", test="threshold: 0.1")
    run = scored.grade()
    assert run.by_name == {"contains-JWT": "passed", "served": "error", "score": "error"}


def test_an_error_of_a_member_is_an_error_of_the_score(scored: EvalProject) -> None:
    scored.assertions("contains: JWT", "{type: crashes}", test="threshold: 0.1")
    run = scored.grade()
    assert run.by_name == {"contains-JWT": "passed", "crashes": "error", "score": "error"}
    assert run.code == 1


def test_weights_that_add_up_to_nothing_are_an_error(scored: EvalProject) -> None:
    scored.assertions("{type: contains, value: JWT, weight: 0}", test="threshold: 0.1")
    run = scored.grade()
    assert run.by_name["score"] == "error"
    assert "weights" in run.text_of["score"]


@pytest.mark.parametrize("selection", [("-k", "score"), ("a.eval.yaml::one[claude-cli]::score",)])
def test_the_score_alone_is_the_same(scored: EvalProject, selection: tuple[str, ...]) -> None:
    scored.assertions("contains: JWT", "contains: OAuth", "{type: known}", test="threshold: 0.6")
    assert scored.grade(*selection).by_name == {"score": "passed"}
    scored.assertions("contains: JWT", "contains: OAuth", "{type: known}", test="threshold: 0.7")
    run = scored.grade(*selection)
    assert run.by_name == {"score": "failed"}
    assert "0.667 over 3 assertions" in run.text_of["score"]


def test_the_score_alone_has_the_errors_of_its_members(scored: EvalProject) -> None:
    scored.assertions("contains: JWT", "{type: crashes}", test="threshold: 0.1")
    assert scored.grade("-k", "score").by_name == {"score": "error"}


def test_the_score_is_the_same_when_only_what_failed_runs(scored: EvalProject) -> None:
    scored.assertions("contains: JWT", "contains: OAuth", test="threshold: 0.6")
    scored.grade()
    assert scored.grade("--lf").by_name == {"score": "failed"}


def test_the_score_is_the_same_on_every_worker(scored: EvalProject) -> None:
    scored.assertions("contains: JWT", "contains: OAuth", "{type: known}", test="threshold: 0.7")
    run = scored.grade(*WORKERS)
    assert run.by_name == {
        "contains-JWT": "passed",
        "contains-OAuth": "xfailed",
        "known": "passed",
        "score": "failed",
    }
    assert run.code == 1


def test_the_threshold_of_the_file_holds_for_its_tests(scored: EvalProject) -> None:
    scored.eval_file(
        """\
        threshold: 0.5
        tests:
          - id: one
            assert: [contains: JWT, contains: OAuth]
        """
    )
    assert scored.grade().by_name["score"] == "passed"


def test_a_threshold_of_an_own_assertion_judges_its_score(scored: EvalProject) -> None:
    scored.assertions(
        "{type: half, threshold: 0.5, metric: reached}",
        "{type: half, threshold: 0.6, metric: missed}",
        "{type: half, metric: all}",
        "{type: not-half, threshold: 0.6, metric: not-reached}",
    )
    assert scored.grade().by_name == {
        "reached": "passed",
        "missed": "failed",
        "all": "failed",
        "not-reached": "passed",
    }


@pytest.mark.parametrize("threshold", ["2", "-1", "much", ".nan", "true"])
def test_a_threshold_is_a_share(scored: EvalProject, threshold: str) -> None:
    scored.assertions(f"{{type: half, threshold: {threshold}}}")
    run = scored.grade()
    assert run.code == 2
    assert "a.eval.yaml:4:" in run.problems["a.eval.yaml"]
    assert "threshold" in run.problems["a.eval.yaml"]
