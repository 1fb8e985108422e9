"""Reading transcripts from JSON lines, leniently: what is missing or new does no harm.

Besides the own form these are the form without ``schema_version`` and AgentV's message rows (see
``foreign.py``). A line that is no transcript is an error, never a skip: half a file would be
graded as if it were all of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from pytest_agentv.errors import Location, TranscriptError
from pytest_agentv.files import UTF16_MARKS, open_regular
from pytest_agentv.jsontext import MAX_DEPTH, strict_json, too_deep
from pytest_agentv.transcript.foreign import MessageRows, from_seed
from pytest_agentv.transcript.model import Source, Transcript
from pytest_agentv.transcript.stream import Head, TranscriptStream

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# Where the head of a line ends. Inside a JSON string every quote is escaped, and nothing before
# `output` holds an object with such a key, so the first hit is the real one.
_HEAD_END = b',"output":['
_HEAD_LIMIT = 1 << 20


def read_transcripts(path: Path) -> Iterator[Transcript]:
    """Every transcript of a file, in order, one held at a time.

    AgentV's rows of one session may be anywhere in a file, so a file of those is held whole.
    """
    rows = MessageRows()
    with open_regular(path) as file:
        for number, line in enumerate(file, 1):
            if line.strip(_BLANK):
                transcript = _transcript(line.strip(_BLANK), rows, at=Location(path, number))
                if transcript is not None:
                    yield transcript
    yield from rows.transcripts()


def read_heads(path: Path) -> Iterator[Head]:
    """Source, first prompt and test id of every transcript of a file, in order.

    Of the own form no more than the beginning of each line is decoded.
    """
    heads = _own_heads(path)
    if heads is None:
        return (TranscriptStream(one).head for one in read_transcripts(path))
    return iter(heads)


_BLANK = b" \t\r\n\xef\xbb\xbf"


class _Probe(msgspec.Struct):
    """Just enough of a line to tell the forms apart."""

    schema_version: str | None = None
    role: str | None = None
    output: msgspec.Raw = msgspec.Raw()


_decode_probe = msgspec.json.Decoder(_Probe).decode
_decode_own = msgspec.json.Decoder(Transcript).decode


class _WholeHead(msgspec.Struct):
    """A head that lacks nothing: a field that is not here may stand behind the messages."""

    test_id: str | None
    source: Source
    input: str | None


_decode_head = msgspec.json.Decoder(_WholeHead).decode


def _transcript(line: bytes, rows: MessageRows, *, at: Location) -> Transcript | None:
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


def _decoded(line: bytes, rows: MessageRows) -> Transcript | None:
    probe = _decode_probe(line)
    if probe.output:
        known_version = probe.schema_version is not None
        return _shallow(
            _decode_own(line) if known_version else from_seed(msgspec.json.decode(line))
        )
    if probe.role is None:
        raise msgspec.ValidationError("it has neither `output` nor `role`")
    row = msgspec.json.decode(line)
    if too_deep(row, MAX_DEPTH + 3):  # row, calls, call, and its input
        raise msgspec.ValidationError(f"a tool call is nested deeper than {MAX_DEPTH}")
    rows.add(row)
    return None


def _shallow(transcript: Transcript) -> Transcript:
    calls = transcript.tool_calls()
    if any(too_deep(call.input) or too_deep(call.args) for call in calls):
        raise msgspec.ValidationError(f"a tool call is nested deeper than {MAX_DEPTH}")
    return transcript


def _own_heads(path: Path) -> list[Head] | None:
    """The heads of a file in the own form; None if any line is not in it."""
    heads = []
    with open_regular(path) as file:
        while start := file.readline(_HEAD_LIMIT):
            end = start.find(_HEAD_END)
            if end < 0 or not start.startswith(b'{"schema_version":'):
                return None
            try:
                head = _decode_head(start[:end] + b"}")
            except (msgspec.DecodeError, UnicodeDecodeError):
                return None
            heads.append(Head(source=head.source, input=head.input, test_id=head.test_id))
            rest = start
            while rest and not rest.endswith(b"\n"):
                rest = file.readline(_HEAD_LIMIT)
    return heads
