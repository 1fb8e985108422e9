"""Heads: what collection reads of a file, without decoding the conversations."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sample_transcripts import FULL, SAMPLE, SAMPLE_LINE, patient, transcripts

from pytest_agentv import Head, Message, Source, Transcript, dumps, read_heads, read_transcripts
from pytest_agentv.errors import Location, TranscriptError

if TYPE_CHECKING:
    from pathlib import Path

SAMPLE_HEAD = Head(source=SAMPLE.source, input=SAMPLE.input, test_id=None)
FULL_HEAD = Head(source=FULL.source, input=FULL.input, test_id="adds-jwt")


def _heads(path: Path, content: bytes) -> list[Head]:
    path.write_bytes(content)
    return list(read_heads(path))


def _heads_of_whole(path: Path) -> list[Head]:
    return [
        Head(source=one.source, input=one.input, test_id=one.test_id)
        for one in read_transcripts(path)
    ]


@settings(patient, max_examples=40)
@given(several=st.lists(transcripts, max_size=3))
def test_heads_are_those_of_the_whole_transcripts(
    transcript_file: Path, several: list[Transcript]
) -> None:
    heads = _heads(transcript_file, b"".join(dumps(one) for one in several))
    assert heads == [
        Head(source=one.source, input=one.input, test_id=one.test_id) for one in several
    ]


def test_a_head_that_is_nested_endlessly_is_an_error(transcript_file: Path) -> None:
    deep = b'"source":{"x":' + b"[" * 50_000 + b"]" * 50_000 + b","
    with pytest.raises(TranscriptError, match="is no transcript"):
        _heads(transcript_file, SAMPLE_LINE.replace(b'"source":{', deep, 1))


def test_no_more_than_the_head_of_a_line_is_decoded(transcript_file: Path) -> None:
    start, _, _ = SAMPLE_LINE.partition(b'"output":[')
    broken = start + b'"output":[{"role": 17, \xff nothing that is JSON\n'
    assert _heads(transcript_file, broken + dumps(FULL)) == [SAMPLE_HEAD, FULL_HEAD]


def test_a_broken_head_is_an_error_with_its_place(transcript_file: Path) -> None:
    broken = SAMPLE_LINE.replace(b'"provider":"claude-cli"', b'"provider":17')
    with pytest.raises(TranscriptError, match=r"provider") as caught:
        _heads(transcript_file, SAMPLE_LINE + broken)
    assert caught.value.at == Location(transcript_file, 2)


def test_lines_of_several_megabytes_have_heads(transcript_file: Path) -> None:
    long = Transcript(
        source=Source(provider="x"),
        input="go",
        output=(Message(role="assistant", content="y" * 3_000_000),),
    )
    content = dumps(long) + dumps(FULL) + dumps(long).rstrip(b"\n")
    head = Head(source=Source(provider="x"), input="go")
    assert _heads(transcript_file, content) == [head, FULL_HEAD, head]


@pytest.mark.parametrize("length", [1_000_000, 1_048_576, 5_000_000])
def test_a_long_prompt_is_whole_in_the_head(transcript_file: Path, length: int) -> None:
    prompt = "p" * length
    long = Transcript(source=Source(provider="x"), input=prompt, output=())
    heads = _heads(transcript_file, dumps(long) + dumps(FULL))
    whole = [head.input == prompt for head in heads]
    assert whole == [True, False]
    assert heads[1] == FULL_HEAD


@pytest.mark.parametrize("text", [',"output":[', '"output":[', '\\","output":[{', "\\"])
def test_a_prompt_that_looks_like_the_end_of_a_head_is_whole(
    transcript_file: Path, text: str
) -> None:
    odd = Transcript(
        test_id=text, source=Source(provider="x", title=text, cwd=text), input=text, output=()
    )
    assert _heads(transcript_file, dumps(odd)) == [
        Head(source=Source(provider="x", title=text, cwd=text), input=text, test_id=text)
    ]


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"\xef\xbb\xbf" + SAMPLE_LINE, id="byte order mark"),
        pytest.param(b"\n" + SAMPLE_LINE + b"\n", id="blank lines"),
        pytest.param(SAMPLE_LINE.replace(b"\n", b"\r\n"), id="CRLF"),
        pytest.param(SAMPLE_LINE.rstrip(b"\n"), id="no final newline"),
        pytest.param(json.dumps(json.loads(SAMPLE_LINE)).encode(), id="blanks between tokens"),
    ],
)
def test_the_same_heads_however_the_file_was_saved(transcript_file: Path, content: bytes) -> None:
    assert _heads(transcript_file, content) == [SAMPLE_HEAD]


def test_an_empty_file_has_no_heads(transcript_file: Path) -> None:
    assert _heads(transcript_file, b"") == []


def test_a_lone_surrogate_in_the_prompt_is_repaired(transcript_file: Path) -> None:
    line = SAMPLE_LINE.replace(b'"input":"Add', b'"input":"\\ud800Add')
    (head,) = _heads(transcript_file, line)
    assert head.input == "\N{REPLACEMENT CHARACTER}Add JWT authentication to the Express API"


def test_objects_from_the_future_in_the_source_do_not_end_the_head(transcript_file: Path) -> None:
    line = SAMPLE_LINE.replace(b'"source":{', b'"source":{"new":{"a":1,"output":[1,2]},')
    assert _heads(transcript_file, line) == [SAMPLE_HEAD]


@pytest.mark.parametrize("last", ["test_id", "input", "source"])
def test_heads_are_right_where_a_field_stands_behind_the_output(
    transcript_file: Path, last: str
) -> None:
    # `jq -c '.test_id = "adds-jwt"'` puts a field that was absent at the end of the line.
    fields = json.loads(dumps(FULL))
    fields[last] = fields.pop(last)
    line = json.dumps(fields, separators=(",", ":")).encode()
    assert _heads(transcript_file, line) == [FULL_HEAD]


def test_lines_without_a_version_have_heads(transcript_file: Path) -> None:
    seed = b'{"test_id":"t","input":"go","output":[],"source":{"provider":"codex","cwd":"/w"}}\n'
    assert _heads(transcript_file, seed + SAMPLE_LINE) == [
        Head(source=Source(provider="codex-cli", cwd="/w"), input="go", test_id="t"),
        SAMPLE_HEAD,
    ]
    assert _heads_of_whole(transcript_file) == list(read_heads(transcript_file))


def test_message_rows_have_one_head_per_session(transcript_file: Path) -> None:
    rows = (
        b'{"schema_version":"agentv.transcript.v1","test_id":"a","target":"claude",'
        b'"message_index":0,"role":"user","content":"go"}\n'
        b'{"schema_version":"agentv.transcript.v1","test_id":"b","target":"claude",'
        b'"message_index":0,"role":"user","content":"stop"}\n'
        b'{"schema_version":"agentv.transcript.v1","test_id":"a","target":"claude",'
        b'"message_index":1,"role":"assistant","content":"done"}\n'
    )
    claude = Source(provider="claude-cli")
    assert _heads(transcript_file, rows) == [
        Head(source=claude, input="go", test_id="a"),
        Head(source=claude, input="stop", test_id="b"),
    ]
    assert _heads_of_whole(transcript_file) == list(read_heads(transcript_file))
