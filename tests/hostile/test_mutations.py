"""Whatever is done to a good session, reading it never raises anything but a SessionError."""

from __future__ import annotations

import copy
import io
import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import pytest
from hostile_sessions import line, lines
from hostile_vendors import CLAUDE, COPILOT, VENDORS
from hypothesis import given
from hypothesis import strategies as st
from rich_sessions import CALLS, RICH

from pytest_agentv import dumps
from pytest_agentv.errors import SessionError
from pytest_agentv.transcript.model import Kind, Origin, Role, Status
from pytest_agentv.transcript.writing import write_stream

if TYPE_CHECKING:
    from hostile_vendors import Vendor

    from pytest_agentv import Transcript

# Not the fixture of that name: hypothesis runs all its examples with the same one.
every_vendor = pytest.mark.parametrize("vendor", VENDORS, ids=str)

_GOOD = {name: [line(record) for record in records] for name, records in RICH.items()}
_WORDS = sorted(
    {str(record.get("type")) for records in RICH.values() for record in records}
    | {"tool_use", "tool_result", "text", "", "function_call", "message", "thread_rolled_back"}
)
_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.sampled_from([10**400, -(10**400)])
    | st.floats(allow_nan=True, allow_infinity=True)
    | st.text(st.characters(codec=None), max_size=20)
    | st.sampled_from(_WORDS),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=10,
)
# Of any record of any session: the shorter ones have some more often than others.
_POSITIONS = st.integers(0, 1000)


def _call_numbers(raw: bytes) -> set[int]:
    return {number for number in range(CALLS) if b"toolu_%d" % number in raw.split(b'"')}


# How UTF-16 and Zstandard begin: what follows is then no JSON, whatever it looks like.
_OTHER_FORMS = (b"\xff\xfe", b"\xfe\xff", b"\x28\xb5\x2f\xfd")


def _read(vendor: Vendor, content: bytes) -> Transcript | None:
    try:
        transcript = vendor.imported(content)
    except SessionError as exc:
        assert str(exc).startswith("/") or ":" in str(exc)  # noqa: PT017 (the one error allowed)
        return None
    _check_sound(transcript)
    assert _streamed(vendor, content) == dumps(transcript)
    return transcript


def _streamed(vendor: Vendor, content: bytes) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "session.jsonl"
        path.write_bytes(content)
        written = io.BytesIO()
        write_stream(written, vendor.opened(path))
        return written.getvalue()


def _check_sound(transcript: Transcript) -> None:
    """Nothing is negative, and nothing is of a kind that does not exist."""
    assert transcript.duration_ms is None or transcript.duration_ms >= 0
    assert all(count > 0 for count in (*transcript.drift.values(), *transcript.left_out.values()))
    for message in transcript.output:
        assert message.role in get_args(Role)
        assert message.origin in (*get_args(Origin), None)
        for call in message.tool_calls:
            assert call.kind in get_args(Kind)
            assert call.status in get_args(Status)
            assert call.exit_code is None or abs(call.exit_code) < 2**63
            assert call.duration_ms is None or call.duration_ms >= 0
            assert (call.duration_ms is None) == (call.duration_source is None)


def _outputs(transcript: Transcript | None) -> dict[str | None, str | None]:
    messages = () if transcript is None else transcript.output
    return {call.id: call.output for message in messages for call in message.tool_calls}


def _check(vendor: Vendor, content: list[bytes], touched: set[int]) -> Transcript | None:
    """Every call whose records nobody touched is there, with its output."""
    transcript = _read(vendor, b"".join(content))
    outputs = _outputs(transcript)
    for number in set(range(CALLS)) - touched:
        assert outputs.get(f"toolu_{number}") == f"output {number}"
    return transcript


@every_vendor
@given(positions=st.lists(_POSITIONS, max_size=8))
def test_records_may_be_missing(vendor: Vendor, positions: list[int]) -> None:
    good = _GOOD[vendor.name]
    missing = {position % len(good) for position in positions}
    content = [raw for number, raw in enumerate(good) if number not in missing]
    _check(vendor, content, {call for one in missing for call in _call_numbers(good[one])})


@every_vendor
@given(positions=st.lists(_POSITIONS, max_size=8))
def test_records_may_come_twice(vendor: Vendor, positions: list[int]) -> None:
    good = _GOOD[vendor.name]
    twice = [position % len(good) for position in positions]
    content = [raw * (twice.count(number) + 1) for number, raw in enumerate(good)]
    transcript = _check(vendor, content, set())
    assert transcript is not None
    assert transcript.drift == {}


@every_vendor
@given(data=st.data())
def test_records_may_stand_in_any_order(vendor: Vendor, data: st.DataObject) -> None:
    content = data.draw(st.permutations(_GOOD[vendor.name]))
    # A result that comes before everything else of its call is counted as nobody's.
    lost = {number for number in range(CALLS) if _comes_first(vendor, content, number)}
    transcript = _check(vendor, content, lost)
    assert transcript is not None
    assert {f"toolu_{number}" for number in range(CALLS)} <= _outputs(transcript).keys()
    assert not any(reason.startswith("unreadable") for reason in transcript.drift)


def _comes_first(vendor: Vendor, content: list[bytes], number: int) -> bool:
    """Whether the result of a call stands before all that tells of a call."""
    if vendor is CLAUDE:
        return False
    told = (b'"function_call"', b'"tool.execution_start"', b'"toolRequests"')
    of_call = [raw for raw in content if number in _call_numbers(raw)]
    result = next(at for at, raw in enumerate(of_call) if _is_result(raw))
    return not any(mark in raw for raw in of_call[:result] for mark in told)


def _is_result(raw: bytes) -> bool:
    return b'"function_call_output"' in raw or b'"tool.execution_complete"' in raw


@every_vendor
@given(
    changes=st.lists(st.tuples(_POSITIONS, st.integers(0, 400), st.binary(max_size=6)), max_size=8)
)
def test_bytes_may_be_garbled(vendor: Vendor, changes: list[tuple[int, int, bytes]]) -> None:
    good = _GOOD[vendor.name]
    content = list(good)
    touched: set[int] = set()
    for anywhere, at, raw in changes:
        position = anywhere % len(good)
        touched |= _call_numbers(good[position])
        here = content[position].rstrip(b"\n")
        # A newline would make two lines of one, which others do below.
        content[position] = here[:at] + raw.replace(b"\n", b"") + here[at + len(raw) :] + b"\n"
    transcript = _check(vendor, content, touched)
    assert transcript is not None
    bad = sum(1 for raw in content if not _is_json(raw))
    # Copilot breaks lines inside of texts: two lines that are none may be one event.
    assert bool(transcript.drift) >= bool(bad)
    if vendor is not COPILOT:
        assert transcript.drift.get("unreadable line", 0) >= bad


def _is_json(raw: bytes) -> bool:
    """Whether a line is JSON, be its texts what they may: nobody reads all of them."""
    try:
        json.loads(raw.strip().decode("utf-8", "replace"), strict=False)
    except ValueError:
        return False
    return True


@every_vendor
@given(positions=st.sets(_POSITIONS, max_size=8))
def test_records_may_be_glued_together(vendor: Vendor, positions: set[int]) -> None:
    good = _GOOD[vendor.name]
    glued = {position % len(good) for position in positions}
    content = [raw.rstrip(b"\n") if number in glued else raw for number, raw in enumerate(good)]
    transcript = _check(vendor, content, set())
    assert transcript is not None
    assert transcript.drift == {}


@every_vendor
@given(part=st.floats(0, 1))
def test_a_session_may_end_anywhere(vendor: Vendor, part: float) -> None:
    content = b"".join(_GOOD[vendor.name])
    end = round(part * len(content))
    whole = content[: content.rfind(b"\n", 0, end) + 1]
    transcript = _read(vendor, content[:end])
    complete = _read(vendor, whole)
    tail = content[:end][len(whole) :]
    if transcript is None or _is_json(tail):
        assert complete is None or tail
        return
    assert transcript.drift.get("unfinished last line", 0) == (1 if tail else 0)
    assert _outputs(complete).items() <= _outputs(transcript).items()


@every_vendor
@given(data=st.data())
def test_any_value_anywhere_may_be_anything(vendor: Vendor, data: st.DataObject) -> None:
    good = _GOOD[vendor.name]
    position = data.draw(st.integers(0, len(good) - 1))
    record = copy.deepcopy(RICH[vendor.name][position])
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
    content = [*good[:position], raw, *good[position + 1 :]]
    _check(vendor, content, _call_numbers(good[position]) | _call_numbers(raw))


@every_vendor
@given(values=st.lists(_JSON, max_size=10))
def test_a_file_of_any_values_is_never_fatal(vendor: Vendor, values: list[Any]) -> None:
    _read(vendor, lines(json.dumps(value).encode() + b"\n" for value in values))


@every_vendor
@given(data=st.data())
def test_a_file_of_records_of_any_values_is_never_fatal(
    vendor: Vendor, data: st.DataObject
) -> None:
    records = RICH[vendor.name]
    keys = sorted({key for record in records for key in record} - {"type"})
    types = st.sampled_from(sorted({record["type"] for record in records}))
    values = st.fixed_dictionaries({"type": types}, optional=dict.fromkeys(keys, _JSON))
    hostile = data.draw(st.lists(values, max_size=6))
    _read(vendor, lines(json.dumps(value).encode() + b"\n" for value in hostile))


@every_vendor
@given(content=st.binary(max_size=300))
def test_a_file_of_any_bytes_is_never_fatal(vendor: Vendor, content: bytes) -> None:
    _read(vendor, content)
    prompt = line(vendor.prompt("BYTES")).partition(b"BYTES")[0]
    _read(vendor, prompt + content)
    transcript = _read(vendor, content + b"\n" + b"".join(_GOOD[vendor.name]))
    if not content.startswith(_OTHER_FORMS):
        outputs = _outputs(transcript)
        assert {f"toolu_{number}" for number in range(CALLS)} <= outputs.keys()


@every_vendor
@given(data=st.data())
def test_records_of_all_clients_in_one_file_are_never_fatal(
    vendor: Vendor, data: st.DataObject
) -> None:
    everything = [raw for one in VENDORS for raw in _GOOD[one.name]]
    content = b"".join(data.draw(st.lists(st.sampled_from(everything), max_size=30)))
    _read(vendor, content)
