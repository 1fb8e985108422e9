"""Gemini's adapter: where its sessions lie, and how they are recognised."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from pytest_agentv.adapters.base import SessionSummary
from pytest_agentv.adapters.gemini import PROVIDER
from pytest_agentv.adapters.gemini.session import told_of
from pytest_agentv.adapters.genai_tools import TOOLS, unlisted_tool
from pytest_agentv.adapters.places import file_ref, files_below, folders_in, head_of
from pytest_agentv.adapters.probe import probe
from pytest_agentv.adapters.projects import Project
from pytest_agentv.adapters.records import UNREADABLE
from pytest_agentv.adapters.session import ToldSession
from pytest_agentv.config.paths import user_home

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_agentv.adapters.base import ReadOptions, SessionRef

__all__ = ["TOOLS", "GeminiAdapter", "unlisted_tool"]

_CHATS = "chats"
_ENDINGS = (".json", ".jsonl")
_TYPES = frozenset(("user", "gemini", "info", "warning", "error"))
# What the session says of itself stands before its messages.
_HEAD = 1 << 12
_ID = re.compile(rb'"sessionId"\s*:\s*"([^"\\]{1,200})"')
_SUBAGENT = re.compile(rb'"kind"\s*:\s*"subagent"')
_MAX_PATH = 1 << 15


class GeminiAdapter:
    """Sessions of Gemini CLI: JSON documents, and the logs that came after them."""

    name = "gemini"
    provider = PROVIDER
    # Sessions do not say the version: the first that recorded them, and the newest that was read.
    tested = ("0.10.0", "0.40.0")

    def home(self, environ: Mapping[str, str]) -> Path | None:
        """The folder .gemini/tmp in GEMINI_CLI_HOME, else in the user's home."""
        configured = environ.get("GEMINI_CLI_HOME")
        user = Path(configured) if configured else user_home(environ)
        return user / ".gemini" / "tmp" if user else None

    def session_id_of(self, path: Path) -> str:
        """The id that a session says at its beginning, else what its file is called."""
        found = _ID.search(head_of(path, _HEAD))
        return found[1].decode("utf-8", "replace") if found else path.stem

    def claims(self, path: Path) -> bool:
        """Whether a file is a session's document, or the log of one."""
        found = probe(path)
        if found.begins("messages", b"["):
            return "sessionId" in found.fields and "projectHash" in found.fields
        if any("sessionId" in one and "projectHash" in one for one in found.records):
            return True
        messages = [one for one in found.records if _is_message(one)]
        return len(messages) > 1 and any(one["type"] == "gemini" for one in messages)

    def sessions(self, home: Path, *, project: Path | None = None) -> Iterator[SessionRef]:
        """Each session once: a document that was resumed goes on as a log beside it."""
        for folder in folders_in(home):
            if project is not None and not _is_of(folder, project):
                continue
            found: dict[str, SessionRef] = {}
            for path in files_below(folder / _CHATS, *_ENDINGS, depth=0):
                if _SUBAGENT.search(head_of(path, _HEAD)):
                    continue
                ref = file_ref(self.session_id_of(path), path)
                if ref is not None:  # the log is the later one in the order of names
                    found[ref.session_id] = ref
            yield from found.values()

    def summarize(self, ref: SessionRef) -> SessionSummary:
        """Start, folder and first prompt."""
        told = told_of(ref.path, {}, until_opening=True)
        return SessionSummary(told.started, _project_of(ref.path), told.opening)

    def read(self, ref: SessionRef, options: ReadOptions) -> ToldSession:
        """The session as a stream."""
        folder = ref.path.parent / self.session_id_of(ref.path)
        agents = {}
        if options.include_subagents:
            files = files_below(folder, *_ENDINGS, depth=0)
            agents = {self.session_id_of(path): path for path in files}
        told = told_of(ref.path, agents)
        told.cwd = _project_of(ref.path) or told.cwd
        return ToldSession(told, ref, tested=self.tested[1])


def _is_message(record: dict[str, Any]) -> bool:
    type_ = record.get("type")
    return (
        isinstance(type_, str)
        and type_ in _TYPES
        and isinstance(record.get("id"), str)
        and "timestamp" in record
        and "content" in record
        and "uuid" not in record
    )


class _Registry(msgspec.Struct):
    """The client's own list of projects: the name of the folder of each."""

    projects: dict[str, Any] = {}


def _project_of(path: Path) -> str | None:
    """The folder a session ran in, which the client notes beside its sessions since 2026."""
    folder = path.parent.parent
    noted = _text(folder / ".project_root")
    if noted:
        return noted
    if folder.parent.name != "tmp":
        return None
    try:
        raw = _text(folder.parent.parent / "projects.json", limit=1 << 22)
        projects = msgspec.json.decode(raw or "{}", type=_Registry).projects
    except UNREADABLE:
        return None
    return next((place for place, name in projects.items() if name == folder.name), None)


def _is_of(folder: Path, project: Path) -> bool:
    """Whether a folder of sessions is of a project; its name may be the hash of the project's."""
    noted = _project_of(folder / _CHATS / "x")
    if noted is not None:
        return Project(project).has(noted)
    spellings = {str(project), os.path.abspath(project), os.path.realpath(project)}  # noqa: PTH100
    return folder.name in {
        hashlib.sha256(one.encode("utf-8", "surrogateescape")).hexdigest() for one in spellings
    }


def _text(path: Path, *, limit: int = _MAX_PATH) -> str | None:
    return head_of(path, limit).decode("utf-8", "replace").strip() or None
