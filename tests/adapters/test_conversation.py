"""A conversation in a spool is the same as one in a list, whatever comes late or is taken back."""

from __future__ import annotations

import errno
import io
import os
from typing import Any, NoReturn

import msgspec
import pytest
from hypothesis import settings
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, rule
from hypothesis.strategies import integers, sampled_from, text

from pytest_agentv import Message
from pytest_agentv.adapters import conversation as module
from pytest_agentv.adapters import corrections, drafts
from pytest_agentv.adapters.conversation import Conversation, OpenCall, OpenMessage, Result
from pytest_agentv.errors import OutputError

CALL = {"id": None, "tool": "shell", "kind": "shell", "output": None, "status": "unknown"}


def open_message(words: str = "", *, size: int = 100) -> OpenMessage:
    message = OpenMessage("assistant", line=1, size=size)
    message.texts.append(words)
    return message


def open_call(call_id: str | None) -> OpenCall:
    return OpenCall(call_id, 2, "shell", "shell", {"command": "ls"}, {"command": "ls"}, None, None)


def messages_of(conversation: Conversation) -> list[Message]:
    """The messages, which are the same by both ways."""
    conversation.finish()
    messages = list(conversation.messages())
    file = io.BytesIO()
    written = conversation.write_messages(file)
    assert msgspec.json.decode(b"[%b]" % file.getvalue(), type=list[Message]) == messages
    assert written.messages == len(messages) == len(conversation)
    assert written.tool_calls == sum(len(message.tool_calls) for message in messages)
    return messages


class ConversationMachine(RuleBasedStateMachine):
    """Does everything to a conversation and to a plain list, with limits that are met at once."""

    calls = Bundle("calls")

    def __init__(self) -> None:
        super().__init__()
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(module, "_PORTION", 300)
        self.patch.setattr(module, "_KEPT", 2)
        self.patch.setattr(module, "_IN_MEMORY", 1000)
        self.patch.setattr(corrections, "_IN_MEMORY", 2000)
        self.conversation = Conversation()
        self.model: list[dict[str, Any]] = []
        self.count = 0

    def teardown(self) -> None:
        messages = messages_of(self.conversation)
        self.patch.undo()
        actual = [
            {
                "content": message.content,
                "calls": [
                    {
                        **{name: getattr(call, name) for name in CALL},
                        "exit_code": call.exit_code,
                        "input": call.input,
                    }
                    for call in message.tool_calls
                ],
            }
            for message in messages
        ]
        assert actual == self.model

    @rule(words=text(max_size=20), size=integers(0, 1000))
    def begin(self, words: str, size: int) -> None:
        self.conversation.begin(open_message(words, size=size))
        self.model.append({"content": words, "calls": []})

    @rule(target=calls, size=integers(0, 1000))
    def call(self, size: int) -> Any:
        if self.conversation.current is None:
            self.begin("begun for a call", 10)
        self.count += 1
        call = open_call(f"call-{self.count}")
        assert self.conversation.call(call, size=size)
        expected: dict[str, Any] = {
            **CALL,
            "id": call.id,
            "exit_code": None,
            "input": {"command": "ls"},
        }
        self.model[-1]["calls"].append(expected)
        return call, expected, len(self.model) - 1

    def is_live(self, called: Any) -> bool:
        """Whether a call was not taken back with its message."""
        _, expected, number = called
        return number < len(self.model) and any(
            one is expected for one in self.model[number]["calls"]
        )

    @rule(called=calls, words=text(max_size=300), size=integers(0, 1000))
    def answer(self, called: Any, words: str, size: int) -> None:
        call, expected, _ = called
        waiting = self.conversation.unanswered(call.id)
        if not self.is_live(called):
            assert waiting is None
        elif waiting is not None:
            self.conversation.answer(waiting, Result(output=words, status="ok"), size=size)
            # An answer says all that became of a call: what was known before is over.
            expected.update(output=words, status="ok", exit_code=None)
            assert self.conversation.unanswered(call.id) is None

    @rule(called=calls, code=integers(0, 3), status=sampled_from(["ok", "error"]))
    def correct(self, called: Any, code: int, status: str) -> None:
        if self.is_live(called):
            self.conversation.correct(called[0], exit_code=code, status=status)
            called[1].update(exit_code=code, status=status)

    @rule(called=consumes(calls))
    def call_again(self, called: Any) -> None:
        assert self.conversation.is_known(called[0].id)
        if self.conversation.current is not None:
            assert not self.conversation.call(open_call(called[0].id))

    @rule(share=integers(0, 4))
    def truncate(self, share: int) -> None:
        count = len(self.model) * share // 4
        self.conversation.truncate(count)
        del self.model[count:]


TestConversation = ConversationMachine.TestCase
TestConversation.settings = settings(deadline=None, stateful_step_count=40, max_examples=60)


def test_a_call_without_a_message_is_a_mistake() -> None:
    with pytest.raises(LookupError, match="needs a message"):
        Conversation().call(open_call("call-1"))


def test_texts_and_thoughts_are_joined_and_empty_ones_left_out() -> None:
    conversation = Conversation()
    message = open_message("one")
    message.texts += ["", "two"]
    message.thoughts += ["hm", "so"]
    conversation.begin(message)

    (only,) = messages_of(conversation)

    assert (only.content, only.thinking) == ("one\n\ntwo", "hm\n\nso")


def test_an_answer_a_thousand_messages_late_still_arrives() -> None:
    conversation = Conversation()
    conversation.begin(open_message("calls"))
    late = open_call("late")
    conversation.call(late)
    for number in range(1000):
        conversation.begin(open_message(f"message {number}", size=10_000))
    conversation.answer(late, Result(output="at last", status="ok", duration_ms=5))

    first, *others = messages_of(conversation)

    assert first.tool_calls[0].output == "at last"
    assert first.tool_calls[0].duration_ms == 5
    assert first.tool_calls[0].input == {"command": "ls"}
    assert len(others) == 1000


class FullDisk(io.RawIOBase):
    """A file on a disk that has no space left."""

    def seek(self, *_: int) -> int:
        return 0

    def write(self, _: Any) -> NoReturn:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def no_folder() -> NoReturn:
    raise FileNotFoundError(errno.ENOENT, "No usable temporary directory found")


@pytest.mark.parametrize(
    ("make", "reason"), [(FullDisk, "No space left"), (no_folder, "No usable temporary directory")]
)
def test_a_draft_that_finds_no_room_is_said_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch, make: Any, reason: str
) -> None:
    monkeypatch.setattr(module, "_IN_MEMORY", 0)
    monkeypatch.setattr(drafts, "unnamed_file", make)
    conversation = Conversation()
    conversation.begin(open_message("hello"))

    with pytest.raises(OutputError, match=f"no room for a draft of the session .*: {reason}"):
        conversation.finish()
