"""Assertion types by name: grader classes, and functions that are assertions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeAlias

from pytest_agentv.errors import DuplicateName, PluginError
from pytest_agentv.evalfile.tables import COMMON
from pytest_agentv.graders.base import Grader
from pytest_agentv.graders.functions import FunctionGrader, assertions_in
from pytest_agentv.graders.group import GROUP_TYPES, GroupOptions

if TYPE_CHECKING:
    from collections.abc import Iterator

_COMMON = {"type", *COMMON.names, *COMMON.aliases}

# A set of assertions is graded by its members, and so it has options instead of a grader.
AnyGrader: TypeAlias = type[Grader] | type[GroupOptions] | FunctionGrader


def takes_any_key(grader: AnyGrader) -> bool:
    """Whether keys that a grader does not name are its settings, and no slips."""
    if isinstance(grader, FunctionGrader):
        return any(one.kind is one.VAR_KEYWORD for one in grader.parameters.values())
    return grader.model_config.get("extra") == "allow"


class AssertionTypes:
    """Assertion types by name."""

    def __init__(self) -> None:
        self._graders: dict[str, AnyGrader] = dict.fromkeys(GROUP_TYPES, GroupOptions)
        self._origin: dict[str, str] = dict.fromkeys(GROUP_TYPES, "pytest-agentv")

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._graders))

    def get(self, name: str) -> AnyGrader | None:
        """The grader of a type; None if nobody has one of this name."""
        return self._graders.get(name)

    def add(self, grader: object, *, plugin: str) -> None:
        """Take in a grader class, or a function that is an assertion; a name may be taken once."""
        if isinstance(grader, type) and issubclass(grader, Grader):
            if not grader.types:
                raise PluginError(f"plugin {plugin!r}: {grader.__name__} names no types")
            for name in grader.types:
                self._add(name, grader, plugin)
            return
        functions = assertions_in({"": grader})
        if not functions:
            raise PluginError(f"plugin {plugin!r}: {grader!r} is no grader")
        other = self._graders.get(functions[0].name)
        if isinstance(other, FunctionGrader) and other.function is grader:
            return  # two conftest.py files that import the same function
        self._add(functions[0].name, functions[0], f"{plugin} ({functions[0].place})")

    def _add(self, name: str, grader: type[Grader] | FunctionGrader, origin: str) -> None:
        other = self._origin.get(name)
        if name.startswith("not-") or not re.fullmatch(r"[a-z][a-z0-9:_-]*", name):
            raise PluginError(f"plugin {origin!r}: no assertion can be named {name!r}")
        if other is not None:
            raise DuplicateName(
                f"assertion {name!r} comes from two places: {other!r} and {origin!r}"
            )
        taken = sorted(
            _COMMON
            & set(grader.takes if isinstance(grader, FunctionGrader) else grader.model_fields)
        )
        if taken:
            raise PluginError(
                f"plugin {origin!r}: assertion {name!r} cannot take `{taken[0]}`, which every "
                "assertion may have"
            )
        self._graders[name] = grader
        self._origin[name] = origin
