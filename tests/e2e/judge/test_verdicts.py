"""What a judge says is the outcome: of criteria, texts, sets, scores and samples."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Literal

import pytest
from eval_runs import recorded
from judge_runs import ASKED, NAME, RUBRIC, only
from judge_server import MODEL, JudgeServer, met

if TYPE_CHECKING:
    from eval_runs import EvalProject


@pytest.mark.parametrize(("answer", "outcome"), [(1, "passed"), (0, "failed")])
def test_what_the_judge_says_is_the_outcome(
    judged: EvalProject, server: JudgeServer, *, answer: Literal[0, 1], outcome: str
) -> None:
    judged.assertions(RUBRIC, f"not-{RUBRIC}")
    server.script = [met(answer)]
    run = judged.grade(ASKED)
    other = {"passed": "failed", "failed": "passed"}[outcome]
    assert run.by_name == {NAME: outcome, f"not-{NAME}": other}
    failed = NAME if outcome == "failed" else f"not-{NAME}"
    assert "reason of c1" in run.text_of[failed]
    assert f"judged by {MODEL}, 1,000 + 100 tokens" in run.text_of[failed]


def test_plain_texts_are_asked_at_once_and_reported_one_by_one(
    judged: EvalProject, server: JudgeServer
) -> None:
    judged.assertions("It is polite", "It is long", "It is true")
    server.script = [met(1, 0, 1)]
    run = judged.grade(ASKED)
    assert run.by_name == {
        NAME: "passed",
        "llm-rubric-It-is-long": "failed",
        "llm-rubric-It-is-true": "passed",
    }
    (prompt,) = server.prompts
    assert all(f"c{number}: It is" in prompt for number in (1, 2, 3))
    assert "reason of c2" in run.text_of["llm-rubric-It-is-long"]
    assert judged.grade(ASKED, "-k", "long").by_name == {"llm-rubric-It-is-long": "failed"}
    assert len(server.requests) == 1


def test_weights_and_what_is_required_decide_with_a_threshold(
    judged: EvalProject, server: JudgeServer
) -> None:
    items = "[{outcome: one, weight: 3}, {outcome: two, id: second}]"
    required = "[{outcome: one, weight: 3}, {outcome: two, required: true}]"
    judged.assertions(
        f"{{type: llm-rubric, metric: all, value: {items}}}",
        f"{{type: llm-rubric, metric: enough, value: {items}, threshold: 0.7}}",
        f"{{type: llm-rubric, metric: required, value: {required}, threshold: 0.7}}",
        f"{{type: llm-rubric, metric: least, value: {items}, min_score: 0.7}}",
        f"{{type: llm-rubric, metric: required-least, value: {required}, min_score: 0.7}}",
        f"{{type: not-llm-rubric, metric: opposite, value: {required}, min_score: 0.2}}",
    )
    server.script = [met(1, 0, score=None)]
    run = judged.grade(ASKED)
    assert run.by_name == {
        "all": "failed",
        "enough": "passed",
        "required": "failed",
        "least": "passed",
        "required-least": "failed",
        "opposite": "passed",
    }
    assert "1 of 2 criteria are met; not 'two': reason of c2" in run.text_of["all"]
    assert "not met  second: two" in run.text_of["all"]
    assert [one["agentv.score"] for one in run.properties.values()] == ["0.75"] * 5 + ["0.25"]


def test_points_are_a_share_of_ten(judged: EvalProject, server: JudgeServer) -> None:
    ranges = "{0: poor, 4: fair, 8: good}"
    judged.assertions(
        f"{{type: llm-rubric, metric: all, value: [{{outcome: x, score_ranges: {ranges}}}]}}",
        f"{{type: llm-rubric, metric: most, threshold: 0.8, "
        f"value: [{{outcome: x, score_ranges: {ranges}}}]}}",
        f"{{type: llm-rubric, metric: least, threshold: 0.5, "
        f"value: [{{outcome: x, min_score: 9, score_ranges: {ranges}}}]}}",
    )
    server.script = [met(0, points=8)]
    run = judged.grade(ASKED)
    assert run.by_name == {"all": "failed", "most": "passed", "least": "failed"}
    assert "8/10" in run.text_of["all"]
    assert "from 4 points: fair" in server.prompts[0]


def test_most_of_several_samples_decide(judged: EvalProject, server: JudgeServer) -> None:
    judged.assertions("{type: llm-rubric, value: It is polite, samples: 3}")
    server.script = [met(1), met(0), met(0)]
    run = judged.grade(ASKED)
    assert run.by_name == {NAME: "failed"}
    assert "3 samples, 67% agree, 3,000 + 300 tokens" in run.text_of[NAME]
    (properties,) = run.properties.values()
    assert properties["agentv.judge.agreement"] == "0.666667"
    assert len(server.requests) == 3
    judged.grade(ASKED)
    assert len(server.requests) == 3


def test_results_and_junit_say_who_judged_and_what_it_took(
    judged: EvalProject, server: JudgeServer
) -> None:
    del server
    judged.assertions(RUBRIC)
    run = judged.grade(ASKED, "--agentv-results=runs")
    (properties,) = run.properties.values()
    assert {name: one for name, one in properties.items() if "judge" in name} == {
        "agentv.judge.model": MODEL,
        "agentv.judge.cached": "false",
        "agentv.judge.input_tokens": "1000",
        "agentv.judge.output_tokens": "100",
    }
    (index,) = judged.path.glob("runs/*/index.jsonl")
    (score,) = json.loads(index.read_bytes())["scores"]
    assert score["judge"]["model"] == MODEL
    assert (score["judge"]["cached"], score["judge"]["input_tokens"]) == (False, 1000)
    assert "reason of c1" in score["details"]


def test_likeness_by_meaning_is_asked_once(judged: EvalProject, server: JudgeServer) -> None:
    judged.sessions(recorded("aaab"))
    like = "{type: similar, value: aab, threshold: 0.9, model: openai:embedder}"
    judged.assertions(like, "{type: similar, value: bbb, metric: other, model: openai:embedder}")
    run = judged.grade()
    assert run.by_name == {"similar-aab": "passed", "other": "failed"}
    assert "means the same by 0.316, by openai:embedder" in run.text_of["other"]
    assert "judge: 2 verdicts: 0 from the cache, 2 asked, 4 + 0 tokens" in run.text
    asked = len(server.requests)
    assert judged.grade().outcomes == run.outcomes
    assert len(server.requests) == asked == 2
    judged.sessions(recorded("other"))
    missed = judged.grade("--agentv-judge=cached")
    assert set(missed.outcomes.values()) == {"skipped"}
    assert "judge: 2 skipped: not in the cache" in missed.text


def test_a_fixture_can_ask_a_judge(judged: EvalProject, server: JudgeServer) -> None:
    judged.write(
        "test_it.py",
        "def test_it(agentv_grade, transcript):\n"
        "    assert agentv_grade({'llm-rubric': 'It is polite'}, transcript)\n",
    )
    assert only(judged.grade(ASKED)) == "passed"
    assert len(server.requests) == 1


def test_the_score_of_a_case_asks_for_all_of_it(judged: EvalProject, server: JudgeServer) -> None:
    judged.assertions("It is polite", "It is long", test="threshold: 0.5")
    server.script = [met(1, 0)]
    run = judged.grade(ASKED, "-k", "score")
    assert run.by_name == {"score": "passed"}
    assert len(server.requests) == 1


def test_a_set_says_what_the_judges_of_its_members_took(
    judged: EvalProject, server: JudgeServer
) -> None:
    judged.assertions(
        "type: assert-set\n  metric: set\n  assert:\n"
        "    - llm-rubric: a\n    - not-llm-rubric: b\n"
        "    - {type: assert-set, assert: [First, Second]}",
        test="threshold: 0.1",
    )
    server.script = [met(1)]
    run = judged.grade(ASKED, "--agentv-results=runs")
    assert len(server.requests) == 3
    assert "judge: 3 verdicts: 0 from the cache, 3 asked, 3,000 + 300 tokens" in run.text
    (index,) = judged.path.glob("runs/*/index.jsonl")
    found = {one["name"]: one["judge"] for one in json.loads(index.read_bytes())["scores"]}
    assert (found["set"]["input_tokens"], found["set"]["model"]) == (3000, MODEL)
    assert found["score"] is None, "it is that of the set"
    missed = judged.grade("--agentv-model=openai:other", "--agentv-judge=cached")
    assert "judge: 4 skipped: not in the cache" in missed.text
