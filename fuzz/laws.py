"""What must hold of a broken session, whoever wrote it.

A value that is broken costs at most its record: whatever is read of the session when the whole
record is taken away is also read when one value of it is broken. What is lost, is counted.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from fuzz.kinds import KEY_BEFORE, MISSING, broken, is_other_type, kinds_for
from fuzz.seeds import Place, write_cell
from pytest_agentv import ReadOptions, dumps, load
from pytest_agentv.adapters.base import claims, refs_of
from pytest_agentv.errors import SessionError
from pytest_agentv.transcript.reading import read_transcripts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from fuzz.seeds import Seed, Steps
    from pytest_agentv import Transcript
    from pytest_agentv.adapters.base import Adapter, SessionRef

# Less than this must be left by a record that is taken away, or it is no record but a session.
_LEAST_LEFT = 0.3


class Reading(NamedTuple):
    """What was had of a session: what was said and done in it, and what was not understood."""

    facts: Counter[tuple[str, ...]]
    drift: Counter[str]
    sessions: int
    error: SessionError | None = None


# What a record belongs to, and what it takes back: another value makes another conversation.
# Codex knows the end of a search by its action; Kimi takes back so many prompts of a person.
_LINKS = frozenset(
    {"parentUuid", "parentId", "tool_call_id", "isSidechain", "action", "num_turns", "count"}
    | {"origin"}
)
# Shorter texts stand anywhere.
_TELLING = 4


class Broken(Exception):
    """A law that does not hold."""


class Bench:
    """A session that is broken again and again, in a folder of its own."""

    def __init__(self, seed: Seed, adapter: Adapter, folder: Path) -> None:
        self.seed = seed
        self._adapter = adapter
        self._folder = folder
        self._path = seed.write(folder)
        self._again = folder / "again.jsonl"
        self._without: dict[tuple[str, int | None, Steps], Counter[tuple[str, ...]]] = {}
        self.good = self.read()
        if self.good.error is not None:
            raise self.good.error

    def read(self) -> Reading:
        """Read the session as it is now; what is written of it must be readable again."""
        claims(self._adapter, self._path, is_folder=self._path.is_dir())
        drift: Counter[str] = Counter()
        try:
            read = [self._one(ref) for ref in refs_of(self._adapter, self._path)]
        except SessionError as exc:
            return Reading(Counter(), drift, 0, exc)
        found = [one for one in read if not isinstance(one, SessionError)]
        errors = [one for one in read if isinstance(one, SessionError)]
        if not found:
            return Reading(Counter(), drift, 0, errors[0])
        drift["session that cannot be read"] = len(errors)
        for one in found:
            self._check(one)
            drift.update(one.drift)
            drift.update(one.left_out)
        facts = Counter(fact for one in found for fact in _facts(one))
        return Reading(facts, drift, len(found))

    def _one(self, ref: SessionRef) -> Transcript | SessionError:
        """A session of a file; of several, one may be broken."""
        try:
            return load(self._adapter.read(ref, ReadOptions(include_subagents=True)))
        except SessionError as exc:
            return exc

    def _check(self, transcript: Transcript) -> None:
        if not transcript.output:
            raise Broken("a session without messages is no error")
        written = dumps(transcript)
        self._again.write_bytes(written)
        (again,) = read_transcripts(self._again)
        if dumps(again) != written:
            raise Broken("what is written of it is read as something else")

    def broken(self, place: Place, raw: bytes | None) -> Reading:
        """Read the session with something else at one place."""
        content = self.seed.contents[place.file]
        path = self._folder / place.file
        record = self.seed.changed(place, raw)
        try:
            if content.cells:
                write_cell(path, content.cells[place.record], record)
            else:
                path.write_bytes(content.joined(place.record, record))
            return self.read()
        finally:
            path.write_bytes(self.seed.files[place.file])

    def check(self, place: Place, kind: str) -> Reading:
        """Break a place, and see that the laws hold."""
        value = self.seed.value(place)
        key = place.steps[-1] if place.steps else None
        reading = self.broken(place, broken(kind, value, key))
        lost = self.good.facts - reading.facts
        if kind == KEY_BEFORE and lost and None not in place.steps:
            raise Broken(f"of two keys the last does not count: {_shown(lost)}")
        if place.steps and lost and _LINKS.isdisjoint(place.steps):
            own = _texts(value)
            self._check_survival(place, reading, own)
            if kind != MISSING or type(key) is str:  # an item that is not there, nobody misses
                self._check_counted(reading, own, is_wrong=is_other_type(kind, value))
        return reading

    def _check_survival(self, place: Place, reading: Reading, own: set[str]) -> None:
        """What is left without the record is left; what the value itself told, may be gone."""
        new = {fact[:2] for fact in reading.facts - self.good.facts}
        lost: list[list[tuple[str, ...]]] = []
        for expected in self._expected(place):
            missing = [fact for fact in expected - reading.facts if fact[:2] not in new]
            lost.append([fact for fact in missing if not _is_told(fact, own)])
        if lost and all(lost):
            session = "the whole session" if reading.error is not None else "more than its record"
            raise Broken(f"costs {session}: {reading.error or _shown(lost[-1])}")

    def _check_counted(self, reading: Reading, own: set[str], *, is_wrong: bool) -> None:
        """What is told no more is counted, unless it was the value itself that is not there."""
        if reading.error is not None or not reading.drift <= self.good.drift:
            return
        if reading.sessions < self.good.sessions:
            return  # a row of several sessions that is none of them: a list has no drift
        if reading.facts - self.good.facts:
            return  # something else is told in its place
        lost = self.good.facts - reading.facts
        if lost and (is_wrong or not all(_is_told(fact, own) for fact in lost)):
            raise Broken(f"lost without being counted: {_shown(lost)}")

    def _expected(self, place: Place) -> Iterator[Counter[tuple[str, ...]]]:
        """What is left of the session without each part that a place is in, but the session."""
        enough = _LEAST_LEFT * sum(self.good.facts.values())
        for part in self._parts(place):
            if part not in self._without:
                self._without[part] = self._without_part(part).facts & self.good.facts
            if sum(self._without[part].values()) >= enough:
                yield self._without[part]

    def _parts(self, place: Place) -> Iterator[tuple[str, int | None, Steps]]:
        """What a place is a part of, from the outside to the inside."""
        if len(self.seed.files) > 1 and place.file != self.seed.name:
            yield place.file, None, ()
        if len(self.seed.contents[place.file].values) > 1:
            yield place.file, place.record, ()
        for length, step in enumerate(place.steps, 1):
            if type(step) is int or length == len(place.steps):
                yield place.file, place.record, place.steps[:length]

    def _without_part(self, part: tuple[str, int | None, Steps]) -> Reading:
        file, record, steps = part
        if record is not None:
            return self.broken(Place(file, record, steps), None)
        path = self._folder / file
        path.unlink()
        try:
            return self.read()
        finally:
            path.write_bytes(self.seed.files[file])


def kinds_at(seed: Seed, place: Place) -> list[str]:
    """The kinds that a place can be broken in."""
    content = seed.contents[place.file]
    key = place.steps[-1] if place.steps else None
    return list(kinds_for(seed.value(place), key, is_cell=bool(content.cells) and key is None))


def _facts(transcript: Transcript) -> Iterator[tuple[str, ...]]:
    for message in transcript.output:
        if message.content.strip():
            yield "message", message.role, message.content
        for one in message.attachments:
            yield "attachment", one.kind
        for call in message.tool_calls:
            yield "call", call.tool, json.dumps(call.input, sort_keys=True, ensure_ascii=False)
            if call.output:
                yield "output", call.output


def _texts(value: Any) -> set[str]:
    """The texts that a value tells, and itself as arguments of a call."""
    found: set[str] = set()
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            found.add(one)
        else:
            found.add(json.dumps(one, sort_keys=True, ensure_ascii=False))
            found.add(json.dumps(one, separators=(",", ":"), ensure_ascii=False))
        if isinstance(one, dict | list):
            waiting += one.values() if isinstance(one, dict) else one
    return found


def _is_told(fact: tuple[str, ...], own: set[str]) -> bool:
    """Whether a value told a fact, or a part of it."""
    return any(
        part in text or (len(text) >= _TELLING and text in part)
        for part in map(str.strip, fact[1:])
        for text in own
    )


def _shown(facts: Iterable[tuple[str, ...]]) -> str:
    return "; ".join(" ".join(one)[:80] for one in list(facts)[:3])
