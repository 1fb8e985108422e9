"""Sessions as texts of bounded length, whatever is in them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_agentv.judge.rendering import rendered_transcript, shortened, size
from pytest_agentv.transcript.model import Message, Source, ToolCall, Transcript

# What the notes on what is left out may take.
NOTES = 250


def _session(*messages: Message) -> Transcript:
    return Transcript(source=Source(provider="claude-cli"), output=messages)


def _rendered(*messages: Message, room: int = 1000) -> str:
    return rendered_transcript(_session(*messages), room=room, clean=lambda text: text)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.text(min_size=1, max_size=600), max_size=12), st.integers(200, 2000))
def test_no_session_takes_more_than_its_room(texts: list[str], room: int) -> None:
    messages = [Message(role="assistant", content=text) for text in texts]
    rendered = _rendered(*messages, room=room)
    assert size(rendered) <= room + NOTES
    whole = _rendered(*messages, room=10**6)
    assert rendered == whole or "left out …]" in rendered


def test_a_first_or_last_message_that_is_too_long_is_cut_and_not_left_out() -> None:
    calls = tuple(ToolCall(tool="Bash", input={"command": f"run {n}"}) for n in range(90))
    rendered = _rendered(
        Message(role="user", content="Begin " + "x" * 5000),
        Message(role="assistant", content="middle"),
        Message(role="assistant", content="End", tool_calls=calls),
    )
    assert "user: Begin" in rendered
    assert "assistant: End" in rendered
    assert "run 0" in rendered
    assert "run 89" in rendered
    assert "[… 1 of 3 messages left out …]" in rendered


def test_only_what_is_shown_is_rendered() -> None:
    seen = []

    def clean(text: str) -> str:
        seen.append(text)
        return text

    session = _session(
        *(Message(role="assistant", content=f"{n} {'x' * 90}") for n in range(10_000))
    )
    rendered = rendered_transcript(session, room=2000, clean=clean)
    assert "of 10,000 messages left out …]" in rendered
    assert len(seen) < 30


@pytest.mark.parametrize("letter", ["x", "ä", "語", "😀"])
def test_a_text_is_cut_by_what_it_takes_in_bytes(letter: str) -> None:
    cut = shortened(letter * 5000, 1000)
    assert 900 <= size(cut) <= 1000 + NOTES
    assert f"{5000 - cut.count(letter):,} characters left out" in cut
