"""Where the tests of an eval file stand: in its own list, in other files, in folders of cases."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from pytest_agentv.errors import EvalFileError, Problem
from pytest_agentv.evalfile.foreign import GENERATED, NOT_GENERATED
from pytest_agentv.evalfile.placed import shown
from pytest_agentv.evalfile.tables import TESTS_FILE, named_parts

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_agentv.evalfile.loading import Loading
    from pytest_agentv.evalfile.placed import Part

# What a name of files, and a test in one of them, add to the growth of a file.
REFERENCE_SIZE = 10_000
_TEST_SIZE = 300
_TEST_FILES = (".csv", ".json", ".jsonl", ".yaml", ".yml")
# The file of a case that has a folder of its own.
_CASE_FILES = ("case.yaml", "case.yml")


class FoundTest(NamedTuple):
    """A test, and what it is called if it does not say so itself."""

    part: Part
    name: str | None = None


def listed_tests(part: Part, loading: Loading) -> Iterator[FoundTest]:
    """The tests of a list, or of the files that a text names, in order."""
    if isinstance(part.data, str):
        yield from _named(part, loading)
    elif loading.is_list(part, "`tests`"):
        for one in part.elements():
            yield from _named(one, loading) if isinstance(one.data, str) else [FoundTest(one)]


def _named(part: Part, loading: Loading) -> Iterator[FoundTest]:
    """The tests in the files that a path or a pattern names."""
    loading.growth.add(REFERENCE_SIZE, by=part)
    reference = loading.scope().filled(part)
    with loading.problems.gathered():
        if re.fullmatch(GENERATED, reference):
            raise EvalFileError([Problem(part.at, f"{shown(part.data)}: {NOT_GENERATED}")])
        for path in loading.sources.matching(reference, by=part):
            tests = (
                list(_in_folders(path, part, loading))
                if path.is_dir()
                else _in_file(path, part, loading)
            )
            loading.growth.add(_TEST_SIZE * len(tests), by=part)
            yield from tests


def _in_folders(folder: Path, part: Part, loading: Loading) -> Iterator[FoundTest]:
    """The cases that have a folder each, which names them."""
    folders = loading.sources.folders(folder, by=part)
    if not folders:
        loading.problems.add(part.at, f"{shown(folder.name)} has no folders with a case each")
    for one in folders:
        paths = (one / name for name in _CASE_FILES)
        path = next((path for path in paths if path.exists()), None)
        if path is None:
            message = f"{shown(f'{folder.name}/{one.name}')} has no {_CASE_FILES[0]}"
            loading.problems.add(part.at, message)
            continue
        with loading.problems.gathered():
            document = loading.sources.document(loading.sources.named(str(path), by=part))
            yield FoundTest(document, one.name)


def _in_file(path: Path, part: Part, loading: Loading) -> list[FoundTest]:
    if path.suffix.lower() not in _TEST_FILES:
        message = f"{shown(path.name)} is no file of tests: {', '.join(_TEST_FILES)}"
        raise EvalFileError([Problem(part.at, message)])
    rows = loading.sources.rows(path)
    if rows is not None:
        return [FoundTest(row) for row in rows]
    document = loading.sources.document(path)
    if isinstance(document.data, dict):
        if not {"tests", *TESTS_FILE.aliases} & set(document.data):
            return [FoundTest(document)]  # a file for each test
        tests = named_parts(document, TESTS_FILE, loading.problems).get("tests")
        if tests is None:  # it is empty, which is a problem already
            return []
        document = tests
    if not loading.is_list(document, "a file of tests"):
        return []
    return [FoundTest(one) for one in document.elements()]
