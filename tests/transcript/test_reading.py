"""The reader of our own form: lenient with what is new, strict with what is broken."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sample_transcripts import FULL, SAMPLE, SAMPLE_LINE, patient, transcripts

from pytest_agentv import AgentvError, Message, Source, Transcript, dumps, read_transcripts
from pytest_agentv.errors import Location, TranscriptError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sample_transcripts import Read


def _line(*, content: str = '"hi"', **fields: str) -> bytes:
    """A line in the own form with raw JSON in places."""
    more = "".join(f',"{name}":{value}' for name, value in fields.items())
    return (
        '{"schema_version":"1.0","source":{"provider":"x"},'
        f'"output":[{{"role":"user","content":{content}}}]{more}}}\n'
    ).encode()


def _error(read: Read, content: bytes) -> TranscriptError:
    with pytest.raises(TranscriptError) as caught:
        read(content)
    return caught.value


@patient
@given(transcript=transcripts)
def test_what_was_written_is_read_as_it_was(read: Read, transcript: Transcript) -> None:
    assert read(dumps(transcript)) == [transcript]


@settings(patient, max_examples=40)
@given(several=st.lists(transcripts, max_size=4))
def test_a_file_holds_several_sessions_in_order(read: Read, several: list[Transcript]) -> None:
    assert read(b"".join(dumps(one) for one in several)) == several


def test_sessions_are_read_one_at_a_time(transcript_file: Path) -> None:
    transcript_file.write_bytes(SAMPLE_LINE + b"broken\n")
    reading = read_transcripts(transcript_file)
    assert next(reading) == SAMPLE
    with pytest.raises(TranscriptError):
        next(reading)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(SAMPLE_LINE.rstrip(b"\n"), id="no final newline"),
        pytest.param(b"\n \t\n" + SAMPLE_LINE + b"\n\n", id="blank lines"),
        pytest.param(b"\xef\xbb\xbf" + SAMPLE_LINE, id="byte order mark"),
        pytest.param(SAMPLE_LINE.replace(b"\n", b"\r\n"), id="CRLF"),
        pytest.param(b"\xef\xbb\xbf\r\n" + SAMPLE_LINE.replace(b"\n", b"\r\n"), id="both"),
        pytest.param(json.dumps(json.loads(SAMPLE_LINE)).encode(), id="blanks between tokens"),
        pytest.param(
            json.dumps(json.loads(SAMPLE_LINE), sort_keys=True).encode(), id="another field order"
        ),
    ],
)
def test_the_same_transcript_however_the_file_was_saved(read: Read, content: bytes) -> None:
    assert read(content) == [SAMPLE]


def test_an_empty_file_holds_no_session(read: Read) -> None:
    assert read(b"") == []
    assert read(b"\xef\xbb\xbf\r\n\n") == []


def test_separators_that_are_no_newline_do_not_end_a_line(read: Read) -> None:
    text = "a\u2028b\u2029c\x85d"
    (transcript,) = read(_line(content=json.dumps(text, ensure_ascii=False)))
    assert transcript.output == (Message(role="user", content=text),)


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    for child in value.values() if isinstance(value, dict) else value:
        if isinstance(child, (dict, list)):
            yield from _objects(child)


def test_unknown_fields_are_accepted_at_every_level(read: Read) -> None:
    line = json.loads(dumps(FULL))
    # Counts and native values are maps, not structs: a new key there is data.
    maps = (line["drift"], line["left_out"], line["privacy"])
    call = line["output"][0]["tool_calls"][0]
    structs = [
        one
        for one in _objects(line)
        if not any(one is other for other in (*maps, call["input"], call["args"]))
    ]
    for struct in structs:
        struct["from_the_future"] = {"output": [1, {"role": "x"}], "n": None}
    assert len(structs) == 7
    assert read(json.dumps(line).encode()) == [FULL]


def test_values_from_the_future_are_kept_as_they_are(read: Read) -> None:
    line = json.loads(dumps(FULL))
    line["schema_version"] = "1.9"
    line["output"][0]["role"] = "observer"
    line["output"][0]["tool_calls"][0]["kind"] = "teleport"
    line["output"][0]["tool_calls"][0]["status"] = "paused"
    (transcript,) = read(json.dumps(line).encode())
    assert transcript.schema_version == "1.9"
    assert transcript.output[0].role == "observer"
    assert transcript.output[0].tool_calls[0].kind == "teleport"
    assert transcript.output[0].tool_calls[0].status == "paused"


def test_absent_fields_are_unknown(read: Read) -> None:
    (transcript,) = read(b'{"schema_version":"1.0","source":{"provider":"x"},"output":[]}')
    assert transcript == Transcript(source=Source(provider="x"), output=())
    assert transcript.token_usage is None
    assert transcript.duration_ms is None
    assert transcript.cost_usd is None
    assert transcript.drift == {}


@pytest.mark.parametrize(
    ("escape", "text"),
    [
        (r'"\ud83d"', "\N{REPLACEMENT CHARACTER}"),
        (r'"a\udc00b"', "a\N{REPLACEMENT CHARACTER}b"),
        (r'"\ud83d\ude00 \ud83d"', "\N{GRINNING FACE} \N{REPLACEMENT CHARACTER}"),
        (r'"\ude00\ud83d"', "\N{REPLACEMENT CHARACTER}" * 2),
    ],
)
def test_a_lone_surrogate_is_repaired(read: Read, escape: str, text: str) -> None:
    (transcript,) = read(_line(content=escape))
    assert transcript.output == (Message(role="user", content=text),)
    assert read(dumps(transcript)) == [transcript]


def test_a_lone_surrogate_in_the_head_is_repaired_too(read: Read) -> None:
    (transcript,) = read(_line(input=r'"fix \udfff"'))
    assert transcript.input == "fix \N{REPLACEMENT CHARACTER}"


def test_bytes_that_are_no_utf_8_are_replaced(read: Read) -> None:
    (transcript,) = read(_line(content='"caf@"').replace(b"@", b"\xe9"))
    assert transcript.output[0].content == "caf\N{REPLACEMENT CHARACTER}"


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
def test_a_number_that_is_none_is_unknown(read: Read, number: str) -> None:
    (transcript,) = read(_line(cost_usd=number))
    assert transcript.cost_usd is None


def test_a_number_out_of_range_is_an_error_that_names_the_field(read: Read) -> None:
    assert "`$.cost_usd`" in _error(read, _line(cost_usd="1e400")).message


@pytest.mark.parametrize(
    "line",
    [
        b"nope",
        b'{"schema_version":"1.0","source":{"provider":"x"},"output":[{"role":"us',
        SAMPLE_LINE[: len(SAMPLE_LINE) // 2],
        SAMPLE_LINE.strip() + SAMPLE_LINE.strip(),
        b"[]",
        b"{}",
        b"null",
        b'"text"',
        b"17",
        b"\x00\x00\x00",
        b'{"schema_version":"1.0"}',
        b'{"schema_version":"1.0","source":{"provider":"x"}}',
        b'{"schema_version":"1.0","output":[]}',
        b'{"schema_version":"1.0","source":{},"output":[]}',
    ],
)
def test_a_broken_line_is_an_error_with_its_place_and_one_sentence(
    read: Read, transcript_file: Path, line: bytes
) -> None:
    error = _error(read, SAMPLE_LINE + b"\n" + line + b"\n" + SAMPLE_LINE)
    assert isinstance(error, AgentvError)
    assert error.at == Location(transcript_file, 3)
    assert str(error).startswith(f"{transcript_file}:3: is no transcript: ")
    assert "\n" not in str(error)
    assert len(error.message) < 200


@pytest.mark.parametrize(
    ("path", "value", "field"),
    [
        (["schema_version"], 1, "$.schema_version"),
        (["test_id"], 7, "$.test_id"),
        (["source"], "claude-cli", "$.source"),
        (["source", "provider"], None, "$.source.provider"),
        (["source", "cwd"], ["/"], "$.source.cwd"),
        (["input"], ["hi"], "$.input"),
        (["output"], {}, "$.output"),
        (["output", 0], "hi", "$.output[0]"),
        (["output", 0, "role"], None, "$.output[0].role"),
        (["output", 0, "content"], None, "$.output[0].content"),
        (["output", 0, "line"], 1.5, "$.output[0].line"),
        (["output", 0, "usage", "input"], -1, "$.output[0].usage.input"),
        (["output", 0, "tool_calls", 0, "args"], [], "$.output[0].tool_calls[0].args"),
        (["output", 0, "tool_calls", 0, "exit_code"], "1", "$.output[0].tool_calls[0].exit_code"),
        (["output", 0, "attachments", 0, "size"], -5, "$.output[0].attachments[0].size"),
        (["token_usage", "output_complete"], 1, "$.token_usage.output_complete"),
        (["duration_ms"], -1, "$.duration_ms"),
        (["duration_ms"], 0.5, "$.duration_ms"),
        (["cost_usd"], "0.12", "$.cost_usd"),
        (["privacy"], True, "$.privacy"),
        (["drift"], None, "$.drift"),
        (["drift", "unreadable line"], "1", "$.drift"),
    ],
)
def test_a_wrong_type_is_an_error_that_names_the_field(
    read: Read, transcript_file: Path, path: list[str | int], value: Any, field: str
) -> None:
    line: Any = json.loads(dumps(FULL))
    holder = line
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value
    error = _error(read, json.dumps(line).encode())
    assert str(error).startswith(f"{transcript_file}:1: is no transcript: ")
    assert f"`{field}" in error.message


def test_a_line_nested_beyond_reason_is_an_error_like_any_other(
    read: Read, transcript_file: Path
) -> None:
    bomb = b"[" * 100_000 + b"]" * 100_000
    error = _error(read, _line(extra=bomb.decode()))
    assert error.at == Location(transcript_file, 1)


def test_a_native_value_nested_deeper_than_200_is_refused_on_every_python(read: Read) -> None:
    nested = "[" * 600 + "]" * 600
    call = '{"tool":"t","input":' + nested + "}"
    line = (
        '{"schema_version":"1.0","source":{"provider":"x"},'
        f'"output":[{{"role":"assistant","content":"","tool_calls":[{call}]}}]}}'
    )
    assert _error(read, line.encode()).at is not None


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_a_file_in_utf_16_is_an_error(read: Read, transcript_file: Path, encoding: str) -> None:
    error = _error(read, SAMPLE_LINE.decode().encode(encoding))
    assert error.at == Location(transcript_file, 1)


def test_a_file_with_the_mark_of_utf_16_is_named_as_such(read: Read) -> None:
    error = _error(read, b"\xff\xfe" + SAMPLE_LINE.decode().encode("utf-16-le"))
    assert "UTF-16" in error.message


def test_a_line_of_70_megabytes_is_read(read: Read) -> None:
    answer = "x" * 70_000_000
    long = Transcript(
        source=Source(provider="x"), output=(Message(role="assistant", content=answer),)
    )
    (transcript,) = read(dumps(long))
    # Compared by length and identity of text, so that a failure does not print 70 MB.
    same = transcript.final_answer == answer
    assert same


@pytest.mark.parametrize("name", ["missing.jsonl", "."])
def test_what_is_no_file_is_an_error_that_names_it(tmp_path: Path, name: str) -> None:
    with pytest.raises(AgentvError, match=r"no such file|is a directory") as caught:
        list(read_transcripts(tmp_path / name))
    assert str(tmp_path) in str(caught.value)
