"""Evaluators written as AgentV's pages show them run here unchanged, in the languages of its pages.

The helpers of its TypeScript library are in no package on npm: there are only `agentv` and
`@agentv/core`, up to 4.42.4, and they hold none. These evaluators speak the protocol themselves, as
graders/code-graders, graders/script-graders and evaluation/batch-cli do. What is written with the
library runs in `test_agentv_sdk`, if it is there.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import cache
from typing import TYPE_CHECKING

import pytest
from eval_runs import recorded

if TYPE_CHECKING:
    from eval_runs import EvalProject

# AgentV 4: the answer is looked at, and each thing that was checked is told.
CODE_GRADER = """
import { readFileSync } from "fs";

const data = JSON.parse(readFileSync("/dev/stdin", "utf-8"));
const output = data.output ?? "";
const assertions = [];
if (output.includes("42")) {
  assertions.push({ text: "The value is there", passed: true });
} else {
  assertions.push({ text: "The value is missing", passed: false });
}
const passed = assertions.filter((one) => one.passed).length;
console.log(JSON.stringify({ score: passed > 0 ? 1.0 : 0.0, assertions }));
"""
# AgentV 5: the same with its other names.
SCRIPT_GRADER = """
import { readFileSync } from "fs";

const data = JSON.parse(readFileSync("/dev/stdin", "utf-8"));
const checks = [
  { text: "value", pass: (data.output ?? "").includes("42"), reason: "as read" },
  { text: "calls", pass: data.trace_summary.tool_calls.search === 1, reason: "as counted" },
];
const passed = checks.filter((check) => check.pass).length;
console.log(JSON.stringify({
  pass: passed === checks.length, score: passed / checks.length, reason: `${passed} hold`, checks,
}));
"""
# AgentV 4, with types and what only TypeScript knows.
TYPED_GRADER = """
import { readFileSync } from "fs";

type Given = { output?: string; messages?: Array<{ role: string; content?: unknown }> };
const data = JSON.parse(readFileSync("/dev/stdin", "utf-8")) as Given;
const output: string = data.output ?? "";
const assertions: Array<{ text: string; passed: boolean }> = [];
assertions.push({ text: "value", passed: output.includes("42") });
assertions.push({ text: "messages", passed: (data.messages ?? []).length > 1 });
const passed = assertions.filter((one) => one.passed).length;
console.log(JSON.stringify({ score: passed / assertions.length, assertions }));
"""
# The batch of AgentV 4: standard input by its number, a reference that is an object.
BATCH_GRADER = """
const fs = require("node:fs");

function main() {
  const input = JSON.parse(fs.readFileSync(0, "utf8"));
  const [wanted] = input.expected_output.map((one) => one.content.decision);
  let said;
  try {
    said = JSON.parse(input.output ?? "").decision;
  } catch {
    said = undefined;
  }
  const assertions = [{ text: `${wanted} / ${said}`, passed: wanted === said }];
  const score = assertions.every((one) => one.passed) ? 1 : 0;
  process.stdout.write(JSON.stringify({ score, assertions, reasoning: "compared" }));
}

main();
"""
PYTHON_GRADER = """\
#!/usr/bin/env python3
import json, sys

def evaluate(data):
    assertions = [{"text": word, "passed": word in (data.get("output") or "")} for word in ("42",)]
    passed = sum(1 for one in assertions if one["passed"])
    return {"score": passed / max(len(assertions), 1), "assertions": assertions}

if __name__ == "__main__":
    try:
        print(json.dumps(evaluate(json.loads(sys.stdin.read()))))
    except Exception as e:
        print(json.dumps({"score": 0, "assertions": [{"text": str(e), "passed": False}]}))
        sys.exit(1)
"""
SHELL_GRADER = """\
#!/bin/bash
lines=$(wc -l < notes.txt)
if [ "$lines" -ge 2 ]; then
  echo "there are $lines lines"
else
  echo "there are only $lines lines"
  exit 1
fi
"""
FILES = {
    "validators/answer.mjs": CODE_GRADER,
    "validators/checks.mjs": SCRIPT_GRADER,
    "validators/typed.ts": TYPED_GRADER,
    "scripts/batch.cjs": BATCH_GRADER,
    "validators/answer.py": PYTHON_GRADER,
    "scripts/lines.sh": SHELL_GRADER,
    "notes.txt": "one\ntwo\n",
}
TYPES = ("code-grader", "script")
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")


@cache
def _typescript() -> str | None:
    """What runs TypeScript here: bun, as on the pages, tsx, or a node that knows it."""
    for command in ("bun, run", "tsx"):
        if shutil.which(command.partition(",")[0]):
            return command
    node = shutil.which("node")
    if node is None:
        return None
    told = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout
    version = tuple(map(int, re.findall(r"\d+", told)[:2]))
    return "node" if version >= (22, 18) else None


@pytest.fixture
def evaluators(project: EvalProject) -> EvalProject:
    """A project with evaluators as the pages have them."""
    for name, content in FILES.items():
        project.write(name, content)
    (project.path / "validators/answer.py").chmod(0o755)
    return project


def _graded(project: EvalProject, answer: str, *entries: str) -> list[str]:
    project.assertions(*entries, test="expected_output: {decision: CLEAR}")
    session = recorded(answer)
    call = {"tool": "search", "input": {}, "output": "x", "status": "ok"}
    session["output"].insert(1, {"role": "assistant", "tool_calls": [call]})
    project.sessions(session)
    run = project.grade()
    assert run.problems == {}, run.text
    return list(run.outcomes.values())


@needs_node
@pytest.mark.parametrize(
    ("answer", "outcomes"),
    [
        ('{"decision": "CLEAR", "value": 42}', ["passed", "passed", "passed"]),
        ("43", ["failed", "failed", "failed"]),
    ],
)
def test_evaluators_of_javascript(
    evaluators: EvalProject, answer: str, outcomes: list[str]
) -> None:
    found = _graded(
        evaluators,
        answer,
        "{type: code-grader, command: [node, validators/answer.mjs]}",
        "{type: script, command: [node, ./validators/checks.mjs]}",
        "{type: code-grader, command: [node, ./scripts/batch.cjs], cwd: .}",
    )
    assert found == outcomes


@pytest.mark.parametrize(("answer", "outcome"), [("It is 42.", "passed"), ("It is 43.", "failed")])
def test_an_evaluator_of_typescript(evaluators: EvalProject, answer: str, outcome: str) -> None:
    runner = _typescript()
    if runner is None:
        pytest.skip("neither bun nor tsx nor node 22.18 is installed")
    evaluators.write("package.json", '{"type": "module"}')
    entry = f"{{type: code-grader, command: [{runner}, validators/typed.ts]}}"
    assert _graded(evaluators, answer, entry) == [outcome]


@pytest.mark.parametrize(("answer", "outcome"), [("It is 42.", "passed"), ("It is 43.", "failed")])
def test_an_evaluator_of_python_is_a_program_of_its_own(
    evaluators: EvalProject, answer: str, outcome: str
) -> None:
    entries = [f"{{type: {type_}, command: [./validators/answer.py]}}" for type_ in TYPES]
    assert _graded(evaluators, answer, *entries) == [outcome, outcome]


@pytest.mark.parametrize(("lines", "outcome"), [(2, "passed"), (1, "failed")])
def test_an_evaluator_may_say_so_by_its_exit_code(
    evaluators: EvalProject, lines: int, outcome: str
) -> None:
    evaluators.write("notes.txt", "line\n" * lines)
    found = _graded(
        evaluators,
        "Done.",
        "{type: code-grader, command: [bash, scripts/lines.sh]}",
        '{type: script, command: [bash, -c, "[ $(wc -l < notes.txt) -ge 2 ]"]}',
    )
    assert found == [outcome, outcome]
