"""From an eval file to assertions that can be graded; every problem of the file at once."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace
from pydantic import AliasChoices, ValidationError

from pytest_agentv.assertion_types import takes_any_key
from pytest_agentv.engine.assertions import Assertion, ByFunction, ByMembers, ByRubric, is_rubric
from pytest_agentv.engine.names import assertion_names
from pytest_agentv.errors import EvalFileError, Problem
from pytest_agentv.evalfile.entries import NOT
from pytest_agentv.evalfile.foreign import ASSERTION_IGNORED, ASSERTION_REFUSED, TYPES_REFUSED
from pytest_agentv.evalfile.messages import plain_problems
from pytest_agentv.evalfile.placed import shown
from pytest_agentv.evalfile.problems import suggestion, unknown_key
from pytest_agentv.graders.base import Grader
from pytest_agentv.graders.functions import FunctionGrader
from pytest_agentv.graders.group import GroupOptions
from pytest_agentv.results.outcomes import GATE, SCORE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from pytest_agentv.assertion_types import AnyGrader, AssertionTypes
    from pytest_agentv.engine.assertions import Check
    from pytest_agentv.evalfile.model import Case, Entry, EvalFile

_SEVERAL = 2
# How like the name of a type a word is that is no rubric.
_CLOSE = 0.85
_OWN = (
    "; one of your own is a function in a conftest.py, beside the file or above it, and only "
    "pytest and agentv validate know it"
)
_PLAIN = (str, int, float, bool, type(None))


class CompiledCase(Struct, frozen=True):
    """A case whose assertions can be graded."""

    # Without its entries: these hold all of the file, and there may be many.
    case: Case
    assertions: tuple[Assertion, ...]
    # Whether a judge has to answer anything: looked for once, and not for each of them.
    asks_judge: bool = False


class Compiler:
    """Joins entries with their graders; problems are told entry by entry, while a file is read."""

    def __init__(self, types: AssertionTypes, *, shown: Callable[[str], str] | None = None) -> None:
        """``shown`` is what names may have of a text."""
        self._types = types
        self._shown = shown
        # By the identity of an entry, which is kept so that no other gets the same.
        self._made: dict[int, tuple[Entry, Grader | Check, float | None]] = {}
        # Graders are values: cases that claim the same share one.
        self._graders: dict[tuple[object, ...], Grader] = {}

    def problems(self, entry: Entry) -> list[Problem]:
        """What is wrong with an entry; if nothing is, its check is made and kept."""
        try:
            self._made[id(entry)] = (entry, *self._make(entry))
        except EvalFileError as exc:
            return list(exc.problems)
        return []

    def cases(self, file: EvalFile) -> list[CompiledCase]:
        """The cases of an eval file whose entries were all looked at."""
        return [self._compiled(case) for case in file.cases]

    def _compiled(self, case: Case) -> CompiledCase:
        assertions = self.assertions(case.entries, reserved=_further_items(case))
        asks_judge = any(one.asks_judge for one in assertions)
        return CompiledCase(replace(case, entries=()), assertions, asks_judge)

    def assertions(
        self, entries: Sequence[Entry], *, reserved: Sequence[str] = ()
    ) -> tuple[Assertion, ...]:
        """Assertions of entries that were looked at, each with a name of its own."""
        about = ((entry, self._about(entry)) for entry in entries)
        names = assertion_names(about, reserved=reserved, shown=self._shown)
        return _judged_together(entries, tuple(map(self._assertion, names, entries)))

    def _assertion(self, name: str, entry: Entry) -> Assertion:
        _, check, threshold = self._made[id(entry)]
        return Assertion(
            name=name,
            type=self._name_of(entry.type),
            path=entry.at.path,
            line=entry.at.line,
            check=check,
            negated=entry.negated,
            weight=entry.weight,
            required=entry.required,
            threshold=threshold,
            min_score=entry.min_score,
            on_missing=entry.on_missing,
        )

    def _about(self, entry: Entry) -> Any:
        """What the name of an assertion shows: its value, or another key by the grader's word."""
        grader = self._types.get(self._name_of(entry.type))
        keys: Mapping[str, Any] = entry.keys
        if isinstance(grader, type) and issubclass(grader, Grader) and grader.named_by:
            keys = _keys_for(grader, entry, keys)
            return next((keys[key] for key in ("value", *grader.named_by) if key in keys), None)
        return keys.get("value")

    def _make(self, entry: Entry) -> tuple[Grader | Check, float | None]:
        if entry.plain:
            self._refuse_name(entry)
        grader = self._types.get(self._name_of(entry.type))
        if grader is None:
            reason = TYPES_REFUSED.get(self._name_of(entry.type))
            raise _wrong(entry, "type", reason or self._unknown(entry.type))
        keys = _own_keys(grader, entry, _keys_for(grader, entry, entry.keys))
        threshold = None
        if "threshold" in keys and "threshold" not in _known_keys(grader):
            threshold = keys.pop("threshold")
            if not _is_share(threshold):
                raise _wrong(entry, "threshold", "`threshold` must be a number above 0, up to 1")
        if isinstance(grader, FunctionGrader):
            return _function(entry, grader, keys), threshold
        same = _identity(grader, keys) if entry.members is None else None
        if same is None:
            return self._grader(entry, grader, keys), threshold
        if same not in self._graders:
            made = self._grader(entry, grader, keys)
            if not isinstance(made, Grader):
                return made, threshold
            self._graders[same] = made
        return self._graders[same], threshold

    def _unknown(self, name: str) -> str:
        known = list(self._types)
        negated = [NOT + one for one in known]
        # `tool-used` is what `trajectory:tool-used` is about, whatever else is spelt like it.
        named_so = [one for one in known if one.endswith(f":{name}")]
        meant = suggestion(name, named_so or (known if name in negated else known + negated))
        own = "" if meant.endswith("?") else _OWN
        return f"unknown assertion type {shown(name)}; {meant}{own}"

    def _refuse_name(self, entry: Entry) -> None:
        """A judge would be asked, or nobody, whether the answer satisfies the text 'is-json'."""
        text = str(entry.written["value"]).strip().removeprefix("type:")
        name = self._name_of(text.removeprefix(NOT))
        if self._types.get(name) is not None:
            hint = f"write `type: {text}`; a text alone is a rubric"
            raise _wrong(entry, None, f"{shown(text)} is an assertion type: {hint}")
        # YAML takes `contains:x` for a text: a colon makes a key only with a space after it.
        key, colon, value = text.partition(":")
        known = self._types.get(self._name_of(key.removeprefix(NOT)))
        if colon and known and not value[:1].isspace():
            hint = f"write `{key}: …` with a space; a text alone is a rubric"
            raise _wrong(entry, None, f"{shown(text)} is no assertion: {hint}")
        # A word alone may be a rubric: it takes more to be a type that is misspelt.
        if len(text.split()) == 1 and (
            close := get_close_matches(name[:100], list(self._types), 1, _CLOSE)
        ):
            hint = f"did you mean `type: {close[0]}`? A text alone is a rubric"
            raise _wrong(entry, None, f"{shown(text)} is no assertion type; {hint}")

    def _name_of(self, written: str) -> str:
        """The name of a type; AgentV 4 writes `_` as well as `-` in them."""
        return written if self._types.get(written) else written.replace("_", "-")

    def _grader(
        self, entry: Entry, grader: type[Grader | GroupOptions], keys: dict[str, Any]
    ) -> Grader | Check:
        try:
            made = grader(**keys)
        except ValidationError as exc:
            # As written: what came out of the environment is nobody's business.
            written = _keys_for(grader, entry, entry.written)
            found = plain_problems(exc, data=written, known=_known_keys(grader))
            raise EvalFileError(
                Problem(entry.locate(path) if path else entry.at, f"`{entry.type}`: {message}")
                for path, message in found
            ) from None
        if isinstance(made, GroupOptions):
            if not entry.members:
                raise _wrong(entry, None, f"`{entry.type}` needs assertions under `assert`")
            return ByMembers(made, _weighted(entry, made, self.assertions(entry.members)))
        if entry.members is not None:
            raise _wrong(entry, "assert", f"`{entry.type}` takes no assertions of its own")
        return made


def _judged_together(
    entries: Sequence[Entry], assertions: tuple[Assertion, ...]
) -> tuple[Assertion, ...]:
    """The assertions, those that are plain texts as parts of one question to a judge."""
    plain = [number for number, entry in enumerate(entries) if entry.plain]
    if len(plain) < _SEVERAL:
        return assertions
    texts = tuple(str(entries[number].keys["value"]) for number in plain)
    changed = list(assertions)
    for place, number in enumerate(plain):
        check = assertions[number].check
        if is_rubric(check):
            changed[number] = replace(assertions[number], check=ByRubric(check, place, texts))
    return tuple(changed)


def compile_entry(entry: Entry, types: AssertionTypes) -> Assertion:
    """One assertion with its grader."""
    compiler = Compiler(types)
    for one in _inside_out(entry):
        problems = compiler.problems(one)
        if problems:
            raise EvalFileError(problems)
    return compiler.assertions([entry])[0]


def _inside_out(entry: Entry) -> Iterator[Entry]:
    for member in entry.members or ():
        yield from _inside_out(member)
    yield entry


def _function(entry: Entry, grader: FunctionGrader, keys: dict[str, Any]) -> ByFunction:
    try:
        bound = grader.bind(keys)
    except KeyError as exc:
        key = exc.args[0]
        raise _wrong(entry, key, f"`{entry.type}`: {unknown_key(key, grader.takes)}") from None
    if grader.needs_value and "value" not in keys:
        raise _wrong(entry, None, f"`{entry.type}` needs a `value`")
    return ByFunction(bound)


def _wrong(entry: Entry, key: str | None, message: str) -> EvalFileError:
    at = entry.at if key is None else entry.locate((key,))
    return EvalFileError([Problem(at, message)])


def _keys_for(grader: AnyGrader, entry: Entry, keys: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of an entry; of the short form ``type: {key: …}`` those of the mapping, too."""
    value = keys.get("value")
    if not entry.short or not isinstance(value, dict) or not value:
        return dict(keys)
    others = _known_keys(grader) - {"value"}
    # Where keys of any name are settings, one that is known says that all of them are keys.
    are_keys = bool(value.keys() & others) if _has_settings(grader) else value.keys() <= others
    if "value" in _known_keys(grader) and not are_keys:
        return dict(keys)
    return {**{key: one for key, one in keys.items() if key != "value"}, **value}


def _own_keys(grader: AnyGrader, entry: Entry, keys: dict[str, Any]) -> dict[str, Any]:
    """The keys without those by which AgentV calls judges and scripts, if this is none."""
    known = _known_keys(grader)
    if keys.keys() <= known or takes_any_key(grader):
        return keys
    for key in keys:
        if key in ASSERTION_REFUSED and key not in known:
            raise _wrong(entry, key, ASSERTION_REFUSED[key])
    return {key: one for key, one in keys.items() if key in known or key not in ASSERTION_IGNORED}


def _weighted(
    entry: Entry, options: GroupOptions, members: tuple[Assertion, ...]
) -> tuple[Assertion, ...]:
    """The members of a set, with the weights that the set gives them by their names."""
    if not options.weights:
        return members
    written = [one.metric for one in entry.members or ()]
    names = {
        name for one, metric in zip(members, written, strict=True) for name in (one.name, metric)
    }
    for name in options.weights:
        if name not in names:
            hint = suggestion(name, [one for one in names if one is not None])
            message = f"`{entry.type}`: the set has no assertion named {shown(name)}; {hint}"
            raise EvalFileError([Problem(entry.locate(("aggregator", "weights", name)), message)])
    return tuple(
        replace(one, weight=options.weights.get(metric or one.name, one.weight))
        for one, metric in zip(members, written, strict=True)
    )


def _further_items(case: Case) -> list[str]:
    """The names of the items that a case has besides those of its assertions."""
    named = {SCORE: case.threshold, GATE: case.gate}
    return [name for name, limit in named.items() if limit is not None]


def _identity(grader: AnyGrader, keys: Mapping[str, Any]) -> tuple[object, ...] | None:
    """What graders have in common that are the same; None if their keys are no plain values."""
    if not all(type(value) in _PLAIN for value in keys.values()):
        return None
    # With their types, because 1, 1.0 and True are equal.
    return (grader, *((key, type(value), value) for key, value in keys.items()))


@cache
def _known_keys(grader: AnyGrader) -> frozenset[str]:
    """The keys that a grader takes, by every name that they have in YAML."""
    if isinstance(grader, FunctionGrader):
        return frozenset(grader.takes)
    names: set[str] = set()
    for name, field in grader.model_fields.items():
        alias = field.validation_alias
        if isinstance(alias, AliasChoices):
            names.update(choice for choice in alias.choices if isinstance(choice, str))
        else:
            names.add(alias if isinstance(alias, str) else name)
    return frozenset(names)


def _has_settings(grader: AnyGrader) -> bool:
    """Whether keys that a grader does not know are for the program that it runs."""
    return not isinstance(grader, FunctionGrader) and takes_any_key(grader)


def _is_share(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value <= 1
