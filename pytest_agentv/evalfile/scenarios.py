"""Scenarios: tests that are there once for every row of settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_agentv.errors import EvalFileError, Problem
from pytest_agentv.evalfile.keys import RowKeys, ScenarioKeys
from pytest_agentv.evalfile.placed import plain, shown
from pytest_agentv.evalfile.sources import SCHEME
from pytest_agentv.evalfile.tables import ROW, SCENARIO, named_parts, validated
from pytest_agentv.evalfile.templates import has_template
from pytest_agentv.evalfile.testlists import REFERENCE_SIZE, FoundTest, listed_tests

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from pytest_agentv.evalfile.cases import Cases, Layer
    from pytest_agentv.evalfile.loading import Loading
    from pytest_agentv.evalfile.placed import Part

# What a test for a row adds to the growth of a file: few lines may make very many of them.
_COMBINATION_SIZE = 1000


class ScenarioTest(NamedTuple):
    """A test for one row of settings."""

    test: FoundTest
    settings: Layer
    # What makes its id differ from those of the same test for other rows.
    suffix: str


def scenario_tests(
    part: Part, loading: Loading, cases: Cases, *, outer: Mapping[str, Any]
) -> Iterator[ScenarioTest]:
    """The tests of all scenarios, those of each row together."""
    if not loading.is_list(part, "`scenarios`"):
        return
    for one in part.elements():
        for scenario in _scenarios(one, loading):
            yield from _tests(scenario, loading, cases, outer)


def _scenarios(part: Part, loading: Loading) -> Iterator[Part]:
    """A scenario, or those of the files that a text names."""
    if not isinstance(part.data, str):
        yield part
        return
    loading.growth.add(REFERENCE_SIZE, by=part)
    with loading.problems.gathered():
        if not part.data.startswith(SCHEME):
            message = f"a scenario must be a mapping or {SCHEME}…, not {shown(part.data)}"
            raise EvalFileError([Problem(part.at, message)])
        for path in loading.sources.matching(loading.scope().filled(part), by=part):
            document = loading.sources.document(path)
            if isinstance(document.data, dict) and "scenarios" in document.data:
                document = document.child("scenarios")
            if loading.is_list(document, "a file of scenarios"):
                yield from document.elements()


def _tests(
    part: Part, loading: Loading, cases: Cases, outer: Mapping[str, Any]
) -> Iterator[ScenarioTest]:
    if not loading.is_mapping(part, "a scenario"):
        return
    parts = named_parts(part, SCENARIO, loading.problems)
    values = {name: one.data for name, one in parts.items()}
    validated(ScenarioKeys, values, parts=parts, problems=loading.problems)
    for key in ("config", "tests"):
        if key not in parts:
            loading.problems.add(part.at, f"`{key}` is missing in the scenario")
        elif parts[key].data == []:
            loading.problems.add(parts[key].at, f"`{key}` is empty: there is nothing to grade")
    if not {"config", "tests"} <= parts.keys() or not loading.is_list(parts["config"], "`config`"):
        return
    rows = list(parts["config"].elements())
    tests = list(listed_tests(parts["tests"], loading))
    loading.growth.add(_COMBINATION_SIZE * len(rows) * len(tests), by=parts["config"])
    for number, row in enumerate(rows, 1):
        settings, name = _row(row, loading, cases, outer)
        suffix = name or (str(number) if len(rows) > 1 else "")
        for test in tests:
            yield ScenarioTest(test, settings, suffix)


def _row(
    part: Part, loading: Loading, cases: Cases, outer: Mapping[str, Any]
) -> tuple[Layer, str | None]:
    """What a row says, and its id."""
    if not loading.is_mapping(part, "a row of `config`"):
        return cases.layer({}, outer={}, tags=[]), None
    parts, _ = cases.parts(part, ROW)
    values = {name: plain(one.data) for name, one in parts.items() if not has_template(one.data)}
    keys = validated(RowKeys, values, parts=parts, problems=loading.problems)
    layer = cases.layer(parts, outer=outer, tags=keys.tags if keys else [])
    return layer, keys.id if keys else None
