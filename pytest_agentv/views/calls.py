"""Tool calls as other forms want them: with an id of their own, and an object of arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_agentv.transcript.model import ToolCall


class CallIds:
    """Ids that link calls and results: the session's own, or new ones where these do not serve.

    Some sessions have none, and some use one for several calls.
    """

    def __init__(self) -> None:
        self._given: set[str] = set()
        self._number = 0

    def new(self, call: ToolCall) -> str:
        """The id of the next call."""
        self._number += 1
        id_ = call.id
        if not id_ or id_ in self._given:
            id_ = f"call_{self._number}"
            while id_ in self._given:  # a session may have used this name for another call
                self._number += 1
                id_ = f"call_{self._number}"
        self._given.add(id_)
        return id_


def arguments_of(call: ToolCall) -> dict[str, Any]:
    """The native arguments as an object; a text, as patches are, stands under ``input``."""
    if isinstance(call.input, dict):
        return call.input
    return {} if call.input is None else {"input": call.input}
