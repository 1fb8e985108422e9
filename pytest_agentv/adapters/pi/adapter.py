"""Pi's adapter: where its sessions lie, and how they are recognised."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_agentv.adapters.base import SessionSummary
from pytest_agentv.adapters.clock import from_text
from pytest_agentv.adapters.pi import PROVIDER
from pytest_agentv.adapters.pi.session import (
    HEADER,
    NEWEST_FORMAT,
    PASSED,
    SUMMARIES,
    Entry,
    Link,
    tell,
    told_of,
)
from pytest_agentv.adapters.pi.tools import TOOLS
from pytest_agentv.adapters.places import files_below
from pytest_agentv.adapters.probe import probe
from pytest_agentv.adapters.projects import file_sessions
from pytest_agentv.adapters.records import Drift, RecordFile
from pytest_agentv.adapters.session import ToldSession
from pytest_agentv.adapters.told import Told
from pytest_agentv.config.paths import user_home
from pytest_agentv.errors import SessionError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_agentv.adapters.base import ReadOptions, SessionRef

__all__ = ["TOOLS", "PiAdapter"]

_ROLES = frozenset(("user", "assistant", "toolResult", "bashExecution", "custom", "hookMessage"))
# The header is the first record, if nothing is broken.
_RECORDS_TO_HEADER = 50


class PiAdapter:
    """Sessions of Pi, of all versions of its format."""

    name = "pi"
    provider = PROVIDER
    # A session says the version of its format, and none of the client.
    tested = ("1", str(NEWEST_FORMAT))

    def home(self, environ: Mapping[str, str]) -> Path | None:
        """PI_CODING_AGENT_SESSION_DIR, else below PI_CODING_AGENT_DIR, else below ~/.pi/agent."""
        if environ.get("PI_CODING_AGENT_SESSION_DIR"):
            return Path(environ["PI_CODING_AGENT_SESSION_DIR"])
        if environ.get("PI_CODING_AGENT_DIR"):
            return Path(environ["PI_CODING_AGENT_DIR"]) / "sessions"
        user = user_home(environ)
        return user / ".pi" / "agent" / "sessions" if user else None

    def session_id_of(self, path: Path) -> str:
        """The id, which follows a time in a file's name."""
        return path.stem.rpartition("_")[2]

    def claims(self, path: Path) -> bool:
        """Whether there are a header and an entry of Pi's, or entries that only Pi writes."""
        records = probe(path).records
        is_whole = any(map(_is_header, records)) and any(map(_is_entry, records))
        return is_whole or sum(map(_is_own, records)) > 1

    def sessions(self, home: Path, *, project: Path | None = None) -> Iterator[SessionRef]:
        """All sessions, in folders by project or all in one."""
        files = files_below(home, ".jsonl", depth=1)
        return file_sessions(
            files, project, lambda ref: _header(ref.path).cwd, id_of=self.session_id_of
        )

    def summarize(self, ref: SessionRef) -> SessionSummary:
        """What the header says, and the first prompt of the file."""
        header = _header(ref.path)
        told = Told(Drift(), PROVIDER)
        with RecordFile(ref.path, Entry, told.drift) as file:
            for (_, _, line), entry in file.records():
                tell(told, entry, line)
                if told.opening is not None:
                    break
        return SessionSummary(from_text(header.timestamp), header.cwd, told.opening)

    def read(self, ref: SessionRef, options: ReadOptions) -> ToldSession:  # noqa: ARG002
        """The session as a stream."""
        return ToldSession(told_of(ref.path), ref, tested=self.tested[1])


def _header(path: Path) -> Link:
    try:
        with RecordFile(path, Link, Drift()) as file:
            for count, (_, link) in enumerate(file.records()):
                if link.type == HEADER:
                    return link
                if count >= _RECORDS_TO_HEADER:
                    break
    except SessionError:
        pass
    return Link()


def _is_header(record: dict[str, Any]) -> bool:
    # A trace of Hugging Face's has a header like it, which names its harness.
    if record.get("type") != HEADER or not isinstance(record.get("id"), str):
        return False
    return "harness" not in record and ("cwd" in record or "version" in record)


def _is_entry(record: dict[str, Any]) -> bool:
    if record.get("type") == "message":
        role = _message(record).get("role")
        return isinstance(role, str) and role in _ROLES
    type_ = record.get("type")
    return "timestamp" in record and isinstance(type_, str) and type_ in PASSED | SUMMARIES


def _is_own(record: dict[str, Any]) -> bool:
    """Whether an entry is Pi's without a doubt, should the header be lost."""
    message = _message(record)
    if record.get("type") != "message" or "timestamp" not in record:
        return False
    if message.get("role") == "assistant":
        return "stopReason" in message and "usage" in message
    return message.get("role") == "toolResult" and "toolCallId" in message


def _message(record: dict[str, Any]) -> dict[str, Any]:
    message = record.get("message")
    return message if isinstance(message, dict) else {}
