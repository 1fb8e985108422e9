"""Graders of answers that are, or hold, JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import AfterValidator, AliasChoices, BeforeValidator, Field

from pytest_agentv.graders.fields import wrong
from pytest_agentv.graders.json_text import Unreadable, candidate, embedded, parse
from pytest_agentv.graders.phrases import counted, shown
from pytest_agentv.graders.schemas import check_schema, violations
from pytest_agentv.graders.scoped import Finding, ScopedGrader

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_agentv.graders.scoped import Look


def _mapping(value: Any) -> Any:
    if not isinstance(value, dict):
        raise wrong(f"must be a JSON Schema, a mapping, not {shown(value)}")
    return value


def _usable(schema: dict[str, Any]) -> dict[str, Any]:
    try:
        check_schema(schema)
    except ValueError as exc:
        raise wrong(str(exc)) from exc
    return schema


Schema = Annotated[dict[str, Any], BeforeValidator(_mapping), AfterValidator(_usable)]


def _kept(schema: Mapping[str, Any], value: Any) -> Finding:
    problems = violations(schema, value)
    if not problems:
        return Finding(holds=True, reason="keeps to it")
    return Finding(holds=False, reason=problems[0], details="\n".join(problems[1:]))


class IsJson(ScopedGrader):
    """The whole text is JSON, and keeps to a schema if there is one."""

    types: ClassVar[tuple[str, ...]] = ("is-json",)
    value: Schema | None = None

    def statement(self) -> str:
        """What is claimed."""
        return "is JSON" if self.value is None else "is JSON that keeps to the schema"

    def look(self) -> Look:
        """Parse it."""
        return self._parse

    def _parse(self, text: str) -> Finding:
        try:
            value = parse(text)
        except Unreadable as exc:
            return Finding(holds=False, reason=str(exc))
        if self.value is None:
            return Finding(holds=True, reason="is JSON")
        return _kept(self.value, value)


class ContainsJson(ScopedGrader):
    """The text holds a JSON object or list, and the first keeps to a schema if there is one."""

    types: ClassVar[tuple[str, ...]] = ("contains-json",)
    value: Schema | None = None

    def statement(self) -> str:
        """What is claimed."""
        kept = "" if self.value is None else " that keeps to the schema"
        return f"contains a JSON object or list{kept}"

    def look(self) -> Look:
        """Search it."""
        return self._search

    def _search(self, text: str) -> Finding:
        found = embedded(text)
        if found is None:
            reason = f"none in {counted(len(text), 'character')}"
            return Finding(holds=False, reason=reason)
        if self.value is None:
            return Finding(holds=True, reason="found", start=found.start, end=found.end)
        return _kept(self.value, found.value)._replace(start=found.start, end=found.end)


class JsonSchema(ScopedGrader):
    """The JSON value that the text gives keeps to a schema."""

    types: ClassVar[tuple[str, ...]] = ("json-schema",)
    value: Schema = Field(validation_alias=AliasChoices("value", "schema"))

    def statement(self) -> str:
        """What is claimed."""
        return "keeps to the JSON Schema"

    def look(self) -> Look:
        """Validate it."""
        return self._validate

    def _validate(self, text: str) -> Finding:
        try:
            value = candidate(text)
        except Unreadable as exc:
            return Finding(holds=False, reason=str(exc))
        return _kept(self.value, value)
