"""Hostile sessions of Codex CLI: made, imported by the command, read by the adapter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from codex_sessions import Session
from hostile_sessions import agentv, lines
from hostile_vendors import CODEX

if TYPE_CHECKING:
    from pathlib import Path

    from hostile_sessions import Ended

    from pytest_agentv import ToolCall, Transcript


def imported(session: Session, path: Path, output: Path) -> Ended:
    """What the command makes of a session."""
    session.write(path)
    return agentv("import", "codex", "--file", path, "-o", output, cwd=path.parent)


def read(session: Session) -> Transcript:
    """What the adapter makes of a session."""
    return CODEX.imported(lines(session.records))


def calls_of(transcript: Transcript) -> dict[str | None, ToolCall]:
    """The calls of a transcript by their ids."""
    return {call.id: call for message in transcript.output for call in message.tool_calls}


def asked() -> Session:
    """A session in which a person asked for something, and nothing happened yet."""
    session = Session()
    session.ask("Go")
    return session
