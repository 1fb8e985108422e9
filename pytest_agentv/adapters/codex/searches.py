"""Searches of the web and what they found.

The model's host searches, so no output is written. Newer versions note the end of a search before
or after the search itself, under an id of its own: the same action makes a pair.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from pytest_agentv.jsontext import too_deep

if TYPE_CHECKING:
    from pytest_agentv.adapters.codex.records import Payload, WebResult
    from pytest_agentv.adapters.conversation import Conversation, OpenCall

# How many may wait for their other half; mostly it is the next record.
_MAX_WAITING = 16


class Searches:
    """The searches of one session that wait for their end, and ends that wait for theirs."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._begun: deque[tuple[OpenCall, Any]] = deque(maxlen=_MAX_WAITING)
        self._ended: deque[Payload] = deque(maxlen=_MAX_WAITING)

    def begun(self, call: OpenCall) -> None:
        """A search."""
        action = call.input
        end = next((one for one in self._ended if one.action == action), None)
        if end is None:
            self._begun.append((call, action))
        else:
            self._ended.remove(end)
            self._set_found(call, end)

    def ended(self, end: Payload) -> None:
        """The end of a search."""
        if too_deep(end.action):
            return
        search = next((one for one in self._begun if one[1] == end.action), None)
        if search is None:
            self._ended.append(end)
        else:
            self._begun.remove(search)
            self._set_found(search[0], end)

    def forget(self) -> None:
        """The searches may have been taken back."""
        self._begun.clear()
        self._ended.clear()

    def _set_found(self, call: OpenCall, end: Payload) -> None:
        if end.results is not None:
            found = _text(end.results)
            self._conversation.correct(call, output=found, status="ok")


def _text(results: list[WebResult]) -> str:
    found = ([one.title, one.url, one.snippet] for one in results)
    return "\n\n".join("\n".join(filter(None, lines)) for lines in found)
