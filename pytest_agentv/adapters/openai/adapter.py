"""The adapter of chat messages.

Such files lie where somebody put them: there is no place to look for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_agentv.adapters.base import SessionSummary
from pytest_agentv.adapters.openai import PROVIDER
from pytest_agentv.adapters.openai.messages import Chat
from pytest_agentv.adapters.openai.rows import is_chat, row_of, rows_of
from pytest_agentv.adapters.openai.tools import TOOLS
from pytest_agentv.adapters.places import Homeless, row_refs
from pytest_agentv.adapters.records import Drift
from pytest_agentv.adapters.session import ToldSession
from pytest_agentv.adapters.told import Told
from pytest_agentv.errors import Location, SessionUnreadable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_agentv.adapters.base import ReadOptions, SessionRef

__all__ = ["TOOLS", "OpenAIAdapter"]


class OpenAIAdapter(Homeless):
    """Chat messages of OpenAI's API, and rows of data sets such as SWE-smith's."""

    name = "openai"
    provider = PROVIDER
    tested = ("1", "1")

    def claims(self, path: Path) -> bool:
        """Whether a file holds chat messages."""
        return is_chat(path)

    def sessions_of(self, path: Path) -> Iterator[SessionRef]:
        """A session for each row of a file."""
        rows = [(row.number, row.id) for row in rows_of(path, Drift())]
        if not rows:
            raise SessionUnreadable("holds no chat messages", at=Location(path))
        return row_refs(path, rows)

    def summarize(self, ref: SessionRef) -> SessionSummary:
        """The first prompt."""
        told = _read(ref)
        return SessionSummary(told.started, None, told.opening)

    def read(self, ref: SessionRef, options: ReadOptions) -> ToldSession:
        """The session as a stream."""
        del options
        return ToldSession(_read(ref), ref, tested=self.tested[1])


def _read(ref: SessionRef) -> Told:
    drift = Drift()
    row = row_of(ref.path, ref.row if isinstance(ref.row, int) else None, drift)
    if row is None:
        raise SessionUnreadable("holds no chat messages", at=ref.at)
    told = Told(drift, PROVIDER)
    told.session_id = row.id or ref.session_id
    for name in ("model", "model_name"):
        if isinstance(row.fields.get(name), str):
            told.model = told.model or row.fields[name]
    Chat(told, row.messages).read()
    return told
