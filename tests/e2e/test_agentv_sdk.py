"""Evaluators written with AgentV's own TypeScript library run here unchanged.

Nothing is downloaded: ``AGENTV_SDK_MODULES`` names a folder ``node_modules`` that holds the
library, ``@agentv/sdk``, and ``tsx``, which runs TypeScript.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from eval_runs import recorded

if TYPE_CHECKING:
    from eval_runs import EvalProject

MODULES = Path(os.environ.get("AGENTV_SDK_MODULES", ""))

pytestmark = [
    pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed"),
    pytest.mark.skipif(
        not all((MODULES / name).is_dir() for name in ("@agentv/sdk", "tsx")),
        reason="AGENTV_SDK_MODULES names no folder with @agentv/sdk and tsx",
    ),
]

# The library checks the types of all that it reads before the function is called.
CODE_GRADER = """
import { createTargetClient, defineCodeGrader } from '@agentv/sdk';

export default defineCodeGrader((given) => {
  const { config, expectedOutput, trace, traceSummary } = given;
  const calls = given.messages.flatMap((message) => message.toolCalls ?? []);
  const assertions: Array<{ text: string; passed: boolean }> = [
    { text: 'answer', passed: (given.output ?? '').length === config?.characters },
    { text: 'criteria', passed: given.criteria === 'Says 42' },
    { text: 'reference', passed: expectedOutput[0]?.content === '42' },
    { text: 'settings', passed: config?.maxWords === 5 && config?.threshold === 0.5 },
    { text: 'calls', passed: calls.map((call) => call.tool).join() === 'Read,Bash' },
    { text: 'summary', passed: traceSummary?.toolCalls.Read === 1 && trace?.errorCount === 1 },
    { text: 'events', passed: trace?.events.at(-1)?.type === 'final_response' },
    { text: 'figures', passed: given.costUsd === 0.01 && given.durationMs === 1500 },
    { text: 'tokens', passed: given.tokenUsage?.input === 100 && given.endTime === null },
    { text: 'no model', passed: createTargetClient() === undefined },
  ];
  const passed = assertions.filter((one) => one.passed).length;
  return { score: passed / assertions.length, assertions };
});
"""
ASSERTION = """
import { defineAssertion } from '@agentv/sdk';

export default defineAssertion(({ output }) => {
  const words = (output ?? '').trim().split(/\\s+/).filter(Boolean).length;
  return { pass: words >= 3, reason: `${words} words` };
});
"""
BROKEN = """
import { defineAssertion } from '@agentv/sdk';

export default defineAssertion(() => { throw new Error('no such thing'); });
"""


@pytest.fixture
def typescript(project: EvalProject) -> EvalProject:
    """A project with evaluators and the library that they need."""
    (project.path / "node_modules").symlink_to(MODULES.resolve())
    project.write("package.json", '{"type": "module"}')
    for name, code in {"code": CODE_GRADER, "words": ASSERTION, "broken": BROKEN}.items():
        project.write(f"{name}.ts", code)
    return project


@pytest.mark.parametrize("answer", ["The answer is 42.", "42 " * 20_000])
def test_an_evaluator_reads_all_that_the_library_knows(
    typescript: EvalProject, answer: str
) -> None:
    typescript.assertions(
        "{type: code-grader, command: [node, --import, tsx, code.ts], maxWords: 5, threshold: 0.5,"
        f" characters: {len(answer)}}}",
        test='criteria: Says 42\nexpected_output: "42"',
    )
    usage = {"input": 100, "output": 20, "cached": 5}
    session = recorded(answer, duration_ms=1500, cost_usd=0.01, token_usage=usage)
    calls = [
        {"id": "1", "tool": "Read", "input": {"file_path": "a.py"}, "output": "x", "status": "ok"},
        {"id": "2", "tool": "Bash", "input": {"command": "ls"}, "output": "", "status": "error"},
    ]
    session["output"].insert(1, {"role": "assistant", "tool_calls": calls})
    typescript.sessions(session)
    run = typescript.grade()
    assert set(run.outcomes.values()) == {"passed"}, run.text
    assert [one["agentv.score"] for one in run.properties.values()] == ["1"]


@pytest.mark.parametrize(("answer", "outcome"), [("It is done.", "passed"), ("Done.", "failed")])
def test_an_assertion_of_typescript_is_a_script(
    typescript: EvalProject, answer: str, outcome: str
) -> None:
    typescript.assertions("{type: script, command: [node, --import, tsx, words.ts]}")
    typescript.sessions(recorded(answer))
    assert list(typescript.grade().outcomes.values()) == [outcome]


def test_an_evaluator_that_breaks_down_is_an_error_negated_or_not(typescript: EvalProject) -> None:
    command = "command: [node, --import, tsx, broken.ts]"
    typescript.assertions(f"{{type: script, {command}}}", f"{{type: not-script, {command}}}")
    typescript.sessions(recorded("Done."))
    run = typescript.grade()
    assert set(run.outcomes.values()) == {"error"}
    assert all("no such thing" in text for text in run.texts.values())
