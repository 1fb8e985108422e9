"""Loading an eval file: everything that it says, or everything that is wrong with it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_agentv.errors import EvalFileError, Problem
from pytest_agentv.evalfile.cases import Cases, Layer, Naming, texts
from pytest_agentv.evalfile.imports import imported_tests
from pytest_agentv.evalfile.inputs import sole_prompt
from pytest_agentv.evalfile.keys import FileKeys
from pytest_agentv.evalfile.loading import Loading
from pytest_agentv.evalfile.model import EvalFile
from pytest_agentv.evalfile.placed import holds, shown
from pytest_agentv.evalfile.problems import Growth, Problems, suggestion
from pytest_agentv.evalfile.prompts import judge_model
from pytest_agentv.evalfile.scenarios import scenario_tests
from pytest_agentv.evalfile.sources import REF_SCHEME, SCHEME, Sources
from pytest_agentv.evalfile.tables import FILE, validated
from pytest_agentv.evalfile.testlists import listed_tests

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from pytest_agentv.evalfile.model import Entry
    from pytest_agentv.evalfile.placed import Part
    from pytest_agentv.evalfile.testlists import FoundTest


def load_eval_file(
    path: Path,
    *,
    root: Path,
    env: Mapping[str, str] | None = None,
    check: Callable[[Entry], Iterable[Problem]] | None = None,
) -> EvalFile:
    """Load an eval file with all that it names; raises EvalFileError with every problem.

    Files that it names must lie below ``root``. ``env`` is the part of the environment that
    templates may use; if it is not known, such templates are left as they are. ``check`` finds
    more problems of an assertion: those that only somebody sees who knows what its type means.
    """
    problems = Problems()
    loading = Loading(Sources(root, problems), problems, Growth(), env, check)
    eval_file = None
    with problems.gathered():
        eval_file = _eval_file(loading.sources.document(path), loading)
    problems.raise_any()
    assert eval_file is not None, "what is not loaded has a problem"
    return eval_file


def _eval_file(document: Part, loading: Loading) -> EvalFile | None:
    if not loading.is_mapping(document, "an eval file"):
        return None
    cases = Cases(loading)
    parts, _ = cases.parts(document, FILE)
    values = {name: part.data for name, part in parts.items()}
    keys = validated(FileKeys, values, parts=parts, problems=loading.problems)
    file_layer = cases.layer(
        {name: part for name, part in parts.items() if name != "transcript"},
        outer={},
        tags=keys.tags if keys and isinstance(keys.tags, list) else [],
    )
    file_layer = replace(file_layer, prompt=sole_prompt(document))
    layers = (_default_test(parts.get("default_test"), cases, file_layer, loading), file_layer)
    imports = parts.get("imports")
    imported = list(imported_tests(imports, loading, cases)) if imports else []
    made = [
        cases.case(part, naming=Naming(number, name), layers=(settings, *layers))
        for number, ((part, name), settings) in enumerate(imported, 1)
    ]
    tests = _tests(document, parts, loading)
    made += [
        cases.case(part, naming=Naming(number, name), layers=layers)
        for number, (part, name) in enumerate(tests, len(made) + 1)
    ]
    if "scenarios" in parts:
        outer = {**file_layer.variables, **layers[0].variables}
        before = len(loading.problems)
        rows = list(scenario_tests(parts["scenarios"], loading, cases, outer=outer))
        if not rows and len(loading.problems) == before:
            loading.problems.add(
                parts["scenarios"].at, "`scenarios` is empty: there is nothing to grade"
            )
        made += [
            cases.case(part, naming=Naming(number, name, suffix), layers=(settings, *layers))
            for number, ((part, name), settings, suffix) in enumerate(rows, len(made) + 1)
        ]
    if keys is None:
        return None
    return EvalFile(
        path=document.file,
        cases=tuple(case for case in made if case is not None),
        name=keys.name,
        description=keys.description,
        category=keys.category,
        transcript=texts(keys.transcript),
        judge_model=judge_model(document.data),
    )


def _default_test(part: Part | None, cases: Cases, outer: Layer, loading: Loading) -> Layer:
    if part is None:
        return Layer()
    if isinstance(part.data, str) and part.data.startswith((SCHEME, REF_SCHEME)):
        with loading.problems.gathered():
            by = _referred(part, loading) if part.data.startswith(REF_SCHEME) else part
            path = loading.sources.named(loading.scope().filled(by), by=by)
            return cases.defaults(loading.sources.document(path), outer=outer.variables)
        return Layer()
    return cases.defaults(part, outer=outer.variables)


def _referred(part: Part, loading: Loading) -> Part:
    """The name of a file that AgentV's settings have under ``refs``; raises EvalFileError."""
    name = part.data.removeprefix(REF_SCHEME)
    settings = loading.sources.settings(by=part)
    refs = settings.child("refs") if holds(settings.data, "refs") else settings
    if not isinstance(refs.data, dict) or refs is settings or name not in refs.data:
        known = refs.data if refs is not settings and isinstance(refs.data, dict) else ()
        message = f"no {shown(name)} under `refs` in {settings.file}; {suggestion(name, known)}"
        raise EvalFileError([Problem(part.at, message)])
    found = refs.child(name)
    if not isinstance(found.data, str) or not found.data.startswith(SCHEME):
        message = f"a reference must be {SCHEME}…, not {shown(found.data)}"
        raise EvalFileError([Problem(found.at, message)])
    return found


def _tests(document: Part, parts: Mapping[str, Part], loading: Loading) -> list[FoundTest]:
    """The tests of an eval file, in order, wherever they stand; but for those of scenarios."""
    part = parts.get("tests")
    if part is None:
        if not {"imports", "scenarios"} & parts.keys():
            loading.problems.add(document.at, f"`tests` is missing{_beside(document.file)}")
        return []
    before = len(loading.problems)
    tests = list(listed_tests(part, loading))
    if not tests and len(loading.problems) == before:
        loading.problems.add(part.at, "`tests` is empty: there is nothing to grade")
    return tests


def _beside(file: Path) -> str:
    """A hint at the tests that AgentV finds by their file's name alone."""
    name = f"{file.name.partition('.')[0]}.jsonl"
    return f"; write `tests: {SCHEME}{name}`" if (file.parent / name).is_file() else ""
