"""Prompts typed while the agent works: Claude Code keeps them in a queue of its own.

A queued prompt leaves the queue in one of three ways. `dequeue`: the turn was over, a user record
follows. `popAll`: it went back to the input line, nobody got it. `remove`: the model got it in the
middle of its turn; up to 2.1.81 the queue's record is the only trace of it, later an attachment
says it again.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, deque
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pytest_agentv.adapters.claude.records import IndexRecord
    from pytest_agentv.adapters.records import Place


class Queued(NamedTuple):
    """A queued text, and the record that holds it."""

    text: str
    place: Place
    record: IndexRecord


class PromptQueue:
    """The queue, replayed."""

    def __init__(self) -> None:
        self._waiting: OrderedDict[int, Queued] = OrderedDict()
        self._numbers = count()
        # Numbers of the waiting by their text; some may be gone already.
        self._of_text: dict[str, deque[int]] = {}
        self._dequeued: list[Queued] = []
        # How often the queue has told of a text more often than attachments have.
        self._ahead: Counter[str] = Counter()

    def enqueue(self, queued: Queued) -> None:
        """A text was typed, or a notification came in."""
        self._wait(queued)

    def dequeue(self) -> None:
        """The next text becomes a user record."""
        if self._waiting:
            self._dequeued.append(self._waiting.popitem(last=False)[1])

    def pop_all(self, text: str) -> None:
        """A text goes back to the input line."""
        self._take(text)

    def remove(self, text: str) -> Queued | None:
        """The model got a text; return it unless an attachment has told so already."""
        queued = self._take(text)
        if queued is None:
            return None
        self._ahead[queued.text] += 1
        return queued if self._ahead[queued.text] > 0 else None

    def attached(self, text: str) -> bool:
        """An attachment says that the model got a text; whether that is news."""
        self._ahead[text] -= 1
        return self._ahead[text] < 0

    def delivered(self, text: str) -> None:
        """A user record came: it is the text that was dequeued, whichever we took it for."""
        if not self._dequeued:
            return
        queued = self._dequeued.pop()
        if queued.text != text and text and self._take(text) is not None:
            self._waiting.move_to_end(self._wait(queued), last=False)

    def _take(self, text: str) -> Queued | None:
        """The waiting item with this text; records without a text mean the first one."""
        if not text:
            return self._waiting.popitem(last=False)[1] if self._waiting else None
        numbers = self._of_text.get(text, deque())
        while numbers:
            queued = self._waiting.pop(numbers.popleft(), None)
            if queued is not None:
                return queued
        return None

    def _wait(self, queued: Queued) -> int:
        number = next(self._numbers)
        self._waiting[number] = queued
        self._of_text.setdefault(queued.text, deque()).append(number)
        return number
