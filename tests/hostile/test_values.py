"""Values that are JSON and yet hostile: too deep, too large, twice, or of no use as a figure."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest
from claude_sessions import Json, Session, image, text, tokens, tool_use
from hostile_sessions import CONVERSATION, agentv, kept, line, lines
from hostile_vendors import CLAUDE

if TYPE_CHECKING:
    from pathlib import Path

    from hostile_vendors import Vendor

    from pytest_agentv import ToolCall, Transcript

PLACE = "\u2702"  # where a raw value is put into a record that was written with this one


def _with(value: bytes, record: Json) -> bytes:
    return line(record).replace(json.dumps(PLACE, ensure_ascii=False).encode(), value)


def _response(arguments: Any = None, *, usage: Any = None, **fields: Any) -> Json:
    session = Session()
    block = tool_use("toolu_9", "Bash", {"command": "ls"} if arguments is None else arguments)
    session.response("msg_9", block, usage=usage, **fields)
    (record,) = session.records
    assert isinstance(record, dict)
    return {**record, "uuid": "0000ffff-0000-4000-8000-000000000000"}


def _call(transcript: Transcript) -> ToolCall:
    (call,) = [
        call for message in transcript.output for call in message.tool_calls if call.id == "toolu_9"
    ]
    return call


def _nested(depth: int, opening: str = "[", closing: str = "]") -> bytes:
    return (opening * depth + closing * depth).encode()


_LISTS = ("[", "]")
_OBJECTS = ('{"a":', "}")


@pytest.mark.parametrize("where", ["unknown field", "whole line"])
@pytest.mark.parametrize("shape", [_LISTS, _OBJECTS], ids=["lists", "objects"])
def test_a_value_nested_100000_deep_costs_at_most_itself(
    vendor: Vendor, session_file: Path, output: Path, where: str, shape: tuple[str, str]
) -> None:
    bomb = _nested(100_000, *shape).replace(b":}", b":0}")
    record = _with(bomb, {**vendor.prompt(), "unheardOf": PLACE})
    session_file.write_bytes(vendor.around(record if where == "unknown field" else bomb + b"\n"))
    ended = agentv("import", vendor.name, "--file", session_file, "-o", output, cwd=output.parent)
    assert ended.code == 0, ended.err
    assert ended.sentence.startswith(f"warning: {session_file}: not all of it is understood: ")
    assert "value nested too deep: 1 (first: line 3)" in ended.sentence
    transcript = vendor.imported(session_file)
    said = [one for one in kept(transcript) if one[1] != "Now test it"]
    assert said == CONVERSATION
    assert transcript.drift["value nested too deep"] == 1
    if where == "unknown field":
        assert len(kept(transcript)) == len(CONVERSATION) + 1
        assert transcript.drift == {"value nested too deep": 1}


@pytest.mark.parametrize("shape", [_LISTS, _OBJECTS], ids=["lists", "objects"])
def test_a_tool_input_nested_100000_deep_costs_what_is_too_deep_of_it(
    vendor: Vendor, shape: tuple[str, str]
) -> None:
    bomb = _nested(100_000, *shape).replace(b":}", b":0}")
    transcript = vendor.imported(vendor.around(vendor.call_line(b'{"command":%b}' % bomb)))
    calls = {call.id: call for message in transcript.output for call in message.tool_calls}
    assert calls["toolu_1"].output == "built"
    assert list(calls["toolu_9"].input) == ["command"]
    assert transcript.drift == {"value nested too deep": 1}


@pytest.mark.parametrize("depth", [10, 200])
def test_a_tool_input_up_to_200_deep_is_kept(vendor: Vendor, depth: int) -> None:
    deep = _nested(depth - 1)
    transcript = vendor.imported(vendor.around(vendor.call_line(b'{"command":%b}' % deep)))
    assert _call(transcript).input == {"command": json.loads(deep)}
    assert transcript.drift == {}


@pytest.mark.parametrize("depth", [201, 202, 500, 900])
@pytest.mark.parametrize("shape", [_LISTS, _OBJECTS], ids=["lists", "objects"])
def test_a_tool_input_more_than_200_deep_is_counted_and_the_call_kept(
    vendor: Vendor, depth: int, shape: tuple[str, str]
) -> None:
    deep = _nested(depth - 1, *shape).replace(b":}", b":0}")
    transcript = vendor.imported(vendor.around(vendor.call_line(b'{"command":%b}' % deep)))
    assert (_call(transcript).input, _call(transcript).args) == (None, {})
    ((reason, count),) = transcript.drift.items()
    assert reason.endswith("nested too deep")
    assert count == 1


def test_no_tool_input_near_the_limit_of_the_interpreter_is_fatal(vendor: Vendor) -> None:
    limit = sys.getrecursionlimit()
    for depth in range(limit - 150, limit + 30, 3):
        hostile = vendor.call_line(b'{"command":%b}' % _nested(depth))
        transcript = vendor.imported(vendor.around(hostile))
        assert transcript.input == "Build the shop"
        assert transcript.output[-1].content == "The shop is built."


@pytest.mark.parametrize(
    "place",
    ["input", "input of a repaired record", "content", "noted", "noted list", "source", "queued"],
)
def test_no_depth_near_the_limit_of_the_interpreter_is_fatal(place: str) -> None:
    limit = sys.getrecursionlimit()
    records: dict[str, Json] = {
        "input": _response(PLACE),
        "input of a repaired record": {**_response(PLACE), "cwd": "\ud800"},
        "content": CLAUDE.conversation()[2],
        "noted": {**CLAUDE.conversation()[2], "toolUseResult": {"durationMs": PLACE}},
        "noted list": {**CLAUDE.conversation()[2], "toolUseResult": [PLACE]},
        "source": {
            **CLAUDE.conversation()[0],
            "message": {"content": [{**image(), "source": PLACE}]},
        },
        "queued": {"type": "queue-operation", "operation": "enqueue", "content": PLACE},
    }
    record = {**records[place], "uuid": "f", "timestamp": 5}
    if place == "content":
        block = {"type": "tool_result", "tool_use_id": "toolu_8", "content": PLACE}
        record["message"] = {"role": "user", "content": [block]}
    written = json.dumps(record).encode() + b"\n"
    for depth in range(limit - 150, limit + 30):
        hostile = written.replace(json.dumps(PLACE).encode(), _nested(depth))
        transcript = CLAUDE.imported(CLAUDE.around(hostile))
        assert [one for one in kept(transcript) if one in CONVERSATION] == CONVERSATION
        assert transcript.drift


@pytest.mark.parametrize(
    ("value", "read"),
    [
        pytest.param(b"NaN", None, id="NaN"),
        pytest.param(b"Infinity", None, id="Infinity"),
        pytest.param(b"-Infinity", None, id="-Infinity"),
        pytest.param(b"1e400", None, id="1e400"),
        pytest.param(b"-1e400", None, id="-1e400"),
        pytest.param(b"1e-400", 0.0, id="1e-400"),
        pytest.param(b"9" * 5000, None, id="5000 digits"),
        pytest.param(b"18446744073709551616", None, id="2**64"),
        pytest.param(b"18446744073709551615", 2**64 - 1, id="2**64 - 1"),
        pytest.param(b"-9223372036854775808", -(2**63), id="-2**63"),
        pytest.param(b"-9223372036854775809", None, id="-2**63 - 1"),
    ],
)
def test_a_number_that_no_other_program_could_read_becomes_null(
    vendor: Vendor, value: bytes, read: Any
) -> None:
    hostile = vendor.call_line(b'{"command":"ls","limit":%b}' % value)
    transcript = vendor.imported(vendor.around(hostile))
    kept_input = _call(transcript).input
    assert kept_input["command"] == "ls"
    number = kept_input["limit"]
    # Decoders differ in what they take for too large; what is written must be plain JSON.
    assert number == read or (read is None and abs(number) > 2**63)
    assert "Infinity" not in json.dumps(kept_input)
    assert "NaN" not in json.dumps(kept_input)


def test_of_a_key_that_comes_twice_the_last_counts(vendor: Vendor) -> None:
    twice = vendor.call_line(b'{"command":"first","command":"last"}')
    transcript = vendor.imported(vendor.around(twice))
    assert _call(transcript).input == {"command": "last"}
    assert transcript.drift == {}


@pytest.mark.parametrize(
    "value", [b"-1", b"1.5", b'"5"', b"true", b"[]", b"{}", b"1e400", b"9007199254740993"]
)
@pytest.mark.parametrize(
    "figure",
    [
        "input_tokens",
        "output_tokens",
        "cache_creation_input_tokens",
        "cache_read_input_tokens",
    ],
)
def test_a_figure_that_is_no_count_of_tokens_is_unknown_never_zero(
    figure: str, value: bytes
) -> None:
    record = _response(usage={**tokens(3, 50, written=100, cached=1000), figure: PLACE})
    transcript = CLAUDE.imported(lines([CLAUDE.conversation()[0]]) + _with(value, record))
    usage = transcript.token_usage
    assert usage is not None
    expected = {
        "input_tokens": (None, 50, 1000, 100),
        "output_tokens": (1103, None, 1000, 100),
        "cache_creation_input_tokens": (1003, 50, 1000, None),
        "cache_read_input_tokens": (103, 50, None, 100),
    }[figure]
    assert (usage.input, usage.output, usage.cached, usage.cache_write) == expected
    if value == b"1e400":
        assert transcript.drift == {"text repaired": 1}
    else:
        assert transcript.drift == {f"unusable field 'message.usage.{figure}'": 1}


def test_enormous_token_figures_add_up_to_something_that_can_be_read_again() -> None:
    session = Session()
    session.prompt("Count")
    for number in range(3000):
        usage = tokens(2**53, 2**53, written=2**53, cached=2**53)
        session.response(f"msg_{number}", text(f"{number}"), usage=usage)
    transcript = CLAUDE.imported(lines(session.records))
    assert len(transcript.output) == 3001
    usage_read = transcript.token_usage
    assert usage_read is not None
    assert usage_read.output == 3000 * 2**53


@pytest.mark.parametrize(
    "noted",
    [
        b'{"durationMs":1e308}',
        b'{"durationSeconds":1e308}',
        b'{"durationMs":1e19}',
        b'{"durationMs":-1}',
        b'{"totalDurationMs":-1e308}',
        b'{"durationMs":1e400}',
        b'{"durationMs":NaN}',
        b'{"durationMs":"soon"}',
    ],
)
def test_an_impossible_duration_falls_back_on_the_timestamps(noted: bytes) -> None:
    records = CLAUDE.conversation()
    hostile = _with(noted, {**records[2], "toolUseResult": PLACE})
    transcript = CLAUDE.imported(lines(records[:2]) + hostile + lines(records[3:]))
    assert kept(transcript) == CONVERSATION
    (call,) = transcript.output[1].tool_calls
    assert (call.duration_ms, call.duration_source) == (1000, "timestamps")


@pytest.mark.parametrize(
    ("data", "size"), [("", 0), ("=", 0), ("==", 0), ("====", 0), ("QQ==", 1), ("\u00e4", 0)]
)
def test_the_size_of_an_image_is_never_negative(data: str, size: int) -> None:
    records = CLAUDE.conversation()
    records[0]["message"]["content"] = [image(data), text("Build the shop")]
    transcript = CLAUDE.imported(lines(records))
    (attachment,) = transcript.output[0].attachments
    assert attachment.size is not None
    assert attachment.size >= 0
    assert attachment.size == size or data not in ("", "QQ==")


def test_a_negative_cost_is_no_cost() -> None:
    state = {"type": "cost-state", "totalCostUSD": -5.0, "sessionId": "x"}
    assert CLAUDE.imported(CLAUDE.around(line(state))).cost_usd is None
