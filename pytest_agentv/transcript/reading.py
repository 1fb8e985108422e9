"""Reading transcripts from JSON lines, leniently: what is missing or new does no harm.

Besides the own form these are the form without ``schema_version`` and AgentV's message rows (see
``foreign.py``). A line that is no transcript is an error, never a skip: half a file would be
graded as if it were all of it.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from pytest_agentv.errors import Location, TranscriptError
from pytest_agentv.files import UTF16_MARKS, open_regular, read_part
from pytest_agentv.jsontext import MAX_DEPTH, strict_json, too_deep
from pytest_agentv.transcript.model import Source, Transcript
from pytest_agentv.transcript.stream import Head, TranscriptStream
from pytest_agentv.transcript.streaming import LineStream

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from pytest_agentv.transcript.foreign import MessageRows
    from pytest_agentv.transcript.stream import SessionStream

# Where the head of a line ends. Inside a JSON string every quote is escaped, and nothing before
# `output` holds an object with such a key, so the first hit is the real one.
_HEAD_END = b',"output":['
_HEAD_LIMIT = 1 << 20
_OWN_START = b'{"schema_version":'
# Rows of a run begin with a version, too, and go on with a time.
_ROW_START = re.compile(re.escape(_OWN_START) + rb'"[^"\\]{0,40}","timestamp":')
# A first line longer than this is no transcript of a foreign form that anybody ever wrote.
_PROBE_LIMIT = 64 << 20


def read_transcripts(path: Path) -> Iterator[Transcript]:
    """Every transcript of a file, in order, one held at a time.

    AgentV's rows of one session may be anywhere in a file, so a file of those is held whole.
    """
    rows = _ForeignRows()
    with open_regular(path) as file:
        for number, line in enumerate(file, 1):
            if line.strip(_BLANK):
                transcript = _transcript(line.strip(_BLANK), rows, at=Location(path, number))
                if transcript is not None:
                    yield transcript
    yield from rows.transcripts()


def loads(line: bytes | str) -> Transcript:
    """The transcript of one line, wherever it comes from; TranscriptError if it is none."""
    encoded = line.encode("utf-8", "surrogatepass") if isinstance(line, str) else line
    return transcript_of(encoded, at=Location("line"))


def transcript_of(line: bytes, *, at: Location) -> Transcript:
    """The transcript of one line of a file."""
    transcript = _transcript(line.strip(_BLANK), _ForeignRows(), at=at)
    if transcript is None:
        raise TranscriptError("is a message of AgentV's, and no whole transcript", at=at)
    return transcript


def read_heads(path: Path) -> Iterator[Head]:
    """Source, first prompt and test id of every transcript of a file, in order.

    Of the own form no more than the beginning of each line is decoded.
    """
    places = _own_places(path)
    if places is None:
        return (TranscriptStream(one).head for one in read_transcripts(path))
    return (place.head for place in places)


class TranscriptFile:
    """A file of transcripts: all heads at once, each transcript when it is wanted.

    Files in the own form are read line by line, as their transcripts are wanted; others are held.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._places = _own_places(path)
        self._held = () if self._places is not None else tuple(read_transcripts(path))

    @property
    def heads(self) -> list[Head]:
        """Source, first prompt and test id of every transcript."""
        if self._places is None:
            return [TranscriptStream(one).head for one in self._held]
        return [place.head for place in self._places]

    def stream(self, number: int) -> SessionStream:
        """One of the transcripts as a stream, of which no more than a message is held."""
        if self._places is None:
            return TranscriptStream(self._held[number])
        place = self._places[number]
        return LineStream(
            self.path,
            place.head,
            start=place.messages,
            end=place.offset + place.size,
            whole=partial(self.transcript, number),
        )

    def transcript(self, number: int) -> Transcript:
        """One of the transcripts, counted from 0."""
        if self._places is None:
            return self._held[number]
        place = self._places[number]
        at = Location(self.path, place.line)
        line = read_part(self.path, place.offset, place.size)
        transcript = _transcript(line.strip(_BLANK), _ForeignRows(), at=at)
        if transcript is None or TranscriptStream(transcript).head != place.head:
            raise TranscriptError("changed while it was read", at=at)
        return transcript


def is_transcript_file(path: Path) -> bool:
    """Whether a file begins as transcripts do, in any form that can be read."""
    with open_regular(path) as file:
        start = file.readline(_HEAD_LIMIT)
        while start.strip(_BLANK) == b"" and start:
            start = file.readline(_HEAD_LIMIT)
        if start.startswith(_OWN_START) and not _ROW_START.match(start):
            return True
        if not start.endswith(b"\n"):
            start += file.readline(_PROBE_LIMIT)
    try:
        probe = _decode_probe(start.strip(_BLANK))
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return False
    return bytes(probe.output)[:1] == b"[" or (probe.role is not None and bool(probe.message_index))


_BLANK = b" \t\r\n\xef\xbb\xbf"


class _Probe(msgspec.Struct):
    """Just enough of a line to tell the forms apart."""

    schema_version: str | None = None
    role: str | None = None
    message_index: msgspec.Raw = msgspec.Raw()
    output: msgspec.Raw = msgspec.Raw()


class _Place(NamedTuple):
    """Where a transcript stands in a file, and its head."""

    head: Head
    offset: int
    size: int
    line: int
    # Where its messages begin.
    messages: int


class _ForeignRows:
    """AgentV's message rows of a file; what makes transcripts of them is loaded for the first."""

    def __init__(self) -> None:
        self._rows: MessageRows | None = None

    def add(self, row: dict[str, Any]) -> None:
        """Take a row."""
        if self._rows is None:
            from pytest_agentv.transcript.foreign import MessageRows  # noqa: PLC0415

            self._rows = MessageRows()
        self._rows.add(row)

    def transcripts(self) -> Iterable[Transcript]:
        """The transcripts of all rows."""
        return () if self._rows is None else self._rows.transcripts()


_decode_probe = msgspec.json.Decoder(_Probe).decode
_decode_own = msgspec.json.Decoder(Transcript).decode


class _WholeHead(msgspec.Struct):
    """A head that lacks nothing: a field that is not here may stand behind the messages."""

    test_id: str | None
    source: Source
    input: str | None


_decode_head = msgspec.json.Decoder(_WholeHead).decode


def _transcript(line: bytes, rows: _ForeignRows, *, at: Location) -> Transcript | None:
    """The transcript of a line; None if the line is one of AgentV's rows, which ``rows`` takes."""
    try:
        return _decoded(line, rows)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as exc:
        # One bad escape costs a repair, not the transcript.
        if line.startswith(UTF16_MARKS):
            raise TranscriptError("is UTF-16 text; transcripts are UTF-8", at=at) from exc
        strict = None if isinstance(exc, msgspec.ValidationError) else strict_json(line)
        if strict is None:
            raise TranscriptError(f"is no transcript: {exc}", at=at) from exc
    try:
        return _decoded(strict, rows)
    except msgspec.DecodeError as exc:
        raise TranscriptError(f"is no transcript: {exc}", at=at) from exc


def _decoded(line: bytes, rows: _ForeignRows) -> Transcript | None:
    probe = _decode_probe(line)
    if probe.output:
        known_version = probe.schema_version is not None
        return _shallow(_decode_own(line) if known_version else _from_seed(line))
    if probe.role is None:
        raise msgspec.ValidationError("it has neither `output` nor `role`")
    row = msgspec.json.decode(line)
    if too_deep(row, MAX_DEPTH + 3):  # row, calls, call, and its input
        raise msgspec.ValidationError(f"a tool call is nested deeper than {MAX_DEPTH}")
    rows.add(row)
    return None


def _from_seed(line: bytes) -> Transcript:
    from pytest_agentv.transcript.foreign import from_seed  # noqa: PLC0415 (loads all tool tables)

    return from_seed(msgspec.json.decode(line))


def _shallow(transcript: Transcript) -> Transcript:
    calls = transcript.tool_calls()
    if any(too_deep(call.input) or too_deep(call.args) for call in calls):
        raise msgspec.ValidationError(f"a tool call is nested deeper than {MAX_DEPTH}")
    return transcript


def _own_places(path: Path) -> list[_Place] | None:
    """Heads and places of a file in the own form; None if any line is not in it."""
    places: list[_Place] = []
    offset = 0
    with open_regular(path) as file:
        while start := file.readline(_HEAD_LIMIT):
            end = start.find(_HEAD_END)
            if end < 0 or not start.startswith(_OWN_START):
                return None
            try:
                head = _decode_head(start[:end] + b"}")
            except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
                return None
            whole = Head(source=head.source, input=head.input, test_id=head.test_id)
            rest = start
            while rest and not rest.endswith(b"\n"):
                rest = file.readline(_HEAD_LIMIT)
            following = file.tell()
            messages = offset + end + len(_HEAD_END)
            size = following - offset
            places.append(_Place(whole, offset, size, len(places) + 1, messages))
            offset = following
    return places
