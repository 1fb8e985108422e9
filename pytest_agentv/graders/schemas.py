"""JSON Schema made safe: nothing is fetched, no pattern hangs, no validation goes on for ever."""

from __future__ import annotations

from contextvars import ContextVar
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any

from pytest_agentv.errors import NotGradable
from pytest_agentv.graders.equality import identity
from pytest_agentv.graders.patterns import Stopwatch, compiled, search
from pytest_agentv.graders.phrases import shown
from pytest_agentv.jsontext import MAX_DEPTH, too_deep

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from jsonschema import ValidationError

# Errors that one failure shows, and characters of each.
_MAX_ERRORS = 10
_MAX_MESSAGE = 200
# Their values are data, not schemas.
_DATA = frozenset({"const", "enum", "default", "examples"})

_stopwatch: ContextVar[Stopwatch] = ContextVar("stopwatch")


def check_schema(schema: Mapping[str, Any]) -> None:
    """Raise ValueError if a schema is none, or none that can be used here."""
    from jsonschema import SchemaError  # noqa: PLC0415 (costly, and few eval files need it)

    if too_deep(schema):
        raise ValueError(f"is nested deeper than {MAX_DEPTH}")
    _check_keywords(schema)
    try:
        # Without formats: their check would compile patterns by another engine.
        _validator_class(_dialect(schema)).check_schema(schema, format_checker=None)
    except SchemaError as exc:
        raise ValueError(f"is no JSON Schema: {_described(exc)}") from exc
    except RecursionError as exc:
        raise ValueError("is too complex a JSON Schema") from exc


def violations(schema: Mapping[str, Any], value: Any) -> list[str]:
    """What is wrong with a value, a line each; nothing if it is valid."""
    from referencing import Registry  # noqa: PLC0415 (as above)

    token = _stopwatch.set(Stopwatch())
    validator = _validator_class(_dialect(schema))(schema, registry=Registry())
    try:
        found = list(islice(validator.iter_errors(value), _MAX_ERRORS + 1))
    except TimeoutError as exc:
        raise NotGradable("the answer takes too long to check against the JSON Schema") from exc
    except NotGradable:
        raise
    except Exception as exc:  # of references, of numbers, of depth: errors of many kinds
        problem = str(exc).partition("\n")[0][:_MAX_MESSAGE] or type(exc).__name__
        raise NotGradable(f"the JSON Schema cannot be used: {problem}") from exc
    finally:
        _stopwatch.reset(token)
    lines = [_described(error) for error in found[:_MAX_ERRORS]]
    return [*lines, "… and more"] if len(found) > _MAX_ERRORS else lines


def _described(error: Any) -> str:
    """Where it is, as JavaScript would write it (``$.users[0].name``), and what is wrong there."""
    steps = (f"[{one}]" if isinstance(one, int) else f".{one}" for one in error.absolute_path)
    message = error.message
    if len(message) > _MAX_MESSAGE:
        limit = shown(error.validator_value)
        message = f"{shown(error.instance)} does not keep to {error.validator} {limit}"
    return f"{shown_path(''.join(steps))}: {message}"


def shown_path(steps: str) -> str:
    """A path from the root of a document, shortened."""
    return f"${steps}" if len(steps) <= _MAX_MESSAGE else f"${steps[:_MAX_MESSAGE]}…"


def _dialect(schema: Mapping[str, Any]) -> str:
    return str(schema.get("$schema", "https://json-schema.org/draft/2020-12/schema"))


@lru_cache(maxsize=16)
def _validator_class(dialect: str) -> Any:
    from jsonschema import validators  # noqa: PLC0415 (as above)

    nothing: Any = None
    known: Any = validators.validator_for({"$schema": dialect}, default=nothing)
    if known is None:
        raise ValueError(f"unknown $schema {shown(dialect)}")
    safe: dict[str, Callable[..., Any]] = {
        "pattern": _pattern,
        "patternProperties": _pattern_properties,
        "additionalProperties": _additional_properties,
        "uniqueItems": _unique_items,
    }
    keywords = {name: _timed(safe.get(name, check)) for name, check in known.VALIDATORS.items()}
    return validators.extend(known, validators=keywords)  # type: ignore[no-untyped-call]  # stubs


def _check_keywords(schema: Mapping[str, Any]) -> None:
    keywords: dict[str, list[Any]] = {}
    for key, value in _pairs(schema):
        keywords.setdefault(key, []).append(value)
    properties = [one for one in keywords.get("patternProperties", []) if isinstance(one, dict)]
    for pattern in [*keywords.get("pattern", []), *(key for one in properties for key in one)]:
        if isinstance(pattern, str):
            compiled(pattern)
    if properties and "unevaluatedProperties" in keywords:
        raise ValueError("`unevaluatedProperties` beside `patternProperties` is not supported")
    if not keywords.keys() & {"$id", "id"}:
        for reference in keywords.get("$ref", []):
            if isinstance(reference, str) and not reference.startswith("#"):
                raise ValueError(f"refers to {shown(reference)}, and nothing is ever fetched")


def _pairs(schema: Any) -> Iterator[tuple[str, Any]]:
    """Every key of a schema at any depth, with its value."""
    waiting = [schema]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            yield from one.items()
            waiting.extend(value for key, value in one.items() if key not in _DATA)
        elif isinstance(one, list):
            waiting.extend(one)


def _timed(check: Callable[..., Any]) -> Callable[..., Any]:
    """The check of a keyword, as long as there is time: references can multiply without end."""

    def timed(validator: Any, expected: Any, instance: Any, schema: Any) -> Any:
        _stopwatch.get().left()
        return check(validator, expected, instance, schema)

    return timed


def _error(message: str) -> ValidationError:
    from jsonschema import ValidationError  # noqa: PLC0415 (as above)

    return ValidationError(message)


def _matches(patterns: Iterable[str], text: str) -> bool:
    return any(search(one, text, stopwatch=_stopwatch.get()) is not None for one in patterns)


def _pattern(validator: Any, pattern: str, instance: Any, _: Any) -> Iterator[ValidationError]:
    if validator.is_type(instance, "string") and not _matches([pattern], instance):
        yield _error(f"{shown(instance)} does not match {shown(pattern)}")


def _pattern_properties(
    validator: Any, schemas: Mapping[str, Any], instance: Any, _: Any
) -> Iterator[ValidationError]:
    if not validator.is_type(instance, "object"):
        return
    for pattern, schema in schemas.items():
        for key, value in instance.items():
            if _matches([pattern], key):
                yield from validator.descend(value, schema, path=key, schema_path=pattern)


def _additional_properties(
    validator: Any, allowed: Any, instance: Any, schema: Mapping[str, Any]
) -> Iterator[ValidationError]:
    if not validator.is_type(instance, "object"):
        return
    named, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    extra = [key for key in instance if key not in named and not _matches(patterns, key)]
    if validator.is_type(allowed, "object"):
        for key in extra:
            yield from validator.descend(instance[key], allowed, path=key)
    elif not allowed and extra:
        keys = ", ".join(map(shown, extra[:_MAX_ERRORS]))
        yield _error(f"has {len(extra):,} keys that are not allowed: {keys}")


def _unique_items(validator: Any, unique: Any, instance: Any, _: Any) -> Iterator[ValidationError]:
    if unique and validator.is_type(instance, "array"):
        different = len({identity(one) for one in instance})
        if different < len(instance):
            yield _error(f"only {different:,} of {len(instance):,} items are different")
