"""Templates: ``{{ name }}`` in the texts of a case becomes the value of a variable.

One pass of plain substitution. There are no expressions, and what was inserted is never looked at
again: data is no template.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from pytest_agentv.evalfile.placed import Part, holds, places, shown
from pytest_agentv.evalfile.problems import Problems, suggestion

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from pytest_agentv.evalfile.problems import Growth

RESERVED = ("env", "vars")
# The one variable of the environment that AgentV itself provides.
ROOT = "AGENTV_REPO_ROOT"

_TEMPLATE = re.compile(r"(\$?)\{\{(.*?)(?:\}\}|\Z)", re.DOTALL)
# Two braces as such are written as a quoted text inside of a template, as in Nunjucks.
_LITERALS = {f"{quote}{{{{{quote}": "{{" for quote in "'\""}
_NAME = re.compile(r"[A-Za-z_][\w-]*(?:\.[\w-]+)*")
_MISSING: Any = object()
_VALUE_SIZE = 16


class _WrongTemplate(ValueError):
    """A template that cannot be filled in; its text is the message."""


def has_template(data: Any) -> bool:
    """Whether a text somewhere in the data has a template."""
    if isinstance(data, str):
        return "{{" in data
    if isinstance(data, dict):
        return any(map(has_template, data.values()))
    return isinstance(data, list) and any(map(has_template, data))


class Scope:
    """The variables that a case knows, and the environment that it may use."""

    def __init__(
        self,
        layers: tuple[Mapping[str, Any], ...],
        *,
        env: Mapping[str, str] | None,
        root: str,
        problems: Problems,
        growth: Growth,
        verbatim: bool = False,
    ) -> None:
        # The nearest first; of ordinary mappings and lists.
        self._layers = layers
        self._env = env
        self._root = root
        self._problems = problems
        self._growth = growth
        # Whether what no variable fills in stays as it is.
        self._verbatim = verbatim

    def variable(self, name: str) -> Any:
        """The value of a variable; None if there is none."""
        return next((layer[name] for layer in self._layers if name in layer), None)

    def filled(self, part: Part, *, leave: Collection[str] = ()) -> Any:
        """The data of a part as ordinary mappings and lists, its templates filled in.

        Names to ``leave`` stay as they are, unless there is a variable of that name.
        """
        data = part.data
        if leave and isinstance(data, str):
            return _TEMPLATE.sub(lambda match: self._unless_left(match, leave, part), data)
        if type(data) is str and "{{" not in data:
            return data  # as most are
        return self._filled(data, part.place, part)

    def filled_prompt(self, part: Part) -> Any:
        """The data of what a test asks; if there are no variables, its braces are its own.

        Prompts are quoted from anywhere: they may well be templates of somebody else.
        """
        if any(self._layers):
            return self.filled(part)
        return self._like(self._problems, verbatim=True).filled(part)

    def filled_or_none(self, part: Part) -> Any:
        """The data of a part; None if something in it cannot be filled in, which is no problem."""
        problems = Problems()
        value = self._like(problems).filled(part)
        return None if len(problems) else value

    def _like(self, problems: Problems, *, verbatim: bool = False) -> Scope:
        return Scope(
            self._layers,
            env=self._env,
            root=self._root,
            problems=problems,
            growth=self._growth,
            verbatim=verbatim,
        )

    def _unless_left(self, match: re.Match[str], leave: Collection[str], part: Part) -> str:
        name = match[2].strip()
        if not match[1] and name in leave and not any(name in one for one in self._layers):
            return match[0]
        return str(self._text(match[0], part))

    def _filled(self, data: Any, place: int, part: Part) -> Any:
        if isinstance(data, str):
            return self._text(data, Part(part.file, data, place)) if "{{" in data else data
        if isinstance(data, dict):
            found = zip(data.items(), places(data, place), strict=False)
            return {key: self._filled(value, at, part) for (key, value), at in found}
        if isinstance(data, list):
            placed = zip(data, places(data, place), strict=False)
            return [self._filled(one, at, part) for one, at in placed]
        return data

    def _text(self, text: str, part: Part) -> Any:
        try:
            whole = _TEMPLATE.match(text)
            if whole and whole.end() == len(text):
                value = self._value(whole)
                self._growth.add(_VALUE_SIZE * count_values(value), by=part)
                return value
            return "".join(self._pieces(text, part))
        except _WrongTemplate as exc:
            self._problems.add(part.at, str(exc))
            return text

    def _pieces(self, text: str, part: Part) -> Iterator[str]:
        end = 0
        for match in _TEMPLATE.finditer(text):
            inserted = _inserted(self._value(match))
            self._growth.add(len(inserted), by=part)
            yield text[end : match.start()]
            yield inserted
            end = match.end()
        yield text[end:]

    def _value(self, match: re.Match[str]) -> Any:
        dollar, name = match[1], match[2].strip()
        is_name = match[0].endswith("}}") and (name in _LITERALS or _NAME.fullmatch(name))
        if self._verbatim and not is_name:
            return match[0]
        if not match[0].endswith("}}"):
            raise _WrongTemplate(f"the template {shown(match[0])} is not closed with }}}}")
        if name in _LITERALS:
            return dollar + _LITERALS[name]
        if not _NAME.fullmatch(name):
            hint = "two braces as such are written {{ '{{' }}"
            raise _WrongTemplate(f"{shown(match[0])} is not the name of a variable; {hint}")
        if dollar:
            return self._environment(name)
        first, _, rest = name.partition(".")
        if first == "env" and rest:
            return self._environment(rest, written=match[0])
        return self._variable(rest if first == "vars" and rest else name, written=match[0])

    def _environment(self, name: str, *, written: str = "") -> Any:
        if name == ROOT:
            return self._root
        if self._env is None:
            return written or f"${{{{ {name} }}}}"
        if name not in self._env:
            known = f"known: {', '.join(sorted(self._env)) or 'none'}"
            message = f"the environment's {shown(name)} may not be used, or is not set"
            raise _WrongTemplate(f"{message}; ini `agentv_env` lists the names ({known})")
        return self._env[name]

    def _variable(self, name: str, *, written: str) -> Any:
        steps = name.split(".")
        layer = next((one for one in self._layers if steps[0] in one), None)
        value = _MISSING if layer is None else _inside(layer, steps)
        if value is _MISSING and self._verbatim:
            return written
        if value is _MISSING:
            known = suggestion(name, {one for layer in self._layers for one in layer})
            raise _WrongTemplate(f"there is no variable for {shown(written)}; {known}")
        return value


def count_values(value: Any) -> int:
    """How many values there are in a value."""
    if isinstance(value, dict):
        return 1 + sum(map(count_values, value.values()))
    return 1 + sum(map(count_values, value)) if isinstance(value, list) else 1


def _inside(value: Any, steps: list[str]) -> Any:
    for step in steps:
        key = int(step) if isinstance(value, list) and step.isdecimal() else step
        if not holds(value, key):
            return _MISSING
        value = value[key]
    return value


def _inserted(value: Any) -> str:
    """A value inside of a longer text: as it was written, or else as JSON."""
    if isinstance(value, str):
        return value
    written: str | None = getattr(value, "written", None)
    return written or json.dumps(value, ensure_ascii=False)
