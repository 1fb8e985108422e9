"""Cases: a test with what it inherits from ``default_test`` and from the file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pytest_agentv.evalfile.entries import Entries
from pytest_agentv.evalfile.inputs import SharedInput, whole_input
from pytest_agentv.evalfile.keys import (
    Defaults,
    Execution,
    GateKeys,
    TestKeys,
    XfailKeys,
    wrong_with_id,
)
from pytest_agentv.evalfile.model import Case, Xfail
from pytest_agentv.evalfile.placed import Part, plain, shown
from pytest_agentv.evalfile.shared_entries import SharedEntries
from pytest_agentv.evalfile.tables import (
    DEFAULTS,
    EXECUTION,
    OPTIONS,
    RUN,
    TEST,
    KeyTable,
    named_parts,
    validated,
)
from pytest_agentv.evalfile.templates import RESERVED, has_template

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_agentv.errors import Location
    from pytest_agentv.evalfile.keys import Keys
    from pytest_agentv.evalfile.loading import Loading
    from pytest_agentv.evalfile.model import Entry
    from pytest_agentv.evalfile.templates import Scope

SKIPPED = "skipped by its eval file"
# The variable that holds what is expected of a test, as AgentV 5 writes it.
EXPECTED = "expected_output"

# A test takes these over as they are; the others are joined with its own.
_INHERITED = ("threshold", "gate", "transcript", "cost_usd")
# They hold no templates, or are read by rules of their own.
_APART = frozenset({"id", "vars", "assert", "rubrics"})
_KEY_SIZE = 100


@dataclass(frozen=True, slots=True)
class Layer:
    """What the tests of a file inherit, from ``default_test`` or from the file itself."""

    variables: Mapping[str, Any] = field(default_factory=dict)
    metadata: Part | None = None
    tags: tuple[str, ...] = ()
    assertions: SharedEntries | None = None
    inherited: Mapping[str, Part] = field(default_factory=dict)
    # What a test is asked besides its own input.
    input: SharedInput | None = None
    input_files: Part | None = None
    # What is asked of tests that say nothing about it, for them to fill in.
    prompt: Part | None = None


@dataclass(frozen=True, slots=True)
class Naming:
    """How a test is called: by its id, else by the name it was found under, else by its number."""

    number: int
    found_as: str | None = None
    # Of the row of a scenario that it is for.
    suffix: str = ""

    def id(self, written: Any) -> Any:
        """The id of a test, given the one that it has itself."""
        name = written if written is not None else self.found_as or f"test-{self.number}"
        return f"{name}-{self.suffix}" if self.suffix and isinstance(name, str) else name


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
        shared_input = parts.get("input")
        return Layer(
            variables=variables,
            metadata=metadata if metadata and isinstance(metadata.data, dict) else None,
            tags=tuple(tags),
            assertions=shared,
            inherited={name: parts[name] for name in _INHERITED if name in parts},
            input=SharedInput(shared_input, self._loading) if shared_input else None,
            input_files=parts.get("input_files"),
        )

    def parts(self, part: Part, table: KeyTable) -> tuple[dict[str, Part], Execution]:
        """The parts of a mapping, those of ``execution`` and ``run`` included, and the former."""
        parts = named_parts(part, table, self._problems)
        execution = self._inner(parts, "execution", EXECUTION)
        self._inner(parts, "run", RUN)
        self._inner(parts, "options", OPTIONS)
        return parts, execution if isinstance(execution, Execution) else _NO_EXECUTION

    def _inner(self, parts: dict[str, Part], key: str, table: KeyTable) -> Keys | None:
        """Move what a key holds to the parts beside it."""
        part = parts.pop(key, None)
        if part is None or not self._loading.is_mapping(part, f"`{key}`"):
            return None
        inner = named_parts(part, table, self._problems)
        values = {name: one.data for name, one in inner.items()}
        keys = validated(table.model, values, parts=inner, problems=self._problems)
        inner.pop("skip_defaults", None)
        for name, one in inner.items():
            if name in parts:
                message = f"`{name}` stands in the test and in `{key}`, too; keep one"
                self._problems.add(one.at, message)
            parts.setdefault(name, one)
        return keys

    def case(self, part: Part, *, naming: Naming, layers: tuple[Layer, ...]) -> Case | None:
        """A test as a case; None if a problem was found. The nearest layer comes first."""
        if not self._loading.is_mapping(part, "a test"):
            return None
        before = len(self._problems)
        parts, execution = self.parts(part, TEST)
        variables = [self._variables(parts.get("vars")), *(layer.variables for layer in layers)]
        scope = self._loading.scope(*variables)
        shared = () if execution.skip_defaults else layers
        files = next((one.input_files for one in shared if one.input_files), None)
        asked = {"input_files": files, **parts} if files else parts
        keys = self._keys(asked, scope, layers)
        entries = tuple(self._all_entries(parts, scope, shared))
        inherited = sum(len(layer.tags) for layer in layers)
        self._loading.growth.add(_KEY_SIZE * (len(entries) + inherited), by=part)
        name = self._checked_id(part, parts.get("id"), naming)
        if not entries and len(self._problems) == before:
            entries = tuple(self._implied(part, parts.get("criteria"), scope))
        if keys is None or len(self._problems) > before:
            return None
        first = next((one.input.filled(scope) for one in shared if one.input), None)
        tags = [tag for layer in reversed(layers) for tag in layer.tags]
        expected = keys.expected_output
        asked_for = whole_input(keys.input, files=keys.input_files or (), first=first)
        prompt = next((one.prompt for one in layers if one.prompt), None)
        if asked_for is None and prompt is not None:
            asked_for = scope.filled_or_none(prompt)
        return Case(
            id=name,
            at=part.at,
            entries=entries,
            description=keys.description,
            input=asked_for,
            expected_output=scope.variable(EXPECTED) if expected is None else expected,
            criteria=keys.criteria,
            metadata=self._metadata(part, keys, scope, layers),
            tags=tuple(dict.fromkeys([*tags, *keys.tags])),
            skip=_skip(keys.skip),
            xfail=_xfail(keys.xfail),
            threshold=keys.threshold,
            gate=keys.gate.pass_rate if isinstance(keys.gate, GateKeys) else keys.gate,
            transcript=texts(keys.transcript),
            cost_usd=keys.cost_usd,
        )

    def _keys(
        self, parts: Mapping[str, Part], scope: Scope, layers: tuple[Layer, ...]
    ) -> TestKeys | None:
        everything = dict(parts)
        for layer in layers:
            everything = {**layer.inherited, **everything}
        values = {
            name: _filled(name, one, scope) if name not in _APART else one.data
            for name, one in everything.items()
        }
        return validated(TestKeys, values, parts=everything, problems=self._problems)

    def _all_entries(
        self, parts: Mapping[str, Part], scope: Scope, layers: tuple[Layer, ...]
    ) -> Iterator[Entry]:
        if "assert" in parts:
            yield from self._entries.read(parts["assert"], scope)
        if "rubrics" in parts and self._loading.is_list(parts["rubrics"], "`rubrics`"):
            yield from self._entries.rubric(parts["rubrics"], scope)
        for layer in layers:
            if layer.assertions is not None:
                yield from layer.assertions.read(scope)

    def _implied(self, part: Part, criteria: Part | None, scope: Scope) -> list[Entry]:
        """The assertion of a test that has none: its criteria are for a judge, as in AgentV."""
        if criteria is not None:
            return self._entries.rubric(criteria, scope)
        self._problems.add(part.at, "the test has no assertion: there is nothing to grade")
        return []

    def _checked_id(self, part: Part, written: Part | None, naming: Naming) -> str:
        name = naming.id(written.data if written else None)
        if not isinstance(name, str):
            return ""  # which is a problem already
        at = written.at if written else part.at
        if (written is None or naming.suffix) and (problem := wrong_with_id(name)):
            self._problems.add(at, f"the id {shown(name)} {problem}")
        first = self._ids.setdefault(name, at)
        if first is not at:
            where = f"line {first.line}" if first.path == at.path else str(first)
            message = f"the id {shown(name)} is taken by another test, on {where}"
            self._problems.add(at, message)
        return name

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


def _filled(name: str, part: Part, scope: Scope) -> Any:
    return scope.filled_prompt(part) if name == "input" else scope.filled(part)


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
