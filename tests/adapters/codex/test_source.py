"""What a session says of itself: ids, versions, times, folders; and sessions that say nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from codex_sessions import CONTEXT, MODEL, SESSION_ID, Session, bare_session, said, write_lines

from pytest_agentv import SessionRef
from pytest_agentv.adapters.codex.adapter import CodexAdapter
from pytest_agentv.errors import SessionUnreadable

if TYPE_CHECKING:
    from pathlib import Path

    from codex_sessions import Read


@pytest.fixture
def session() -> Session:
    session = Session()
    session.ask("Add a cart")
    session.answer("Done.")
    return session


def test_the_source_names_what_the_session_says(session: Session, read: Read) -> None:
    session.event("thread_name_updated", thread_id=SESSION_ID, thread_name="A cart")
    transcript = read(session)
    source = transcript.source
    assert (source.provider, source.session_id, source.model) == ("codex-cli", SESSION_ID, MODEL)
    assert (source.version, source.title, source.git_branch) == ("0.140.0", "A cart", "main")
    assert source.cwd == "/home/dev/shop"
    assert (source.timestamp, source.ended_at) == (
        "2026-03-05T12:00:00.000Z",
        "2026-03-05T12:00:00.700Z",
    )
    assert transcript.duration_ms == 700


def test_the_first_head_counts_and_those_after_it_do_not(session: Session, read: Read) -> None:
    session.record("session_meta", id=SESSION_ID, cli_version="0.141.0", cwd="/moved", git={})
    session.record("session_meta", id="other", cli_version="0.1.0", cwd="/other")
    transcript = read(session)
    assert (transcript.source.version, transcript.source.cwd) == ("0.140.0", "/home/dev/shop")
    assert transcript.left_out == {"head of another session": 1}


def test_the_id_in_the_name_of_the_file_wins(session: Session, read: Read, tmp_path: Path) -> None:
    other = "0199812e-64f0-7f73-91fc-095dda01c36e"
    assert read(session.write(tmp_path / "a.jsonl")).source.session_id == SESSION_ID
    renamed = session.write(tmp_path / f"rollout-2026-03-05T12-00-00-{other}.jsonl")
    assert read(renamed).source.session_id == other


def test_a_name_of_another_thread_is_not_the_title(session: Session, read: Read) -> None:
    session.event("thread_name_updated", thread_id="other", thread_name="Theirs")
    assert read(session).source.title is None


def test_settings_name_the_model_where_turns_do_not(read: Read) -> None:
    session = Session()
    session.event("thread_settings_applied", thread_settings={"model": "gpt-5.5"})
    session.prompt("Hi")
    session.answer("Yo")
    transcript = read(session)
    assert transcript.source.model == "gpt-5.5"
    assert transcript.output[-1].model == "gpt-5.5"


def test_a_model_that_was_chosen_and_not_used_is_not_the_sessions(read: Read) -> None:
    session = Session(model="gpt-5.6")
    session.event("thread_settings_applied", thread_settings={"model": "gpt-5.5"})
    session.ask("Hi")
    session.answer("Yo")
    assert read(session).source.model == "gpt-5.6"


def test_a_bare_session_says_little_and_none_of_it_is_made_up(tmp_path: Path, read: Read) -> None:
    message = {"type": "message", "role": "user"}
    path = write_lines(
        tmp_path / "bare.jsonl",
        bare_session(
            {**message, "content": [{"type": "input_text", "text": CONTEXT}]},
            {**message, "content": [{"type": "input_text", "text": "Hi"}]},
        ),
    )
    transcript = read(path)
    source = transcript.source
    assert (source.model, source.version, source.ended_at) == (None, None, None)
    assert (source.cwd, source.git_branch) == ("/home/dev/shop", "main")
    assert source.timestamp == "2025-08-23T17:12:10.588Z"
    assert (transcript.token_usage, transcript.duration_ms) == (None, None)
    assert transcript.left_out == {"state record": 1}


def test_the_oldest_sessions_are_one_document(tmp_path: Path, read: Read) -> None:
    path = tmp_path / "rollout-2025-05-01-5e550000-0000-4000-8000-000000000001.json"
    document = {
        "session": {
            "timestamp": "2025-05-01T10:00:00.000Z",
            "id": "5e550000-0000-4000-8000-000000000001",
            "instructions": "",
        },
        "items": [
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi"}]},
            {"type": "function_call", "name": "shell", "call_id": "call_1",
             "arguments": '{"command":["ls"]}'},
            {"type": "function_call_output", "call_id": "call_1",
             "output": '{"output":"a.py\\n","metadata":{"exit_code":0,"duration_seconds":0.1}}'},
            {"type": "message", "role": "assistant",
             "content": [{"type": "output_text", "text": "Yo"}]},
        ],
    }  # fmt: skip
    path.write_text(json.dumps(document, indent=2), encoding="utf-8")
    assert CodexAdapter().claims(path)
    transcript = read(path)
    assert said(transcript) == [("human", "Hi"), ("assistant", ""), ("assistant", "Yo")]
    assert transcript.tool_calls()[0].output == "a.py\n"
    assert transcript.source.timestamp == "2025-05-01T10:00:00.000Z"
    assert transcript.source.session_id == "5e550000-0000-4000-8000-000000000001"


def test_a_newer_version_is_noted(read: Read) -> None:
    session = Session(version="0.999.0")
    session.prompt("Hi")
    assert read(session).drift == {"version 0.999.0 is newer than 0.146.0": 1}


def test_types_that_nobody_knows_are_drift_and_the_rest_is_read(
    session: Session, read: Read
) -> None:
    session.record("dream", of="sheep")
    session.item("hologram")
    session.event("sneeze")
    session.event("item_completed", item={"type": "Hologram"})
    session.raw(b'{"timestamp": 5, "type": "event_msg", "payload": {"type": "warning"}}')
    session.raw(b"{broken")
    session.raw(b"[]")
    session.answer("Still here.")
    transcript = read(session)
    assert transcript.output[-1].content.endswith("Still here.")
    assert transcript.drift == {
        "record type 'dream'": 1,
        "item type 'hologram'": 1,
        "event type 'sneeze'": 1,
        "completed item 'Hologram'": 1,
        "unusable field 'timestamp'": 1,
        "unreadable line": 1,
        "record that is no object": 1,
    }
    assert transcript.left_out == {"warning event": 1}


def test_a_record_that_is_cut_off_is_counted_and_nothing_else_is_lost(
    session: Session, read: Read, tmp_path: Path
) -> None:
    session.raw(b'{"timestamp":"2026-03-05T12:00:01.000Z","type":"response_i')
    transcript = read(session.write(tmp_path / "cut.jsonl", final_newline=False))
    assert transcript.drift == {"unfinished last line": 1}
    assert said(transcript) == [("human", "Add a cart"), ("assistant", "Done.")]


def test_line_separators_inside_texts_end_no_line(read: Read) -> None:
    session = Session()
    session.prompt("one\u2028two\u0085three\x0bfour")
    assert read(session).input == "one\u2028two\u0085three\x0bfour"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "is empty"),
        (
            b'{"timestamp":"2026-03-05T12:00:00.000Z","type":"session_meta","payload":{"id":"x"}}\n',
            "holds no message at all: neither a prompt nor a response",
        ),
        (
            b'{"session_id":"x","ts":1,"text":"Hi"}\n',
            "is Codex's history of prompts, not a session",
        ),
        (
            b'{"id":"x","thread_name":"A","updated_at":"2026-03-05T12:00:00Z"}\n',
            "is Codex's list of session names, not a session",
        ),
        (
            b'{"type":"thread.started","thread_id":"x"}\n',
            "is the output of codex exec --json, not the session it was printed for",
        ),
        (b'{"schema_version":"1.0"}\n', "is a transcript already, not a session"),
        (b'{"a":1}\n', "holds no record of a Codex session"),
        (b'{"session": 5, "items": 6}', "holds no record of a Codex session"),
    ],
)
def test_a_file_without_a_message_is_refused_with_what_it_is(
    tmp_path: Path, read: Read, content: bytes, sentence: str
) -> None:
    path = tmp_path / "file.jsonl"
    path.write_bytes(content)
    with pytest.raises(SessionUnreadable) as caught:
        read(path)
    assert str(caught.value).endswith(sentence)


def test_a_summary_needs_the_first_prompt_and_no_more(
    session: Session, adapter: CodexAdapter, tmp_path: Path
) -> None:
    path = session.write_in(tmp_path)
    summary = adapter.summarize(SessionRef(path.stem, path))
    assert (summary.first_prompt, summary.project) == ("Add a cart", "/home/dev/shop")
    assert summary.started is not None
    assert summary.started.isoformat() == "2026-03-05T12:00:00+00:00"


def test_a_session_that_another_thread_began_has_no_prompt_in_a_list(
    adapter: CodexAdapter, tmp_path: Path
) -> None:
    session = Session(source={"subagent": "review"})
    session.ask("Review this")
    path = session.write_in(tmp_path)
    assert adapter.summarize(SessionRef(path.stem, path)).first_prompt is None
