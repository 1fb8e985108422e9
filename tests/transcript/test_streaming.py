"""Transcripts as streams out of their files: the same as read whole, one message held at a time."""

from __future__ import annotations

import tracemalloc
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sample_transcripts import FULL, SAMPLE, SAMPLE_LINE, patient, transcripts

from pytest_agentv import Message, Source, Transcript, dumps
from pytest_agentv.errors import TranscriptError
from pytest_agentv.transcript import streaming
from pytest_agentv.transcript.reading import TranscriptFile
from pytest_agentv.transcript.stream import load

if TYPE_CHECKING:
    from pathlib import Path


def streamed(path: Path, content: bytes) -> list[Transcript]:
    path.write_bytes(content)
    file = TranscriptFile(path)
    return [load(file.stream(number)) for number in range(len(file.heads))]


@settings(patient, max_examples=60)
@given(several=st.lists(transcripts, max_size=3), chunk=st.integers(1, 50))
def test_a_stream_is_the_whole_transcript_wherever_it_is_cut(
    transcript_file: Path, several: list[Transcript], chunk: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streaming, "CHUNK", chunk)
        assert streamed(transcript_file, b"".join(map(dumps, several))) == several


def test_no_more_than_a_part_of_a_long_session_is_held(transcript_file: Path) -> None:
    messages = tuple(Message(role="user", content="x" * 100_000) for _ in range(200))
    transcript_file.write_bytes(dumps(Transcript(source=Source(provider="x"), output=messages)))
    del messages
    stream = TranscriptFile(transcript_file).stream(0)

    tracemalloc.start()
    count = sum(1 for _ in stream.messages())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert count == 200
    assert peak < 4_000_000


@pytest.mark.parametrize(
    ("ours", "changed"),
    [
        (b'"content":"I\'ll add', b'"content":"\\ud800I\'ll add'),
        (b'"input":15000,', b'"input":15000, '),
        (b'},{"id":"msg_1"', b'} , {"id":"msg_1"'),
        (b'"drift":{}', b'"drift":{},"new":[1]'),
    ],
    ids=["lone-surrogate", "blank", "blanks-between", "new-field"],
)
def test_what_we_would_write_otherwise_is_read_all_the_same(
    transcript_file: Path, ours: bytes, changed: bytes
) -> None:
    line = SAMPLE_LINE.replace(ours, changed)
    assert line != SAMPLE_LINE

    (found,) = streamed(transcript_file, line)

    assert found == TranscriptFile(transcript_file).transcript(0)
    assert len(found.output) == 2


@pytest.mark.parametrize(
    "broken",
    [
        SAMPLE_LINE[:-200],
        SAMPLE_LINE.replace(b'"role":"assistant"', b'"role":17'),
        SAMPLE_LINE.replace(b'},{"id":"msg_1"', b'},7,{"id":"msg_1"'),
        SAMPLE_LINE.replace(b'"duration_ms":45000', b'"duration_ms":"long"'),
        SAMPLE_LINE.replace(b'{"path":"/src/index.ts"}', b'{"a":' * 300 + b"1" + b"}" * 300),
    ],
    ids=["torn", "type", "no-message", "tail", "deep"],
)
def test_what_is_no_transcript_is_the_same_error_as_whole(
    transcript_file: Path, broken: bytes
) -> None:
    transcript_file.write_bytes(broken + dumps(FULL) if broken.endswith(b"\n") else broken)
    file = TranscriptFile(transcript_file)
    with pytest.raises(TranscriptError) as whole:
        file.transcript(0)

    with pytest.raises(TranscriptError) as in_parts:
        load(file.stream(0))

    assert str(in_parts.value) == str(whole.value)


def test_other_forms_are_streams_too(transcript_file: Path) -> None:
    _, _, seed = SAMPLE_LINE.partition(b'"test_id":null,')

    (found,) = streamed(transcript_file, b"{" + seed)

    assert found.source == SAMPLE.source
