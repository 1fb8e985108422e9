"""Which messages a person typed, and which the client injected."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from codex_sessions import CONTEXT, SESSION_ID, Session, bare_session, said, write_lines

if TYPE_CHECKING:
    from pathlib import Path

    from codex_sessions import Read


@pytest.fixture
def session() -> Session:
    session = Session()
    session.turn()
    return session


def test_the_first_typed_prompt_is_the_input(session: Session, read: Read) -> None:
    session.message("developer", "<permissions instructions>\nAsk first.")
    session.user("# AGENTS.md instructions for /home/dev/shop\n\nBe brief.", CONTEXT)
    session.prompt("  Add a cart  ")
    session.answer("Done.")
    transcript = read(session)
    assert transcript.input == "Add a cart"
    assert [origin for origin, _ in said(transcript)] == [
        "injected", "injected", "human", "assistant",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        CONTEXT,
        "# AGENTS.md instructions for /home/dev/shop",
        "<user_instructions>\nBe brief.\n</user_instructions>",
        "<turn_aborted>\nThe user interrupted.\n</turn_aborted>",
        "<skill>\n<name>pdf</name>\n</skill>",
        "<subagent_notification>\n{}\n</subagent_notification>",
        "<recommended_plugins>\n</recommended_plugins>",
        "<some_mark_of_tomorrow>\nx\n</some_mark_of_tomorrow>",
    ],
)
def test_what_the_client_injects_is_no_prompt(session: Session, read: Read, text: str) -> None:
    session.user(text)
    session.prompt("Add a cart")
    assert said(read(session)) == [("injected", text), ("human", "Add a cart")]


def test_a_command_of_the_user_is_a_command(session: Session, read: Read) -> None:
    echo = "<user_shell_command>\n<command>\nls\n</command>\n</user_shell_command>"
    session.user(echo)
    assert said(read(session)) == [("command", echo)]


@pytest.mark.parametrize("text", ["<my_tag> is broken", CONTEXT])
def test_what_an_event_repeats_was_typed_whatever_it_looks_like(
    session: Session, read: Read, text: str
) -> None:
    session.prompt(text)
    assert said(read(session)) == [("human", text)]


def test_events_of_old_versions_for_context_are_no_prompts(session: Session, read: Read) -> None:
    session.user(CONTEXT)
    session.event("user_message", message=CONTEXT, kind="environment_context")
    session.user("Hi")
    session.event("user_message", message="Hi", kind="plain")
    assert said(read(session)) == [("injected", CONTEXT), ("human", "Hi")]


def test_what_an_editor_knows_is_told_apart_from_the_request(session: Session, read: Read) -> None:
    session.prompt(
        "# Context from my IDE setup:\n\n## Open tabs:\n- a.py\n\n"
        "## My request for Codex:\nFix the test\n"
    )
    transcript = read(session)
    assert transcript.input == "Fix the test"
    assert said(transcript) == [
        ("injected", "# Context from my IDE setup:\n\n## Open tabs:\n- a.py"),
        ("human", "Fix the test"),
    ]


def test_an_event_that_puts_a_prompt_otherwise_is_no_other_prompt(
    session: Session, read: Read
) -> None:
    session.user("[$pdf](/skills/pdf.md) Read it")
    session.event("user_message", message="$pdf Read it")
    assert said(read(session)) == [("human", "[$pdf](/skills/pdf.md) Read it")]


@pytest.mark.parametrize("role", ["developer", "user"])
@pytest.mark.parametrize("context", ["", "# Context:\n- a.py\n\n## My request for Codex:\n"])
def test_something_may_be_injected_between_a_prompt_and_its_event(
    session: Session, read: Read, role: str, context: str
) -> None:
    session.turn()
    session.user(f"{context}Add a cart")
    session.message(role, "<skill>\nCarts\n</skill>")
    session.event("user_message", message=f"{context}Add a cart")
    session.answer("Done.")
    prompts = [text for origin, text in said(read(session)) if origin == "human"]
    assert prompts == ["Add a cart"]


@pytest.mark.parametrize("is_answered", [True, False])
def test_the_event_of_a_prompt_may_come_when_something_else_was_told(
    session: Session, read: Read, *, is_answered: bool
) -> None:
    session.user("Add a cart")
    if is_answered:
        session.thought("Which cart?")
    else:
        session.event("error", message="The limit is near.")
    session.event("user_message", message="Add a cart")
    session.answer("Done.")
    prompts = [text for origin, text in said(read(session)) if origin == "human"]
    assert prompts == ["Add a cart"]


def test_a_prompt_that_was_taken_back_may_be_typed_again(session: Session, read: Read) -> None:
    session.user("Add a cart")
    session.answer("Done.")
    session.event("thread_rolled_back", num_turns=1)
    session.event("user_message", message="Add a cart")
    session.answer("Done again.")
    assert said(read(session)) == [("human", "Add a cart"), ("assistant", "Done again.")]


def test_an_event_before_its_item_is_told_once(session: Session, read: Read) -> None:
    session.event("user_message", message="Add a cart", images=[])
    session.user(CONTEXT)
    session.user("Add a cart")
    session.answer("Done.")
    assert said(read(session)) == [
        ("injected", CONTEXT),
        ("human", "Add a cart"),
        ("assistant", "Done."),
    ]


def test_a_prompt_that_is_an_event_only_comes_before_the_calls_it_led_to(
    session: Session, read: Read
) -> None:
    session.event("user_message", message="List the files")
    session.run("call_1", "ls", "a.py")
    assert said(read(session)) == [("human", "List the files"), ("assistant", "")]


def test_prompts_and_answers_that_are_events_only_are_not_lost(
    session: Session, read: Read
) -> None:
    for number in (1, 2):
        session.event("user_message", message=f"question {number}")
        session.event("agent_reasoning", text=f"thought {number}")
        session.event("agent_message", message=f"answer {number}")
    transcript = read(session)
    assert said(transcript) == [
        ("human", "question 1"),
        ("assistant", "answer 1"),
        ("human", "question 2"),
        ("assistant", "answer 2"),
    ]
    assert [message.thinking for message in transcript.messages(role="assistant")] == [
        "thought 1", "thought 2",
    ]  # fmt: skip
    assert transcript.output[0].line == 4


@pytest.mark.parametrize("end", ["aborted", "killed", "none"])
def test_a_prompt_that_is_an_event_only_stays_before_the_next_one(
    session: Session, read: Read, end: str
) -> None:
    session.event("user_message", message="Add a cart")
    if end == "none":
        session.event("user_message", message="Add a checkout")
        session.user("Add a checkout")
    else:
        if end == "aborted":
            session.event("turn_aborted", reason="interrupted")
        else:
            session.record("session_meta", id=SESSION_ID, cli_version="0.141.0")
        session.ask("Add a checkout")
    session.answer("Done.")
    transcript = read(session)
    assert transcript.input == "Add a cart"
    assert said(transcript) == [
        ("human", "Add a cart"),
        ("human", "Add a checkout"),
        ("assistant", "Done."),
    ]


def test_what_was_shown_before_an_abort_is_told_though_no_item_came(
    session: Session, read: Read
) -> None:
    session.prompt("Add a cart")
    session.event("agent_message", message="I look around first.")
    session.event("turn_aborted", reason="interrupted")
    session.ask("Go on")
    session.answer("Done.")
    assert said(read(session)) == [
        ("human", "Add a cart"),
        ("assistant", "I look around first."),
        ("human", "Go on"),
        ("assistant", "Done."),
    ]


def test_an_event_that_lacks_the_marks_of_its_item_is_the_same_answer(
    session: Session, read: Read
) -> None:
    session.prompt("Why?")
    text = "Because of the cache." + " It is stale." * 10
    session.event("agent_message", message=text)
    session.message("assistant", f"{text}\n<oai-mem-citation>x</oai-mem-citation>")
    assert len(read(session).messages(role="assistant")) == 1


def test_a_paginated_history_completes_items_in_place_of_events(
    session: Session, read: Read
) -> None:
    session.user("<mark_of_mine> Add a cart")
    content = [{"type": "text", "text": "<mark_of_mine> Add a cart"}]
    session.event("item_completed", item={"type": "UserMessage", "content": content})
    session.message("assistant", "Done.")
    content = [{"type": "Text", "text": "Done."}]
    session.event("item_completed", item={"type": "AgentMessage", "content": content})
    assert said(read(session)) == [
        ("human", "<mark_of_mine> Add a cart"),
        ("assistant", "Done."),
    ]


@pytest.mark.parametrize("is_paginated", [True, False])
@pytest.mark.parametrize("is_announced", [True, False])
def test_a_prompt_of_several_texts_is_told_once(
    session: Session, read: Read, *, is_paginated: bool, is_announced: bool
) -> None:
    texts = ["Add a cart", " and a checkout"]

    def show() -> None:
        if is_paginated:
            content = [{"type": "text", "text": text} for text in texts]
            session.event("item_completed", item={"type": "UserMessage", "content": content})
        else:
            session.event("user_message", message="".join(texts))

    if is_announced:
        show()
    session.user(*texts)
    if not is_announced:
        session.message("developer", "Carts have wheels.")
        show()
    session.answer("Done.")
    prompts = [text for origin, text in said(read(session)) if origin == "human"]
    assert prompts == ["Add a cart and a checkout"]


@pytest.mark.parametrize("is_paginated", [True, False])
@pytest.mark.parametrize("is_announced", [True, False])
def test_an_answer_of_several_texts_is_told_once(
    session: Session, read: Read, *, is_paginated: bool, is_announced: bool
) -> None:
    texts = ["It is done.", "Shall I go on?"]

    def show() -> None:
        if is_paginated:
            content = [{"type": "Text", "text": text} for text in texts]
            session.event("item_completed", item={"type": "AgentMessage", "content": content})
            return
        for text in texts:
            session.event("agent_message", message=text)

    session.prompt("Add a cart")
    if is_announced:
        show()
    session.message("assistant", *texts)
    if not is_announced:
        show()
    session.done()
    assert said(read(session))[1:] == [("assistant", "It is done.\n\nShall I go on?")]


def test_an_image_is_described_and_its_marks_are_no_text(session: Session, read: Read) -> None:
    url = "data:image/png;base64,aW1hZ2U="
    content = [
        {"type": "input_text", "text": "<image name=[Image #1]>"},
        {"type": "input_image", "image_url": url},
        {"type": "input_text", "text": "</image>"},
        {"type": "input_text", "text": "What is this?"},
    ]
    session.item("message", role="user", content=content)
    session.event("user_message", message="What is this?", images=[url])
    transcript = read(session)
    assert said(transcript) == [("human", "What is this?")]
    (image,) = transcript.output[0].attachments
    assert (image.kind, image.media_type, image.size) == ("image", "image/png", 5)


def test_an_image_alone_is_a_prompt_without_text(session: Session, read: Read) -> None:
    content = [{"type": "input_image", "image_url": "data:image/png;base64,aW1hZ2U="}]
    session.item("message", role="user", content=content)
    session.event("user_message", message="", images=["x"])
    session.prompt("What is this?")
    transcript = read(session)
    assert said(transcript) == [("human", ""), ("human", "What is this?")]
    assert transcript.input == "What is this?"


def test_a_bare_session_tells_prompts_by_their_marks(tmp_path: Path, read: Read) -> None:
    spoken = [("user", CONTEXT), ("user", "Hi"), ("assistant", "Yo")]
    items = [
        {"type": "message", "role": role, "content": [{"type": "text", "text": text}]}
        for role, text in spoken
    ]
    path = write_lines(tmp_path / "bare.jsonl", bare_session(*items))
    transcript = read(path)
    assert said(transcript) == [("injected", CONTEXT), ("human", "Hi"), ("assistant", "Yo")]
    assert transcript.input == "Hi"


def test_an_error_that_is_shown_is_a_message_of_the_system(session: Session, read: Read) -> None:
    session.prompt("Add a cart")
    session.event("error", message="stream disconnected", codex_error_info="other")
    assert said(read(session))[-1] == ("system", "stream disconnected")
