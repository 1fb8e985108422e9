"""Dirty files: whatever is good is kept, whatever is not is counted."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from copilot_sessions import Session, plain, said
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_agentv import ReadOptions, SessionRef, load
from pytest_agentv.adapters.copilot.adapter import CopilotAdapter
from pytest_agentv.errors import SessionUnreadable

if TYPE_CHECKING:
    from pathlib import Path

    from copilot_sessions import Read

    from pytest_agentv import Transcript


def _lines_of(path: Path, lines: list[bytes]) -> Transcript:
    path.write_bytes(b"\n".join(lines) + b"\n")
    return load(CopilotAdapter().read(SessionRef("x", path), ReadOptions()))


def test_line_separators_inside_a_text_end_no_line(read: Read) -> None:
    strange = "one\u2028two\u0085three\u000bfour"
    transcript = read(plain(prompt=strange))
    assert transcript.input == strange
    assert transcript.drift == {}


def test_a_tail_of_nul_bytes_is_counted(read: Read) -> None:
    session = plain()
    session.raw(b"\x00" * 500)
    transcript = read(session)
    assert len(transcript.output) == 2
    assert transcript.drift == {"unreadable line": 1}


def test_a_last_line_that_is_cut_off_is_counted(read: Read, tmp_path: Path) -> None:
    session = plain()
    session.raw(b'{"type":"assistant.message","data":{"content":"I wa')
    transcript = read(session.write(tmp_path / "s.jsonl", final_newline=False))
    assert len(transcript.output) == 2
    assert transcript.drift == {"unfinished last line": 1}


@pytest.mark.parametrize("prompt", ["one\ntwo", "one\n\n}\n{\ntwo\n", 'a\n{"b": 1}x\nc'])
def test_an_event_with_a_raw_line_break_is_put_together(
    read: Read, tmp_path: Path, prompt: str
) -> None:
    session = plain(prompt=prompt)
    lines = session.lines()
    broken = lines[1].replace(b"\\n", b"\n")
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"\n".join([lines[0], broken, *lines[2:]]))
    transcript = read(path)
    assert said(transcript) == said(read(session))
    assert transcript.output[0].line == 2
    assert transcript.drift == {"text repaired": 1}


def test_two_events_with_raw_line_breaks_in_a_row_are_two(read: Read, tmp_path: Path) -> None:
    session = Session()
    session.start()
    session.user("a\nb")
    session.assistant("c\nd")
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"\n".join(line.replace(b"\\n", b"\n") for line in session.lines()))
    transcript = read(path)
    assert said(transcript) == [("human", "a\nb"), ("assistant", "c\nd")]
    assert transcript.drift == {"text repaired": 2}


def test_lines_that_do_not_belong_together_count_each_for_itself(tmp_path: Path) -> None:
    start, prompt, response, shutdown = plain().lines()
    torn = b'{"type":"user.message","data":{"content":"torn'
    lines = [start, torn, b"nonsense", torn, prompt, b'x"timestamp" "parentId"}', response, torn]
    transcript = _lines_of(tmp_path / "s.jsonl", [*lines, shutdown])
    assert said(transcript) == [("human", "Add a login page"), ("assistant", "Done.")]
    assert transcript.drift == {"unreadable line": 5}


def test_a_torn_event_that_never_ends_is_given_up(tmp_path: Path) -> None:
    start, prompt, response, shutdown = plain().lines()
    torn = b'{"type":"user.message","data":{"content":"torn'
    ends = [b'"timestamp" "parentId" }'] * 5
    transcript = _lines_of(tmp_path / "s.jsonl", [start, torn, *ends, prompt, response, shutdown])
    assert said(transcript) == [("human", "Add a login page"), ("assistant", "Done.")]
    assert transcript.drift == {"unreadable line": 6}


def test_an_event_with_an_unusable_field_after_a_torn_one_is_an_event(tmp_path: Path) -> None:
    start, prompt, response, shutdown = plain().lines()
    torn = b'{"type":"user.message","data":{"content":"torn'
    odd = response.replace(b'"outputTokens":50', b'"outputTokens":"many"')
    transcript = _lines_of(tmp_path / "s.jsonl", [start, prompt, torn, odd, shutdown])
    assert said(transcript) == [("human", "Add a login page"), ("assistant", "Done.")]
    assert transcript.drift == {"unreadable line": 1, "unusable field 'data.outputTokens'": 1}


def test_an_event_behind_a_torn_one_is_kept(tmp_path: Path) -> None:
    start, prompt, response, shutdown = plain().lines()
    torn = b'{"type":"user.message","data":{"content":"torn'
    transcript = _lines_of(tmp_path / "s.jsonl", [start, torn + prompt, response, shutdown])
    assert said(transcript) == [("human", "Add a login page"), ("assistant", "Done.")]


def test_a_lone_surrogate_costs_one_character(tmp_path: Path) -> None:
    lines = [line.replace(b"login", b"\\ud800") for line in plain().lines()]
    transcript = _lines_of(tmp_path / "s.jsonl", lines)
    assert transcript.input == "Add a \ufffd page"
    assert transcript.drift == {"text repaired": 1}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "is empty"),
        (b"\n\n", "holds no record of a Copilot session"),
        (b'{"type":"summary"}\n', "holds no record of a Copilot session"),
        (plain().lines()[0], "holds no message at all: neither a prompt nor a response"),
        (b'{"type":"hook.start","data":{}}', "holds no message at all"),
    ],
)
def test_a_file_without_a_message_is_refused_with_a_sentence(
    read: Read, tmp_path: Path, content: bytes, reason: str
) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(content)
    with pytest.raises(SessionUnreadable, match=reason):
        read(path)


_WHOLE = plain()
_WHOLE.call("call-1", "bash", {"command": "ls"}, "a\n<exited with exit code 0>")
_WHOLE.permission("call-1", "approved", seconds=2)
_WHOLE.resume()
_WHOLE.user("Go on")
_WHOLE.shutdown()
_LINES = _WHOLE.lines()
_JUNK = st.sampled_from([b"", b"\x00", b"{", b'{"type":', b"[]", b"7", b'"x"', b"\xff\xff", b"}{"])


@settings(
    max_examples=200,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.data())
def test_a_session_with_any_event_dropped_or_garbled_is_read(
    tmp_path: Path, data: st.DataObject
) -> None:
    number = data.draw(st.integers(0, len(_LINES) - 1))
    cut = data.draw(st.integers(0, len(_LINES[number])))
    lines = [*_LINES]
    lines[number] = lines[number][:cut] + data.draw(_JUNK)
    transcript = _lines_of(tmp_path / "s.jsonl", lines)
    assert len(transcript.output) >= 3


_VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
_ODD = st.recursive(
    _VALUES,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=4,
)


@settings(
    max_examples=300,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.data())
def test_a_session_with_any_field_of_another_type_is_read(
    tmp_path: Path, data: st.DataObject
) -> None:
    number = data.draw(st.integers(0, len(_LINES) - 1))
    event = json.loads(_LINES[number])
    inside = data.draw(st.sampled_from([event, event["data"]]))
    inside[data.draw(st.sampled_from(sorted(inside)))] = data.draw(_ODD)
    lines = [*_LINES]
    lines[number] = json.dumps(event).encode()
    transcript = _lines_of(tmp_path / "s.jsonl", lines)
    assert len(transcript.output) >= 3
