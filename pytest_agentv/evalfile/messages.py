"""What a pydantic model finds wrong, in words for the people who write eval files."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pytest_agentv.evalfile.placed import holds, shown
from pytest_agentv.evalfile.problems import unknown_key

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from typing import TypeAlias

    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

    Path: TypeAlias = tuple[str | int, ...]

# What would have been right, by the type of pydantic's error.
_EXPECTED = {
    "bool_type": "true or false",
    "dict_type": "a mapping",
    "float_type": "a number",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "list_type": "a list",
    "mapping_type": "a mapping",
    "model_attributes_type": "a mapping",
    "model_type": "a mapping",
    "none_required": "null",
    "string_type": "a text",
    "tuple_type": "a list",
    "dataclass_type": "a mapping",
}
_LIMITS = {
    "finite_number": "a finite number",
    "greater_than": "greater than {gt}",
    "greater_than_equal": "at least {ge}",
    "less_than": "less than {lt}",
    "less_than_equal": "at most {le}",
    "literal_error": "{expected}",
    "string_pattern_mismatch": "a text that matches {pattern}",
    "string_too_long": "a text of at most {max_length} characters",
    "string_too_short": "a text of at least {min_length} characters",
    "too_long": "of at most {max_length} items",
    "too_short": "of at least {min_length} items",
}
_TEXT = _EXPECTED["string_type"]
_NONE: Mapping[str, Collection[str]] = MappingProxyType({})


def plain_problems(
    error: ValidationError,
    *,
    data: Any,
    known: Collection[str],
    inner: Mapping[str, Collection[str]] = _NONE,
) -> Iterator[tuple[Path, str]]:
    """Each thing that is wrong, and its path in the data as it was written.

    ``known`` are the keys of the outermost mapping, ``inner`` those of mappings in it. Of a value
    that could be one thing or another the problem is one: all that it could be.
    """
    details = error.errors(include_url=False, include_context=True)
    paths = [_path(one, data) for one in details]
    # Such values fit one of their types, and what was said of them as such says more.
    fitting = {path[:length] for path in paths for length in range(1, len(path))}
    told = set()
    expected: dict[Path, list[str]] = {}
    for one, path in zip(details, paths, strict=True):
        phrase = _EXPECTED.get(one["type"])
        if path in fitting:
            continue
        if phrase is None:
            told.add(path)
            yield path, _message(one, path, data, _keys_at(path, known, inner))
        else:
            expected.setdefault(path, []).append(phrase)
    for path, phrases in expected.items():
        if path not in told:
            yield path, _mismatch(path, list(dict.fromkeys(phrases)), data)


def _path(one: ErrorDetails, data: Any) -> Path:
    """Pydantic's path without the names of the types that a value could have been."""
    path: list[str | int] = []
    for step in one["loc"]:
        if holds(data, step):
            path.append(step)
            data = data[step]
    return (*path, one["loc"][-1]) if one["type"] == "missing" else tuple(path)


def _keys_at(
    path: Path, known: Collection[str], inner: Mapping[str, Collection[str]]
) -> Collection[str]:
    """The keys that could stand at the end of a path, if that is known."""
    if len(path) == 1:
        return known
    outer, *others = path or ("",)
    return inner.get(str(outer), ()) if len(others) == 1 else ()


def _message(one: ErrorDetails, path: Path, data: Any, known: Collection[str]) -> str:
    kind = one["type"]
    if kind == "missing":
        return f"{_label(path)} is missing"
    if kind == "extra_forbidden":
        key = str(path[-1]) if path else ""
        return unknown_key(key, known) if known or len(path) == 1 else f"unknown key {shown(key)}"
    if kind in _LIMITS:
        limits = {name: _brief(limit) for name, limit in one.get("ctx", {}).items()}
        phrase = _LIMITS[kind].format(**limits)
        return f"{_label(path)} must be {phrase}, not {_found(_value(path, data))}"
    message = one["msg"].removeprefix("Value error, ")
    return f"{_label(path)} {message}" if path else message


def _mismatch(path: Path, phrases: list[str], data: Any) -> str:
    value = _value(path, data)
    message = f"{_label(path)} must be {' or '.join(phrases)}, not {_found(value)}"
    is_scalar = not isinstance(value, (str, dict, list))
    return f"{message}; quote it" if _TEXT in phrases and is_scalar else message


def _brief(limit: Any) -> Any:
    return int(limit) if isinstance(limit, float) and limit.is_integer() else limit


def _found(value: Any) -> str:
    """A value as it is written; never what a template made of it, which may be a secret."""
    is_template = isinstance(value, str) and "{{" in value
    return f"what {shown(value)} stands for" if is_template else shown(value)


def _value(path: Path, data: Any) -> Any:
    for step in path:
        data = data[step]
    return data


def _label(path: Path) -> str:
    label = ""
    for step in path:
        label += f"[{step}]" if isinstance(step, int) else f".{step}" if label else step
    return f"`{label}`" if label else "it"
