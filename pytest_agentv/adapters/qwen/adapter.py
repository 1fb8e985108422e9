"""Qwen's adapter: where its sessions lie, and how they are recognised."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_agentv.adapters.base import SessionSummary
from pytest_agentv.adapters.places import InUsersHome, files_below
from pytest_agentv.adapters.probe import probe
from pytest_agentv.adapters.projects import file_sessions
from pytest_agentv.adapters.qwen import PROVIDER
from pytest_agentv.adapters.qwen.session import Record, Teller, told_of
from pytest_agentv.adapters.qwen.tools import TOOLS, unlisted_tool
from pytest_agentv.adapters.records import Drift, RecordFile
from pytest_agentv.adapters.session import ToldSession
from pytest_agentv.adapters.told import Told

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_agentv.adapters.base import ReadOptions, SessionRef

__all__ = ["TOOLS", "QwenAdapter", "unlisted_tool"]

_CHATS = "chats"
_ENOUGH = 2


class QwenAdapter(InUsersHome):
    """Sessions of Qwen Code."""

    name = "qwen"
    provider = PROVIDER
    tested = ("0.18.1", "0.21.13")
    usual_home = ".qwen"
    home_variables = ("QWEN_RUNTIME_DIR", "QWEN_HOME")

    def claims(self, path: Path) -> bool:
        """Whether records are linked as Claude's, but speak in parts as Gemini's."""
        records = probe(path).records
        return sum(map(_is_record, records)) >= min(_ENOUGH, len(records) or 1)

    def sessions(self, home: Path, *, project: Path | None = None) -> Iterator[SessionRef]:
        """All sessions; those of sub-agents lie beside theirs and are none."""
        files = files_below(home / "projects", ".jsonl", depth=2)
        chats = (path for path in files if path.parent.name == _CHATS)
        return file_sessions(chats, project, lambda ref: self.summarize(ref).project)

    def summarize(self, ref: SessionRef) -> SessionSummary:
        """What the beginning of the file says."""
        told = Told(Drift(), PROVIDER)
        teller = Teller(told)
        with RecordFile(ref.path, Record, told.drift) as file:
            for (_, _, line), record in file.records():
                if not record.is_sidechain:
                    teller.record(record, line)
                if told.opening is not None:
                    break
        return SessionSummary(told.started, told.cwd, told.opening)

    def read(self, ref: SessionRef, options: ReadOptions) -> ToldSession:
        """The session as a stream."""
        told = told_of(ref.path, include_subagents=options.include_subagents)
        return ToldSession(told, ref, tested=self.tested[1])


def _is_record(record: dict[str, Any]) -> bool:
    if not isinstance(record.get("uuid"), str) or "sessionId" not in record:
        return False
    message = record.get("message")
    if record.get("type") == "system" and "message" not in record:
        return isinstance(record.get("systemPayload"), dict)
    return isinstance(message, dict) and isinstance(message.get("parts"), list)
