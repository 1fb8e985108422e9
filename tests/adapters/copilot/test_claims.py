"""Recognising a file of Copilot's."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from copilot_sessions import Session, old_document, plain

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_agentv.adapters.copilot.adapter import CopilotAdapter


def test_a_session_is_claimed_wherever_it_lies(tmp_path: Path, adapter: CopilotAdapter) -> None:
    assert adapter.claims(plain().write(tmp_path / "full.jsonl"))


def test_a_session_is_claimed_whatever_its_first_line_is(
    tmp_path: Path, adapter: CopilotAdapter
) -> None:
    session = Session()
    session.raw(b"nonsense")
    session.raw(b'{"type": "something else"}')
    session.events += plain().events[1:]
    assert adapter.claims(session.write(tmp_path / "s.jsonl"))


def test_a_start_alone_says_who_wrote_it(tmp_path: Path, adapter: CopilotAdapter) -> None:
    session = Session()
    session.start()
    assert adapter.claims(session.write(tmp_path / "s.jsonl"))


def test_the_old_form_is_claimed(tmp_path: Path, adapter: CopilotAdapter) -> None:
    path = tmp_path / "session.json"
    path.write_text(json.dumps(old_document(), indent=2), encoding="utf-8")
    assert adapter.claims(path)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00\x00",
        b"\xff\xfe{\x00",
        b'{"type":"user.message","data":{"content":"once"},"id":"1","timestamp":"","parentId":"0"}',
        b'{"type":"user.message"}\n{"type":"assistant.message"}\n',
        b'{"type":"session.start","data":{"producer":"else"},"id":"1","timestamp":"","parentId":1}',
        b'{"type":"session.start","data":[],"id":"1","timestamp":"x","parentId":null}\n' * 3,
        b'{"type":"user","message":{"role":"user","content":"hi"},"uuid":"1","sessionId":"2"}\n',
        b'{"sessionId":"1","chatMessages":{}}',
        b'{"sessionId":"1","chatMessages":[',
        b'{"sessionId":"","chatMessages":[]}',
    ],
)
def test_other_files_are_not_claimed(
    tmp_path: Path, adapter: CopilotAdapter, content: bytes
) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(content)
    assert not adapter.claims(path)


def test_what_is_no_file_is_not_claimed(tmp_path: Path, adapter: CopilotAdapter) -> None:
    assert not adapter.claims(tmp_path)
    assert not adapter.claims(tmp_path / "missing.jsonl")


def test_a_long_file_of_others_is_not_read_to_its_end(
    tmp_path: Path, adapter: CopilotAdapter
) -> None:
    session = Session()
    for _ in range(600):
        session.raw(b'{"type": "something else"}')
    session.events += plain().events
    assert not adapter.claims(session.write(tmp_path / "s.jsonl"))
