"""JSON and JSON lines as data; every value of a line has the line's place."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NoReturn

from pytest_agentv.errors import EvalFileError, Location, Problem
from pytest_agentv.evalfile.placed import Part, packed, shown
from pytest_agentv.evalfile.yamltext import MAX_DEPTH
from pytest_agentv.jsontext import too_deep

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_agentv.evalfile.problems import Problems

MAX_LINES = 100_000

_INTEGERS = range(-(2**63), 2**64)
_MAX_DIGITS = 20
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def read_json(text: str, *, file: Path, problems: Problems) -> Part:
    """The value of a JSON text; raises EvalFileError."""
    del problems  # a JSON text has one problem at most
    return _value(text, file=file, line=1)


def read_json_lines(text: str, *, file: Path, problems: Problems) -> list[Part]:
    """The value of every line that is not blank."""
    parts: list[Part] = []
    for number, line in enumerate(text.split("\n"), 1):
        if len(parts) >= MAX_LINES:
            message = f"the file holds more than {MAX_LINES:,} lines"
            raise EvalFileError([Problem(Location(file, number, 1), message)])
        if line.strip():
            with problems.gathered():
                parts.append(_value(line, file=file, line=number))
    return parts


def _value(text: str, *, file: Path, line: int) -> Part:
    try:
        data = _DECODER.decode(text)
    except json.JSONDecodeError as exc:
        at = Location(file, line + exc.lineno - 1, exc.colno)
        raise EvalFileError([Problem(at, f"no valid JSON: {exc.msg}")]) from exc
    except ValueError as exc:
        raise EvalFileError([Problem(Location(file, line, 1), f"no valid JSON: {exc}")]) from exc
    except RecursionError as exc:
        raise _too_deep(file, line) from exc
    if too_deep(data, MAX_DEPTH):
        raise _too_deep(file, line)
    return Part(file, _without_surrogates(data), packed(line, 1))


def _too_deep(file: Path, line: int) -> EvalFileError:
    message = f"nested deeper than {MAX_DEPTH} levels"
    return EvalFileError([Problem(Location(file, line, 1), message)])


def _without_surrogates(data: Any) -> Any:
    """Escapes of half a character become U+FFFD, as nothing can write them."""
    if isinstance(data, str):
        return data if data.isascii() else _LONE_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", data)
    if isinstance(data, dict):
        pairs = data.items()
        return {_without_surrogates(key): _without_surrogates(value) for key, value in pairs}
    return [_without_surrogates(value) for value in data] if isinstance(data, list) else data


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        [(twice, _)] = Counter(name for name, _ in pairs).most_common(1)
        raise ValueError(f"the key {shown(twice)} stands there twice")
    return mapping


def _constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def _int(digits: str) -> int:
    # int() itself refuses some thousand digits with an error of its own.
    if len(digits) > _MAX_DIGITS or int(digits) not in _INTEGERS:
        raise ValueError(f"{shown(digits)} is too large for a number")
    return int(digits)


def _float(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"{shown(digits)} is too large for a number")
    return number


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_constant=_constant, parse_int=_int, parse_float=_float
)
