"""What AgentV's pages and examples show has a counterpart here, with the outcome they document.

Each file of ``tests/data/agentv/examples`` stands for some pages: an eval file of the same shape in
our own words, the files beside it, a session for each test, and what becomes of the assertions.
``tests/data/agentv/pages.yaml`` lists all pages, and which files stand for each or why none does.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from agentv_files import builtin_types
from eval_runs import recorded
from jsonschema import Draft202012Validator

from pytest_agentv.engine.schema import eval_file_schema

if TYPE_CHECKING:
    from eval_runs import EvalProject, EvalRun

FOLDER = Path(__file__).parents[1] / "data" / "agentv" / "examples"
REFUSED = FOLDER / "refused.yaml"
PAGES = FOLDER.parent / "pages.yaml"
EXAMPLES = sorted(path for path in FOLDER.glob("*.yaml") if path != REFUSED)
# The name of the program that runs these tests, where an eval file says PYTHON.
PYTHON = json.dumps(sys.executable)


def _read(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def _session(test: str, answer: str, calls: list[Any] | None = None, **fields: Any) -> Any:
    session = recorded(answer, test_id=test, **fields)
    # As in the first transcripts of AgentV: calls have a name, an input and no kind.
    del session["schema_version"]
    if calls:
        done = {"output": "done", "status": "ok"}
        made = [{**done, **({"tool": one} if isinstance(one, str) else one)} for one in calls]
        session["output"].insert(1, {"role": "assistant", "tool_calls": made})
    return session


def _outcomes(run: EvalRun) -> dict[str, dict[str, set[str]]]:
    """The names of assertions by test and outcome."""
    found: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for nodeid, outcome in run.outcomes.items():
        _, test, name = nodeid.split("::")
        found[test.partition("[")[0]][outcome].add(name)
    return {test: dict(outcomes) for test, outcomes in found.items()}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_has_the_outcome_that_is_documented(project: EvalProject, path: Path) -> None:
    example = _read(path)
    for name, content in example.get("files", {}).items():
        project.write(name, content)
    project.eval_file(example["eval"].replace("PYTHON", PYTHON), name="evals/a.eval.yaml")
    project.sessions(*(_session(test, **one) for test, one in example["sessions"].items()))
    run = project.grade()
    assert run.problems == {}
    assert _outcomes(run) == {
        test: {outcome: set(names) for outcome, names in outcomes.items()}
        for test, outcomes in example["outcomes"].items()
    }


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_editors_take_an_example_for_good(path: Path) -> None:
    check = Draft202012Validator(eval_file_schema(builtin_types()))
    errors = check.iter_errors(yaml.safe_load(_read(path)["eval"]))
    assert [(list(one.path), one.message[:200]) for one in errors] == []


def _counterparts() -> set[str]:
    """What pages may name: an example, a test of one, what is refused, and files of tests here."""
    tests = {f"{path.stem}/{test}" for path in EXAMPLES for test in _read(path)["outcomes"]}
    own = {path.stem for path in Path(__file__).parent.glob("test_agentv_*.py")}
    return {path.stem for path in EXAMPLES} | tests | own | {REFUSED.stem}


def test_every_page_has_a_counterpart_or_a_reason() -> None:
    parts = _read(PAGES)
    pages = {f"{part} {name}": told for part in parts for name, told in parts[part].items()}
    named = {one for told in pages.values() if isinstance(told, list) for one in told}
    assert named - _counterparts() == set()
    assert [name for name, told in pages.items() if not told] == []
    used = {one.partition("/")[0] for one in named}
    assert {path.stem for path in EXAMPLES} - used == set()


@pytest.mark.parametrize("refused", _read(REFUSED), ids=lambda one: one["reason"][:40])
def test_what_cannot_be_graded_is_refused_with_a_reason(
    project: EvalProject, refused: dict[str, Any]
) -> None:
    entry = refused.get("assert", {"type": "contains", "value": "x"})
    test = {"id": "one", "assert": [entry], **refused.get("test", {})}
    project.eval_file(json.dumps({"tests": [test], **refused.get("file", {})}))
    project.sessions(recorded("x"))
    run = project.grade()
    assert (run.code, run.outcomes) == (2, {})
    assert refused["reason"] in run.problems["a.eval.yaml"]
