"""The file of a session's events, in which an event may stand on several lines.

Some versions wrote line breaks inside a text as they are. What belongs together is put together
again; where that does not give an event, each line counts for itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from pytest_agentv.adapters.copilot.records import Event
from pytest_agentv.adapters.lenient import lenient
from pytest_agentv.adapters.records import RecordFile, decoded
from pytest_agentv.jsontext import objects_in

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_agentv.adapters.records import Drift, Place

# Longer ones are not put together, and no more is tried: hostile files are all broken lines.
_MAX_SIZE = 1 << 20
_MAX_ATTEMPTS = 3
# Every event ends with these.
_LAST_KEYS = (b'"timestamp"', b'"parentId"')
_LAST_KEYS_LENGTH = 500


class EventFile(RecordFile[Event]):
    """A session file as events."""

    # An empty line may be part of an event.
    passed_over = ()

    def __init__(self, path: Path, drift: Drift) -> None:
        super().__init__(path, Event, drift)
        # The lines of an event that has begun: their bytes, offset and number.
        self._begun: list[tuple[bytes, int, int]] = []
        self._size = 0
        self._attempts = 0

    def records(self) -> Iterator[tuple[Place, Event]]:
        """Every event and its place."""
        yield from super().records()
        yield from self._given_up()

    def _salvaged(self, raw: bytes, offset: int, line: int) -> Iterator[tuple[Place, Event]]:
        if self._begun:
            if self._goes_on(raw, line):
                self._hold(raw, offset, line)
                yield from self._joined()
                return
            yield from self._given_up()
        if _has_begun(raw):
            self._hold(raw, offset, line)
        else:
            yield from super()._salvaged(raw, offset, line)

    def _hold(self, raw: bytes, offset: int, line: int) -> None:
        self._begun.append((raw, offset, line))
        self._size += len(raw)

    def _taken(self) -> list[tuple[bytes, int, int]]:
        begun, self._begun = self._begun, []
        self._size = self._attempts = 0
        return begun

    def _goes_on(self, raw: bytes, line: int) -> bool:
        """Whether a line may be the next one of the event that has begun."""
        is_next = self._begun[-1][2] == line - 1
        fits = self._size + len(raw) <= _MAX_SIZE
        return is_next and fits and not (raw.startswith(b"{") and _is_whole(raw))

    def _joined(self) -> Iterator[tuple[Place, Event]]:
        """The event, if its last line is there."""
        last = self._begun[-1][0]
        if not (
            last.rstrip().endswith(b"}")
            and all(key in last[-_LAST_KEYS_LENGTH:] for key in _LAST_KEYS)
        ):
            return
        whole = b"".join(raw for raw, _, _ in self._begun)
        _, offset, line = self._begun[0]
        value = decoded(whole, self.drift, line)
        if isinstance(value, dict):
            self._taken()
            yield (offset, len(whole), line), lenient(value, Event, self.drift, line)
            return
        self._attempts += 1
        if self._attempts >= _MAX_ATTEMPTS:
            yield from self._given_up()

    def _given_up(self) -> Iterator[tuple[Place, Event]]:
        for raw, offset, line in self._taken():
            yield from super()._salvaged(raw, offset, line)


def _is_whole(raw: bytes) -> bool:
    try:
        msgspec.json.decode(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return False
    return True


def _has_begun(raw: bytes) -> bool:
    """Whether a line is the beginning of an event and nothing else."""
    return (
        raw.startswith(b'{"')
        and raw.endswith(b"\n")
        and len(raw) <= _MAX_SIZE
        and not raw.rstrip().endswith(b"}")
        and next(objects_in(raw), None) is None
    )
