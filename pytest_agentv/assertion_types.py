"""Assertion types by name: grader classes, and functions that are assertions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeAlias

from pytest_agentv.errors import DuplicateName, PluginError
from pytest_agentv.evalfile.tables import COMMON
from pytest_agentv.graders.base import Grader
from pytest_agentv.graders.catalogue import Catalogued
from pytest_agentv.graders.functions import FunctionGrader, assertions_in
from pytest_agentv.graders.group import GROUP_TYPES, GroupOptions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_COMMON = {"type", *COMMON.names, *COMMON.aliases}

# A set of assertions is graded by its members, and so it has options instead of a grader.
AnyGrader: TypeAlias = type[Grader] | type[GroupOptions] | FunctionGrader


def takes_any_key(grader: AnyGrader) -> bool:
    """Whether keys that a grader does not name are its settings, and no slips."""
    if isinstance(grader, FunctionGrader):
        return any(one.kind is one.VAR_KEYWORD for one in grader.parameters.values())
    return grader.model_config.get("extra") == "allow"


def _takes(grader: type[Grader] | FunctionGrader | Catalogued) -> Iterable[str]:
    """The keys that a grader takes, as far as anybody has to look at them."""
    if isinstance(grader, Catalogued):
        return ()  # our own are known to be good
    return grader.takes if isinstance(grader, FunctionGrader) else grader.model_fields


def _complete(grader: type[Grader], *, plugin: str) -> None:
    """Build a model of others now: that its fields cannot be read is no fault of an eval file."""
    try:
        grader.model_rebuild()
    except Exception as exc:  # code of others runs here, and may do anything
        problem = " ".join(str(exc).split())
        raise PluginError(
            f"plugin {plugin!r}: {grader.__name__} cannot be used: {problem}"
        ) from exc


class AssertionTypes:
    """Assertion types by name."""

    def __init__(self) -> None:
        self._graders: dict[str, AnyGrader | Catalogued] = dict.fromkeys(GROUP_TYPES, GroupOptions)
        self._origin: dict[str, str] = dict.fromkeys(GROUP_TYPES, "pytest-agentv")

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._graders))

    def get(self, name: str) -> AnyGrader | None:
        """The grader of a type; None if nobody has one of this name."""
        found = self._graders.get(name)
        if isinstance(found, Catalogued):
            found = self._graders[name] = found.load()
        return found

    def add(self, grader: object, *, plugin: str) -> None:
        """Take in a grader class, or a function that is an assertion; a name may be taken once."""
        if isinstance(grader, type) and issubclass(grader, Grader):
            if not grader.types:
                raise PluginError(f"plugin {plugin!r}: {grader.__name__} names no types")
            _complete(grader, plugin=plugin)
            for name in grader.types:
                self._add(name, grader, plugin)
            return
        if isinstance(grader, Catalogued):
            self._add(grader.assertion, grader, plugin)
            return
        functions = assertions_in({"": grader})
        if not functions:
            raise PluginError(f"plugin {plugin!r}: {grader!r} is no grader")
        other = self._graders.get(functions[0].name)
        if isinstance(other, FunctionGrader) and other.function is grader:
            return  # two conftest.py files that import the same function
        self._add(functions[0].name, functions[0], f"{plugin} ({functions[0].place})")

    def _add(
        self, name: str, grader: type[Grader] | FunctionGrader | Catalogued, origin: str
    ) -> None:
        other = self._origin.get(name)
        if name.startswith("not-") or not re.fullmatch(r"[a-z][a-z0-9:_-]*", name):
            raise PluginError(f"plugin {origin!r}: no assertion can be named {name!r}")
        if other is not None:
            raise DuplicateName(
                f"assertion {name!r} comes from two places: {other!r} and {origin!r}"
            )
        taken = sorted(_COMMON & set(_takes(grader)))
        if taken:
            raise PluginError(
                f"plugin {origin!r}: assertion {name!r} cannot take `{taken[0]}`, which every "
                "assertion may have"
            )
        self._graders[name] = grader
        self._origin[name] = origin
