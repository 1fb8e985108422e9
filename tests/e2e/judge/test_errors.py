"""What is no verdict is an error of pytest, whoever is to blame for it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest
from judge_runs import ASKED, NAME, RUBRIC, only, settings
from judge_server import MODEL, JudgeServer, Slow, completion, met, response

if TYPE_CHECKING:
    from eval_runs import EvalProject


def _refusal(body: dict[str, Any]) -> dict[str, Any]:
    del body
    return response({"role": "assistant", "content": None, "refusal": "I cannot judge this."})


def _truncated(body: dict[str, Any]) -> dict[str, Any]:
    return completion(body, '{"answers": [{"id": "c1", "rea', finish="length")


def _nonsense(body: dict[str, Any]) -> dict[str, Any]:
    return completion(body, {"answers": [{"id": "c7", "reason": "?", "met": True}]})


@pytest.mark.parametrize(
    "step",
    [
        pytest.param((500, {"retry-after-ms": "1"}, {"error": {"message": "it broke"}}), id="500"),
        pytest.param((429, {"retry-after": "0.05"}, {"error": {"message": "no"}}), id="429"),
        pytest.param((401, {}, {"error": {"message": "wrong key"}}), id="401"),
        pytest.param(b"<html>not JSON", id="malformed"),
        pytest.param(_refusal, id="refusal"),
        pytest.param(_truncated, id="truncated"),
        pytest.param(_nonsense, id="other-criteria"),
    ],
)
def test_what_is_no_verdict_is_an_error_and_never_a_pass(
    judged: EvalProject, server: JudgeServer, step: Any
) -> None:
    settings(judged, "timeout = 5", "retries = 1")
    judged.assertions(RUBRIC, f"not-{RUBRIC}", "{type: llm-rubric, value: x, on_missing: skip}")
    server.script = [step]
    run = judged.grade(ASKED)
    assert set(run.outcomes.values()) == {"error"}
    assert run.code == 1
    for text in run.texts.values():
        assert f"the judge {MODEL} gave no verdict: " in text
        assert "Traceback" not in text
        assert len(text.splitlines()) == 1
    asked = len(server.requests)
    server.script = [met(1)]
    assert judged.grade(ASKED).by_name[NAME] == "passed"
    assert len(server.requests) > asked, "what went wrong is not kept"


def test_a_judge_that_does_not_answer_in_time_is_an_error(
    judged: EvalProject, server: JudgeServer
) -> None:
    settings(judged, "timeout = 0.2", "retries = 0")
    judged.assertions(RUBRIC)
    server.script = [Slow(60, met(1))]
    run = judged.grade(ASKED)
    assert only(run) == "error"
    assert "gave no verdict" in run.text_of[NAME]


def test_a_server_that_is_not_there_is_an_error(
    judged: EvalProject, server: JudgeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    judged.assertions(RUBRIC)
    run = judged.grade(ASKED)
    assert only(run) == "error"
    assert server.requests == []


def test_without_a_key_it_is_an_error(judged: EvalProject, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL")
    judged.assertions(RUBRIC)
    run = judged.grade("--agentv-model=anthropic:claude-opus-4-6")
    assert only(run) == "error"
    assert "the judge anthropic:claude-opus-4-6 cannot be asked" in run.text_of[NAME]
    assert "ANTHROPIC_API_KEY" in run.text_of[NAME]


def test_an_unknown_model_is_an_error(judged: EvalProject) -> None:
    judged.assertions(RUBRIC)
    assert only(judged.grade("--agentv-model=nobody:x")) == "error"


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("modell = 'x'", "has no key 'modell'; known: base_url, cache"),
        ("concurrency = 0", "`tool.agentv.judge.concurrency` must be a whole number above 0"),
        ("output = 'xml'", "must be one of tool, native, prompted"),
        ("timeout = inf", "must be a number of seconds above 0"),
        ("timeout = true", "must be a number of seconds above 0"),
    ],
)
def test_wrong_settings_are_an_error_with_their_file(
    judged: EvalProject, line: str, problem: str
) -> None:
    settings(judged, line)
    judged.assertions(RUBRIC)
    run = judged.grade(ASKED)
    assert only(run) == "error"
    assert "pyproject.toml: " in run.text_of[NAME]
    assert problem in run.text_of[NAME]


@pytest.mark.parametrize("mode", ["all", "any"])
def test_an_error_of_a_judge_is_an_error_of_every_set_around_it(
    judged: EvalProject, server: JudgeServer, mode: str
) -> None:
    inner = f"{{type: not-assert-set, mode: {mode}, assert: [contains: done, not-llm-rubric: x]}}"
    judged.assertions(
        f"{{type: assert-set, mode: {mode}, assert: [contains: done, {inner}]}}",
        f"{{type: not-assert-set, mode: {mode}, assert: [contains: done, {inner}]}}",
    )
    server.script = [(401, {}, {"error": {"message": "no"}})]
    assert set(judged.grade(ASKED).outcomes.values()) == {"error"}


def test_without_the_extra_it_is_an_error_that_says_what_to_install(
    judged: EvalProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pydantic_ai", None)
    monkeypatch.setitem(sys.modules, "pydantic_ai.embeddings", None)
    judged.assertions(RUBRIC, "{type: similar, value: x, model: openai:e}", "contains: done")
    run = judged.grade(ASKED)
    assert sorted(run.outcomes.values()) == ["error", "error", "passed"]
    for text in run.texts.values():
        assert "pip install 'pytest-agentv[llm]'" in text
