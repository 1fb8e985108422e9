"""What is no verdict is an error of pytest, whoever is to blame for it."""

from __future__ import annotations

import os
import re
import signal
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest
from eval_runs import WORKERS, recorded
from judge_runs import ASKED, NAME, RUBRIC, only, settings
from judge_server import MODEL, JudgeServer, Slow, completion, met, response
from junitparser import Error, Failure, JUnitXml
from results_of_runs import KEEP, kept, verdicts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eval_runs import EvalProject


def _refusal(body: dict[str, Any]) -> dict[str, Any]:
    del body
    return response({"role": "assistant", "content": None, "refusal": "I cannot judge this."})


def _truncated(body: dict[str, Any]) -> dict[str, Any]:
    return completion(body, '{"answers": [{"id": "c1", "rea', finish="length")


def _nonsense(body: dict[str, Any]) -> dict[str, Any]:
    return completion(body, {"answers": [{"id": "c7", "reason": "?", "met": True}]})


def _filtered(body: dict[str, Any]) -> dict[str, Any]:
    del body
    return response({"role": "assistant", "content": None}, finish="content_filter")


def _other_types(body: dict[str, Any]) -> dict[str, Any]:
    return completion(body, {"answers": [{"id": 1, "reason": "?", "met": True}]})


def _nothing(body: dict[str, Any]) -> dict[str, Any]:
    return {**completion(body, {}), "choices": []}


# What a server does, and what is said of it.
WAYS: dict[str, tuple[Any, str]] = {
    "broken": (
        (500, {"retry-after-ms": "1"}, {"error": {"message": "it broke"}}),
        "the server answered 500 Internal Server Error: it broke",
    ),
    "busy": (
        (429, {"retry-after": "0.01"}, {"error": {"message": "no"}}),
        "the server answered 429 Too Many Requests: no",
    ),
    "gateway": (
        (502, {"retry-after-ms": "1", "content-type": "text/html"}, b"<html><p>Bad gateway"),
        "the server answered 502 Bad Gateway",
    ),
    "key": (
        (401, {}, {"error": {"message": "wrong key"}}),
        "the server answered 401 Unauthorized: wrong key",
    ),
    "malformed": (
        b"<html>not JSON",
        "Failed to decode response as JSON: Expecting value: line 1 column 1 (char 0)",
    ),
    "nothing": (_nothing, "its answer could not be read (IndexError: list index out of range)"),
    "refusal": (_refusal, "it refused: I cannot judge this."),
    "filtered": (
        _filtered,
        "it was stopped: Content filter triggered. Finish reason: 'content_filter'",
    ),
    "truncated": (
        _truncated,
        "its answer was cut off; `max_tokens` in [tool.agentv.judge] may be too low",
    ),
    "other": (
        _nonsense,
        "its answer does not fit: Answer every criterion exactly once: c1.",
    ),
    "types": (
        _other_types,
        "its answer does not fit: answers.0.id: Input should be a valid string",
    ),
}


@pytest.fixture
def unlucky(judged: EvalProject, server: JudgeServer) -> EvalProject:
    """A project with a case for each way in which a judge says nothing, and one that is good."""
    settings(judged, "timeout = 60", "retries = 1")
    entries = (
        "llm-rubric: Case {0}",
        "not-llm-rubric: Case {0}",
        "{{type: llm-rubric, value: Case {0}, metric: skippable, on_missing: skip}}",
    )
    names = (*WAYS, "good")
    judged.eval_file(
        "tests:\n"
        + "".join(
            f"  - {{id: {name}, assert: [{', '.join(one.format(name) for one in entries)}]}}\n"
            for name in names
        )
    )
    judged.sessions(*(recorded("Done.", test_id=name) for name in names))
    server.asked_for = {f"Case {name}": step for name, (step, _) in WAYS.items()}
    return judged


GOOD = ["passed", "failed", "passed"]


@pytest.mark.parametrize("workers", [(), WORKERS], ids=["alone", "workers"])
def test_what_is_no_verdict_is_an_error_and_never_a_pass(
    unlucky: EvalProject, server: JudgeServer, workers: tuple[str, ...]
) -> None:
    run = unlucky.grade(ASKED, KEEP, "--junitxml=j.xml", *workers)
    assert run.code == 1
    wanted = {**dict.fromkeys(WAYS, ["error"] * 3), "good": GOOD}
    assert _by_case((name, outcome) for name, outcome in run.outcomes.items()) == wanted
    for name, (_, reason) in WAYS.items():
        sentence = f"cannot be graded: the judge {MODEL} gave no verdict: {reason}"
        texts = [text for nodeid, text in run.texts.items() if f"::{name}[" in nodeid]
        assert [text.partition("cannot be")[1:] for text in texts] == [
            ("cannot be", sentence.removeprefix("cannot be"))
        ] * 3
        assert run.text.count(f"{sentence}\n") == 3, "once each in the terminal"
    assert "Traceback" not in run.text
    rows = {row.test_id: [one.verdict for one in row.scores] for row in kept(unlucky).rows}
    assert rows == {**dict.fromkeys(WAYS, ["error"] * 3), "good": ["pass", "fail", "pass"]}
    assert _junit(unlucky) == {
        **dict.fromkeys(WAYS, [Error] * 3),
        "good": [None, Failure, None],
    }

    asked = len(server.requests)
    server.asked_for = {}
    again = unlucky.grade(ASKED, *workers)
    wanted = dict.fromkeys((*WAYS, "good"), GOOD)
    assert _by_case((name, outcome) for name, outcome in again.outcomes.items()) == wanted
    anew = server.prompts[asked:]
    assert len(anew) == len(WAYS), "what went wrong was not kept, and the good one was"
    assert not any("Case good" in prompt for prompt in anew)


def _by_case(outcomes: Iterable[tuple[str, Any]]) -> dict[str, list[Any]]:
    """What became of the assertions of each case, in their order."""
    found: dict[str, dict[str, Any]] = {}
    for nodeid, outcome in outcomes:
        case, _, name = nodeid.removeprefix("a.eval.yaml::").partition("::")
        found.setdefault(case.partition("[")[0], {})[name] = outcome
    order = ("llm-rubric", "not-llm", "skippable")
    return {
        case: [one for begin in order for name, one in said.items() if name.startswith(begin)]
        for case, said in found.items()
    }


def _junit(project: EvalProject) -> dict[str, list[Any]]:
    suites = JUnitXml.fromfile(str(project.path / "j.xml"))
    return _by_case(
        (case.name, type(case.result[0]) if case.result else None)
        for suite in suites
        for case in suite
    )


@pytest.mark.parametrize("workers", [(), WORKERS], ids=["alone", "workers"])
def test_a_judge_that_does_not_answer_in_time_is_an_error(
    judged: EvalProject, server: JudgeServer, workers: tuple[str, ...]
) -> None:
    settings(judged, "timeout = 0.2", "retries = 0")
    judged.assertions(RUBRIC, f"not-{RUBRIC}")
    server.script = [Slow(60, met(1))]
    run = judged.grade(ASKED, KEEP, "--junitxml=j.xml", *workers)
    assert set(run.outcomes.values()) == {"error"}
    sentence = "gave no verdict: Request timed out."
    assert all(text.endswith(sentence) for text in run.texts.values())
    assert run.text.count(f"{sentence}\n") == 2
    assert [one.verdict for row in kept(judged).rows for one in row.scores] == ["error"] * 2
    assert _junit(judged) == {"one": [Error] * 2}
    assert not list((judged.path / ".agentv/cache").glob("**/*.json"))


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
    reason = "the judge anthropic:claude-opus-4-6 cannot be asked: ANTHROPIC_API_KEY is not set"
    assert reason in run.text_of[NAME]
    assert "Pydantic AI" not in run.text_of[NAME]


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


def test_a_worker_that_dies_while_it_waits_is_no_pass(
    judged: EvalProject, server: JudgeServer
) -> None:
    judged.conftest(
        """\
        import os
        import pathlib

        def pytest_runtest_setup(item):
            if item.name.startswith("llm-rubric"):
                pathlib.Path("pid.part").write_text(str(os.getpid()))
                os.replace("pid.part", "pid")
        """
    )
    judged.assertions(RUBRIC, "contains: done")
    pid = judged.path / "pid"

    def kill(body: dict[str, Any]) -> dict[str, Any]:
        while not pid.exists():
            time.sleep(0.01)
        os.kill(int(pid.read_text()), signal.SIGKILL)
        server.script = [met(1)]
        return met(1)(body)

    server.script = [kill]
    run = judged.grade(ASKED, KEEP, *WORKERS)
    assert run.code == 1
    name = f"a.eval.yaml::one[claude-cli]::{NAME}"
    assert {run.outcomes.pop(name), *run.outcomes.values()} == {"error", "passed"}
    assert f"crashed while running '{name}'" in run.text
    assert re.search(rf"(?m)^FAILED {re.escape(name)}( - .*)?$", run.text)
    (row,) = kept(judged).rows
    assert verdicts(row) == {NAME: "error", "contains-done": "pass"}
    assert judged.grade(ASKED).by_name == {NAME: "passed", "contains-done": "passed"}
