"""Whether two JSON values are the same, and in which way they are not."""

from __future__ import annotations

from typing import Any

# A larger or deeper value is not compared in detail: the library is quadratic, and recursive.
_MAX_PARTS = 1_000
_MAX_DIFF_LINES = 50
_MAX_LINE = 300


def identity(value: Any) -> Any:
    """Something hashable that two values share if, and only if, they are the same.

    1 is 1.0, but true is not 1, and the order of keys does not count. Values must not be deep.
    """
    if isinstance(value, bool):
        return ("bool", bool(value))
    if isinstance(value, dict):
        return ("object", frozenset((key, identity(one)) for key, one in value.items()))
    if isinstance(value, (list, tuple)):
        return ("list", tuple(identity(one) for one in value))
    return value


def same(one: Any, other: Any) -> bool:
    """Whether two JSON values are the same."""
    return bool(identity(one) == identity(other))


def difference(expected: Any, actual: Any) -> str:
    """What differs, a line each; an empty text if that cannot be shown."""
    if _parts(expected) > _MAX_PARTS or _parts(actual) > _MAX_PARTS:
        return ""
    try:
        from deepdiff import DeepDiff  # noqa: PLC0415 (costly, and needed for a failure only)

        found = DeepDiff(_plain(expected), _plain(actual), verbose_level=2)
        lines = str(found.pretty()).splitlines()
    except Exception:  # noqa: BLE001 (a failure text is no place to fail)
        return ""
    rest = len(lines) - _MAX_DIFF_LINES
    more = [f"… and {rest} more"] if rest > 0 else []
    return "\n".join([line[:_MAX_LINE] for line in lines[:_MAX_DIFF_LINES]] + more)


def _parts(value: Any) -> int:
    """How many values a value holds, itself included; counted up to the limit only."""
    waiting, count = [value], 0
    while waiting and count <= _MAX_PARTS:
        one = waiting.pop()
        count += 1
        if isinstance(one, dict):
            waiting.extend(one.values())
        elif isinstance(one, (list, tuple)):
            waiting.extend(one)
    return count


def _plain(value: Any) -> Any:
    """The same in plain types: those of an eval file know their line, and would look different."""
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    for kind in (bool, int, float, str):
        if isinstance(value, kind):
            return kind(value)
    return value
