"""Loading an eval file: everything that it says, or everything that is wrong with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_agentv.errors import EvalFileError, Problem
from pytest_agentv.evalfile.cases import Cases, Layer, texts
from pytest_agentv.evalfile.keys import FileKeys
from pytest_agentv.evalfile.loading import Loading
from pytest_agentv.evalfile.model import EvalFile
from pytest_agentv.evalfile.placed import shown
from pytest_agentv.evalfile.problems import Growth, Problems
from pytest_agentv.evalfile.sources import SCHEME, Sources
from pytest_agentv.evalfile.tables import FILE, TESTS_FILE, named_parts, validated

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from pytest_agentv.evalfile.model import Entry
    from pytest_agentv.evalfile.placed import Part

# What a name of files, and a test in one of them, add to the growth of a file.
_REFERENCE_SIZE = 10_000
_TEST_SIZE = 300
_TEST_FILES = (".csv", ".json", ".jsonl", ".yaml", ".yml")


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
        tags=keys.tags if keys else [],
    )
    layers = (_default_test(parts.get("default_test"), cases, file_layer, loading), file_layer)
    tests = _tests(document, parts.get("tests"), loading)
    made = [cases.case(one, number=n, layers=layers) for n, one in enumerate(tests, 1)]
    if keys is None:
        return None
    return EvalFile(
        path=document.file,
        cases=tuple(case for case in made if case is not None),
        name=keys.name,
        description=keys.description,
        transcript=texts(keys.transcript),
    )


def _default_test(part: Part | None, cases: Cases, outer: Layer, loading: Loading) -> Layer:
    if part is None:
        return Layer()
    if isinstance(part.data, str) and part.data.startswith(SCHEME):
        with loading.problems.gathered():
            path = loading.sources.named(part.data, by=part)
            return cases.defaults(loading.sources.document(path), outer=outer.variables)
        return Layer()
    return cases.defaults(part, outer=outer.variables)


def _tests(document: Part, part: Part | None, loading: Loading) -> list[Part]:
    """The tests of an eval file, in order, wherever they stand."""
    if part is None:
        loading.problems.add(document.at, "`tests` is missing")
        return []
    before = len(loading.problems)
    tests = list(_listed(part, loading))
    if not tests and len(loading.problems) == before:
        loading.problems.add(part.at, "`tests` is empty: there is nothing to grade")
    return tests


def _listed(part: Part, loading: Loading) -> Iterator[Part]:
    if isinstance(part.data, str):
        yield from _tests_named(part, loading)
    elif loading.is_list(part, "`tests`"):
        for one in part.elements():
            is_reference = isinstance(one.data, str) and one.data.startswith(SCHEME)
            yield from _tests_named(one, loading) if is_reference else [one]


def _tests_named(part: Part, loading: Loading) -> Iterator[Part]:
    """The tests in the files that a path or a pattern names."""
    loading.growth.add(_REFERENCE_SIZE, by=part)
    with loading.problems.gathered():
        for path in loading.sources.matching(part.data, by=part):
            if path.suffix.lower() not in _TEST_FILES:
                message = f"{shown(path.name)} is no file of tests: {', '.join(_TEST_FILES)}"
                raise EvalFileError([Problem(part.at, message)])
            tests = _tests_in(path, loading)
            loading.growth.add(_TEST_SIZE * len(tests), by=part)
            yield from tests


def _tests_in(path: Path, loading: Loading) -> list[Part]:
    rows = loading.sources.rows(path)
    if rows is not None:
        return rows
    document = loading.sources.document(path)
    if isinstance(document.data, dict):
        if not {"tests", *TESTS_FILE.aliases} & set(document.data):
            return [document]  # a file for each test
        document = named_parts(document, TESTS_FILE, loading.problems)["tests"]
    return list(document.elements()) if loading.is_list(document, "a file of tests") else []
