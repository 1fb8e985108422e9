"""Cases: a test with what it inherits from ``default_test`` and from the file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_agentv.evalfile.entries import Entries
from pytest_agentv.evalfile.keys import Defaults, Execution, TestKeys, XfailKeys
from pytest_agentv.evalfile.model import Case, Xfail
from pytest_agentv.evalfile.placed import Part, plain, shown
from pytest_agentv.evalfile.shared_entries import SharedEntries
from pytest_agentv.evalfile.tables import (
    DEFAULTS,
    EXECUTION,
    TEST,
    KeyTable,
    named_parts,
    validated,
)
from pytest_agentv.evalfile.templates import RESERVED, has_template

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_agentv.errors import Location
    from pytest_agentv.evalfile.loading import Loading
    from pytest_agentv.evalfile.model import Entry
    from pytest_agentv.evalfile.templates import Scope

SKIPPED = "skipped by its eval file"

# A test takes these over as they are; the others are joined with its own.
_INHERITED = ("threshold", "transcript", "cost_usd")
# They hold no templates, or are read by rules of their own.
_APART = frozenset({"id", "vars", "assert"})
_KEY_SIZE = 100


@dataclass(frozen=True, slots=True)
class Layer:
    """What the tests of a file inherit, from ``default_test`` or from the file itself."""

    variables: Mapping[str, Any] = field(default_factory=dict)
    metadata: Part | None = None
    tags: tuple[str, ...] = ()
    assertions: SharedEntries | None = None
    inherited: Mapping[str, Part] = field(default_factory=dict)


class Cases:
    """Makes cases of tests; ids are unique among all of them."""

    def __init__(self, loading: Loading) -> None:
        self._loading = loading
        self._problems = loading.problems
        self._entries = Entries(loading)
        self._ids: dict[str, Location] = {}

    def defaults(self, part: Part, *, outer: Mapping[str, Any]) -> Layer:
        """The layer of ``default_test``; ``outer`` are the variables of the file."""
        if not self._loading.is_mapping(part, "`default_test`"):
            return Layer()
        parts, _ = self.parts(part, DEFAULTS)
        values = {
            name: plain(one.data) for name, one in parts.items() if not has_template(one.data)
        }
        keys = validated(Defaults, values, parts=parts, problems=self._problems)
        return self.layer(parts, outer=outer, tags=keys.tags if keys else [])

    def layer(
        self, parts: Mapping[str, Part], *, outer: Mapping[str, Any], tags: list[str]
    ) -> Layer:
        """What tests inherit of the parts of a mapping."""
        variables = self._variables(parts.get("vars"))
        assertions = parts.get("assert")
        shared = None
        if assertions is not None and self._loading.is_list(assertions, "`assert`"):
            scope = self._loading.scope(variables, outer)
            shared = SharedEntries(assertions, self._entries, scope)
        metadata = parts.get("metadata")
        return Layer(
            variables=variables,
            metadata=metadata if metadata and isinstance(metadata.data, dict) else None,
            tags=tuple(tags),
            assertions=shared,
            inherited={name: parts[name] for name in _INHERITED if name in parts},
        )

    def parts(self, part: Part, table: KeyTable) -> tuple[dict[str, Part], Execution]:
        """The parts of a mapping, those of its ``execution`` included, and that itself."""
        parts = named_parts(part, table, self._problems)
        execution = parts.pop("execution", None)
        if execution is None or not self._loading.is_mapping(execution, "`execution`"):
            return parts, _NO_EXECUTION
        inner = named_parts(execution, EXECUTION, self._problems)
        values = {name: one.data for name, one in inner.items()}
        keys = validated(Execution, values, parts=inner, problems=self._problems)
        inner.pop("skip_defaults", None)
        for name, one in inner.items():
            if name in parts:
                message = f"`{name}` stands in the test and in `execution`, too; keep one"
                self._problems.add(one.at, message)
            parts.setdefault(name, one)
        return parts, keys or _NO_EXECUTION

    def case(self, part: Part, *, number: int, layers: tuple[Layer, ...]) -> Case | None:
        """A test as a case; None if a problem was found. The nearest layer comes first."""
        if not self._loading.is_mapping(part, "a test"):
            return None
        before = len(self._problems)
        parts, execution = self.parts(part, TEST)
        variables = [self._variables(parts.get("vars")), *(layer.variables for layer in layers)]
        scope = self._loading.scope(*variables)
        keys = self._keys(parts, scope, layers)
        shared = () if execution.skip_defaults else layers
        entries = tuple(self._all_entries(parts.get("assert"), scope, shared))
        inherited = sum(len(layer.tags) for layer in layers)
        self._loading.growth.add(_KEY_SIZE * (len(entries) + inherited), by=part)
        self._check_id(part, parts.get("id"), number=number)
        if not entries and len(self._problems) == before:
            message = "the test has no assertion: there is nothing to grade"
            self._problems.add(part.at, message)
        if keys is None or len(self._problems) > before:
            return None
        metadata = self._metadata(part, keys, scope, layers)
        return _case(keys, part, number=number, entries=entries, metadata=metadata, layers=layers)

    def _keys(
        self, parts: Mapping[str, Part], scope: Scope, layers: tuple[Layer, ...]
    ) -> TestKeys | None:
        everything = dict(parts)
        for layer in layers:
            everything = {**layer.inherited, **everything}
        values = {
            name: scope.filled(one) if name not in _APART else one.data
            for name, one in everything.items()
        }
        return validated(TestKeys, values, parts=everything, problems=self._problems)

    def _all_entries(
        self, own: Part | None, scope: Scope, layers: tuple[Layer, ...]
    ) -> Iterator[Entry]:
        if own is not None:
            yield from self._entries.read(own, scope)
        for layer in layers:
            if layer.assertions is not None:
                yield from layer.assertions.read(scope)

    def _check_id(self, part: Part, written: Part | None, *, number: int) -> None:
        name = written.data if written else f"test-{number}"
        if not isinstance(name, str):
            return
        at = written.at if written else part.at
        first = self._ids.setdefault(name, at)
        if first is not at:
            where = f"line {first.line}" if first.path == at.path else str(first)
            message = f"the id {shown(name)} is taken by another test, on {where}"
            self._problems.add(at, message)

    def _variables(self, part: Part | None) -> Mapping[str, Any]:
        if part is None or not self._loading.is_mapping(part, "`vars`"):
            return {}
        for name in RESERVED:
            if name in part.data:
                self._problems.add(part.key_at(name), f"a variable cannot be called {shown(name)}")
        variables: Mapping[str, Any] = plain(part.data)
        return variables

    def _metadata(
        self, part: Part, keys: TestKeys, scope: Scope, layers: tuple[Layer, ...]
    ) -> Mapping[str, Any]:
        inherited = [scope.filled(one.metadata) for one in reversed(layers) if one.metadata]
        merged: dict[str, Any] = {}
        for one in [*inherited, keys.metadata]:
            self._loading.growth.add(_KEY_SIZE * len(one), by=part)
            merged.update(one)
        return merged


def _case(
    keys: TestKeys,
    part: Part,
    *,
    number: int,
    entries: tuple[Entry, ...],
    metadata: Mapping[str, Any],
    layers: tuple[Layer, ...],
) -> Case:
    tags = [tag for layer in reversed(layers) for tag in layer.tags]
    return Case(
        id=keys.id or f"test-{number}",
        at=part.at,
        entries=entries,
        description=keys.description,
        input=keys.input,
        expected_output=keys.expected_output,
        criteria=keys.criteria,
        metadata=metadata,
        tags=tuple(dict.fromkeys([*tags, *keys.tags])),
        skip=_skip(keys.skip),
        xfail=_xfail(keys.xfail),
        threshold=keys.threshold,
        transcript=texts(keys.transcript),
        cost_usd=keys.cost_usd,
    )


def texts(value: str | list[str] | None) -> tuple[str, ...]:
    """One text or several, as a tuple."""
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else tuple(value)


def _skip(value: bool | str) -> str | None:  # noqa: FBT001  (it is what the file says)
    if isinstance(value, str):
        return value
    return SKIPPED if value else None


def _xfail(value: bool | str | XfailKeys) -> Xfail | None:  # noqa: FBT001  (as above)
    if isinstance(value, XfailKeys):
        return Xfail(value.reason, value.strict)
    if isinstance(value, str):
        return Xfail(value)
    return Xfail("") if value else None


_NO_EXECUTION = Execution.model_validate({})
