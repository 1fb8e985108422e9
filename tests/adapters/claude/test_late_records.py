"""Records that come long after the rest of their message change that message and no other."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

import pytest
from claude_sessions import Session, said, text, tokens, tool_use

from pytest_agentv import TokenUsage

if TYPE_CHECKING:
    from claude_sessions import Read

ONE = tokens(1, 1, written=0, cached=0)


def told(session: Session, *, turns: int) -> list[tuple[str, str]]:
    """Turns of different lengths, and what they say."""
    expected = []
    for number in range(turns):
        prompt, answer = f"Prompt {number}", f"Answer {number} " + "x" * number
        session.prompt(prompt)
        session.response(f"msg_{number}", text(answer), usage=ONE)
        expected += [("human", prompt), ("assistant", answer)]
    return expected


@pytest.mark.parametrize("late", [0, 1, 4, 8, 9])
def test_a_late_record_of_a_response_leaves_all_others_as_they_are(read: Read, late: int) -> None:
    session = Session()
    expected = told(session, turns=10)
    session.response(f"msg_{late}", text("Late."), usage=tokens(1, 7, written=0, cached=0))
    session.prompt("And then?")
    session.response("msg_end", text("Then the end."), usage=ONE)
    place = 2 * late + 1
    expected[place] = ("assistant", f"{expected[place][1]}\n\nLate.")
    transcript = read(session)
    assert said(transcript) == [
        *expected,
        ("human", "And then?"),
        ("assistant", "Then the end."),
    ]
    assert transcript.token_usage == TokenUsage(
        input=11, output=17, cached=0, cache_write=0, output_complete=True
    )


def test_a_copied_record_leaves_all_messages_as_they_are(read: Read) -> None:
    session = Session()
    expected = told(session, turns=10)
    for number in (1, 7, 3):
        record = copy.deepcopy(session.record(number))
        record["uuid"] = session.uuid()
        session.records.append(record)
        session.prompt(f"After the copy of {number}")
        expected.append(("human", f"After the copy of {number}"))
    assert said(read(session)) == expected


@pytest.mark.parametrize("others", [1, 15, 16, 17, 40])
def test_a_result_may_come_after_many_other_responses(read: Read, others: int) -> None:
    session = Session()
    session.prompt("Start")
    session.response("msg_a", tool_use("toolu_a", "Agent", {"prompt": "Dig"}), usage=ONE)
    for number in range(others):
        call = tool_use(f"toolu_{number}", "Bash", {"command": f"step {number}"})
        session.response(f"msg_{number}", call, usage=ONE)
    session.tool_result("toolu_a", "Dug.")
    for number in reversed(range(others)):
        session.tool_result(f"toolu_{number}", f"did {number}")
    session.response("msg_end", text("All done."), usage=ONE)
    transcript = read(session)
    assert [call.output for call in transcript.tool_calls()] == [
        "Dug.",
        *(f"did {number}" for number in range(others)),
    ]
    assert transcript.final_answer == "All done."
    assert transcript.token_usage == TokenUsage(
        input=others + 2, output=others + 2, cached=0, cache_write=0, output_complete=True
    )
    assert transcript.drift == {}


def test_a_late_stop_reason_makes_the_output_complete(read: Read) -> None:
    session = Session()
    session.prompt("Start")
    session.response("msg_1", text("One."), stop_reason=None)
    session.response("msg_2", text("Two."))
    session.response("msg_1", text("One."))
    usage = read(session).token_usage
    assert usage is not None
    assert usage.output_complete is True


def test_drift_of_a_message_counts_once_however_often_it_is_made(read: Read) -> None:
    session = Session()
    session.prompt("Start")
    session.response("msg_1", {"type": "hologram"}, text("One."))
    session.response("msg_2", {"type": "hologram"}, text("Two."))
    session.response("msg_1", text("Late."))
    session.tool_result("toolu_1", "early")
    session.response("msg_3", {"type": "hologram"}, tool_use("toolu_1", "Bash", {}))
    transcript = read(session)
    assert transcript.drift == {"content block 'hologram'": 3}
