"""A session as a page shows it: turns, sub-agents, what decided, and what is too much."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sample_transcripts import FULL, SAMPLE, patient, transcripts

from pytest_agentv import Attachment, Message, Source, ToolCall, Transcript
from pytest_agentv.html.selection import MOST_OF_EVIDENCE, MOST_OF_OUTPUT
from pytest_agentv.html.session import session_view
from pytest_agentv.html.timeline import MessageView

if TYPE_CHECKING:
    from pytest_agentv.html.session import SessionView

_ROOM = 1_000_000


def _session(*messages: Message, **more: object) -> Transcript:
    source = Source(provider="claude-cli", cwd="/home/dev/shop")
    return Transcript(source=source, output=messages, **more)  # type: ignore[arg-type]


def _said(text: str = "Done.", *calls: ToolCall, **more: object) -> Message:
    return Message(role="assistant", content=text, tool_calls=calls, **more)  # type: ignore[arg-type]


def _asked(text: str = "Do it.") -> Message:
    return Message(role="user", origin="human", content=text)


def _ran(command: str = "ls", **more: object) -> ToolCall:
    return ToolCall(tool="Bash", kind="shell", args={"command": command}, **more)  # type: ignore[arg-type]


def _messages(view: SessionView) -> list[MessageView]:
    entries = [one for turn in view.turns for part in turn.parts for one in part.entries]
    return [one for one in entries if isinstance(one, MessageView)]


def test_a_turn_is_a_prompt_and_all_that_came_of_it() -> None:
    context = Message(role="user", origin="injected", content="context")
    view = session_view(
        _session(context, _asked(), _said(), _said(), _asked("More."), _said()),
        name="s1",
        room=_ROOM,
    )

    numbers = [[one.number for one in turn.parts[0].entries] for turn in view.turns]  # type: ignore[union-attr]
    assert numbers == [[1, 2, 3, 4], [5, 6]]
    assert [one.label for one in _messages(view)][:3] == ["Injected", "User", "Assistant"]


def test_a_diff_names_its_file_from_the_folder_of_the_session() -> None:
    inside, outside = "/home/dev/shop/src/app.js", "/etc/hosts"
    native = {"old_string": "a", "new_string": "b"}
    edits = [
        ToolCall(tool="Edit", kind="edit", input=native, args={"path": one})
        for one in (inside, outside)
    ]

    view = session_view(_session(_said("", *edits)), name="s1", room=_ROOM)

    [message] = _messages(view)
    assert [one.diffs[0].path for one in message.calls] == ["src/app.js", "/etc/hosts"]


def test_a_session_without_a_prompt_is_one_turn() -> None:
    assert len(session_view(_session(_said(), _said()), name="s1", room=_ROOM).turns) == 1


def test_messages_of_a_sub_agent_stand_together_with_its_name() -> None:
    helper = [
        _said("Looking.", _ran(status="error"), agent_id="a7"),
        _said("Found.", agent_id="a7"),
    ]
    view = session_view(_session(_asked(), _said(), *helper, _said()), name="s1", room=_ROOM)

    assert [part.agent_id for part in view.turns[0].parts] == [None, "a7", None]
    assert view.turns[0].parts[1].about == "2 messages, 1 tool call, 1 failed"


def test_a_call_says_what_it_is_about_in_its_first_line() -> None:
    read = ToolCall(tool="Read", kind="read", args={"path": "/home/dev/shop/src/a.js"})
    several = ToolCall(tool="apply_patch", kind="edit", args={"paths": ["/etc/x", "b.js"]})
    search = ToolCall(tool="Grep", kind="search", args={"path": "src", "pattern": "req.ip"})
    odd = ToolCall(tool="Odd", input={"x": 1})
    view = session_view(
        _session(_said("", _ran("npm test\n  --all"), read, several, search, odd)),
        name="s1",
        room=_ROOM,
    )

    [message] = _messages(view)
    assert [one.argument for one in message.calls] == [
        "npm test --all",
        "src/a.js",
        "/etc/x, b.js",
        "req.ip",
        "",
    ]


def test_figures_of_a_message_are_shown_where_the_session_says_them() -> None:
    _, said = _messages(session_view(SAMPLE, name="s1", room=_ROOM))

    assert (said.tokens, said.at, said.model) == ("15.0k in, 310 out", "+0:02", "claude-opus-4-6")
    assert said.calls[0].duration == "45ms"
    assert said.thinking
    assert said.thinking.head == "First the routes."


def test_what_a_session_says_of_itself_is_shown_and_unknown_is_unknown() -> None:
    facts = dict(session_view(SAMPLE, name="s1", room=_ROOM).facts)

    assert facts["Client"] == "claude-cli 2.1.62"
    assert facts["Tokens"] == "15.0k in (8,000 cached), 3,200 out"
    assert facts["Cost"] == "unknown"
    assert "or more" in dict(session_view(FULL, name="s1", room=_ROOM).facts)["Tokens"]


def test_drift_and_what_was_left_out_are_told() -> None:
    assert session_view(FULL, name="s1", room=_ROOM).notes == (
        "Not understood in the session: record type 'x' (3), unreadable line (1).",
        "Left out of the conversation: progress record (7).",
    )


def test_of_many_reasons_the_rest_is_counted() -> None:
    drift = {f"record type {number}": 1 for number in range(50)}
    [note] = session_view(_session(_said(), drift=drift), name="s1", room=_ROOM).notes

    assert note.endswith("and 30 more.")


def test_attachments_are_described() -> None:
    image = Attachment(kind="image", name="a.png", size=1200)
    view = session_view(
        _session(Message(role="user", origin="human", attachments=(image,))), name="s1", room=_ROOM
    )

    assert _messages(view)[0].attachments == ("image, a.png, 1,200 B",)


@pytest.mark.parametrize(
    ("place", "anchor"),
    [
        ((2, None), "s1-m2"),
        ((2, 9), "s1-m2-c2"),
        ((2, 777), "s1-m2"),
        ((None, 8), "s1-m2-c1"),
        ((None, 4), "s1-m1"),
        ((None, 777), None),
        ((99, None), None),
        ((0, None), None),
    ],
)
def test_a_place_that_decided_is_found(
    place: tuple[int | None, int | None], anchor: str | None
) -> None:
    asked = Message(role="user", origin="human", content="x", line=4)
    view = session_view(
        _session(asked, _said("", _ran(line=8), _ran(line=9))),
        name="s1",
        room=_ROOM,
        places={place: ["reads"]},
    )

    assert view.anchors.get(place) == anchor
    messages = _messages(view)
    marked = {one.anchor: one.decides for one in messages if one.decides}
    marked |= {call.anchor: call.decides for one in messages for call in one.calls if call.decides}
    assert marked == ({anchor: "reads"} if anchor else {})


def test_a_message_names_few_of_many_assertions_that_it_decides() -> None:
    places: dict[tuple[int | None, int | None], list[str]] = {
        (1, None): ["a", "b"],
        (1, 777): ["b", "c", "d"],
    }
    [said] = _messages(session_view(_session(_said("x")), name="s1", room=_ROOM, places=places))

    assert said.decides == "a, b, c and 1 other"


def test_an_output_is_cut_but_what_decided_is_whole() -> None:
    long = _ran(output="x" * (MOST_OF_EVIDENCE - 1))
    session = _session(_said("", long), _said("", long))
    first, second = _messages(
        session_view(session, name="s1", room=_ROOM, places={(2, None): ["a"]})
    )

    assert first.calls[0].output
    assert len(first.calls[0].output.head + first.calls[0].output.tail) == MOST_OF_OUTPUT
    assert second.calls[0].output
    assert second.calls[0].output.left_out == 0


def test_of_a_session_too_large_the_ends_and_what_went_wrong_are_kept() -> None:
    messages = [
        _said("x" * 1000, _ran(status="error" if number == 300 else "ok")) for number in range(500)
    ]
    view = session_view(_session(*messages), name="s1", room=70_000, places={(201, None): ["a"]})

    shown = [one.number for one in _messages(view)]
    assert {1, 10, 491, 500, 301, 201} <= set(shown)
    assert view.not_shown == 500 - len(shown)
    gaps = [one for one in view.turns[0].parts[0].entries if isinstance(one, int)]
    assert sum(gaps) == view.not_shown
    assert len(shown) < 50


def test_a_message_of_very_many_calls_shows_some_of_them() -> None:
    view = session_view(_session(_said("", *[_ran()] * 5000)), name="s1", room=_ROOM)

    [message] = _messages(view)
    assert len(message.calls) + message.calls_left_out == 5000
    assert message.calls_left_out > 4000


@patient
@given(transcripts, st.integers(0, 5000))
def test_every_message_is_shown_or_counted(transcript: Transcript, room: int) -> None:
    view = session_view(
        transcript,
        name="s1",
        room=room,
        places={(1, 1): ["a"], (None, 0): ["a"], (-1, None): ["a"]},
    )

    assert len(_messages(view)) + view.not_shown == len(transcript.output)
