"""Objects of vendors as structs: a struct is a wish, not a demand.

Where a field has another type, the record is read again field by field and loses that field alone.
"""

from __future__ import annotations

from functools import cache
from types import UnionType
from typing import TYPE_CHECKING, Any, TypeVar, Union, get_args, get_origin

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_agentv.adapters.records import Drift

Record = TypeVar("Record", bound=msgspec.Struct)

_UNUSABLE: Any = object()


def lenient(value: dict[str, Any], type_: type[Record], drift: Drift, line: int) -> Record:
    """A record from an object, without the fields that do not fit; those are counted.

    Of a file whose records are plain objects (``dict``), they are what they are.
    """
    if not _is_struct(type_):
        return value  # type: ignore[return-value]

    def unusable(field: str) -> None:
        drift.note(f"unusable field {field!r}", line)

    return _struct(value, type_, "", unusable)


def _struct(
    value: dict[str, Any], type_: type[Record], path: str, unusable: Callable[[str], None]
) -> Record:
    """A struct from an object, without the fields that do not fit."""
    fields = {
        field.name: _field(
            value[field.encode_name], field.type, f"{path}{field.encode_name}", unusable
        )
        for field in _fields(type_)
        if field.encode_name in value
    }
    return type_(**{name: item for name, item in fields.items() if item is not _UNUSABLE})


def _field(item: Any, annotation: Any, path: str, unusable: Callable[[str], None]) -> Any:
    try:
        if annotation is msgspec.Raw:
            return msgspec.Raw(msgspec.json.encode(item))
        return msgspec.convert(item, annotation)
    except (msgspec.ValidationError, RecursionError):
        pass
    for option in get_args(annotation) if _is_union(annotation) else (annotation,):
        if isinstance(item, dict) and _is_struct(option):
            return _struct(item, option, f"{path}.", unusable)
        if isinstance(item, dict) and get_origin(option) is dict:
            _, element = get_args(option)
            usable = {key: _field(one, element, path, unusable) for key, one in item.items()}
            return {key: one for key, one in usable.items() if one is not _UNUSABLE}
        if isinstance(item, list) and get_origin(option) is list:
            (element,) = get_args(option)
            kept = [_field(one, element, path, unusable) for one in item]
            return [one for one in kept if one is not _UNUSABLE]
    unusable(path)
    return _UNUSABLE


_fields = cache(msgspec.structs.fields)


def _is_union(annotation: Any) -> bool:
    return get_origin(annotation) in (Union, UnionType)


def _is_struct(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, msgspec.Struct)
