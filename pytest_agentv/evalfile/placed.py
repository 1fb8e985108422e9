"""Data that knows where it stands: what is wrong with a value is said with its line and column.

A place is one number, line and column packed: a big file has one for every key and value.
"""

from __future__ import annotations

from itertools import repeat
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_agentv.errors import Location

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

# More than a file of the greatest size has columns.
_COLUMNS = 1 << 24
_SHOWN = 60


def packed(line: int, column: int) -> int:
    """A place of a line and a column, both counted from 1."""
    return line * _COLUMNS + column


class PlacedDict(dict[str, Any]):
    """A mapping that knows the places of itself, of its keys and of its values, in order."""

    __slots__ = ("key_places", "place", "value_places")

    def __init__(self, place: int) -> None:
        super().__init__()
        self.place = place
        self.key_places: list[int] = []
        self.value_places: list[int] = []

    def take_in(self, other: PlacedDict) -> None:
        """Add what another mapping says and this one does not."""
        placed = zip(other.items(), other.key_places, other.value_places, strict=True)
        for (key, value), key_place, place in placed:
            if key not in self:
                self[key] = value
                self.key_places.append(key_place)
                self.value_places.append(place)


class PlacedList(list[Any]):
    """A list that knows the places of itself and of its items."""

    __slots__ = ("place", "value_places")

    def __init__(self, place: int) -> None:
        super().__init__()
        self.place = place
        self.value_places: list[int] = []


class WrittenInt(int):
    """A whole number whose usual form differs from how it was written: ``+5``."""

    written: str


class WrittenFloat(float):
    """A number whose usual form differs from how it was written: ``3.10``."""

    written: str


class Part(NamedTuple):
    """A value, the file that it stands in, and where."""

    file: Path
    data: Any
    place: int = packed(1, 1)

    @property
    def at(self) -> Location:
        """Where it stands."""
        return Location(self.file, *divmod(self.place, _COLUMNS))

    def key_at(self, key: str) -> Location:
        """Where one of its keys stands."""
        data = self.data
        place = data.key_places[list(data).index(key)] if type(data) is PlacedDict else self.place
        return Location(self.file, *divmod(place, _COLUMNS))

    def child(self, key: str | int) -> Part:
        """What it holds under a key or at an index."""
        data = self.data
        place = self.place
        if type(data) is PlacedDict:
            place = data.value_places[list(data).index(str(key))]
        elif type(data) is PlacedList:
            place = data.value_places[int(key)]
        return Part(self.file, data[key], place)

    def items(self) -> Iterator[tuple[str, Part]]:
        """The keys of a mapping and what they hold."""
        placed = zip(self.data.items(), places(self.data, self.place), strict=False)
        for (key, value), place in placed:
            yield key, Part(self.file, value, place)

    def elements(self) -> Iterator[Part]:
        """The items of a list."""
        for value, place in zip(self.data, places(self.data, self.place), strict=False):
            yield Part(self.file, value, place)

    def locate(self, path: tuple[str | int, ...]) -> Location:
        """Where something inside of it stands, or else what is nearest to it."""
        part = self
        for step in path:
            if not holds(part.data, step):
                break
            part = part.child(step)
        return part.at


def holds(data: Any, step: str | int) -> bool:
    """Whether a mapping has such a key, or a list such an index."""
    if isinstance(data, dict):
        return step in data
    return isinstance(data, list) and type(step) is int and 0 <= step < len(data)


def places(data: Any, place: int) -> Iterable[int]:
    """The places of what a mapping or list holds; all the same if they are not known."""
    return data.value_places if type(data) in (PlacedDict, PlacedList) else repeat(place)


def plain(data: Any) -> Any:
    """The same data as ordinary mappings and lists."""
    if isinstance(data, dict):
        return {key: plain(value) for key, value in data.items()}
    if isinstance(data, list):
        return [plain(value) for value in data]
    return data


def shown(value: Any) -> str:
    """A value as a message names it: as it was written, and never long."""
    if isinstance(value, str):
        return repr(value if len(value) <= _SHOWN else f"{value[:_SHOWN]}…")
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, (dict, list)):
        return "a mapping" if isinstance(value, dict) else "a list"
    written: str = getattr(value, "written", None) or repr(value)
    return written if len(written) <= _SHOWN else f"{written[:_SHOWN]}…"
