"""Whatever is done to a good session, reading it never raises anything but a SessionError."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

from claude_sessions import SESSION_ID, Json, Session, text, thinking, tool_use
from hostile_sessions import imported, line, lines
from hypothesis import given
from hypothesis import strategies as st

from pytest_agentv.errors import SessionError

if TYPE_CHECKING:
    from pytest_agentv import Transcript

_CALLS = 12


def _session() -> list[Json]:
    """A session of all that a session usually has; call n stands in records of its own."""
    session = Session()
    session.about("summary", summary="Shop", leafUuid="0")
    session.prompt("Build the shop")
    for number in range(_CALLS):
        session.response(f"msg_{number}", thinking("Hm"), text(f"Call {number}"))
        session.response(
            f"msg_{number}", tool_use(f"toolu_{number}", "Bash", {"command": f"make {number}"})
        )
        session.tool_result(f"toolu_{number}", f"output {number}", noted={"durationMs": number})
    session.queue("enqueue", "Faster")
    session.queue("remove", "Faster")
    session.progress({"type": "agent_progress", "agentId": "abc"}, call_id="toolu_0")
    session.attachment("queued_command", prompt="Slower", commandMode="prompt")
    session.slash("review", "all", expansion="Review all of it")
    session.local_command("cost", "nothing")
    session.compaction("So far so good")
    session.response("msg_end", text("Done."))
    session.about("custom-title", customTitle="Shop")
    session.about("cost-state", totalCostUSD=0.5)
    return [record for record in session.records if isinstance(record, dict)]


_RECORDS = _session()
_GOOD = [line(record) for record in _RECORDS]
_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=True, allow_infinity=True)
    | st.text(st.characters(codec=None), max_size=20)
    | st.sampled_from(["user", "assistant", "tool_use", "tool_result", "text", "", SESSION_ID]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=10,
)
_POSITIONS = st.integers(0, len(_GOOD) - 1)


def _call_numbers(raw: bytes) -> set[int]:
    return {number for number in range(_CALLS) if b"toolu_%d" % number in raw.split(b'"')}


def _read(content: bytes) -> Transcript | None:
    try:
        return imported(content)
    except SessionError as exc:
        assert str(exc).startswith("/") or ":" in str(exc)  # noqa: PT017 (the one error allowed)
        return None


def _outputs(transcript: Transcript | None) -> dict[str | None, str | None]:
    messages = () if transcript is None else transcript.output
    return {call.id: call.output for message in messages for call in message.tool_calls}


def _check(content: list[bytes], touched: set[int]) -> Transcript | None:
    """Every call whose records nobody touched is there, with its output."""
    transcript = _read(b"".join(content))
    outputs = _outputs(transcript)
    for number in set(range(_CALLS)) - touched:
        assert outputs.get(f"toolu_{number}") == f"output {number}"
    return transcript


@given(st.lists(_POSITIONS, max_size=8))
def test_records_may_be_missing(positions: list[int]) -> None:
    content = [raw for number, raw in enumerate(_GOOD) if number not in positions]
    _check(content, {call for one in positions for call in _call_numbers(_GOOD[one])})


@given(st.lists(_POSITIONS, max_size=8))
def test_records_may_come_twice(positions: list[int]) -> None:
    content = [raw * (positions.count(number) + 1) for number, raw in enumerate(_GOOD)]
    transcript = _check(content, set())
    assert transcript is not None
    assert transcript.drift == {}


@given(st.permutations(range(len(_GOOD))))
def test_records_may_stand_in_any_order(order: list[int]) -> None:
    transcript = _check([_GOOD[number] for number in order], set())
    assert transcript is not None
    assert not any(reason.startswith("unreadable") for reason in transcript.drift)


@given(st.lists(st.tuples(_POSITIONS, st.integers(0, 400), st.binary(max_size=6)), max_size=8))
def test_bytes_may_be_garbled(changes: list[tuple[int, int, bytes]]) -> None:
    content = list(_GOOD)
    touched: set[int] = set()
    for position, at, raw in changes:
        touched |= _call_numbers(_GOOD[position])
        here = content[position].rstrip(b"\n")
        # A newline would make two lines of one, which others do below.
        content[position] = here[:at] + raw.replace(b"\n", b"") + here[at + len(raw) :] + b"\n"
    transcript = _check(content, touched)
    assert transcript is not None
    bad = sum(1 for raw in content if not _is_json(raw))
    counted = sum(
        count for reason, count in transcript.drift.items() if reason == "unreadable line"
    )
    assert counted >= bad


def _is_json(raw: bytes) -> bool:
    """Whether a line is JSON, be its texts what they may: nobody reads all of them."""
    try:
        json.loads(raw.strip().decode("utf-8", "replace"), strict=False)
    except ValueError:
        return False
    return True


@given(st.sets(_POSITIONS, max_size=8))
def test_records_may_be_glued_together(positions: set[int]) -> None:
    content = [
        raw.rstrip(b"\n") if number in positions else raw for number, raw in enumerate(_GOOD)
    ]
    transcript = _check(content, set())
    assert transcript is not None
    assert transcript.drift == {}


@given(st.integers(0, sum(map(len, _GOOD))))
def test_a_session_may_end_anywhere(end: int) -> None:
    content = b"".join(_GOOD)
    whole = content[: content.rfind(b"\n", 0, end) + 1]
    transcript = _read(content[:end])
    complete = _read(whole)
    tail = content[:end][len(whole) :]
    if transcript is None or _is_json(tail):
        assert complete is None or tail
        return
    assert transcript.drift.get("unfinished last line", 0) == (1 if tail else 0)
    assert _outputs(complete).items() <= _outputs(transcript).items()


@given(st.data())
def test_any_value_anywhere_may_be_anything(data: st.DataObject) -> None:
    position = data.draw(_POSITIONS)
    record = copy.deepcopy(_RECORDS[position])
    holder: Any = record
    key = data.draw(st.sampled_from(sorted(holder)))
    while isinstance(holder[key], dict | list) and holder[key] and data.draw(st.booleans()):
        holder = holder[key]
        keys = sorted(holder) if isinstance(holder, dict) else range(len(holder))
        key = data.draw(st.sampled_from(keys))
    if data.draw(st.booleans()):
        holder[key] = data.draw(_JSON)
    else:
        del holder[key]
    raw = json.dumps(record).encode() + b"\n"
    content = [*_GOOD[:position], raw, *_GOOD[position + 1 :]]
    _check(content, _call_numbers(_GOOD[position]) | _call_numbers(raw))


@given(st.lists(_JSON, max_size=10))
def test_a_file_of_any_values_is_never_fatal(values: list[Any]) -> None:
    _read(lines(json.dumps(value).encode() + b"\n" for value in values))


@given(st.lists(st.dictionaries(st.sampled_from(sorted({
    key for record in _RECORDS for key in record
})), _JSON), max_size=6))  # fmt: skip
def test_a_file_of_records_of_any_values_is_never_fatal(values: list[Any]) -> None:
    for record in values:
        record.setdefault("type", "user")
    _read(lines(json.dumps(value).encode() + b"\n" for value in values))


@given(st.binary(max_size=300))
def test_a_file_of_any_bytes_is_never_fatal(content: bytes) -> None:
    _read(content)
    _read(b'{"type":"user","message":{"content":"' + content)
    transcript = _read(content + b"\n" + b"".join(_GOOD))
    if not content.startswith((b"\xff\xfe", b"\xfe\xff")):
        assert len(_outputs(transcript)) == _CALLS
