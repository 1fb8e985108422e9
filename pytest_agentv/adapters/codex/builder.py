"""Messages in the making: responses put together from their items, turns, and turns taken back.

Codex writes the items of a response one by one and marks no end. A response ends when a person
says something, when its calls are answered, or when its tokens are counted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_agentv.adapters.clock import timestamp
from pytest_agentv.adapters.conversation import Conversation, OpenMessage

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from pytest_agentv.transcript.model import Attachment, Usage

# No response is longer; what goes on is told as another one, so that memory stays flat.
_MAX_PARTS = 5000
_MAX_SIZE = 32 << 20


class Builder:
    """The conversation and where in the file it is."""

    def __init__(self) -> None:
        self.conversation = Conversation()
        # Of the record that is being read.
        self.line = 0
        self.time: datetime | None = None
        self.model: str | None = None
        # Is called before a response begins: what was said before it may not be told yet.
        self.before_response: Callable[[], None] = _do_nothing
        # What the first human message says, and that message's number.
        self.opening: str | None = None
        self._opening_at = 0
        # Numbers of the messages that turns begin with.
        self._turns: list[int] = []
        # The first message that goes with the prompt to come: what is injected for its turn.
        self._preface: int | None = None
        # The response that was told last, if nothing else was said since.
        self._response: OpenMessage | None = None
        self._ended = False
        self._answered = False
        self._parts = 0
        # Whether tokens are counted first and the items of a response written then, all at once;
        # None as long as that is unknown.
        self.is_counted_first: bool | None = None
        self._waiting_usage: Usage | None = None

    def say(
        self,
        role: str,
        text: str,
        *,
        origin: str | None = None,
        attachments: list[Attachment] | None = None,
        line: int | None = None,
        time: datetime | None = None,
        id_: str | None = None,
    ) -> OpenMessage:
        """A message that is no response."""
        message = OpenMessage(
            role,
            line=line or self.line,
            size=0,
            id=id_,
            origin=origin,
            timestamp=timestamp(self.time if time is None else time),
        )
        message.texts.append(text)
        message.attachments.extend(attachments or ())
        self.conversation.begin(message)
        self._response = None
        self._waiting_usage = None if origin == "human" else self._waiting_usage
        if origin == "human":
            self.typed(message)
        return message

    def typed(self, message: OpenMessage) -> None:
        """The current message was typed by a person: a turn begins."""
        number = len(self.conversation) - 1
        message.origin = "human"
        self._begin_turn(number)
        text = message.texts[0].strip()
        if self.opening is None and text:
            self.opening, self._opening_at = text, number

    def instructed(self) -> None:
        """Another agent says something next, if only to the model: a turn begins."""
        self._ended = True
        self._begin_turn(len(self.conversation))

    def _begin_turn(self, number: int) -> None:
        """A turn begins with a message, or with what was injected before it."""
        self._turns.append(number if self._preface is None else self._preface)
        self._preface = None

    def expect_prompt(self) -> None:
        """What is injected from now on goes with the prompt to come, but for the first one.

        What the first prompt comes with is the context of the whole session.
        """
        if self._turns and self._preface is None:
            self._preface = len(self.conversation)

    @property
    def is_responding(self) -> bool:
        """Whether the message told last is a response."""
        return self._response is not None

    def response(self) -> OpenMessage:
        """The response that an item belongs to: the one being told, or a new one."""
        message = self._response
        if message is not None and not (self._ended or self._answered):
            self._parts += 1
            if self._parts < _MAX_PARTS and message.size < _MAX_SIZE:
                return message
        self.before_response()
        message = OpenMessage(
            "assistant",
            self.line,
            0,
            model=self.model,
            timestamp=timestamp(self.time),
            usage=self._waiting_usage,
        )
        self.conversation.begin(message)
        self._response = message
        self._preface = None
        self._waiting_usage = None
        self._ended = self._answered = False
        self._parts = 0
        return message

    def end_response(self) -> None:
        """The next item belongs to another response."""
        self._ended = True

    def answered(self) -> None:
        """A call got its answer: the response that made it is over, or about to be."""
        # Where all items are written at once, each output stands right after its call.
        self._answered = not self.is_counted_first

    def took_time(self) -> None:
        """A call and its output were not written at once: nor are other items."""
        self.is_counted_first = False

    def resumed(self) -> None:
        """Another version of the client may go on writing."""
        self.is_counted_first = None

    def counted(self, usage: Usage | None) -> None:
        """The tokens of a response are known: of the one just told, or of the next one."""
        response = None if self._ended else self._response
        if self.is_counted_first is None:
            self.is_counted_first = response is None
        if self.is_counted_first:
            self._waiting_usage = usage
        elif response is not None and response.usage is None:
            response.usage = usage
        self._ended = True

    def take_back(self, turns: int) -> tuple[int, int]:
        """Take the last turns back; return what is left, and how many messages are not."""
        before = len(self.conversation)
        if turns <= 0 or not self._turns:
            return before, 0
        first = max(0, len(self._turns) - turns)
        count = self._turns[first]
        del self._turns[first:]
        self.conversation.truncate(count)
        self._response = self._preface = None
        if self.opening is not None and self._opening_at >= count:
            self.opening = None
        return count, before - count


def _do_nothing() -> None:
    """There is nothing to be told."""
