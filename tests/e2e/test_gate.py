"""A gate: one more item for each provider, which counts the sessions that pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from eval_runs import WORKERS, recorded

if TYPE_CHECKING:
    from eval_runs import EvalProject

GATE = "gate: {pass_rate: 0.6}"
OWN = """\
import pytest
import pytest_agentv

@pytest.fixture(scope="class")
def answer(transcript):
    return transcript.output[-1].content

@pytest.fixture
def file(answer, tmp_path):
    path = tmp_path / "answer"
    path.write_text(answer)
    yield path
    print("torn down:", path.read_text())

@pytest_agentv.assertion("kept")
def kept(transcript, file):
    assert file.read_text() == transcript.output[-1].content

@pytest_agentv.assertion("crashes-on")
def crashes_on(transcript, value):
    if value in transcript.output[-1].content:
        raise RuntimeError("cannot say")
    return True
"""


def _repeats(*answers: str, provider: str = "claude-cli") -> list[dict[str, object]]:
    return [
        recorded(answer, provider=provider, session_id=f"{number}{number}{number}-{provider}")
        for number, answer in enumerate(answers)
    ]


@pytest.fixture
def gated(project: EvalProject) -> EvalProject:
    """Three sessions of one provider, of which two pass, and one of another."""
    project.conftest(OWN)
    project.sessions(
        *_repeats("I use JWT.", "I use cookies.", "JWT it is."),
        *_repeats("JWT, too.", provider="codex-cli"),
    )
    return project


CLAUDE, CODEX = "a.eval.yaml::one[claude-cli]::gate", "a.eval.yaml::one[codex-cli]::gate"


def test_a_gate_that_is_reached_leaves_single_failures_to_it(gated: EvalProject) -> None:
    gated.assertions("contains: JWT", test=GATE)
    run = gated.grade()
    assert run.outcomes == {
        "a.eval.yaml::one[claude-cli-000-clau]::contains-JWT": "passed",
        "a.eval.yaml::one[claude-cli-111-clau]::contains-JWT": "xfailed",
        "a.eval.yaml::one[claude-cli-222-clau]::contains-JWT": "passed",
        "a.eval.yaml::one[codex-cli]::contains-JWT": "passed",
        CODEX: "passed",
        CLAUDE: "passed",
    }
    assert run.code == 0
    assert run.texts["a.eval.yaml::one[claude-cli-111-clau]::contains-JWT"].startswith(
        "gate: expected: the final answer contains 'JWT'; found: not found"
    )


def test_a_gate_that_is_missed_fails_and_lists_the_sessions(gated: EvalProject) -> None:
    gated.assertions("contains: JWT", "contains: it", test="gate: 0.7")
    run = gated.grade()
    assert (run.outcomes[CLAUDE], run.outcomes[CODEX], run.code) == ("failed", "failed", 1)
    assert run.texts[CLAUDE].splitlines() == [
        "a.eval.yaml:2: gate does not hold (claude-cli)",
        "  expected: at least 70.0% of the sessions pass",
        "  found:    1 of 3 sessions passed, 33.3% (95 % interval 6.1% to 79.2%)",
        "  details:",
        "    one[claude-cli-000-clau]: failed: contains-it: not found in 10 characters",
        "    one[claude-cli-111-clau]: failed: contains-JWT: not found in 14 characters",
        "    one[claude-cli-222-clau]: passed",
    ]


def test_junit_has_the_rate_as_the_score(gated: EvalProject) -> None:
    gated.assertions("contains: JWT", test=GATE)
    properties = gated.grade().properties[CLAUDE]
    assert properties == {
        "agentv.score": "0.666667",
        "agentv.provider": "claude-cli",
        "agentv.test_id": "one",
        "agentv.assertion": "gate",
    }


def test_a_required_assertion_fails_whatever_the_gate_says(gated: EvalProject) -> None:
    gated.assertions("{type: contains, value: JWT, required: true}", test=GATE)
    run = gated.grade()
    assert run.outcomes["a.eval.yaml::one[claude-cli-111-clau]::contains-JWT"] == "failed"
    assert (run.outcomes[CLAUDE], run.code) == ("passed", 1)


def test_with_a_threshold_the_score_of_a_session_decides(gated: EvalProject) -> None:
    gated.assertions("contains: JWT", "contains: use", test=f"threshold: 0.5\n{GATE}")
    run = gated.grade()
    assert run.outcomes[CLAUDE] == "passed"
    gated.assertions("contains: JWT", "contains: use", test=f"threshold: 0.9\n{GATE}")
    run = gated.grade()
    assert run.outcomes[CLAUDE] == "failed"
    assert "1 of 3 sessions passed" in run.texts[CLAUDE]
    # A score of one session does not fail the run: the gate does.
    assert run.outcomes["a.eval.yaml::one[claude-cli-111-clau]::score"] == "xfailed"
    assert run.texts["a.eval.yaml::one[claude-cli-111-clau]::score"].startswith("gate: ")


def test_an_error_of_one_session_is_an_error_of_the_gate(gated: EvalProject) -> None:
    gated.assertions("contains: JWT", "{type: crashes-on, value: cookies}", test="gate: 0.1")
    run = gated.grade()
    assert run.outcomes["a.eval.yaml::one[claude-cli-111-clau]::crashes-on-cookies"] == "error"
    assert (run.outcomes[CLAUDE], run.outcomes[CODEX], run.code) == ("error", "passed", 1)
    assert "cannot say" in run.texts[CLAUDE]
    alone = gated.grade(CLAUDE)
    assert alone.outcomes == {CLAUDE: "error"}
    assert "while a.eval.yaml::one[claude-cli-111-clau]::crashes-on-cookies was" in alone.text


@pytest.mark.parametrize("selection", [(), ("-k", "gate")])
def test_a_score_that_cannot_be_made_is_an_error_of_the_gate(
    gated: EvalProject, selection: tuple[str, ...]
) -> None:
    nothing = "{type: contains, value: JWT, weight: 0}"
    gated.assertions(nothing, test=f"threshold: 0.5\n{GATE}")
    run = gated.grade(*selection)
    assert (run.outcomes[CLAUDE], run.outcomes[CODEX]) == ("error", "error")
    assert "weights" in run.texts[CLAUDE]


def test_a_session_that_cannot_be_read_is_an_error_of_the_gate(gated: EvalProject) -> None:
    gated.assertions("contains: JWT", test="gate: 0.1")
    gated.sessions(*_repeats("JWT", "JWT"), recorded(session_id="333-claude", output=[]))
    run = gated.grade("-k", "gate")
    assert run.outcomes == {CLAUDE: "error"}
    assert "gate cannot be graded: t.jsonl:3: has no messages" in run.texts[CLAUDE]


def test_sessions_that_are_skipped_leave_the_rate(gated: EvalProject) -> None:
    costs = {"cost_usd": 0.5}
    sessions = _repeats("JWT", "JWT", "JWT")
    gated.sessions({**sessions[0], **costs}, {**sessions[1], "cost_usd": 2.0}, sessions[2])
    gated.assertions("{type: cost, max_usd: 1}", test="gate: 0.5")
    run = gated.grade()
    assert run.outcomes[CLAUDE] == "passed"
    gated.sessions(*sessions)
    run = gated.grade()
    assert run.outcomes[CLAUDE] == "skipped"
    assert "none of 3 sessions could be graded: cost: " in run.texts[CLAUDE]


def test_without_a_session_the_gate_is_skipped_with_the_reason(gated: EvalProject) -> None:
    gated.assertions("contains: JWT", test=GATE)
    run = gated.run()
    assert run.outcomes == {
        "a.eval.yaml::one::contains-JWT": "skipped",
        "a.eval.yaml::one::gate": "skipped",
    }
    assert "give --transcript=" in run.texts["a.eval.yaml::one::gate"]


def test_a_test_that_got_no_session_is_an_error_of_the_gate(gated: EvalProject) -> None:
    gated.eval_file(
        """\
        tests:
          - {id: one, assert: [contains: JWT]}
          - {id: two, gate: 0.5, assert: [contains: JWT]}
        """
    )
    gated.sessions(recorded("JWT", test_id="one"))
    assert gated.grade().outcomes["a.eval.yaml::two::gate"] == "error"


@pytest.mark.parametrize("selection", [("-k", "gate"), (CLAUDE, CODEX)])
def test_the_gate_alone_is_the_same(gated: EvalProject, selection: tuple[str, ...]) -> None:
    gated.assertions("contains: JWT", "{type: kept}", test="gate: 0.7")
    run = gated.grade(*selection)
    assert run.outcomes == {CODEX: "passed", CLAUDE: "failed"}
    assert "2 of 3 sessions passed" in run.texts[CLAUDE]


def test_the_gate_is_the_same_when_only_what_failed_runs(gated: EvalProject) -> None:
    gated.assertions("contains: JWT", test="gate: 0.7")
    gated.grade()
    assert gated.grade("--lf").outcomes == {CLAUDE: "failed"}


def test_the_gate_is_the_same_on_every_worker(gated: EvalProject) -> None:
    gated.assertions("contains: JWT", "{type: kept}", test="gate: 0.7")
    alone, together = gated.grade(), gated.grade(*WORKERS)
    assert together.outcomes == alone.outcomes
    assert together.texts[CLAUDE].endswith(alone.texts[CLAUDE])  # after the worker's name
    assert together.properties == alone.properties
    assert together.code == alone.code == 1


def test_fixtures_are_those_of_each_session(gated: EvalProject) -> None:
    gated.assertions("{type: kept}", test="gate: 1")
    run = gated.grade("-k", "gate", "-s")
    assert run.outcomes == {CODEX: "passed", CLAUDE: "passed"}
    torn = [line.rpartition("torn down: ")[2] for line in run.text.splitlines() if "torn" in line]
    assert sorted(torn) == ["I use JWT.", "I use cookies.", "JWT it is.", "JWT, too."]


def test_a_transcript_that_a_conftest_replaces_is_what_the_gate_grades(gated: EvalProject) -> None:
    gated.conftest(
        OWN
        + """
import msgspec

@pytest.fixture
def transcript(transcript):
    last = msgspec.structs.replace(transcript.output[-1], content="JWT everywhere")
    return msgspec.structs.replace(transcript, output=(last,))
"""
    )
    gated.assertions("contains: everywhere", test="gate: 1")
    assert set(gated.grade().outcomes.values()) == {"passed"}
    assert gated.grade("-k", "gate").outcomes == {CODEX: "passed", CLAUDE: "passed"}


def test_a_fixture_that_fails_when_it_is_torn_down_is_an_error(gated: EvalProject) -> None:
    gated.conftest(
        """\
        import pytest
        import pytest_agentv

        @pytest.fixture
        def fragile():
            yield
            raise RuntimeError("torn")

        @pytest_agentv.assertion("holds")
        def holds(transcript, fragile):
            return True
        """
    )
    gated.assertions("{type: holds}", "contains: JWT", test="gate: 0.1")
    run = gated.grade("-k", "gate")
    assert run.outcomes == {CODEX: "error", CLAUDE: "error"}
    assert "INTERNALERROR" not in run.text


def test_skip_and_xfail_of_a_test_reach_its_gate(gated: EvalProject) -> None:
    gated.assertions("contains: JWT", test=f"skip: later\n{GATE}")
    assert set(gated.grade().outcomes.values()) == {"skipped"}
    gated.assertions("contains: JWT", test="xfail: known\ngate: 0.7")
    run = gated.grade()
    assert (run.outcomes[CLAUDE], run.code) == ("xfailed", 0)


def test_a_gate_counts_what_a_fixture_expects_to_fail_as_rows_do(gated: EvalProject) -> None:
    gated.conftest(OWN.replace("yield path", 'pytest.xfail("bug 12")'))
    gated.sessions(*_repeats("JWT", "no"))
    gated.assertions("contains: JWT", "{type: kept}", test=GATE)
    run = gated.grade()
    assert "claude-cli     1/2" in run.text
    assert "found:    1 of 2 sessions passed, 50.0%" in run.text_of["gate"]


def test_sessions_without_ids_leave_the_name_to_the_gate(gated: EvalProject) -> None:
    gated.sessions(*(recorded("JWT", session_id=None) for _ in range(3)))
    gated.assertions("contains: JWT", "{metric: gate, type: contains, value: JWT}", test=GATE)
    assert gated.collected("--transcript=t.jsonl") == [
        "a.eval.yaml::one[claude-cli-2]::contains-JWT",
        "a.eval.yaml::one[claude-cli-2]::gate-2",
        "a.eval.yaml::one[claude-cli-3]::contains-JWT",
        "a.eval.yaml::one[claude-cli-3]::gate-2",
        "a.eval.yaml::one[claude-cli-4]::contains-JWT",
        "a.eval.yaml::one[claude-cli-4]::gate-2",
        "a.eval.yaml::one[claude-cli]::gate",
    ]


def test_a_gate_is_no_case_of_its_own_in_the_table(gated: EvalProject) -> None:
    gated.assertions("contains: JWT", test=GATE)
    gated.sessions(*_repeats("JWT", "JWT"))
    assert "claude-cli     2/2       3 " in gated.grade().text


def test_only_the_fixtures_of_gates_are_shown_when_nothing_is_run(gated: EvalProject) -> None:
    gated.assertions("{type: kept}", test=GATE)
    run = gated.grade("--setup-plan", "-k", "gate")
    assert "INTERNALERROR" not in run.text
    assert run.code == 0
