"""JSON Schema in words: what a key may hold."""

from __future__ import annotations

import re
from typing import Any

from marked import code

_TYPES = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "`true` or `false`",
    "object": "mapping",
    "null": "",
}


def in_words(schema: Any, definitions: dict[str, Any]) -> str:
    """What fits a schema; empty if anything does."""
    if not isinstance(schema, dict):
        return ""
    if "$ref" in schema:
        return in_words(definitions[schema["$ref"].rsplit("/", 1)[1]], definitions)
    choices = schema.get("anyOf", schema.get("oneOf"))
    if choices is not None:
        return _either([in_words(one, definitions) for one in choices])
    values = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if values is not None:
        return ", ".join(map(code, values))
    if schema.get("type") == "array":
        return _list(schema, definitions)
    return _TYPES.get(schema.get("type", ""), "") + _bounds(schema)


def _either(choices: list[str]) -> str:
    *others, last = dict.fromkeys(one for one in choices if one) or [""]
    return f"{', '.join(others)} or {last}" if others else last


def _list(schema: dict[str, Any], definitions: dict[str, Any]) -> str:
    items = in_words(schema.get("items"), definitions)
    return f"list of {_plural(items)}" if items else "list"


def _plural(words: str) -> str:
    return re.sub(r"\b(text|mapping|number)\b", r"\1s", words)


def _bounds(schema: dict[str, Any]) -> str:
    least, above = schema.get("minimum"), schema.get("exclusiveMinimum")
    most, below = schema.get("maximum"), schema.get("exclusiveMaximum")
    said = [
        "" if least is None else f"at least {_number(least)}",
        "" if above is None else f"above {_number(above)}",
        "" if most is None else f"up to {_number(most)}",
        "" if below is None else f"below {_number(below)}",
    ]
    return "".join(f", {one}" for one in said if one)


def _number(value: float) -> str:
    return f"{value:g}"
