"""Which files are Codex's: by several records, and never by raising."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from codex_sessions import Session, bare_session, write_lines

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_agentv.adapters.codex.adapter import CodexAdapter

MESSAGE = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi"}]}


@pytest.fixture
def session() -> Session:
    session = Session()
    session.ask("Hi")
    return session


def test_a_session_is_claimed_whatever_stands_on_its_first_line(
    adapter: CodexAdapter, session: Session, tmp_path: Path
) -> None:
    for first in (session.records[0], b"", b"{torn", b"null", b'{"type":"x"}'):
        records = [first, *session.records[1:]]
        assert adapter.claims(write_lines(tmp_path / "a.jsonl", records))


@pytest.mark.parametrize("items", [[MESSAGE], []])
def test_a_bare_session_is_claimed(
    adapter: CodexAdapter, tmp_path: Path, items: list[dict[str, Any]]
) -> None:
    assert adapter.claims(write_lines(tmp_path / "a.jsonl", bare_session(*items)))


@pytest.mark.parametrize(
    "records",
    [
        [],
        [b"\xff\xfe\x00"],
        [b"\x00" * 100],
        [{"session_id": "x", "ts": 1, "text": "Hi"}],
        [{"id": "x", "thread_name": "A", "updated_at": "2026-03-05T12:00:00Z"}] * 3,
        [{"type": "thread.started", "thread_id": "x"}, {"type": "turn.started"}],
        [MESSAGE, MESSAGE],
        [{"type": "event_msg", "payload": {"type": "user_message", "message": "Hi"}}],
        [{"type": "user", "message": {"role": "user", "content": "Hi"}, "uuid": "x"}] * 3,
        [{"type": "session.start", "data": {"sessionId": "x"}}, {"type": "user.message"}],
        [{"id": "x", "timestamp": "2025-08-23T17:12:10Z", "instructions": None}],
        [[1], 2, "three", None],
    ],
)
def test_another_file_is_not_claimed(
    adapter: CodexAdapter, tmp_path: Path, records: list[Any]
) -> None:
    lines = [one if isinstance(one, bytes) else json.dumps(one).encode() for one in records]
    assert not adapter.claims(write_lines(tmp_path / "a.jsonl", [*lines]))


def test_what_is_no_file_is_not_claimed(adapter: CodexAdapter, tmp_path: Path) -> None:
    assert not adapter.claims(tmp_path)
    assert not adapter.claims(tmp_path / "absent.jsonl")


@pytest.mark.parametrize(
    "text", ['{"session": 5}', '{"session": {"id": "x"}, "items": [{}]}', '{"session": {"id']
)
def test_another_document_is_not_claimed(adapter: CodexAdapter, tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text, encoding="utf-8")
    assert not adapter.claims(path)
