"""Traces of OpenTelemetry about agents, as OTLP/JSON: also what ``agentv export`` writes.

They have no home of their own: whoever collects them says where.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_agentv.adapters.base import SessionSummary
from pytest_agentv.adapters.otlp import PROVIDER
from pytest_agentv.adapters.otlp.conversation import Builder
from pytest_agentv.adapters.otlp.spanfile import SpanFile
from pytest_agentv.adapters.otlp.spans import PREFIXES, Batch, spans_in
from pytest_agentv.adapters.places import Homeless, file_ref
from pytest_agentv.adapters.probe import probe
from pytest_agentv.adapters.records import Drift
from pytest_agentv.adapters.rowplaces import state_of
from pytest_agentv.adapters.session import ToldSession
from pytest_agentv.adapters.told import Told
from pytest_agentv.errors import Location, SessionUnreadable
from pytest_agentv.transcript.tools.table import Tool

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_agentv.adapters.base import ReadOptions, SessionRef
    from pytest_agentv.transcript.tools.table import Table

_KEY = "resourceSpans"
_FILE = ("path", "filePath")
_PATH = ("path", "path")

# Tools of Copilot in Visual Studio and VS Code, whose sessions are known as traces only.
TOOLS: Table = {
    "run_in_terminal": Tool("shell", (("command", "command"),)),
    "run_command_in_terminal": Tool("shell", (("command", "command"),)),
    "get_terminal_output": Tool("other"),
    "get_file": Tool("read", (_PATH, ("path", "filename"))),
    "read_file": Tool("read", (_FILE, _PATH)),
    "create_file": Tool("write", (_FILE, _PATH, ("content", "content"))),
    "edit_file": Tool("edit", (_FILE, _PATH)),
    "insert_edit_into_file": Tool("edit", (_FILE, ("content", "code"))),
    "replace_string_in_file": Tool("edit", (_FILE, _PATH, ("content", "newString"))),
    "multi_replace_string_in_file": Tool("edit"),
    "list_dir": Tool("search", (_PATH,)),
    "file_search": Tool("search", (("pattern", "glob"), ("query", "query"))),
    "grep_search": Tool("search", (("pattern", "query"),)),
    "semantic_search": Tool("search", (("query", "query"),)),
    "code_search": Tool("search", (("query", "query"),)),
    "get_errors": Tool("other"),
    "run_build": Tool("other"),
    "fetch_webpage": Tool("fetch", (("url", "url"), ("query", "query"))),
    "manage_todo_list": Tool("todo"),
    "runSubagent": Tool("task", (("content", "prompt"),)),
}


class OtlpAdapter(Homeless):
    """Traces after the semantic conventions for generative AI, as OTLP/JSON."""

    name = "otlp"
    provider = PROVIDER
    # Of the conventions.
    tested = ("1.26", "1.38")

    def __init__(self) -> None:
        # The file that was read last: it may hold many sessions, which are read one by one.
        self._last: tuple[object, SpanFile] | None = None

    def claims(self, path: Path) -> bool:
        """Whether a file holds spans, and some of them are about an agent."""
        found = probe(path)
        records: list[dict[str, Any]] = list(found.records)
        if not records and _KEY in found.fields:
            records = [{_KEY: found.value(_KEY)}]
        for record in records:
            listed = record.get(_KEY)
            batch = Batch(listed if isinstance(listed, list) else None)
            for span in spans_in(batch, 1):
                names = [*span.attributes, *(name for name, _ in span.events)]
                if any(name.startswith(PREFIXES) for name in names):
                    return True
        return False

    def sessions_of(self, path: Path) -> Iterator[SessionRef]:
        """The conversations of a file, in the order in which they began."""
        found = self._spans(path).sessions
        if not found:
            raise SessionUnreadable("holds no span about an agent", at=Location(path))
        for key in found:
            ref = file_ref(key, path, row=key)
            if ref is not None:
                yield ref

    def summarize(self, ref: SessionRef) -> SessionSummary:
        """Start and first prompt."""
        told = self._told(ref)
        return SessionSummary(told.started, told.cwd, told.opening)

    def read(self, ref: SessionRef, options: ReadOptions) -> ToldSession:
        """The session as a stream."""
        told = self._told(ref, include_subagents=options.include_subagents)
        # Its version is that of a client, and ``tested`` is of the conventions.
        return ToldSession(told, ref, tested=None)

    def _told(self, ref: SessionRef, *, include_subagents: bool = False) -> Told:
        file = self._spans(ref.path)
        key = ref.row if isinstance(ref.row, str) else next(iter(file.sessions), None)
        if key is None or key not in file.sessions:
            raise SessionUnreadable("holds no span about an agent", at=ref.at)
        told = Told(Drift(), PROVIDER)
        told.session_id = key
        Builder(told, file, include_subagents=include_subagents).tell(file.sessions[key])
        told.drift.include(file.drift)
        return told

    def _spans(self, path: Path) -> SpanFile:
        state = state_of(path)
        if self._last is not None and self._last[0] == state:
            return self._last[1]
        file = SpanFile(path)
        self._last = (state, file) if len(file.sessions) > 1 else None
        return file
