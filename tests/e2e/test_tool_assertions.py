"""Assertions on trajectories, from YAML to the text of a failure."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING, Any

import pytest
from eval_runs import recorded

if TYPE_CHECKING:
    from eval_runs import EvalProject

DOCS = Path(__file__).parents[2] / "docs"


def _call(tool: str, kind: str, line: int, **args: str) -> dict[str, Any]:
    return {"line": line, "tool": tool, "kind": kind, "input": args, "args": args, "status": "ok"}


def _session(*calls: dict[str, Any], provider: str = "claude-cli") -> dict[str, Any]:
    session = recorded(provider=provider)
    session["output"].insert(1, {"role": "assistant", "line": 4, "tool_calls": list(calls)})
    return session


WORK = _session(
    _call("Read", "read", 4, path="src/index.ts"),
    _call("Edit", "edit", 6, path="src/login.ts"),
    _call("Bash", "shell", 8, command="npm test"),
)


def test_one_entry_grades_the_sessions_of_every_client(project: EvalProject) -> None:
    project.assertions(
        "tool-trajectory: [read, {tool: edit, args: {path: src/*}}, shell]",
        "{type: tool-trajectory, mode: subset, expected: [read, edit, shell], metric: subset}",
        "not-trajectory:tool-used: rm*",
        "tool-order: {before: edit, after: {tool: shell, args: {command: '*test*'}}}",
    )
    codex = _session(
        _call("read_file", "read", 4, path="src/index.ts"),
        _call("apply_patch", "edit", 5, path="src/login.ts"),
        _call("exec_command", "shell", 6, command="npm test"),
        provider="codex-cli",
    )
    copilot = _session(
        _call("view", "read", 4, path="src/index.ts"),
        _call("str_replace", "edit", 5, path="src/login.ts"),
        _call("bash", "shell", 6, command="npm test"),
        provider="copilot-cli",
    )
    for session in (WORK, codex, copilot):
        project.sessions(session)
        run = project.grade()
        assert set(run.outcomes.values()) == {"passed"}
        assert run.code == 0


def test_a_failure_shows_both_sides_and_the_deciding_call(project: EvalProject) -> None:
    project.assertions(
        "{type: tool-trajectory, metric: path, expected:"
        " [read, {tool: edit, args: {path: '**/auth.*'}}, fetch]}"
    )
    project.sessions(WORK)
    why = "edit path='**/auth.*' was called with another path"
    assert project.grade().text_of["path"].splitlines() == [
        "a.eval.yaml:4: path does not hold (claude-cli)",
        "  expected: the session called, in this order, read, edit path='**/auth.*', fetch",
        f"  found:    1 of 3 expected calls found in this order; {why}; fetch was not called",
        "  session:  0763061e-9c91-4dee-9373-3bd69c817fd4 t.jsonl:1",
        "  at message 2, line 6 of the session:",
        "  | Edit src/login.ts",
        "  details:",
        "      expected              | called",
        "    = read                  | Read src/index.ts (message 2, line 4)",
        "    ~ edit path='**/auth.*' | Edit src/login.ts (message 2, line 6)",
        "    - fetch                 |",
        "    +                       | Bash npm test (message 2, line 8)",
        "",
        "    edit path='**/auth.*' is not Edit src/login.ts (message 2, line 6):",
        "    path: expected '**/auth.*', found 'src/login.ts'",
        "",
        "    1 of 3 expected, 3 calls made: precision 0.333, recall 0.333, F1 0.333",
    ]


def test_a_forbidden_tool_that_was_used_fails_with_its_place(project: EvalProject) -> None:
    project.assertions("not-trajectory:tool-used: npm *", "not-trajectory:tool-used: rm *")
    project.sessions(WORK)
    run = project.grade()
    assert run.by_name == {
        "not-trajectory:tool-used-npm": "failed",
        "not-trajectory:tool-used-rm": "passed",
    }
    assert "at message 2, line 8 of the session" in run.text_of["not-trajectory:tool-used-npm"]


def test_what_the_session_does_not_say_is_skipped_both_ways(project: EvalProject) -> None:
    entry = "type: {}tool-trajectory, expected: [{{tool: shell, max_duration_ms: 500}}]"
    project.assertions(f"{{{entry.format('')}}}", f"{{{entry.format('not-')}}}")
    project.sessions(WORK)
    run = project.grade()
    assert set(run.outcomes.values()) == {"skipped"}
    assert "does not say how long Bash npm test took" in run.text_of["tool-trajectory"]


def test_a_pattern_that_takes_too_long_is_an_error_both_ways(
    project: EvalProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pytest_agentv.graders.patterns.SEARCH_SECONDS", 0.2)
    entry = "type: {}tool-trajectory, expected: [{{tool: shell, args: {{command: '/(a|aa)+$b/'}}}}]"
    project.assertions(f"{{{entry.format('')}}}", f"{{{entry.format('not-')}}}")
    project.sessions(_session(_call("Bash", "shell", 4, command="a" * 50_000)))
    assert set(project.grade().outcomes.values()) == {"error"}


@pytest.mark.parametrize(
    ("assertion", "problem"),
    [
        ("tool-trajectory: []", "`expected` must not be empty: every session does nothing"),
        ("{type: tool-trajectory, expected: [{tol: read}]}", "unknown key 'tol'"),
        ("{type: tool-trajectory, mode: in-order, expected: [a]}", "`mode` must be 'in_order'"),
        ("tool-trajectory: [{tool: a, args: {b: '/(/'}}]", "is no regular expression"),
        ("trajectory:tool-used: 3", "must be a name or a mapping, not 3"),
        ("trajectory:tool-used: {name: a, min: two}", "`value.min` must be a whole number"),
        ("trajectory:tool-sequence: {steps: [{name: a, type: span}]}", "`value.steps[0].type`"),
        ("trajectory:step-count: {type: tool}", "needs `min` or `max`"),
        ("tool-order: [a]", "must be a list of at least two calls"),
    ],
)
def test_a_bad_entry_is_an_error_of_the_file(
    project: EvalProject, assertion: str, problem: str
) -> None:
    project.assertions(assertion)
    project.sessions(WORK)
    run = project.grade()
    assert run.outcomes == {}
    assert problem in run.problems["a.eval.yaml"]


def test_the_examples_of_the_documentation_are_taken(project: EvalProject) -> None:
    if not DOCS.is_dir():
        pytest.skip("the tests run without the documentation")
    page = (DOCS / "assertions.md").read_text(encoding="utf-8")
    section = page.partition("\n## Trajectories\n")[2].partition("\n## ")[0]
    [example] = re.findall(r"^```yaml\n(.*?)^```$", section, flags=re.MULTILINE | re.DOTALL)
    project.eval_file("tests:\n  - id: one\n    assert:\n" + indent(example, "      "))
    project.sessions(WORK)
    run = project.grade()
    assert run.problems == {}
    assert "error" not in run.outcomes.values()
    assert len(run.outcomes) == example.count("\n- ") + 1
