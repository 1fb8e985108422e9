"""Assertions on what calls did, from YAML to the report, on sessions of every client."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from eval_runs import one_test
from made_calls import EXAMPLES

if TYPE_CHECKING:
    from eval_runs import EvalProject

GOOD = (
    "command-run: npm test*",
    '{type: command-run, command: "npm test*", exit_code: 0}',
    'not-command-run: "git push*"',
    "files-changed: README.md",
    "{type: files-changed, forbidden: [package.json]}",
    "files-read: src/app.js",
    "tool-errors: 3",
    "{type: tool-status, tool: edit}",
    "not-skill-used: deploy",
    "{type: skill-used, value: {name: deploy, max: 0}}",
    "no-loop: 2",
)
BAD = (
    'not-command-run: "npm test*"',
    "{type: files-changed, allowed: [src/*]}",
    "{type: tool-status, tool: shell}",
    "skill-used: deploy",
    "{type: no-loop, max: 1, total: 1}",
)


@pytest.mark.parametrize("client", EXAMPLES)
def test_one_eval_file_grades_the_sessions_of_every_client(
    project: EvalProject, client: str
) -> None:
    project.write("t.jsonl", EXAMPLES[client].read_bytes())
    project.eval_file(one_test(*GOOD).replace("id: one", "id: login-limit"))
    run = project.grade()
    assert set(run.outcomes.values()) == {"passed"}
    assert len(run.outcomes) == len(GOOD)
    project.eval_file(one_test(*BAD).replace("id: one", "id: login-limit"))
    run = project.grade()
    assert set(run.outcomes.values()) == {"failed"}
    text = run.text_of["not-command-run-npm-test"]
    assert "not: the session ran a command like 'npm test*'" in text
    assert "ran it 2 times" in text
    assert "npm test" in text.partition("message")[2]


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ("{type: command-run, value: x, exitcode: 0}", "unknown key 'exitcode'"),
        ("command-run: [x]", "`value` must be a text, not a list"),
        ("command-run: /(/", "is no regular expression"),
        ("{type: files-changed}", "needs `value`, `allowed`, `forbidden`, `min` or `max`"),
        ("{type: tool-status, tool: Bash, status: okay}", "or any, not 'okay'"),
        ("no-loop: 0", "must be at least 1"),
    ],
)
def test_a_wrong_entry_is_told_with_its_place(
    project: EvalProject, entry: str, problem: str
) -> None:
    project.assertions(entry)
    run = project.run()
    (text,) = run.problems.values()
    assert "a.eval.yaml:4:" in text
    assert problem in text
