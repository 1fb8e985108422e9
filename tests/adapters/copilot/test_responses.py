"""Responses of the model: one message each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from copilot_sessions import Session, request, said

if TYPE_CHECKING:
    from copilot_sessions import Read


def _asked() -> Session:
    session = Session()
    session.start()
    session.user("Go")
    return session


def test_a_response_is_one_message_with_its_text_thoughts_calls_and_tokens(read: Read) -> None:
    session = _asked()
    session.assistant(
        "I look.",
        request("call-1", "view", {"path": "/a"}),
        request("call-2", "view", {"path": "/b"}),
        reasoningText="Where is it?",
        reasoningOpaque="c2VjcmV0",
        encryptedContent="c2VjcmV0",
        outputTokens=7,
        messageId="message-x",
    )
    message = read(session).output[-1]
    assert (message.id, message.line, message.content) == ("message-x", 3, "I look.")
    assert message.thinking == "Where is it?"
    assert message.model == session.model
    assert message.timestamp == "2026-06-25T09:00:02.000Z"
    assert message.usage is not None
    assert (message.usage.input, message.usage.output) == (None, 7)
    assert [call.input for call in message.tool_calls] == [{"path": "/a"}, {"path": "/b"}]


def test_opaque_reasoning_is_no_thinking(read: Read) -> None:
    session = _asked()
    session.assistant("Yes.", reasoningOpaque="c2VjcmV0")
    assert read(session).output[-1].thinking is None


def test_reasoning_of_its_own_belongs_to_the_response_after_it(read: Read) -> None:
    session = _asked()
    session.event("assistant.reasoning", {"reasoningId": "r", "content": "Hm."})
    session.assistant("Yes.", messageId="message-x")
    message = read(session).output[-1]
    assert (message.id, message.thinking, message.content) == ("message-x", "Hm.", "Yes.")


def test_reasoning_that_the_response_repeats_is_told_once(read: Read) -> None:
    session = _asked()
    session.event("assistant.reasoning", {"reasoningId": "r", "content": "Hm."})
    session.assistant("Yes.", reasoningText="Hm.")
    assert read(session).output[-1].thinking == "Hm."


def test_a_response_in_chunks_is_one_message(read: Read) -> None:
    session = _asked()
    session.assistant("One", messageId="message-x", chunkIndex=0, chunkCount=2)
    session.assistant("Two", messageId="message-x", chunkIndex=1, chunkCount=2)
    transcript = read(session)
    assert said(transcript)[1:] == [("assistant", "One\n\nTwo")]
    assert transcript.token_usage is not None
    assert transcript.token_usage.output == 50


def test_the_order_of_the_file_counts_and_not_the_chain_of_parents(read: Read) -> None:
    session = _asked()
    first, second = session.assistant("One"), session.assistant("Two")
    first["parentId"], second["parentId"] = second["id"], "never written"
    assert said(read(session))[1:] == [("assistant", "One"), ("assistant", "Two")]


def test_what_is_no_part_of_the_conversation_is_left_out_and_counted(read: Read) -> None:
    session = _asked()
    session.hook()
    session.event("system.message", {"role": "system", "content": "You are Copilot."})
    session.event("skill.invoked", {"name": "pdf", "path": "/s", "content": "How to"})
    session.event("session.compaction_complete", {"success": True, "summaryContent": "Before"})
    session.event("abort", {"reason": "user_initiated"})
    session.assistant("Done.")
    transcript = read(session)
    assert said(transcript) == [("human", "Go"), ("assistant", "Done.")]
    assert transcript.tool_calls() == ()
    assert transcript.left_out == {
        "hook.start record": 1,
        "hook.end record": 1,
        "system.message record": 1,
        "skill.invoked record": 1,
        "session.compaction_complete record": 1,
        "abort record": 1,
    }
    assert transcript.drift == {}


def test_an_event_of_a_type_that_nobody_knows_is_drift(read: Read) -> None:
    session = _asked()
    session.event("session.dreamt", {"of": "sheep"})
    session.event(7, {})  # type: ignore[arg-type] # no type at all
    assert read(session).drift == {
        "record type 'session.dreamt'": 1,
        "record without a type": 1,
        "unusable field 'type'": 1,
    }


def test_an_unusable_field_costs_that_field_alone(read: Read) -> None:
    session = _asked()
    session.assistant("Yes.", outputTokens="many", reasoningText=["Hm."])
    transcript = read(session)
    assert said(transcript)[-1] == ("assistant", "Yes.")
    assert transcript.drift == {
        "unusable field 'data.outputTokens'": 1,
        "unusable field 'data.reasoningText'": 1,
    }


def test_fields_that_mean_something_else_elsewhere_are_no_drift(read: Read) -> None:
    session = _asked()
    session.event("hook.end", {"hookInvocationId": "h", "success": False, "error": "timed out"})
    session.event("session.handoff", {"context": "all that was said", "summary": "…"})
    assert read(session).drift == {}
