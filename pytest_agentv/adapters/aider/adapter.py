"""Histories that Aider keeps in a project: what was typed, said and shown, and no more.

``.aider.chat.history.md`` is Markdown for people: each run is a session. ``.aider.llm.history``,
if somebody asks for it, has every request with the whole prompt. Neither has tool calls: edits
are taken from what the console said of them, or from the blocks in which the model writes them.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_agentv.adapters.aider import PROVIDER
from pytest_agentv.adapters.aider.chat import Chat
from pytest_agentv.adapters.aider.requests import REQUEST, Requests
from pytest_agentv.adapters.aider.runs import RUN, lines_of, runs_of
from pytest_agentv.adapters.base import SessionSummary
from pytest_agentv.adapters.places import file_ref
from pytest_agentv.adapters.probe import probe
from pytest_agentv.adapters.records import Drift, text_lines
from pytest_agentv.adapters.session import ToldSession
from pytest_agentv.adapters.told import Told
from pytest_agentv.errors import Location, SessionUnreadable
from pytest_agentv.transcript.tools.table import Tool

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_agentv.adapters.base import ReadOptions, SessionRef
    from pytest_agentv.transcript.tools.table import Table

TOOLS: Table = {
    "edit": Tool("edit", (("path", "path"), ("content", "content"))),
    "shell": Tool("shell", (("command", "command"),)),
}
_CHAT, _REQUESTS = ".aider.chat.history.md", ".aider.llm.history"
_SILENT = "holds no run of Aider in which anything was said"


class AiderAdapter:
    """Histories of Aider; they hold little: see the table of formats."""

    name = "aider"
    provider = PROVIDER
    tested = ("0.30.0", "0.86.2")

    def home(self, environ: Mapping[str, str]) -> Path | None:
        """The folder of AIDER_CHAT_HISTORY_FILE, else the project: the working directory."""
        configured = environ.get("AIDER_CHAT_HISTORY_FILE") or environ.get("AIDER_LLM_HISTORY_FILE")
        return Path(configured).parent if configured else Path.cwd()

    def claims(self, path: Path) -> bool:
        """Whether a file begins as one of the two histories does."""
        return _form_of(path) is not None

    def sessions_of(self, path: Path) -> Iterator[SessionRef]:
        """The runs of a chat history in which anything was said; of requests all are one."""
        if _form_of(path) == _REQUESTS:
            ref = file_ref(path.name.strip("."), path)
            if ref is not None:
                yield ref
            return
        runs = [run for run in runs_of(path) if run.has_words]
        if not runs:
            raise SessionUnreadable(_SILENT, at=Location(path))
        for run in runs:
            ref = file_ref(run.name, path, row=run.line)
            if ref is not None:
                yield ref

    def sessions(self, home: Path, *, project: Path | None = None) -> Iterator[SessionRef]:
        """The runs of a project's chat history, which may lie at the root of its repository."""
        folder = project or home
        names = [
            Path(os.environ.get("AIDER_CHAT_HISTORY_FILE", _CHAT)),
            Path(os.environ.get("AIDER_LLM_HISTORY_FILE", _REQUESTS)),
        ]
        for name in names:
            for place in (folder, *folder.absolute().parents):
                path = place / name.name if name.parent == Path() else place / name
                if path.is_file() and _form_of(path) is not None:
                    with suppress(SessionUnreadable):
                        yield from self.sessions_of(path)
                    break
                if (place / ".git").exists() or name.is_absolute():
                    break

    def summarize(self, ref: SessionRef) -> SessionSummary:
        """Start, folder and first prompt."""
        told = _read(ref)
        return SessionSummary(told.started, str(ref.path.parent), told.opening)

    def read(self, ref: SessionRef, options: ReadOptions) -> ToldSession:
        """The session as a stream."""
        del options
        return ToldSession(_read(ref), ref, tested=self.tested[1])


def _form_of(path: Path) -> str | None:
    start = probe(path).head.decode("utf-8", "replace")
    first = start.split("\n", 1)[0].rstrip("\r")
    if RUN.fullmatch(first):
        return _CHAT
    return _REQUESTS if REQUEST.fullmatch(first) else None


def _read(ref: SessionRef) -> Told:
    told = Told(Drift(), PROVIDER)
    form = _form_of(ref.path)
    if form is None:
        raise SessionUnreadable("is no history of Aider", at=ref.at)
    if form == _REQUESTS:
        told.session_id = ref.session_id
        Requests(told).read(text_lines(ref.path))
        return told
    wanted = ref.row if isinstance(ref.row, int) else None
    for run in runs_of(ref.path):
        if run.line == wanted or (wanted is None and run.has_words):
            told.session_id = run.name
            Chat(told, run.time).read(lines_of(ref.path, run))
            return told
    raise SessionUnreadable(_SILENT, at=ref.at)
