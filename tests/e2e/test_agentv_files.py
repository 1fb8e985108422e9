"""Eval files of AgentV 4 and 5 run unchanged, with the outcomes that its documentation promises."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from agentv_files import agentv_file, builtin_types
from eval_runs import recorded
from jsonschema import Draft202012Validator

from pytest_agentv.engine.schema import eval_file_schema

if TYPE_CHECKING:
    from eval_runs import EvalProject, EvalRun

ANSWER = '{"status": "ok", "total": 42}'


def _call(tool: str, kind: str, call_id: str, **arguments: Any) -> dict[str, Any]:
    canonical = {"file_path": "path", "command": "command", "pattern": "pattern", "skill": "skill"}
    args = {canonical[key]: value for key, value in arguments.items() if key in canonical}
    return {
        "id": call_id, "tool": tool, "kind": kind, "input": arguments, "args": args,
        "paths": [arguments["file_path"]] if "file_path" in arguments else [],
        "output": "done", "status": "ok", "line": 4,
    }  # fmt: skip


def _session(*calls: dict[str, Any]) -> dict[str, Any]:
    session = recorded(
        ANSWER,
        duration_ms=1200,
        cost_usd=0.03,
        token_usage={"input": 3000, "output": 400, "cached": 100, "output_complete": True},
    )
    session["output"].insert(1, {"role": "assistant", "tool_calls": list(calls), "line": 4})
    return session


WORK = [
    _call("Read", "read", "1", file_path="src/a.py"),
    _call("Grep", "search", "2", pattern="bug"),
    _call("Read", "read", "3", file_path="src/b.py"),
    _call("Edit", "edit", "4", file_path="src/a.py", new_string="fixed"),
    _call("Bash", "shell", "5", command="pytest -q"),
]
SKILL = _call("Skill", "skill", "6", skill="review")


def _graded(project: EvalProject, name: str, *sessions: dict[str, Any]) -> EvalRun:
    project.eval_file(agentv_file(name))
    project.sessions(*sessions)
    # One of the files names a judge, for whom there is no key here.
    return project.grade("--agentv-judge=cached")


def _of(run: EvalRun, test: str, outcome: str) -> set[str]:
    """The names of a test's assertions that had an outcome."""
    return {
        nodeid.rpartition("::")[2]
        for nodeid, one in run.outcomes.items()
        if one == outcome and f"::{test}[" in nodeid
    }


@pytest.fixture
def version4(project: EvalProject) -> EvalRun:
    sessions = [_session(*WORK) for _ in range(7)]
    sessions[3] = _session(*WORK, SKILL)
    return _graded(project, "v4-types.yaml", *sessions)


@pytest.fixture
def version5(project: EvalProject) -> EvalRun:
    sessions = [_session(*WORK) for _ in range(6)]
    sessions[3] = _session(*WORK, SKILL)
    return _graded(project, "v5-types.yaml", *sessions)


def test_every_type_of_agentv_4_is_graded(version4: EvalRun) -> None:
    assert (version4.problems, version4.code) == ({}, 1)
    assert "error" not in version4.outcomes.values()
    assert _of(version4, "texts", "failed") == {"negated-and-false"}
    assert len(_of(version4, "texts", "passed")) == 12
    assert _of(version4, "figures", "failed") == {"too-slow", "too-many-calls"}
    assert len(_of(version4, "figures", "passed")) == 8
    assert _of(version4, "skills", "passed") == {"triggered", "rightly-not-triggered"}
    assert _of(version4, "skills", "failed") == {"wrongly-triggered"}
    assert _of(version4, "fields", "passed") == {"extracted"}
    assert len(_of(version4, "judged", "skipped")) == 4


def test_trajectories_of_agentv_4_are_graded_as_documented(version4: EvalRun) -> None:
    # AgentV passes extra calls in `exact`, and one forbidden call of five in `subset`.
    assert _of(version4, "tools", "failed") == {
        "not-in-order", "extra-calls-are-not-exact", "one-forbidden-of-five",
    }  # fmt: skip
    assert _of(version4, "tools", "passed") == {
        "at-least", "in-order", "exactly", "superset", "subset",
    }  # fmt: skip


def test_sets_of_agentv_4_are_graded_as_documented(version4: EvalRun) -> None:
    assert _of(version4, "sets", "passed") == {"all-must-pass", "half", "mean"}
    # AgentV forgets to negate a member, and passes it.
    assert _of(version4, "sets", "failed") == {"mean-too-low", "negated-member"}


def test_every_type_of_agentv_5_is_graded(version5: EvalRun) -> None:
    assert (version5.problems, version5.code) == ({}, 1)
    assert "error" not in version5.outcomes.values()
    assert _of(version5, "texts", "failed") == {"not-there"}
    assert len(_of(version5, "texts", "passed")) == 12
    assert len(_of(version5, "figures", "passed")) == 4
    # AgentV does not see the shell among the tools, nor any skill of a transcript.
    assert _of(version5, "tools", "failed") == {"shell-was-used", "whole-sequence"}
    assert _of(version5, "tools", "skipped") == {"goal"}
    assert len(_of(version5, "tools", "passed")) == 7
    assert _of(version5, "skills", "passed") == {"used", "pattern", "not-used"}
    assert _of(version5, "skills", "failed") == {"wrongly-used"}
    assert _of(version5, "sets", "passed") == {"all", "enough"}
    assert _of(version5, "sets", "failed") == {"negated-child"}
    assert len(_of(version5, "judged", "skipped")) == 3


def test_a_suite_of_agentv_4_runs_unchanged(project: EvalProject) -> None:
    answers = {"denied": "DENIED", "allowed": "CLEAR", "judged": "Hello"}
    run = _graded(
        project,
        "v4-suite.yaml",
        *(recorded(text, test_id=name, duration_ms=10) for name, text in answers.items()),
    )
    assert (run.problems, run.code) == ({}, 0)
    assert _of(run, "denied", "passed") == {
        "says-so",
        "icontains_any-denied-refused",
        "quick",
        "score",
    }
    assert len(_of(run, "denied", "skipped")) == 2
    assert _of(run, "allowed", "passed") == {"equals-CLEAR", "score"}
    assert "passed" not in {one for node, one in run.outcomes.items() if "::judged[" in node}


def test_a_suite_of_agentv_5_runs_unchanged(project: EvalProject) -> None:
    for name in ("v5-defaults.yaml", "v5-rows.csv"):
        project.write(name, agentv_file(name))
    root = "file://{{ env.AGENTV_REPO_ROOT }}"
    project.write(".agentv/config.yaml", f"refs: {{strict: '{root}/v5-defaults.yaml'}}\n")
    answers = {
        "july": "July notes",
        "test-2": "JUNE",
        "row": "August notes",
        "greets-spanish": "hola",
        "greets-french": "bonjour in French: SECRET",
    }
    run = _graded(
        project,
        "v5-suite.yaml",
        *(recorded(text, test_id=name, duration_ms=10) for name, text in answers.items()),
    )
    assert (run.problems, run.code) == ({}, 1)
    assert _of(run, "july", "passed") == {"names-July", "no-secret", "quick", "score"}
    assert _of(run, "test-2", "passed") == {"icontains-june", "score"}
    assert _of(run, "row", "passed") == {"named", "named-2", "no-secret", "quick", "score"}
    assert "score" in _of(run, "greets-spanish", "passed")
    assert _of(run, "greets-french", "xfailed") == {"no-secret"}
    assert _of(run, "greets-french", "failed") == {"score"}


@pytest.mark.parametrize(
    "name", ["v4-suite.yaml", "v4-types.yaml", "v5-suite.yaml", "v5-types.yaml"]
)
def test_editors_take_the_files_for_good(name: str) -> None:
    check = Draft202012Validator(eval_file_schema(builtin_types()))
    errors = check.iter_errors(yaml.safe_load(agentv_file(name)))
    assert [(list(one.path), one.message[:200]) for one in errors] == []


FIVE = "".join(f"      - {{type: contains, value: {word}}}\n" for word in ("a", "b", "c", "d", "q"))


@pytest.mark.parametrize(("threshold", "code"), [("", 1), ("    execution: {threshold: 0.8}\n", 0)])
def test_four_of_five_are_enough_only_if_the_file_says_so(
    project: EvalProject, threshold: str, code: int
) -> None:
    project.eval_file(f"tests:\n  - id: one\n{threshold}    assertions:\n{FIVE}")
    project.sessions(recorded("a b c d"))
    run = project.grade()
    assert run.code == code
    assert run.by_name["contains-q"] == ("failed" if code else "xfailed")


@pytest.mark.parametrize(
    ("entry", "outcome"),
    [
        # Each of these passes in AgentV.
        ("{type: cost, budget: 1, negate: true}", "skipped"),
        ("{type: token-usage, max_total: 1, negate: true}", "skipped"),
        ("{type: execution-metrics, max_cost_usd: 1, negate: true}", "skipped"),
        ("{type: code-grader, command: [no-such-program], negate: true}", "error"),
    ],
)
def test_what_cannot_be_graded_is_no_pass_when_negated(
    project: EvalProject, entry: str, outcome: str
) -> None:
    project.assertions(entry)
    project.sessions(recorded("Done"))
    assert list(project.grade().outcomes.values()) == [outcome]


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        # Each of these is left out with a warning in AgentV, or passes when it is negated.
        ("{type: contains, value: 42}", "`contains`: `value` must be a text, not 42; quote it"),
        ("{type: contains, value: ''}", "`contains`: `value` must not be empty"),
        ("{type: regex, value: '([unclosed', negate: true}", "`regex`: `value`"),
        ("{type: latency, max: 5}", "`latency`: unknown key 'max'"),
        ("{type: latency, max_ms: 5, threshold: 6}", "'threshold' is another name of a key"),
        ("{type: cost, max_usd: 1, budget: 2}", "'budget' is another name of a key"),
        ("{type: contains, value: x, weight: -1}", "`weight` must be at least 0, not -1"),
        ("{type: no-such-type, value: x}", "unknown assertion type 'no-such-type'; known: "),
        ("{type: tool-trajectory, mode: in_order, expected: [{}]}", "`tool-trajectory`: "),
    ],
)
def test_what_is_malformed_is_an_error_and_never_left_out(
    project: EvalProject, entry: str, problem: str
) -> None:
    project.assertions(entry, "contains: Done")
    project.sessions(recorded("Done"))
    run = project.grade()
    assert (run.code, run.outcomes) == (2, {})
    assert problem in run.problems["a.eval.yaml"]


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("code-grader", {"score": 1, "assertions": [{"text": "good", "passed": True}]}),
        ("script", {"pass": True, "checks": [{"text": "good", "pass": True, "reason": "is"}]}),
    ],
)
def test_a_program_that_grades_for_agentv_grades_here(
    project: EvalProject, kind: str, said: dict[str, Any]
) -> None:
    program = f"""\
        import json, sys
        assert json.load(sys.stdin)["output"] == "Done"
        print({json.dumps(json.dumps(said))})
        """
    project.write("check.py", program)
    project.assertions(f"{{type: {kind}, command: [{json.dumps(sys.executable)}, check.py]}}")
    project.sessions(recorded("Done"))
    assert list(project.grade().outcomes.values()) == ["passed"]
