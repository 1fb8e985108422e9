"""JSON that is not quite JSON: made strict, cut apart, measured in depth."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_agentv.jsontext import (
    MAX_DEPTH,
    is_utf8,
    objects_in,
    shallow_json,
    strict_json,
    too_deep,
)

_laws = settings(max_examples=200, deadline=None, derandomize=True, database=None)

_NUMBERS = st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False, allow_infinity=False)
_TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | _NUMBERS | _TEXTS,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(_TEXTS, inner, max_size=5),
    max_leaves=15,
)
_OBJECTS = st.dictionaries(_TEXTS, _VALUES, min_size=1, max_size=5)
# As vendors write them: no key begins with a mark that JSON itself uses.
_RECORDS = st.dictionaries(st.from_regex("[a-zA-Z]{1,8}", fullmatch=True), _VALUES, min_size=1)
_LOOSE: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.integers(-(2**80), 2**80)
    | st.floats()
    | st.text(st.characters(codec=None), max_size=20),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(_TEXTS, inner, max_size=5),
    max_leaves=15,
)


def _repaired(value: Any) -> Any:
    """A value as strict JSON can say it."""
    if isinstance(value, str):
        return re.sub("[\ud800-\udfff]", "\ufffd", value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, int):
        return value if -(2**63) <= value < 2**64 else None
    if isinstance(value, list):
        return [_repaired(one) for one in value]
    if isinstance(value, dict):
        return {_repaired(key): _repaired(one) for key, one in value.items()}
    return value


def _depth(value: Any) -> int:
    if isinstance(value, dict):
        value = list(value.values())
    return 1 + max(map(_depth, value), default=0) if isinstance(value, list) else 0


@_laws
@given(_VALUES, st.booleans(), st.sampled_from([None, 2]))
def test_good_json_stays_what_it_is(value: Any, ensure_ascii: bool, indent: int | None) -> None:  # noqa: FBT001
    raw = json.dumps(value, ensure_ascii=ensure_ascii, indent=indent).encode()
    strict = strict_json(raw)
    assert strict is not None
    assert msgspec.json.decode(strict) == json.loads(raw)


@_laws
@given(_LOOSE)
def test_loose_json_is_read_as_what_strict_json_can_say_of_it(value: Any) -> None:
    # Surrogates that form a pair by chance are that character, in any decoder.
    raw = json.dumps(value)
    strict = strict_json(raw.encode())
    assert strict is not None
    assert msgspec.json.decode(strict) == _repaired(json.loads(raw))


@_laws
@given(st.binary(max_size=100))
def test_of_any_bytes_comes_strict_json_or_nothing(raw: bytes) -> None:
    for document in (raw, b'{"a":"' + raw + b'"}', b"[" + raw + b"]"):
        strict = strict_json(document)
        if strict is not None:
            msgspec.json.decode(strict)
            strict.decode()


@pytest.mark.parametrize(
    ("raw", "strict"),
    [
        (b"NaN", b"null"),
        (b"[Infinity, -Infinity, 1e400]", b"[null, null, null]"),
        (b"18446744073709551616", b"null"),
        (b"18446744073709551615", b"18446744073709551615"),
        (b"-9223372036854775808", b"-9223372036854775808"),
        (b"-9223372036854775809", b"null"),
        (b"9" * 10_000, b"null"),
        (b"-" + b"9" * 10_000, b"null"),
        (b'\xef\xbb\xbf{"a":1}', b'{"a": 1}'),
        (b'{"a":1,"a":2}', b'{"a": 2}'),
        (rb'"\ud83d\ude00"', '"\U0001f600"'.encode()),
        (rb'"\ud83d"', '"\ufffd"'.encode()),
        (b'"\xff"', '"\ufffd"'.encode()),
        (b'"\x0b"', rb'"\u000b"'),
        (b"", None),
        (b"{", None),
        (b"{}{}", None),
        (b"{'a':1}", None),
        (b"\x00", None),
    ],
)
def test_examples(raw: bytes, strict: bytes | None) -> None:
    assert strict_json(raw) == strict


@pytest.mark.parametrize("shape", [(b"[", b"]"), (b'{"a":', b"}")], ids=["lists", "objects"])
def test_a_depth_bomb_is_no_json(shape: tuple[bytes, bytes]) -> None:
    bomb = shape[0] * 100_000 + b"0" + shape[1] * 100_000
    assert strict_json(bomb) is None
    assert list(objects_in(bomb)) == []


@pytest.mark.parametrize("shape", [(b"[", b"]"), (b'{"a":', b"}")], ids=["lists", "objects"])
def test_of_a_depth_bomb_what_is_too_deep_is_null(shape: tuple[bytes, bytes]) -> None:
    bomb = shape[0] * 100_000 + b'"]}"' + shape[1] * 100_000
    flat = shallow_json(b'{"text": "[[{\\"", "bomb": %b, "after": [1, {"b": 2}]}' % bomb)
    assert flat is not None
    value = json.loads(flat)
    assert (value["text"], value["after"]) == ('[[{"', [1, {"b": 2}])
    assert not too_deep(value)
    assert too_deep(value, MAX_DEPTH - 1)


@pytest.mark.parametrize(
    "raw",
    [
        b"[" * 200 + b"]" * 200,
        b"[" * 300,
        b"[" * 300 + b"]" * 299,
        b'"' + b'\\"[' * 300,
        b'["' + b"[" * 300 + b'"]',
        b'["' + b"[" * 300 + b"\\",
    ],
)
def test_what_is_not_too_deep_or_no_json_is_left_alone(raw: bytes) -> None:
    assert shallow_json(raw) is None


@_laws
@given(_VALUES)
def test_no_value_of_ordinary_depth_is_changed(value: Any) -> None:
    assert shallow_json(json.dumps([value, [0] * 3, *([[]] * 300)]).encode()) is None


@_laws
@given(st.lists(_OBJECTS, max_size=5), st.sampled_from(["", " ", "\t", "\0\0", "garbage", "}"]))
def test_exactly_the_objects_that_are_glued_together_are_found(
    values: list[dict[str, Any]], glue: str
) -> None:
    raw = glue.join(json.dumps(value) for value in values).encode()
    found = [json.loads(raw[start:end]) for start, end in objects_in(raw)]
    assert found == values


@_laws
@given(_OBJECTS, _RECORDS, st.data())
def test_an_object_after_a_torn_one_is_found_and_no_part_of_the_torn_one(
    torn: dict[str, Any], whole: dict[str, Any], data: st.DataObject
) -> None:
    first = json.dumps(torn, separators=(",", ":")).encode()
    second = json.dumps(whole, separators=(",", ":")).encode()
    cut = data.draw(st.integers(0, len(first) - 1))
    found = [(start, end) for start, end in objects_in(first[:cut] + second)]
    if first[:cut][-1:] in (b":", b",", b"["):
        # The second may read as a part of the first; then neither is whole.
        assert found in ([], [(cut, cut + len(second))])
    else:
        assert found == [(cut, cut + len(second))]
    assert list(objects_in(first[:cut])) == []


@_laws
@given(st.binary(max_size=200))
def test_what_is_found_in_any_bytes_are_objects_one_after_the_other(raw: bytes) -> None:
    position = 0
    for start, end in objects_in(raw):
        assert position <= start < end <= len(raw)
        assert (raw[start : start + 1], raw[end - 1 : end]) == (b"{", b"}")
        position = end


@_laws
@given(_VALUES, st.integers(1, 8))
def test_depth_is_what_recursion_would_say(value: Any, limit: int) -> None:
    assert too_deep(value, limit) is (_depth(value) > limit)


@pytest.mark.parametrize(
    ("depth", "deep"), [(1, False), (MAX_DEPTH, False), (MAX_DEPTH + 1, True), (100_000, True)]
)
def test_depth_is_measured_without_recursion(depth: int, deep: bool) -> None:  # noqa: FBT001
    value: Any = 0
    for number in range(depth):
        value = [value] if number % 2 else {"a": value}
    assert too_deep(value) is deep


# Pieces that meet at the ends of what is looked at as one: 1,024 bytes.
_WHOLE = (b"a", "é".encode(), "€".encode(), "🎈".encode(), "é".encode() * 700)
_FILLERS = (b"a" * 1022, b"a" * 1023, b"a" * 1024)
_TORN = (b"\xc3", b"\xa9", b"\xed\xa0\x80", b"\xff")
_PIECES = st.sampled_from([*_WHOLE, *_FILLERS, *_TORN])


@_laws
@given(st.lists(_PIECES, max_size=8).map(b"".join))
def test_bytes_are_utf_8_if_they_can_be_decoded(raw: bytes) -> None:
    try:
        raw.decode()
    except UnicodeDecodeError:
        assert not is_utf8(raw)
    else:
        assert is_utf8(raw)
