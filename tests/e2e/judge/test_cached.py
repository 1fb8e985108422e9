"""Verdicts that are in the cache, and those that are not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from judge_runs import ASKED, NAME, RUBRIC, only
from judge_server import JudgeServer, met

if TYPE_CHECKING:
    from eval_runs import EvalProject


def test_without_a_model_only_the_cache_is_asked(judged: EvalProject, server: JudgeServer) -> None:
    judged.assertions(RUBRIC, "contains: done")
    missed = judged.grade()
    assert missed.by_name == {NAME: "skipped", "contains-done": "passed"}
    assert "no judge is set up: name a model by --agentv-model" in missed.text_of[NAME]
    assert (
        "judge: 1 skipped: not in the cache (--agentv-model and --agentv-judge=live ask)"
        in missed.text
    )
    judged.grade(ASKED)
    assert judged.grade().by_name[NAME] == "passed"
    assert len(server.requests) == 1


def test_a_miss_of_the_cache_is_skipped_and_counted(
    judged: EvalProject, server: JudgeServer
) -> None:
    judged.assertions(RUBRIC, f"not-{RUBRIC}", "It is short", "{type: rubrics, value: [a]}")
    run = judged.grade(ASKED, "--agentv-judge=cached")
    assert set(run.outcomes.values()) == {"skipped"}
    assert "no verdict in the cache, and only the cache is asked" in run.text_of[NAME]
    assert "judge: 4 skipped: not in the cache" in run.text
    assert run.code == 0
    assert server.requests == []
    failing = judged.grade(ASKED, "--agentv-judge=cached", "--agentv-missing=fail")
    assert set(failing.outcomes.values()) == {"failed"}


def test_judges_can_be_off(judged: EvalProject, server: JudgeServer) -> None:
    judged.assertions(RUBRIC)
    judged.grade(ASKED)
    run = judged.grade(ASKED, "--agentv-judge=off")
    assert only(run) == "skipped"
    assert "judges are off (--agentv-judge=off)" in run.text_of[NAME]
    assert len(server.requests) == 1


def test_verdicts_of_several_models_are_not_mixed_up(
    judged: EvalProject, server: JudgeServer
) -> None:
    judged.assertions(RUBRIC)
    server.script = [met(1), met(0)]
    assert only(judged.grade(ASKED)) == "passed"
    assert only(judged.grade("--agentv-model=openai:judge-2")) == "failed"
    run = judged.grade()
    assert only(run) == "error"
    assert "'openai:judge-1', 'openai:judge-2'; choose by --agentv-model" in run.text_of[NAME]


def test_verdicts_that_cannot_be_kept_are_told(judged: EvalProject) -> None:
    judged.write(".agentv/cache", "no folder")
    judged.assertions(RUBRIC)
    run = judged.grade(ASKED)
    assert only(run) == "passed"
    assert "judge: verdicts are not kept, and the next run asks again: " in run.text
