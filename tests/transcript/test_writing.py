"""The writer: exact, in one field order, the same bytes whole or streamed."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING

from hypothesis import given, settings
from sample_transcripts import FULL, SAMPLE, SAMPLE_LINE, patient, transcripts

from pytest_agentv import (
    Head,
    Message,
    Source,
    Tail,
    TokenUsage,
    Transcript,
    Usage,
    dumps,
    write_stream,
)

if TYPE_CHECKING:
    from collections.abc import Iterator


class Streamed:
    """A transcript as an adapter would stream it: the messages once, the tail after them."""

    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript
        self._exhausted = False

    @property
    def head(self) -> Head:
        one = self._transcript
        return Head(source=one.source, input=one.input, test_id=one.test_id)

    def messages(self) -> Iterator[Message]:
        assert not self._exhausted, "messages may be iterated once"
        yield from self._transcript.output
        self._exhausted = True

    @property
    def tail(self) -> Tail:
        assert self._exhausted, "the tail is complete when the messages are exhausted"
        one = self._transcript
        return Tail(
            token_usage=one.token_usage,
            duration_ms=one.duration_ms,
            cost_usd=one.cost_usd,
            privacy=one.privacy,
            drift=one.drift,
            left_out=one.left_out,
            drift_lines=dict.fromkeys(one.drift, 1),
        )


def _streamed(transcript: Transcript, *, test_id: str | None = None) -> bytes:
    file = io.BytesIO()
    write_stream(file, Streamed(transcript), test_id=test_id)
    return file.getvalue()


def test_the_sample_of_the_documentation_has_exactly_these_bytes() -> None:
    assert dumps(SAMPLE) == SAMPLE_LINE
    assert _streamed(SAMPLE) == SAMPLE_LINE


@patient
@given(transcripts)
def test_streamed_and_whole_give_the_same_bytes(transcript: Transcript) -> None:
    assert _streamed(transcript) == dumps(transcript)


@settings(patient, max_examples=40)
@given(transcripts)
def test_a_transcript_is_one_line(transcript: Transcript) -> None:
    line = dumps(transcript)
    assert line.endswith(b"}\n")
    assert line.count(b"\n") == 1


@settings(patient, max_examples=40)
@given(transcripts)
def test_the_order_in_which_drift_was_met_does_not_show(transcript: Transcript) -> None:
    turned = Transcript(
        test_id=transcript.test_id,
        source=transcript.source,
        input=transcript.input,
        output=transcript.output,
        token_usage=transcript.token_usage,
        duration_ms=transcript.duration_ms,
        cost_usd=transcript.cost_usd,
        privacy=transcript.privacy,
        drift=dict(reversed(transcript.drift.items())),
        left_out=dict(reversed(transcript.left_out.items())),
    )
    assert dumps(turned) == dumps(transcript)
    assert _streamed(turned) == dumps(transcript)


def test_drift_and_what_was_left_out_are_sorted_by_name() -> None:
    transcript = Transcript(
        source=Source(provider="x"),
        output=(),
        drift={"z": 1, "B": 2, "a": 3, "\N{LATIN SMALL LETTER E WITH ACUTE}": 4},
        left_out={"two": 2, "one": 1},
    )
    line = dumps(transcript).decode()
    assert line.endswith('"drift":{"B":2,"a":3,"z":1,"é":4},"left_out":{"one":1,"two":2}}\n')


def test_what_a_session_does_not_say_is_null_and_absent_in_a_message() -> None:
    transcript = Transcript(
        source=Source(provider="x"),
        output=(Message(role="assistant"), Message(role="user", content="hi")),
        token_usage=TokenUsage(output=5),
    )
    assert dumps(transcript) == (
        b'{"schema_version":"1.0","test_id":null,'
        b'"source":{"provider":"x","session_id":null,"model":null,"version":null,"title":null,'
        b'"timestamp":null,"ended_at":null,"git_branch":null,"cwd":null},'
        b'"input":null,'
        b'"output":[{"role":"assistant","content":""},{"role":"user","content":"hi"}],'
        b'"token_usage":{"input":null,"output":5,"cached":null,"cache_write":null,'
        b'"reasoning":null,"output_complete":null},'
        b'"duration_ms":null,"cost_usd":null,"privacy":null,"drift":{},"left_out":{}}\n'
    )


def test_every_field_is_written_in_the_order_of_the_documentation() -> None:
    line = json.loads(dumps(FULL))
    message = line["output"][0]
    assert list(line) == [
        "schema_version", "test_id", "source", "input", "output", "token_usage", "duration_ms",
        "cost_usd", "privacy", "drift", "left_out",
    ]  # fmt: skip
    assert list(line["source"]) == [
        "provider", "session_id", "model", "version", "title", "timestamp", "ended_at",
        "git_branch", "cwd",
    ]  # fmt: skip
    assert list(message) == [
        "id", "line", "role", "origin", "content", "thinking", "model", "timestamp", "usage",
        "tool_calls", "attachments", "agent_id",
    ]  # fmt: skip
    assert list(message["tool_calls"][0]) == [
        "id", "line", "tool", "kind", "input", "args", "output", "status", "exit_code",
        "duration_ms", "duration_source", "timestamp",
    ]  # fmt: skip
    assert list(message["attachments"][0]) == ["kind", "media_type", "size", "name", "call_id"]
    figures = ["input", "output", "cached", "cache_write", "reasoning"]
    assert list(message["usage"]) == figures
    assert list(line["token_usage"]) == [*figures, "output_complete"]


def test_zero_tokens_are_written_and_unknown_ones_are_not() -> None:
    nothing_cached = Message(role="assistant", usage=Usage(input=0, output=0))
    line = dumps(Transcript(source=Source(provider="x"), output=(nothing_cached,)))
    assert b'"usage":{"input":0,"output":0}}' in line


def test_a_test_id_given_to_the_writer_wins_over_the_sessions_own() -> None:
    assert _streamed(FULL).startswith(b'{"schema_version":"1.0","test_id":"adds-jwt",')
    given_id = _streamed(FULL, test_id="other")
    assert given_id.startswith(b'{"schema_version":"1.0","test_id":"other",')


def test_the_writer_says_how_much_it_wrote() -> None:
    written = write_stream(io.BytesIO(), Streamed(SAMPLE))
    assert written.messages == 2
    assert written.tool_calls == 1


def test_a_transcript_of_a_newer_schema_is_written_as_ours() -> None:
    newer = Transcript(schema_version="1.7", source=Source(provider="x"), output=())
    assert dumps(newer).startswith(b'{"schema_version":"1.0",')
