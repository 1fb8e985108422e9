"""The adapter of Kimi Code and Kimi CLI: where their sessions lie, and which is which."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import msgspec

from pytest_agentv.adapters.base import SessionRef, SessionSummary
from pytest_agentv.adapters.kimi import PROVIDER
from pytest_agentv.adapters.kimi.context import MARKS, read_context
from pytest_agentv.adapters.kimi.tools import TOOLS
from pytest_agentv.adapters.kimi.wire import Wire
from pytest_agentv.adapters.places import InUsersHome, files_below
from pytest_agentv.adapters.probe import probe
from pytest_agentv.adapters.projects import file_sessions
from pytest_agentv.adapters.records import Drift, read_document
from pytest_agentv.adapters.session import ToldSession
from pytest_agentv.adapters.told import Told
from pytest_agentv.errors import SessionError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_agentv.adapters.base import ReadOptions

__all__ = ["TOOLS", "KimiAdapter"]

_WIRE, _CONTEXT, _STATE = "wire.jsonl", "context.jsonl", "state.json"
_PREFIX = "session_"
_MAIN = "main"
_ROLES = frozenset(("user", "assistant", "tool")) | MARKS


class KimiAdapter(InUsersHome):
    """Sessions of Kimi Code, and of Kimi CLI before it."""

    name = "kimi"
    provider = PROVIDER
    # Of the protocol: sessions do not say the version of the client.
    tested = ("1.0", "1.4")
    # The one of Kimi CLI, ~/.kimi, lies beside it.
    usual_home = ".kimi-code"
    home_variables = ("KIMI_CODE_HOME", "KIMI_SHARE_DIR")

    def session_id_of(self, path: Path) -> str:
        """The id that a session's folder is named by."""
        if path.name == _CONTEXT or (path.name == _WIRE and path.parent.parent.name != "agents"):
            return path.parent.name
        if path.name == _WIRE:
            return path.parents[2].name.removeprefix(_PREFIX)
        return path.stem

    def claims(self, path: Path) -> bool:
        """Whether a file is a log of Kimi Code's, or messages of Kimi CLI's."""
        records = probe(path).records
        if any(_is_metadata(one) for one in records[:5]):
            return any(_is_own(one) for one in records)
        roles = [one.get("role") for one in records]
        is_message = all(isinstance(role, str) and role in _ROLES for role in roles)
        return is_message and any(role in MARKS for role in roles)

    def sessions(self, home: Path, *, project: Path | None = None) -> Iterator[SessionRef]:
        """All sessions: of Kimi Code one log for the main agent, of Kimi CLI one file."""
        homes = [home, home.with_name(".kimi")] if home.name == ".kimi-code" else [home]
        files = (
            path
            for folder in homes
            for path in files_below(folder / "sessions", _WIRE, _CONTEXT, depth=4)
            if path.name == _CONTEXT
            or (path.name == _WIRE and path.parts[-3:-1] == ("agents", _MAIN))
        )
        return file_sessions(
            files, project, lambda ref: self.summarize(ref).project, id_of=self.session_id_of
        )

    def summarize(self, ref: SessionRef) -> SessionSummary:
        """Start, folder and first prompt."""
        told = _told(ref, {}, until_opening=True)
        return SessionSummary(told.started, told.cwd, told.opening)

    def read(self, ref: SessionRef, options: ReadOptions) -> ToldSession:
        """The session as a stream."""
        agents: dict[str, Path] = {}
        if options.include_subagents and ref.path.parent.name == _MAIN:
            files = files_below(ref.path.parent.parent, _WIRE, depth=1)
            agents = {path.parent.name: path for path in files if path.parent.name != _MAIN}
        told = _told(ref, agents)
        return ToldSession(told, ref, tested=told.version or "")


def _told(ref: SessionRef, agents: dict[str, Path], *, until_opening: bool = False) -> Told:
    told = Told(Drift(), PROVIDER)
    told.session_id = ref.session_id
    records = probe(ref.path).records
    if any("role" in one and "type" not in one for one in records):
        read_context(ref.path, told, until_opening=until_opening)
        told.cwd = _work_dir(ref.path)
        return told
    wire = Wire(told, agents)
    wire.read(ref.path, until_opening=until_opening)
    wire.remaining_agents()
    state = _state(ref.path)
    told.title = state.title
    told.cwd = state.work_dir or told.cwd
    return told


class _State(msgspec.Struct, rename="camel"):
    title: str | None = None
    work_dir: str | None = None


def _state(path: Path) -> _State:
    """What lies in the folder of a session of Kimi Code's."""
    if path.parent.parent.name != "agents":
        return _State()
    try:
        return read_document(path.parents[2] / _STATE, _State, Drift())
    except SessionError:
        return _State()


class _WorkDir(msgspec.Struct):
    path: str | None = None


class _Metadata(msgspec.Struct):
    work_dirs: list[_WorkDir] | None = None


def _work_dir(path: Path) -> str | None:
    """Where Kimi CLI ran: its folders are named by a hash, and it has a list of them."""
    if path.name != _CONTEXT:
        return None
    folder = path.parents[1]
    try:
        metadata = read_document(folder.parent.parent / "kimi.json", _Metadata, Drift())
    except SessionError:
        return None
    known = [one.path for one in metadata.work_dirs or [] if one.path is not None]
    hashes = {hashlib.md5(one.encode()).hexdigest(): one for one in known}  # noqa: S324 (theirs)
    return hashes.get(folder.name)


def _is_metadata(record: dict[str, Any]) -> bool:
    return record.get("type") == "metadata" and "protocol_version" in record


def _is_own(record: dict[str, Any]) -> bool:
    type_ = record.get("type")
    return isinstance(type_, str) and "." in type_ and "time" in record
