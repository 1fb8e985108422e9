"""Lists of assertions: short forms, plain texts, sets and includes, each made an Entry."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_agentv.errors import EvalFileError, Problem
from pytest_agentv.evalfile.keys import CommonKeys
from pytest_agentv.evalfile.model import Entry
from pytest_agentv.evalfile.placed import Part, holds, shown
from pytest_agentv.evalfile.problems import suggestion
from pytest_agentv.evalfile.prompts import JUDGED, PLACES, PROMPT_KEYS
from pytest_agentv.evalfile.sources import SCHEME
from pytest_agentv.evalfile.tables import COMMON, EMPTY, TEMPLATE_FILE, named_parts, validated

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from pathlib import Path

    from pytest_agentv.errors import Location
    from pytest_agentv.evalfile.loading import Loading
    from pytest_agentv.evalfile.templates import Scope

MAX_INCLUDES = 3
RUBRIC = "llm-rubric"
NOT = "not-"

MEMBERS = ("assert", "assertions")
# By what other names sets of AgentV 4 have their members.
MEMBERS_BESIDE = {"composite": ("evaluators", "graders")}
# Keys of a grader that may stand beside a short form, as those of every assertion may.
BESIDE = ("in", "threshold")
_FROM_FILES = ("value", "schema", "expected")
_NO_COMMON = CommonKeys()
# What an entry, a key that it inherits, and the name of a file in one add to a file's growth.
_SIZE = 300
_KEY_SIZE = 100
_REFERENCE_SIZE = 1000
# Of the keys of an entry without a type, for a guess at what was meant.
_LOOKED_AT = 10


class _Inside(NamedTuple):
    """What a list of assertions stands in."""

    # Files that include each other.
    chain: tuple[Path, ...] = ()
    # What the sets around it say how scripts and judges are called.
    config: Mapping[str, Any] = {}


_OUTSIDE = _Inside()


class Entries:
    """Reads lists of assertions."""

    def __init__(self, loading: Loading) -> None:
        self._loading = loading
        self._problems = loading.problems

    def read(self, part: Part, scope: Scope, *, inside: _Inside = _OUTSIDE) -> Iterator[Entry]:
        """The assertions of a list."""
        if self._loading.is_list(part, "`assert`"):
            for one in part.elements():
                yield from self.read_one(one, scope, inside=inside)

    def read_one(self, part: Part, scope: Scope, *, inside: _Inside = _OUTSIDE) -> list[Entry]:
        """An item of a list: one assertion, those of an included file, or a problem."""
        self._loading.growth.add(_SIZE, by=part)
        if isinstance(part.data, dict):
            if "include" in part.data:
                return self._included(part, scope, inside)
            entry = self._entry(part, scope, inside)
            return [entry] if entry else []
        if isinstance(part.data, str) and part.data.strip():
            return self.rubric(part, scope, plain=True)
        hint = (
            "; quote it" if part.data is not None and not isinstance(part.data, (str, list)) else ""
        )
        message = f"an assertion must be a mapping or a text, not {shown(part.data)}{hint}"
        self._problems.add(part.at, message)
        return []

    def rubric(self, part: Part, scope: Scope, *, plain: bool = False) -> list[Entry]:
        """What a language model is to judge: a text, or a list of what must hold."""
        entry = self._loading.checked(
            Entry(
                type=RUBRIC,
                keys={"value": scope.filled(part)},
                written={"value": part.data},
                plain=plain,
                at=part.at,
                locate=part.locate,
            )
        )
        return [entry] if entry else []

    def _included(self, part: Part, scope: Scope, inside: _Inside) -> list[Entry]:
        reference = part.child("include")
        with self._problems.gathered():
            if len(part.data) > 1:
                raise EvalFileError([Problem(part.at, "`include` stands alone in its entry")])
            path = self._include_path(reference)
            chain = (*(inside.chain or (reference.file.resolve(),)), path)
            _check_chain(chain, reference.at)
            return list(self.read(self._template(path), scope, inside=inside._replace(chain=chain)))
        return []

    def _include_path(self, reference: Part) -> Path:
        name = reference.data
        if not isinstance(name, str) or not name:
            message = f"`include` must be the name of a template or a path, not {shown(name)}"
            raise EvalFileError([Problem(reference.at, message)])
        is_bare = not name.startswith(SCHEME) and not {"/", "\\", "."} & set(name)
        find = self._loading.sources.template if is_bare else self._loading.sources.named
        return find(name, by=reference)

    def _template(self, path: Path) -> Part:
        document = self._loading.sources.document(path)
        if isinstance(document.data, list):
            return document
        parts = {}
        if self._loading.is_mapping(document, "a file to include"):
            parts = named_parts(document, TEMPLATE_FILE, self._problems)
        if "assert" not in parts:
            raise EvalFileError([Problem(document.at, "a file to include needs a list `assert`")])
        return parts["assert"]

    def _entry(self, part: Part, scope: Scope, inside: _Inside) -> Entry | None:
        before = len(self._problems)
        common, own = self._split(part)
        short = None if "type" in own else self._short_key(part, own)
        name = short or (self._type(own.pop("type"), scope) if "type" in own else None)
        lists = [own.pop(key) for key in _member_keys(name) if key in own and key != short]
        written = {_name(key, short): one.data for key, one in own.items()}
        judged = name is not None and name.removeprefix(NOT).replace("_", "-") in JUDGED
        keys = self._keys(own, scope, short=short, prompts=PROMPT_KEYS if judged else ())
        if inside.config and isinstance(keys.get("config", {}), dict):
            self._loading.growth.add(_KEY_SIZE * len(inside.config), by=part)
            keys["config"] = {**inside.config, **keys.get("config", {})}
            written.setdefault("config", inside.config)
        members = self._members(lists, scope, inside, config=keys.get("config"))
        shared = self._common(common, scope)
        if len(self._problems) > before or name is None or shared is None:
            return None
        entry = Entry(
            type=name.removeprefix(NOT),
            negated=name.startswith(NOT) != shared.negate,
            keys=keys,
            written=written,
            short=short is not None,
            members=members,
            metric=shared.metric,
            weight=shared.weight,
            required=shared.required is not False,
            min_score=_min_score(shared),
            on_missing=shared.on_missing,
            at=part.at,
            locate=partial(_locate_short, part, short) if short else part.locate,
        )
        return self._loading.checked(entry)

    def _split(self, part: Part) -> tuple[dict[str, Part], dict[str, Part]]:
        """The keys that every assertion may have, and all others."""
        common: dict[str, Part] = {}
        own: dict[str, Part] = {}
        for key, child in part.items():
            name = COMMON.aliases.get(key, key)
            if name not in COMMON.names:
                own[key] = child
            elif name in common:
                message = f"`{key}` is another name of `{name}`, which stands here, too; keep one"
                self._problems.add(part.key_at(key), message)
            elif child.data is None:
                self._problems.add(child.at, EMPTY.format(key))
            else:
                common[name] = child
        return common, own

    def _short_key(self, part: Part, own: dict[str, Part]) -> str | None:
        """The key that is a type itself, as in ``contains: text``."""
        found = [key for key in own if key not in BESIDE]
        if len(found) == 1 and found[0] not in ("value", *MEMBERS):
            return found[0]
        known = [*COMMON.names, *BESIDE, "type", "value"]
        odd = [key for key in found if key not in known][:_LOOKED_AT]
        close = [
            f"{shown(key)}: {hint}" for key in odd if "mean" in (hint := suggestion(key, known))
        ]
        hint = close[0] if close else "write `type: contains` and `value: …`, or `contains: …`"
        self._problems.add(part.at, f"the assertion has no `type`; {hint}")
        return None

    def _type(self, part: Part, scope: Scope) -> str | None:
        name = scope.filled(part)
        if isinstance(name, str) and name.removeprefix(NOT).strip():
            return name
        hint = "; quote it" if not isinstance(name, (str, dict, list)) else ""
        self._problems.add(
            part.at, f"`type` must be the name of a type, not {shown(part.data)}{hint}"
        )
        return None

    def _keys(
        self, own: dict[str, Part], scope: Scope, *, short: str | None, prompts: Collection[str]
    ) -> dict[str, Any]:
        keys = {}
        for key, part in own.items():
            name = _name(key, short)
            if name in prompts and isinstance(part.data, str):
                keys[name] = self._prompt(part, scope)
                continue
            keys[name] = value = scope.filled(part)
            # As it is written: a variable's value is data and names no file.
            if name in _FROM_FILES and isinstance(value, str) and str(part.data).startswith(SCHEME):
                self._loading.growth.add(_REFERENCE_SIZE, by=part)
                with self._problems.gathered():
                    path = self._loading.sources.named(value, by=part)
                    keys[name] = self._loading.sources.value(path)
        return keys

    def _prompt(self, part: Part, scope: Scope) -> str:
        """A prompt, or that of a file; what is judged is put in when it is."""
        text = part
        if part.data.startswith(SCHEME):
            self._loading.growth.add(_REFERENCE_SIZE, by=part)
            with self._problems.gathered():
                path = self._loading.sources.named(part.data, by=part)
                text = Part(path, self._loading.sources.text(path))
        return str(scope.filled(text, leave=PLACES))

    def _members(
        self, lists: list[Part], scope: Scope, inside: _Inside, *, config: Any
    ) -> tuple[Entry, ...] | None:
        if not lists:
            return None
        if len(lists) > 1:
            self._problems.add(lists[1].at, "`assert` and `assertions` mean the same; keep one")
        if lists[0].data == []:
            self._problems.add(lists[0].at, "`assert` is empty: there is nothing to grade")
        if isinstance(config, dict):
            inside = inside._replace(config=config)
        return tuple(self.read(lists[0], scope, inside=inside))

    def _common(self, parts: dict[str, Part], scope: Scope) -> CommonKeys | None:
        if not parts:
            return _NO_COMMON
        values = {name: scope.filled(part) for name, part in parts.items()}
        return validated(CommonKeys, values, parts=parts, problems=self._problems)


def _member_keys(name: str | None) -> tuple[str, ...]:
    return (*MEMBERS, *MEMBERS_BESIDE.get((name or "").removeprefix(NOT), ()))


def _name(key: str, short: str | None) -> str:
    return "value" if key == short else key


def _check_chain(chain: tuple[Path, ...], at: Location) -> None:
    if chain[-1] in chain[:-1]:
        names = " → ".join(path.name for path in chain)
        raise EvalFileError([Problem(at, f"files include each other: {names}")])
    if len(chain) > MAX_INCLUDES + 1:
        names = " → ".join(path.name for path in chain)
        message = f"includes are nested deeper than {MAX_INCLUDES} files: {names}"
        raise EvalFileError([Problem(at, message)])


def _min_score(common: CommonKeys) -> float | None:
    """The least score; AgentV 4 writes it as the value of ``required``."""
    if common.min_score is not None or isinstance(common.required, bool):
        return common.min_score
    return common.required


def _locate_short(part: Part, short: str, path: tuple[str | int, ...]) -> Location:
    """Where something stands in a short form: ``value`` is its only key's, or that key itself."""
    if path[:1] == ("value",):
        return part.locate((short, *path[1:]))
    beside = bool(path) and holds(part.data, path[0]) and path[0] != short
    return part.locate(path if beside else (short, *path))
