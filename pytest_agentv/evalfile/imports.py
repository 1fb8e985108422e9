"""Imports: tests of other files under a key of their own, as later versions of AgentV 4 have it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_agentv.evalfile.keys import ImportedKeys, ImportsKeys
from pytest_agentv.evalfile.tables import IMPORTED, IMPORTS, named_parts, validated
from pytest_agentv.evalfile.testlists import FoundTest, listed_tests

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_agentv.evalfile.cases import Cases, Layer
    from pytest_agentv.evalfile.loading import Loading
    from pytest_agentv.evalfile.placed import Part


class ImportedTest(NamedTuple):
    """A test of another file, and what its import says about it."""

    test: FoundTest
    settings: Layer


def imported_tests(part: Part, loading: Loading, cases: Cases) -> Iterator[ImportedTest]:
    """The tests of all imports, in order."""
    if not loading.is_mapping(part, "`imports`"):
        return
    before = len(loading.problems)
    parts = named_parts(part, IMPORTS, loading.problems)
    values = {name: one.data for name, one in parts.items()}
    validated(ImportsKeys, values, parts=parts, problems=loading.problems)
    tests = parts.get("tests")
    if tests is not None and loading.is_list(tests, "`tests` of `imports`"):
        for one in tests.elements():
            yield from _tests(one, loading, cases)
    if (tests is None or tests.data == []) and len(loading.problems) == before:
        loading.problems.add(part.at, "`imports` is empty: there is nothing to grade")


def _tests(part: Part, loading: Loading, cases: Cases) -> Iterator[ImportedTest]:
    if not loading.is_mapping(part, "an import"):
        return
    parts, _ = cases.parts(part, IMPORTED)
    # What `run` holds stands beside its keys now, and was looked at there.
    values = {name: one.data for name, one in parts.items() if name in ImportedKeys.model_fields}
    if validated(ImportedKeys, values, parts=parts, problems=loading.problems) is None:
        return
    if "path" not in parts:
        loading.problems.add(part.at, "`path` is missing in the import")
        return
    settings = cases.layer(parts, outer={}, tags=[])
    for test in listed_tests(parts["path"], loading):
        yield ImportedTest(test, settings)
