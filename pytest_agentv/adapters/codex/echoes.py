"""Events that repeat what the items say: they tell prompts from context, and fill gaps.

Codex writes most messages twice, as an item for the model and as an event for the screen. The
items are the conversation. An event whose item does not come is one too: the turn was aborted
before its items were written, or somebody kept the events only.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from pytest_agentv.adapters.codex.prompts import (
    HUMAN,
    INJECTED,
    looks_injected,
    origin_of,
    split_request,
)

if TYPE_CHECKING:
    from datetime import datetime
    from typing import TypeAlias

    from pytest_agentv.adapters.codex.builder import Builder
    from pytest_agentv.adapters.conversation import OpenMessage
    from pytest_agentv.transcript.model import Attachment

    # Its text, line and time.
    Event: TypeAlias = tuple[str, int, datetime | None]

# So many events, and so many characters of them, may wait for their items.
_MAX_WAITING = 100
_MAX_WAITING_SIZE = 4 << 20
# So much of two texts must be equal: citations and plans are marked in items only.
_COMPARED = 80
_SHORT = 500


class Echoes:
    """Messages of items and events, each told once."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        builder.before_response = self.tell_prompts
        self._prompts: deque[Event] = deque()
        self._answers: deque[Event] = deque()
        self._thoughts: deque[str] = deque()
        # A message of the user that no event has confirmed so far.
        self._unconfirmed: OpenMessage | None = None
        # The same of a prompt, though something was told since.
        self._prompt: OpenMessage | None = None
        self._has_answers = False
        self._size = 0

    def user_item(
        self, texts: list[str], attachments: list[Attachment], id_: str | None = None
    ) -> None:
        """A message of the user, whoever wrote it."""
        text = "".join(texts)  # as Codex itself puts a prompt together
        context, request = split_request(text)
        announced = next((one for one in self._prompts if _equal(one[0], text)), None)
        origin = HUMAN if announced is not None else origin_of(texts)
        if announced is not None:
            self.tell_prompts(before=announced)
            self._prompts.popleft()
        elif origin == HUMAN and looks_injected(text):
            origin = INJECTED
        if context and origin == HUMAN:
            self._builder.expect_prompt()
            self._builder.say("user", context, origin=INJECTED, id_=id_)
        said = request if origin == HUMAN else "\n".join(texts)
        message = self._builder.say("user", said, origin=origin, attachments=attachments, id_=id_)
        self._unconfirmed = message if announced is None else None
        if origin == HUMAN:
            self._prompt = self._unconfirmed

    def user_event(self, text: str) -> None:
        """A prompt, as the screen shows it."""
        builder = self._builder
        current = builder.conversation.current
        if current is not None and current is self._unconfirmed and self._repeats(current, text):
            if current.origin != HUMAN:
                builder.typed(current)
            self._unconfirmed = self._prompt = None
            return
        if self._prompt is not None and _equal(self._prompt.texts[0], split_request(text)[1]):
            self._prompt = None
            return
        if not self._has_answers:
            self.tell_answers()
        self._prompts.append((text, builder.line, builder.time))
        self._wait(text)

    def _repeats(self, message: OpenMessage, text: str) -> bool:
        """Whether an event is about a message: right after a prompt it is, however it is put."""
        said = message.texts[0]
        if _equal(said, text) or _equal(said, split_request(text)[1]):
            return True
        return message.origin == HUMAN and self._builder.line == (message.line or 0) + 1

    def answer_item(self, text: str) -> None:
        """A text of a response is told next; the event that announced it is done with."""
        self._has_answers = True
        answers = self._answers
        if answers and answers[0][0] == text:
            answers.popleft()
        elif answers:
            announced = next((one for one in answers if _equal(text, one[0])), answers[0])
            answers.remove(announced)

    def answer_event(self, text: str) -> None:
        """A text of a response, as the screen shows it."""
        current = self._builder.conversation.current
        if current is not None and current.texts and current.role == "assistant":
            for said in current.texts[-3:]:
                if _equal(said, text):
                    return
        self._answers.append((text, self._builder.line, self._builder.time))
        self._wait(text)

    def thought_item(self) -> None:
        """A thought is told next; the events that announced it are done with."""
        if self._thoughts:
            self._thoughts.clear()

    def thought_event(self, text: str) -> None:
        """A thought, as the screen shows it."""
        current = self._builder.conversation.current
        if current is None or text not in current.thoughts[-20:]:
            self._thoughts.append(text)
            self._wait(text)

    def tell_prompts(self, *, before: Event | None = None) -> None:
        """Tell prompts that have no item: all that wait, or those before another one."""
        while self._prompts and self._prompts[0] is not before:
            text, line, time = self._prompts.popleft()
            context, request = split_request(text)
            if context:
                self._builder.expect_prompt()
                self._builder.say("user", context, origin=INJECTED, line=line, time=time)
            self._builder.say("user", request, origin=HUMAN, line=line, time=time)

    def end_turn(self) -> None:
        """Tell what waits for its items: they would have come by now."""
        self.tell_prompts()
        self.tell_answers()

    def tell_answers(self) -> None:
        """Tell what was said and thought in responses that have no items."""
        if not self._answers and not self._thoughts:
            return
        self._builder.end_response()
        message = self._builder.response()
        message.thoughts.extend(self._thoughts)
        message.texts.extend(text for text, _, _ in self._answers)
        self._thoughts.clear()
        self._answers.clear()
        self._builder.end_response()

    def finish(self) -> None:
        """Tell all that waits: nothing more comes."""
        self._prompt = None
        self.end_turn()

    def _wait(self, text: str) -> None:
        """One more event waits; of those that nothing comes of there must not be too many."""
        waiting = len(self._prompts) + len(self._answers) + len(self._thoughts)
        self._size = len(text) + (self._size if waiting > 1 else 0)
        if waiting > _MAX_WAITING or self._size > _MAX_WAITING_SIZE:
            self.finish()


def _equal(said: str, shown: str) -> bool:
    """Whether an item and an event say the same."""
    if said == shown:
        return True
    start, shown_start = said[:_SHORT].lstrip(), shown[:_SHORT].lstrip()
    if len(shown_start) >= _COMPARED:
        return start[:_COMPARED] == shown_start[:_COMPARED]
    start, shown_start = start.rstrip(), shown_start.rstrip()
    return start == shown_start or (
        bool(shown_start) and start.startswith(shown_start) and "<" in start
    )
