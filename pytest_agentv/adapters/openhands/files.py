"""Where the events of a session are: in a folder, one file each; in a list; in rows of an eval."""

from __future__ import annotations

import contextlib
import os
import re
from collections import deque
from typing import TYPE_CHECKING, Any

from pytest_agentv.adapters.openhands import PROVIDER, v0, v1
from pytest_agentv.adapters.openhands.common import string_in
from pytest_agentv.adapters.probe import probe
from pytest_agentv.adapters.records import Drift, RecordFile, read_json
from pytest_agentv.adapters.rowplaces import LineDrift, RowPlaces, state_of
from pytest_agentv.adapters.told import Told
from pytest_agentv.errors import Location, SessionError, SessionUnreadable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from pytest_agentv.adapters.base import SessionRef

_places = RowPlaces()
_V1_NAME = re.compile(r"event-(\d{1,12})-[^/]{1,80}\.json")
_V0_NAME = re.compile(r"(\d{1,12})\.json")
_EVENTS = "events"
_STATE = "base_state.json"
_ENOUGH = 10
_ID_KEYS = ("instance_id", "conversation_id", "session_id", "id")


def folder_of(path: Path) -> Path | None:
    """The folder of a session: of itself, of its events, or of a file in either."""
    folder = path if os.path.isdir(path) else path.parent  # noqa: PTH112 (never raises)
    if folder.name == _EVENTS and event_files(folder):
        return folder.parent
    if path.name == _STATE or folder == path:
        return folder if event_files(folder / _EVENTS) else None
    return None


def event_files(folder: Path) -> list[tuple[int, Path]]:
    """The files of events in a folder, by number; none if it holds files of another kind."""
    try:
        names = os.listdir(folder)  # noqa: PTH208 (only names are wanted, of thousands of files)
    except OSError:
        return []
    found = [
        (int(match[1]), folder / name)
        for name in names
        if (match := _V1_NAME.fullmatch(name) or _V0_NAME.fullmatch(name))
    ]
    return sorted(found)


def is_event(value: Any) -> bool:
    """Whether a value is an event, of whichever version."""
    return is_event_of_v1(value) or v0.is_event(value)


def is_event_of_v1(value: Any) -> bool:
    """Whether a value is an event of version 1."""
    return (
        isinstance(value, dict)
        and isinstance(value.get("kind"), str)
        and isinstance(value.get("source"), str)
        and "timestamp" in value
    )


def is_row(value: Any) -> bool:
    """Whether a value is a row of an evaluation: what was asked, and the events."""
    return isinstance(value, dict) and _history(value) is not None


def _history(row: dict[str, Any]) -> list[Any] | None:
    for name in ("history", "trajectory"):
        value = row.get(name)
        events = _flat(value) if isinstance(value, list) else []
        if any(map(is_event, events[:_ENOUGH])):
            return events
    return None


def _flat(events: list[Any]) -> list[Any]:
    """Old lists are of pairs: an action, and what came of it."""
    return [one for event in events for one in (event if isinstance(event, list) else [event])]


def is_session(path: Path) -> bool:
    """Whether a file is a session, a part of one, or a file of several."""
    found = probe(path)
    if any(map(is_row, found.records)) or any(map(is_event, found.records)):
        return True
    if found.fields and folder_of(path) is not None:
        return path.name == _STATE or is_event({n: found.value(n) for n in found.fields})
    if {"history", "trajectory"} & found.fields.keys():
        return is_row({name: found.value(name) for name in ("history", "trajectory")})
    return any(map(is_event, _flat(found.items)[:_ENOUGH])) or any(map(is_row, found.items))


def row_of(path: Path, number: int | None, drift: Drift) -> dict[str, Any] | None:
    """The row of a line, or the first one; on lines, no other is read for it twice."""
    if not _places.has(path) and probe(path).has_lines:
        deque(_line_rows(path, Drift()), maxlen=0)
    place = _places.place(path, number, drift)
    if place is not None:
        with _lines(path, drift) as file:
            return next((row for _, row in file.records_at([place])), None)
    return next((row for line, row in rows_of(path, drift) if number in (None, line)), None)


def rows_of(path: Path, drift: Drift) -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows of a file and their lines; a file that is one session is one row."""
    if probe(path).has_lines:
        yield from _line_rows(path, drift)
        return
    value = read_json(path, drift)
    values = value if isinstance(value, list) else [value]
    rows = [(number, one) for number, one in enumerate(values, 1) if is_row(one)]
    events = _flat(values)
    if rows:
        yield from rows
    elif any(map(is_event, events)):
        yield 1, {"history": events}


def _lines(path: Path, drift: Drift) -> RecordFile[Any]:
    return RecordFile(path, dict, drift)


def _line_rows(path: Path, drift: Drift) -> Iterator[tuple[int, dict[str, Any]]]:
    events = []
    places = {}
    state, noted = state_of(path), LineDrift()
    with _lines(path, noted) as file:
        for place, value in file.records():
            line = place[2]
            if is_row(value):
                places[line] = place
                yield line, value
            elif is_event(value):
                events.append(value)
            else:
                noted.note("line that is neither row nor event", line)
    _places.remember(state, places, noted)
    drift.include(noted)
    if events:
        yield 1, {"history": events}


def id_of(row: dict[str, Any]) -> str | None:
    """What a row calls itself."""
    return next((str(row[name]) for name in _ID_KEYS if type(row.get(name)) in (str, int)), None)


def read_session(ref: SessionRef) -> Told:
    """What a session tells."""
    drift = Drift()
    told = Told(drift, PROVIDER)
    told.session_id = ref.session_id
    folder = folder_of(ref.path)
    if folder is not None:
        files = event_files(folder / _EVENTS)
        _tell(told, _events_in(files, drift), _beside(folder, drift))
        return told
    row = row_of(ref.path, ref.row if isinstance(ref.row, int) else None, drift)
    if row is None:
        raise SessionUnreadable("holds no event of OpenHands", at=ref.at)
    _tell(told, enumerate(_history(row) or [], 1), row)
    return told


def _events_in(files: list[tuple[int, Path]], drift: Drift) -> Iterator[tuple[int, Any]]:
    for number, path in files:
        with contextlib.suppress(SessionError):
            yield number, read_json(path, drift)
            continue
        drift.note("unreadable event", number)


def _beside(folder: Path, drift: Drift) -> dict[str, Any]:
    """What a client keeps beside the events; never a pickle, which would run what it holds."""
    for name in (_STATE, "metadata.json"):
        path = folder / name
        if path.is_file():
            try:
                value = read_json(path, drift)
            except SessionError:
                drift.note(f"unreadable {name}", 1)
                continue
            if isinstance(value, dict):
                return value
    return {}


def _tell(told: Told, events: Iterable[tuple[int, Any]], around: dict[str, Any]) -> None:
    reader: v0.Events | v1.Events | None = None
    for number, event in events:
        if not isinstance(event, dict):
            told.drift.note("event that is no object", number)
            continue
        if reader is None:
            reader = v1.Events(told) if "kind" in event else v0.Events(told)
        reader.read(event, number)
    if reader is not None:
        reader.finish(around)
    instruction = string_in(around, "instruction")
    if told.opening is None and instruction and not len(told.conversation):
        told.user(instruction)


def no_session(path: Path) -> SessionUnreadable:
    """The error for a file without a session."""
    return SessionUnreadable("holds no event of OpenHands", at=Location(path))
