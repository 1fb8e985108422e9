"""One response of the model is one message, however many records it is written in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from claude_sessions import Session, said, text, thinking, tokens, tool_use

from pytest_agentv import TokenUsage, Usage

if TYPE_CHECKING:
    from claude_sessions import Read


def test_records_of_one_message_id_are_one_message(read: Read) -> None:
    session = Session()
    session.prompt("Look around")
    session.response(
        "msg_1",
        thinking("Where to begin?"),
        text("I look at the files."),
        tool_use("toolu_1", "Bash", {"command": "ls"}),
    )
    session.tool_result("toolu_1", "a.py")
    _, response = read(session).output
    assert response.id == "msg_1"
    assert response.line == 2
    assert response.timestamp == "2026-03-02T09:00:01.000Z"
    assert response.content == "I look at the files."
    assert response.thinking == "Where to begin?"
    assert [call.id for call in response.tool_calls] == ["toolu_1"]


def test_results_between_the_records_of_a_response_do_not_cut_it(read: Read) -> None:
    session = Session()
    session.prompt("Read both")
    session.response("msg_1", tool_use("toolu_1", "Read", {"file_path": "/a"}))
    session.tool_result("toolu_1", "A")
    session.response("msg_1", tool_use("toolu_2", "Read", {"file_path": "/b"}))
    session.tool_result("toolu_2", "B")
    session.response("msg_2", text("Both read."))
    transcript = read(session)
    assert said(transcript) == [
        ("human", "Read both"),
        ("assistant", ""),
        ("assistant", "Both read."),
    ]
    calls = transcript.output[1].tool_calls
    assert [(call.id, call.output, call.line) for call in calls] == [
        ("toolu_1", "A", 2),
        ("toolu_2", "B", 4),
    ]


def test_a_record_with_several_blocks_keeps_them_all(read: Read) -> None:
    session = Session()
    session.prompt("Go")
    session.response("msg_1", text("placeholder"))
    session.record()["message"]["content"] = [
        text("First this."),
        tool_use("toolu_1", "Bash", {"command": "make"}),
        tool_use("toolu_2", "Bash", {"command": "make test"}),
        text("Then that."),
    ]
    response = read(session).output[1]
    assert response.content == "First this.\n\nThen that."
    assert [call.command for call in response.tool_calls] == ["make", "make test"]


def test_a_text_that_is_no_list_of_blocks_is_kept(read: Read) -> None:
    session = Session()
    session.prompt("Go")
    session.response("msg_1", text(""))
    session.record()["message"]["content"] = "Plain text."
    assert read(session).final_answer == "Plain text."


def test_without_a_message_id_the_request_id_joins_the_records(read: Read) -> None:
    session = Session()
    session.prompt("Go")
    session.response(None, text("One."), text("Two."), request_id="req_7")
    assert said(read(session)) == [("human", "Go"), ("assistant", "One.\n\nTwo.")]


def test_without_any_id_each_record_is_a_message_of_its_own(read: Read) -> None:
    session = Session()
    session.prompt("Go")
    session.response(None, text("One."), text("Two."), request_id=None)
    assert said(read(session)) == [("human", "Go"), ("assistant", "One."), ("assistant", "Two.")]


def test_thinking_is_kept_and_empty_thinking_is_none(read: Read) -> None:
    session = Session()
    session.prompt("Go")
    session.response("msg_1", thinking("First."), thinking("Second."), text("Done."))
    session.response("msg_2", thinking(""), text("Done again."))
    _, first, second = read(session).output
    assert first.thinking == "First.\n\nSecond."
    assert second.thinking is None
    assert second.content == "Done again."


def test_a_response_of_empty_thinking_alone_stays_a_message(read: Read) -> None:
    session = Session()
    session.prompt("Go")
    session.response("msg_1", thinking(""), usage=tokens(10, 20, written=0, cached=0))
    transcript = read(session)
    assert said(transcript) == [("human", "Go"), ("assistant", "")]
    assert transcript.output[1].usage == Usage(input=10, output=20, cached=0, cache_write=0)


@pytest.mark.parametrize(
    "block",
    [
        {"type": "redacted_thinking", "data": "x"},
        {"type": "fallback", "from": "claude-fable-5", "to": "claude-opus-4-8"},
    ],
)
def test_blocks_that_carry_nothing_are_no_drift(read: Read, block: dict[str, str]) -> None:
    session = Session()
    session.prompt("Go")
    session.response("msg_1", block, text("Done."))
    transcript = read(session)
    assert transcript.final_answer == "Done."
    assert transcript.drift == {}


def test_an_unknown_block_is_drift_and_costs_nothing_else(read: Read) -> None:
    session = Session()
    session.prompt("Go")
    session.response("msg_1", {"type": "hologram", "data": "x"}, text("Done."))
    transcript = read(session)
    assert transcript.final_answer == "Done."
    assert transcript.drift == {"content block 'hologram'": 1}


def test_every_response_names_its_model_and_the_source_the_first(read: Read) -> None:
    session = Session()
    session.prompt("Go")
    session.response("msg_1", text("One."), model="claude-opus-4-6")
    session.response("msg_2", text("Two."), model="claude-haiku-4-5")
    transcript = read(session)
    assert [m.model for m in transcript.output] == [None, "claude-opus-4-6", "claude-haiku-4-5"]
    assert transcript.source.model == "claude-opus-4-6"


def test_a_synthetic_message_is_left_out_and_counted(read: Read) -> None:
    session = Session()
    session.prompt("Go")
    zero = tokens(0, 0, written=0, cached=0)
    session.response(
        "8c1d0000-0000-4000-8000-000000000000",
        text("No response requested."),
        model="<synthetic>",
        usage=zero,
        request_id=None,
        isApiErrorMessage=False,
    )
    session.response("msg_1", text("Done."))
    transcript = read(session)
    assert said(transcript) == [("human", "Go"), ("assistant", "Done.")]
    assert transcript.source.model == "claude-opus-4-6"
    assert transcript.left_out == {"synthetic message": 1}


def test_an_api_error_stays_as_a_message_of_the_system(read: Read) -> None:
    session = Session()
    session.prompt("Go")
    session.response(
        "8c1d0000-0000-4000-8000-000000000000",
        text("API Error: 529 overloaded"),
        model="<synthetic>",
        usage=tokens(0, 0, written=0, cached=0),
        request_id=None,
        isApiErrorMessage=True,
        error="server_error",
    )
    transcript = read(session)
    assert said(transcript) == [("human", "Go"), ("system", "API Error: 529 overloaded")]
    assert transcript.source.model is None
    assert transcript.token_usage is None
    assert transcript.final_answer is None


def test_an_assistant_record_without_a_message_is_drift(read: Read) -> None:
    session = Session()
    session.prompt("Go")
    session.link({"type": "assistant"})
    transcript = read(session)
    assert said(transcript) == [("human", "Go")]
    assert transcript.drift == {"assistant record without a message": 1}


def test_usage_that_every_record_repeats_counts_once(read: Read) -> None:
    session = Session()
    session.prompt("Go")
    session.response(
        "msg_1",
        thinking("Hm."),
        text("Done."),
        tool_use("toolu_1", "Bash", {"command": "ls"}),
        usage=tokens(4, 300, written=2000, cached=10_000),
    )
    transcript = read(session)
    assert transcript.output[1].usage == Usage(
        input=12_004, output=300, cached=10_000, cache_write=2000
    )
    assert transcript.token_usage == TokenUsage(
        input=12_004, output=300, cached=10_000, cache_write=2000, output_complete=True
    )


@pytest.mark.parametrize("request_id", ["req_", None])
def test_usage_that_grows_counts_with_its_largest_figures(
    read: Read, request_id: str | None
) -> None:
    session = Session()
    session.prompt("Go")
    for output, cached in ((3, 500), (80, 500), (250, 400)):
        session.response(
            "msg_1",
            text(f"Part {output}."),
            usage=tokens(5, output, written=20, cached=cached),
            request_id=request_id,
        )
    session.response("msg_2", text("More."), usage=tokens(1, 10, written=0, cached=0))
    assert read(session).token_usage == TokenUsage(
        input=526, output=260, cached=500, cache_write=20, output_complete=True
    )


def test_a_figure_that_no_record_has_stays_unknown(read: Read) -> None:
    session = Session()
    session.prompt("Go")
    session.response("msg_1", text("Done."), usage={"input_tokens": 7, "output_tokens": 9})
    assert read(session).token_usage == TokenUsage(input=7, output=9, output_complete=True)


def test_a_session_without_usage_has_no_token_figures(read: Read) -> None:
    session = Session()
    session.prompt("Go")
    session.response("msg_1", text("Done."), usage={})
    transcript = read(session)
    assert transcript.token_usage is None


@pytest.mark.parametrize("bad", [-1, "12", 1.5, 2**63, None, [1]])
def test_an_impossible_token_figure_loses_that_figure_alone(read: Read, bad: object) -> None:
    session = Session()
    session.prompt("Go")
    session.response("msg_1", text("Done."), usage={"input_tokens": 7, "output_tokens": bad})
    transcript = read(session)
    assert transcript.final_answer == "Done."
    assert transcript.token_usage is not None
    assert transcript.token_usage.input == 7
    assert transcript.token_usage.output is None
    assert transcript.token_usage.output_complete is None


def test_output_is_complete_when_every_response_has_a_stop_reason_somewhere(read: Read) -> None:
    session = Session()
    session.prompt("Go")
    session.response("msg_1", text("One."), stop_reason=None)
    session.response("msg_1", text("Two."), stop_reason="end_turn")
    usage = read(session).token_usage
    assert usage is not None
    assert usage.output_complete is True


def test_output_is_a_lower_bound_when_a_response_never_got_a_stop_reason(read: Read) -> None:
    session = Session()
    session.prompt("Go")
    session.response("msg_1", text("One."), stop_reason="end_turn")
    session.response("msg_2", text("Two."), stop_reason=None)
    usage = read(session).token_usage
    assert usage is not None
    assert usage.output_complete is False


@pytest.mark.parametrize("usage", [{}, {"input_tokens": 1}, None, [7], {"output_tokens": "many"}])
def test_output_is_a_lower_bound_when_a_response_does_not_say_it(read: Read, usage: object) -> None:
    session = Session()
    session.prompt("Go")
    session.response("msg_1", text("One."), usage={"input_tokens": 7, "output_tokens": 9})
    session.response("msg_2", text("Two."))
    session.record()["message"]["usage"] = usage
    known = read(session).token_usage
    assert known is not None
    assert (known.output, known.output_complete) == (9, False)


def test_iterations_inside_usage_are_not_added(read: Read) -> None:
    session = Session()
    session.prompt("Go")
    step = tokens(10, 20, written=0, cached=0)
    session.response("msg_1", text("Done."), usage={**step, "iterations": [step, step]})
    assert read(session).token_usage == TokenUsage(
        input=10, output=20, cached=0, cache_write=0, output_complete=True
    )


def test_tokens_of_progress_records_are_not_counted(read: Read) -> None:
    session = Session()
    session.prompt("Go")
    session.response("msg_1", tool_use("toolu_1", "Task", {"prompt": "Dig"}), usage=tokens(1, 2))
    nested = {"type": "assistant", "message": {"id": "msg_9", "usage": tokens(9000, 9000)}}
    session.progress(
        {"type": "agent_progress", "agentId": "a1", "message": nested}, call_id="toolu_1"
    )
    session.tool_result("toolu_1", "Dug.")
    transcript = read(session)
    assert transcript.token_usage == TokenUsage(
        input=1101, output=2, cached=1000, cache_write=100, output_complete=True
    )
    assert transcript.left_out == {"progress record": 1}
