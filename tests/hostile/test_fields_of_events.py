"""A wrong value in any field of Codex's and Copilot's records: the field is lost, nothing else."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any, NamedTuple, get_args, get_origin

import msgspec
import pytest
from hostile_sessions import CONVERSATION, kept, lines
from hostile_vendors import CODEX, COPILOT
from rich_sessions import RICH

from pytest_agentv.adapters.codex.records import Record
from pytest_agentv.adapters.copilot.records import Event

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hostile_sessions import Json
    from hostile_vendors import Vendor

WRONG: list[Any] = [None, True, 0, -1, 1.5, "x", "", [], {}, [[]], {"a": 1}, "long" * 2560, 10**30]
_STRUCTS: dict[Vendor, type[msgspec.Struct]] = {CODEX: Record, COPILOT: Event}


class Place(NamedTuple):
    """A field: of which client's record of which kind, and under which keys."""

    vendor: Vendor
    kind: str
    keys: tuple[str | int, ...]

    @property
    def path(self) -> str:
        """The field as drift names it: without places in lists."""
        return ".".join(key for key in self.keys if isinstance(key, str))

    def __str__(self) -> str:
        return f"{self.vendor}-{self.kind}-{self.path}"


def _kinds(vendor: Vendor) -> dict[str, Json]:
    """One record of each kind; none of them has to do with the call of the conversation."""
    kinds: dict[str, Json] = {}
    for record in RICH[vendor.name]:
        inner = record.get("payload") or {}
        kind = "-".join(filter(None, (record["type"], inner.get("type"), inner.get("role"))))
        kinds.setdefault(kind, json.loads(json.dumps(record).replace("toolu_1", "another")))
    return kinds


def _fields(
    annotation: Any, value: Any, keys: tuple[str | int, ...] = ()
) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Keys and type of every field that is read of a value and that it has."""
    for option in (annotation, *get_args(annotation)):
        if get_origin(option) is list and isinstance(value, list) and value:
            yield from _fields(get_args(option)[0], value[0], (*keys, 0))
        elif isinstance(option, type) and issubclass(option, msgspec.Struct):
            for field in msgspec.structs.fields(option):
                if isinstance(value, dict) and field.encode_name in value:
                    below = (*keys, field.encode_name)
                    yield below, field.type
                    yield from _fields(field.type, value[field.encode_name], below)


_PLACES = {
    Place(vendor, kind, keys): annotation
    for vendor, struct in _STRUCTS.items()
    for kind, record in _kinds(vendor).items()
    for keys, annotation in _fields(struct, record)
}


def _is_usable(value: Any, annotation: Any) -> bool:
    """Whether a value fits a field as a struct declares it."""
    try:
        msgspec.json.decode(json.dumps(value), type=annotation)
    except msgspec.ValidationError:
        return False
    return True


def _hostile(place: Place, value: Any) -> Json:
    record = copy.deepcopy(_kinds(place.vendor)[place.kind])
    holder: Any = record
    for key in place.keys[:-1]:
        holder = holder[key]
    holder[place.keys[-1]] = value
    return record


@pytest.mark.parametrize("place", _PLACES, ids=str)
def test_a_wrong_value_loses_its_field_and_nothing_else(place: Place) -> None:
    vendor = place.vendor
    # A prompt before and after, because items that nothing parts are one response.
    before, after = vendor.prompt("Before", 1), vendor.prompt("After", 2)
    hostile = [_hostile(place, value) for value in WRONG]
    content = lines([*vendor.conversation(), before, *hostile, after])
    transcript = vendor.imported(content)
    assert kept(transcript)[:4] == [*CONVERSATION, ("user", "Before", [])]
    assert ("user", "After", []) in kept(transcript)
    # Of a list or an object it may be a part that is unusable.
    fields = (f"unusable field '{place.path}'", f"unusable field '{place.path}.")
    counted = sum(count for reason, count in transcript.drift.items() if reason.startswith(fields))
    unusable = [value for value in WRONG if not _is_usable(value, _PLACES[place])]
    assert counted == len(unusable), transcript.drift
