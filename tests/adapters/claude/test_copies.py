"""What a session repeats counts once: retried records, resumed and forked sessions."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from claude_sessions import Session, image, said, text, thinking, tokens, tool_use
from runaway import no_runaway

from pytest_agentv import TokenUsage

if TYPE_CHECKING:
    from pathlib import Path

    from claude_sessions import Json, Read


def told(session: Session) -> None:
    session.prompt([text("Look at both"), image()])
    session.response(
        "msg_1",
        thinking("Both, then."),
        tool_use("toolu_1", "Read", {"file_path": "/a"}),
        tool_use("toolu_2", "Read", {"file_path": "/b"}),
        usage=tokens(10, 40, written=0, cached=0),
    )
    session.tool_result("toolu_1", "A")
    session.tool_result("toolu_2", "B")
    session.response("msg_2", text("Seen."), usage=tokens(20, 5, written=0, cached=0))


def rewritten(session: Session, records: list[Any]) -> None:
    """Append records as a resumed editor session does: new uuids, one block a record."""
    session.last = None
    for record in records:
        content = record["message"]["content"]
        for block in content if isinstance(content, list) else [content]:
            again: Json = copy.deepcopy(record)
            again["message"]["content"] = [block] if isinstance(content, list) else block
            again["parentUuid"], again["uuid"] = session.last, session.uuid()
            session.last = again["uuid"]
            session.records.append(again)


def test_a_repeated_uuid_is_left_out_and_counted(read: Read) -> None:
    session = Session()
    told(session)
    session.records.extend(copy.deepcopy(session.records))
    transcript = read(session)
    assert said(transcript) == [
        ("human", "Look at both"),
        ("assistant", ""),
        ("assistant", "Seen."),
    ]
    assert transcript.left_out == {"repeated record": 7}
    assert transcript.drift == {}


def test_a_session_resumed_in_its_own_file_is_told_once(read: Read) -> None:
    session = Session()
    told(session)
    rewritten(session, list(session.records))
    session.prompt("And now?")
    session.response("msg_3", text("Done."), usage=tokens(1, 1, written=0, cached=0))
    transcript = read(session)
    assert said(transcript) == [
        ("human", "Look at both"),
        ("assistant", ""),
        ("assistant", "Seen."),
        ("human", "And now?"),
        ("assistant", "Done."),
    ]
    assert [(call.id, call.output) for call in transcript.tool_calls()] == [
        ("toolu_1", "A"),
        ("toolu_2", "B"),
    ]
    assert len(transcript.output[0].attachments) == 1
    assert transcript.output[1].thinking == "Both, then."
    assert transcript.token_usage == TokenUsage(
        input=31, output=46, cached=0, cache_write=0, output_complete=True
    )
    assert transcript.drift == {}


def test_what_is_neither_typed_nor_a_response_is_told_once_as_well(read: Read) -> None:
    session = Session(version="2.1.120")
    session.prompt("Go")
    session.attachment("queued_command", prompt="and on", commandMode="prompt")
    session.system("local_command", content="<local-command-stdout>80 %</local-command-stdout>")
    for words in "API Error: 529", "API Error: 500":
        session.response(words, text(words), model="<synthetic>", isApiErrorMessage=True)
    once = said(read(session))
    assert [origin for origin, _ in once] == ["human", "human", "command", "system", "system"]
    for number in range(len(session.records)):
        session.records.append({**session.record(number), "uuid": session.uuid()})
    transcript = read(session)
    assert said(transcript) == once
    assert transcript.left_out == {"repeated record": 5}


def test_a_resumed_copy_that_lost_a_call_is_no_drift(read: Read) -> None:
    session = Session()
    told(session)
    of_one_call = [r for r in session.records if "toolu_2" not in str(r) or "tool_use_id" in str(r)]
    rewritten(session, of_one_call)
    transcript = read(session)
    assert [(call.id, call.output) for call in transcript.tool_calls()] == [
        ("toolu_1", "A"),
        ("toolu_2", "B"),
    ]
    assert transcript.drift == {}


def test_a_copy_with_larger_figures_raises_the_tokens(read: Read) -> None:
    session = Session()
    session.prompt("Go")
    session.response("msg_1", text("Done."), usage=tokens(5, 3, written=0, cached=0))
    session.response("msg_1", text("Done."), usage=tokens(5, 70, written=0, cached=0))
    transcript = read(session)
    assert said(transcript) == [("human", "Go"), ("assistant", "Done.")]
    assert transcript.token_usage == TokenUsage(
        input=5, output=70, cached=0, cache_write=0, output_complete=True
    )


def test_a_long_response_may_have_any_number_of_copies(read: Read) -> None:
    session = Session()
    session.prompt("Go")
    session.response("msg_1", text("long " * 1_000_000))
    for number in range(5):
        session.prompt(str(number))
    for _ in range(60_000):
        session.response("msg_1", text(""))
    with no_runaway():  # what is quadratic takes minutes
        transcript = read(session)
    assert len(transcript.output) == 7


def test_a_response_of_any_number_of_calls_may_be_copied(read: Read) -> None:
    session = Session()
    session.prompt("Go")
    calls = [tool_use(f"toolu_{number}", "Bash", {}) for number in range(100_000)]
    session.response("msg_1", text("Well."))
    message = session.record()["message"]
    message["content"] = calls
    for number in range(20):
        session.prompt(str(number))
    session.response("msg_1", text(""))
    session.record()["message"]["content"] = calls
    with no_runaway():
        transcript = read(session)
    assert len(list(transcript.tool_calls())) == 100_000


def test_the_same_text_at_another_time_is_another_prompt(read: Read) -> None:
    session = Session()
    session.prompt("again")
    session.prompt("again")
    assert said(read(session)) == [("human", "again"), ("human", "again")]


def test_two_texts_at_the_same_time_are_two_prompts(read: Read) -> None:
    session = Session()
    session.prompt("one")
    session.wait(-1)
    session.prompt("two")
    assert said(read(session)) == [("human", "one"), ("human", "two")]


def test_prompts_without_a_time_are_never_taken_for_copies(read: Read) -> None:
    session = Session()
    session.prompt("again", timestamp=None)
    session.prompt("again", timestamp=None)
    assert said(read(session)) == [("human", "again"), ("human", "again")]


def test_a_fork_is_a_whole_session_that_spans_its_parents_time(read: Read) -> None:
    session = Session()
    told(session)
    session.session_id = "f0120000-0000-4000-8000-000000000002"
    for record in session.records:
        assert isinstance(record, dict)
        record["forkedFrom"] = {"sessionId": record["sessionId"], "messageUuid": record["uuid"]}
        record["sessionId"] = session.session_id
    session.wait(3600)
    session.prompt("Another way")
    transcript = read(session)
    assert transcript.source.session_id == "f0120000-0000-4000-8000-000000000002"
    assert transcript.prompts == ("Look at both", "Another way")
    assert transcript.source.timestamp == "2026-03-02T09:00:00.000Z"
    assert transcript.duration_ms == 3_607_000


def test_records_of_another_session_id_are_kept_and_the_file_name_is_the_id(read: Read) -> None:
    session = Session()
    session.prompt("The first prompt", sessionId="01d00000-0000-4000-8000-000000000009")
    session.response("msg_1", text("Done."))
    transcript = read(session)
    assert transcript.source.session_id == session.session_id
    assert said(transcript) == [("human", "The first prompt"), ("assistant", "Done.")]


def test_in_a_file_of_another_name_the_id_of_most_records_wins(read: Read, tmp_path: Path) -> None:
    session = Session()
    session.prompt("The first prompt", sessionId="01d00000-0000-4000-8000-000000000009")
    session.response("msg_1", text("One."), text("Two."))
    transcript = read(session.write(tmp_path / "full.jsonl"))
    assert transcript.source.session_id == session.session_id
