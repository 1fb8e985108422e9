"""AgentV's own transcripts (``agentv.transcript.v1``): one row per message."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from pytest_agentv import Message, Source, TokenUsage, ToolCall, Transcript, Usage, dumps
from pytest_agentv.errors import TranscriptError

if TYPE_CHECKING:
    from pathlib import Path

    from sample_transcripts import Read

SESSION = "0763061e-9c91-4dee-9373-3bd69c817fd4"
SOURCE = {
    "kind": "imported_transcript",
    "provider": "claude",
    "session_id": SESSION,
    "path": "/x.jsonl",
    "format": "claude-jsonl",
    "model": "claude-opus-4-6",
    "timestamp": "2026-03-29T21:10:11.969Z",
    "git_branch": "main",
    "cwd": "/home/user/projects/myapp",
    "version": "2.1.62",
    "metadata": {"a": 1},
}


def _row(index: int | None, role: str, content: Any, **more: Any) -> dict[str, Any]:
    """A row as AgentV writes it, with the values of the session on every one."""
    row = {
        "schema_version": "agentv.transcript.v1",
        "test_id": SESSION,
        "target": "claude",
        "message_index": index,
        "role": role,
        "content": content,
        "transcript_token_usage": {"input": 900, "output": 70},
        "transcript_duration_ms": 45000,
        "transcript_cost_usd": None,
        "capture": {"content": "full", "redaction_level": "none"},
        "source": SOURCE,
    }
    return row | more


def _file(*rows: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def _contents(transcript: Transcript) -> list[str]:
    return [message.content for message in transcript.output]


def test_the_rows_of_a_session_are_one_transcript(read: Read) -> None:
    call = {
        "tool": "Read",
        "input": {"file_path": "/src/index.ts"},
        "output": "import express",
        "id": "toolu_1",
        "status": "ok",
        "start_time": "2026-03-29T21:10:15.000Z",
        "end_time": "2026-03-29T21:10:15.045Z",
        "duration_ms": 45,
        "trace": {"x": 1},
    }
    rows = _file(
        _row(0, "user", "Add JWT authentication"),
        _row(
            1,
            "assistant",
            "Done.",
            name="claude",
            tool_calls=[call],
            start_time="2026-03-29T21:10:14.000Z",
            token_usage={"input": 12, "output": 7, "cached": 3, "reasoning": 1},
            metadata={"y": 2},
        ),
    )
    assert read(rows) == [
        Transcript(
            test_id=None,
            source=Source(
                provider="claude-cli",
                session_id=SESSION,
                model="claude-opus-4-6",
                version="2.1.62",
                timestamp="2026-03-29T21:10:11.969Z",
                git_branch="main",
                cwd="/home/user/projects/myapp",
            ),
            input="Add JWT authentication",
            output=(
                Message(role="user", origin="human", content="Add JWT authentication"),
                Message(
                    role="assistant",
                    content="Done.",
                    timestamp="2026-03-29T21:10:14.000Z",
                    usage=Usage(input=12, output=7, cached=3, reasoning=1),
                    tool_calls=(
                        ToolCall(
                            id="toolu_1",
                            tool="Read",
                            kind="read",
                            input={"file_path": "/src/index.ts"},
                            args={"path": "/src/index.ts"},
                            output="import express",
                            status="ok",
                            duration_ms=45,
                            timestamp="2026-03-29T21:10:15.000Z",
                        ),
                    ),
                ),
            ),
            token_usage=TokenUsage(input=900, output=70),
            duration_ms=45000,
            drift={"token meaning unknown": 1},
        )
    ]


def test_what_was_read_is_written_in_our_own_form(read: Read) -> None:
    (transcript,) = read(_file(_row(0, "user", "go"), _row(1, "assistant", "done")))
    assert read(dumps(transcript)) == [transcript]


def test_rows_of_several_sessions_may_be_interleaved_and_in_any_order(read: Read) -> None:
    rows = _file(
        _row(1, "assistant", "a1", test_id="a"),
        _row(0, "user", "b0", test_id="b"),
        _row(2, "user", "a2", test_id="a"),
        _row(0, "user", "a0 of codex", test_id="a", target="codex"),
        _row(0, "user", "a0", test_id="a"),
        _row(1, "assistant", "b1", test_id="b"),
    )
    transcripts = read(rows)
    assert [one.test_id for one in transcripts] == ["a", "b", "a"]
    assert [_contents(one) for one in transcripts] == [
        ["a0", "a1", "a2"],
        ["b0", "b1"],
        ["a0 of codex"],
    ]
    assert [one.input for one in transcripts] == ["a0", "b0", "a0 of codex"]


def test_rows_without_an_index_keep_their_order(read: Read) -> None:
    rows = [_row(None, "user", "one"), _row(None, "assistant", "two"), _row(None, "user", "three")]
    for row in rows:
        del row["message_index"]
    (transcript,) = read(_file(*rows))
    assert _contents(transcript) == ["one", "two", "three"]


def test_rows_with_the_same_index_keep_their_order(read: Read) -> None:
    rows = _file(_row(1, "assistant", "b"), _row(1, "assistant", "c"), _row(0, "user", "a"))
    (transcript,) = read(rows)
    assert _contents(transcript) == ["a", "b", "c"]


def test_an_index_above_nine_sorts_as_a_number(read: Read) -> None:
    rows = [_row(index, "user", str(index)) for index in (10, 9, 2, 11, 1)]
    (transcript,) = read(_file(*rows))
    assert _contents(transcript) == ["1", "2", "9", "10", "11"]


def test_values_of_the_session_come_from_its_first_row(read: Read) -> None:
    rows = _file(
        _row(1, "assistant", "b", transcript_duration_ms=7, source={"provider": "codex"}),
        _row(0, "user", "a", transcript_cost_usd=0.5),
    )
    (transcript,) = read(rows)
    assert transcript.duration_ms == 45000
    assert transcript.cost_usd == 0.5
    assert transcript.source.provider == "claude-cli"


@pytest.mark.parametrize(
    ("test_id", "expected"),
    [("adds-jwt", "adds-jwt"), (SESSION, None), (None, None)],
)
def test_a_test_id_that_is_the_session_id_is_none(
    read: Read, test_id: str | None, expected: str | None
) -> None:
    (transcript,) = read(_file(_row(0, "user", "a", test_id=test_id)))
    assert transcript.test_id == expected


@pytest.mark.parametrize(
    ("target", "provider"),
    [("claude", "claude-cli"), ("claude-sdk", "claude-cli"), ("mine", "mine"), (None, "unknown")],
)
def test_without_a_source_the_target_says_who_it_was(
    read: Read, target: str | None, provider: str
) -> None:
    (transcript,) = read(_file(_row(0, "user", "a", test_id="t", target=target, source=None)))
    assert transcript.source == Source(provider=provider)
    assert transcript.test_id == "t"


def test_token_figures_are_kept_as_written_and_said_to_be_unclear(read: Read) -> None:
    figures = {"input": 5, "output": 900, "cached": 8000, "reasoning": 1000}
    (transcript,) = read(_file(_row(0, "user", "a", transcript_token_usage=figures)))
    assert transcript.token_usage == TokenUsage(input=5, output=900, cached=8000, reasoning=1000)
    assert transcript.drift == {"token meaning unknown": 1}


def test_token_figures_of_messages_alone_are_said_to_be_unclear_too(read: Read) -> None:
    row = _row(0, "assistant", "a", transcript_token_usage=None, token_usage={"input": 5})
    (transcript,) = read(_file(row))
    assert transcript.token_usage is None
    assert transcript.output[0].usage == Usage(input=5)
    assert transcript.drift == {"token meaning unknown": 1}


def test_without_token_figures_nothing_is_unclear(read: Read) -> None:
    (transcript,) = read(_file(_row(0, "user", "a", transcript_token_usage=None)))
    assert transcript.token_usage is None
    assert transcript.drift == {}


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("hi", "hi"),
        (None, ""),
        ([{"type": "text", "text": "one"}, {"type": "text", "text": "two"}], "one\ntwo"),
        ([{"type": "image", "source": {}}, {"type": "text", "text": "see"}], "see"),
        ({"answer": [1, None]}, '{"answer":[1,null]}'),
    ],
)
def test_content_is_a_text_a_list_of_blocks_or_an_object(
    read: Read, content: Any, text: str
) -> None:
    (transcript,) = read(_file(_row(0, "user", content)))
    assert _contents(transcript) == [text]


def test_a_row_whose_content_was_not_captured_has_none(read: Read) -> None:
    row = _row(0, "assistant", None, capture={"content": "none", "redaction_level": "full"})
    del row["content"]
    (transcript,) = read(_file(row))
    assert _contents(transcript) == [""]


def test_calls_get_kind_and_arguments_by_the_vendors_table(read: Read) -> None:
    calls = [
        {"tool": "Bash", "input": {"command": "npm test"}, "status": "error"},
        {"tool": "mcp__db__run", "input": {"query": "select 1"}},
        {"tool": "Frobnicate", "input": {"path": "/a", "depth": 2}},
    ]
    (transcript,) = read(_file(_row(0, "assistant", "", tool_calls=calls)))
    found = [(one.kind, one.args, one.status) for one in transcript.tool_calls()]
    assert found == [
        ("shell", {"command": "npm test"}, "error"),
        ("mcp", {"query": "select 1"}, "unknown"),
        ("other", {"path": "/a"}, "unknown"),
    ]


def test_old_rows_without_a_version_are_read_alike(read: Read) -> None:
    rows = [_row(0, "user", "go"), _row(1, "assistant", "done")]
    (new,) = read(_file(*rows))
    for row in rows:
        del row["schema_version"]
    assert read(_file(*rows)) == [new]


def test_rows_and_whole_sessions_stand_in_one_file(read: Read) -> None:
    whole = {"source": {"provider": "x"}, "input": "whole", "output": []}
    transcripts = read(_file(_row(0, "user", "row"), whole))
    assert sorted(one.input or "" for one in transcripts) == ["row", "whole"]


def test_fields_of_the_wrong_type_are_left_out_and_counted(read: Read) -> None:
    rows = _file(
        _row(
            0,
            "user",
            "a",
            transcript_duration_ms="45",
            transcript_token_usage={"input": "900", "output": 70},
            start_time=17,
            tool_calls=["x", {"tool": "Bash", "duration_ms": -3}],
        )
    )
    (transcript,) = read(rows)
    assert transcript.token_usage == TokenUsage(output=70)
    assert [call.tool for call in transcript.tool_calls()] == ["Bash"]
    assert transcript.drift == {
        "unusable field 'duration_ms'": 1,
        "unusable field 'input'": 1,
        "unusable field 'start_time'": 1,
        "unusable field 'tool_calls'": 1,
        "unusable field 'transcript_duration_ms'": 1,
        "token meaning unknown": 1,
    }


@pytest.mark.parametrize("index", ["1", True, []])
def test_an_index_that_is_no_number_is_counted(read: Read, index: Any) -> None:
    rows = _file(_row(0, "user", "a"), _row(None, "user", "b", message_index=index))
    (transcript,) = read(rows)
    assert _contents(transcript) == ["a", "b"]
    assert transcript.drift["unusable field 'message_index'"] == 1


@pytest.mark.parametrize(
    "row",
    [
        b'{"schema_version":"agentv.transcript.v1","message_index":0,"content":"no role"}',
        b'{"schema_version":"agentv.transcript.v1","role":7}',
        b'{"schema_version":"agentv.transcript.v1","role":null}',
        b'{"schema_version":"agentv.transcript.v1","role":"user"',
        b'{"schema_version":7,"role":"user"}',
        b'{"role":"user","test_id":["a"]}',
        b'{"role":"user","target":{"name":"claude"}}',
    ],
)
def test_a_bad_row_is_an_error_with_its_place(
    read: Read, transcript_file: Path, row: bytes
) -> None:
    with pytest.raises(TranscriptError) as caught:
        read(_file(_row(0, "user", "a")) + row + b"\n")
    assert str(caught.value).startswith(f"{transcript_file}:2: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("field", "value"), [("test_id", 7), ("target", 7)])
def test_a_name_that_is_a_number_is_left_out_and_counted(
    read: Read, field: str, value: Any
) -> None:
    (transcript,) = read(_file(_row(0, "user", "a", source=None, **{field: value})))
    assert transcript.drift[f"unusable field {field!r}"] == 1


def test_a_lone_surrogate_is_repaired(read: Read) -> None:
    (transcript,) = read(b'{"role":"user","content":"\\udc00"}\n')
    assert _contents(transcript) == ["\N{REPLACEMENT CHARACTER}"]


@pytest.mark.parametrize(("levels", "is_read"), [(200, True), (201, False)])
def test_a_tool_input_may_be_nested_200_deep(read: Read, *, levels: int, is_read: bool) -> None:
    nested: Any = {}
    for _ in range(levels - 1):
        nested = [nested]
    rows = _file(_row(0, "assistant", "Done", tool_calls=[{"tool": "X", "input": nested}]))

    if is_read:
        assert read(rows)[0].output[0].tool_calls[0].input == nested
    else:
        with pytest.raises(TranscriptError, match="nested deeper than 200"):
            read(rows)
