"""Who is asked, how often, how many at a time, and for how much money."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from eval_runs import WORKERS, recorded
from judge_runs import ASKED, NAME, RUBRIC, only, settings
from judge_server import MODEL, AllAtOnce, JudgeServer, Slow, met

if TYPE_CHECKING:
    from eval_runs import EvalProject


def test_a_second_run_asks_nobody(judged: EvalProject, server: JudgeServer) -> None:
    judged.assertions(RUBRIC, "It is short", "It is true", "{type: rubrics, value: [a, b]}")
    first = judged.grade(ASKED)
    asked = len(server.requests)
    second = judged.grade(ASKED)
    assert first.outcomes == second.outcomes
    assert set(first.outcomes.values()) == {"passed"}
    assert asked == len(server.requests) == 3
    assert "judge: 3 verdicts: 0 from the cache, 3 asked, 3,000 + 300 tokens" in first.text
    assert "judge: 3 verdicts: 3 from the cache, 0 asked" in second.text


def test_workers_ask_each_question_once(judged: EvalProject, server: JudgeServer) -> None:
    judged.eval_file(
        "tests:\n"
        + "".join(
            f"  - {{id: t{number}, assert: [Same for all, Text {number}, Another]}}\n"
            for number in range(4)
        )
    )
    judged.sessions(*(recorded("Done.", test_id=f"t{number}") for number in range(4)))
    server.script = [Slow(0.1, met(1))]
    run = judged.grade(ASKED, *WORKERS)
    assert (run.code, len(run.outcomes)) == (0, 12)
    assert len(server.requests) == 4
    again = judged.grade(ASKED)
    assert again.outcomes == run.outcomes
    assert len(server.requests) == 4
    assert "judge: 4 verdicts: 4 from the cache, 0 asked" in again.text


def test_the_questions_of_a_case_wait_at_the_same_time(
    judged: EvalProject, server: JudgeServer
) -> None:
    judged.assertions(*(f"llm-rubric: Text {number}" for number in range(4)))
    server.script = [AllAtOnce(4, met(1))]
    assert judged.grade(ASKED).code == 0
    assert server.busiest == 4


def test_no_more_questions_wait_than_the_project_says(
    judged: EvalProject, server: JudgeServer
) -> None:
    settings(judged, "concurrency = 1")
    judged.assertions(*(f"llm-rubric: Text {number}" for number in range(3)))
    server.script = [Slow(0.1, met(1))]
    assert judged.grade(ASKED).code == 0
    assert (server.busiest, len(server.requests)) == (1, 3)


def test_a_judge_that_is_busy_is_asked_again(judged: EvalProject, server: JudgeServer) -> None:
    judged.assertions(RUBRIC)
    server.script = [(429, {"retry-after": "0.1"}, {"error": {"message": "slow down"}}), met(1)]
    assert judged.grade(ASKED).by_name == {NAME: "passed"}
    assert len(server.requests) == 2


def test_who_judges_is_said_near_and_far(
    judged: EvalProject, server: JudgeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGENTV_MODEL", "openai:of-environment")
    judged.eval_file(
        """\
        defaults: {grader: openai:of-file}
        tests:
          - id: one
            assert:
              - {type: llm-rubric, value: a, model: openai:of-entry}
              - {type: llm-rubric, value: b, provider: openai:of-provider}
              - {type: llm-rubric, value: c, provider: a-name-of-agentv}
        """
    )
    judged.eval_file("tests: [{id: one, assert: [llm-rubric: d]}]", name="b.eval.yaml")
    judged.grade()
    models = {body["model"] for body in server.requests}
    assert models == {"of-entry", "of-provider", "of-file", "of-environment"}
    judged.ini("agentv_model = openai:of-ini")
    judged.grade()
    assert server.requests[-1]["model"] == "of-ini"
    judged.grade("--agentv-model=openai:of-option")
    assert server.requests[-1]["model"] == "of-option"


def test_a_budget_is_kept_over_all_workers(judged: EvalProject, server: JudgeServer) -> None:
    judged.write(
        "pyproject.toml",
        """\
        [tool.agentv.judge]
        max_tokens = 100
        retries = 0
        concurrency = 1
        [tool.agentv.prices]
        judge-1 = {input = 100, output = 1000}
        """,
    )
    judged.assertions(*(f"llm-rubric: Text {number}" for number in range(6)))
    # Each costs 1,000 tokens at 0.0001 and 100 at 0.001 USD: 0.2 USD.
    run = judged.grade(ASKED, "--agentv-max-cost=0.5", *WORKERS)
    outcomes = sorted(run.outcomes.values())
    assert outcomes.count("passed") == len(server.requests)
    assert 1 <= len(server.requests) <= 2
    assert set(outcomes) == {"passed", "error"}
    text = next(iter(run.texts.values()))
    assert "the judges' budget is used up" in text
    assert "of 0.5 USD (--agentv-max-cost)" in text
    assert f"{0.2 * len(server.requests):.4f} USD" in run.text


def test_a_budget_that_nobody_can_keep_is_an_error(
    judged: EvalProject, server: JudgeServer
) -> None:
    judged.assertions(RUBRIC)
    run = judged.grade(ASKED, "--agentv-max-cost=1")
    assert only(run) == "error"
    assert f"nobody says what {MODEL} costs" in run.text_of[NAME]
    assert server.requests == []


@pytest.mark.parametrize("amount", ["much", "-1", "nan", "inf"])
def test_a_budget_is_an_amount(judged: EvalProject, amount: str) -> None:
    run = judged.grade(f"--agentv-max-cost={amount}")
    assert run.code == pytest.ExitCode.USAGE_ERROR
    assert f"argument --agentv-max-cost: '{amount}' is no amount of USD, as 2.50" in run.errors


@pytest.mark.parametrize(("name", "test"), [("score", "threshold: 0.5"), ("gate", "gate: 0.5")])
def test_what_only_a_score_or_a_gate_asks_is_counted(
    judged: EvalProject, server: JudgeServer, name: str, test: str
) -> None:
    judged.sessions(*(recorded(f"Done {one}.", session_id=f"{one}1111111") for one in range(2)))
    judged.assertions("First", "Second", "llm-rubric: Third", test=test)
    run = judged.grade(ASKED, "-k", name)
    assert set(run.by_name) == {name}
    assert len(server.requests) == 4
    assert "judge: 4 verdicts: 0 from the cache, 4 asked, 4,000 + 400 tokens" in run.text
    whole = judged.grade(ASKED)
    assert "judge: 4 verdicts: 4 from the cache, 0 asked" in whole.text


def test_what_a_gate_asked_before_it_failed_is_counted(
    judged: EvalProject, server: JudgeServer
) -> None:
    judged.assertions("llm-rubric: First", "llm-rubric: Second", test="gate: 0.5")
    server.asked_for = {"Second": (401, {}, {"error": {"message": "no"}})}
    run = judged.grade(ASKED, "-k", "gate")
    assert run.by_name == {"gate": "error"}
    assert "judge: 1 verdict: 0 from the cache, 1 asked, 1,000 + 100 tokens" in run.text
