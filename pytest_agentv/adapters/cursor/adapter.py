"""Sessions of Cursor's agent: transcripts of its editor and command line client, kept streams.

They say which tools were called; most have nothing of what came back.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from pytest_agentv.adapters.base import SessionSummary
from pytest_agentv.adapters.cursor import PROVIDER
from pytest_agentv.adapters.cursor.stream import Stream
from pytest_agentv.adapters.cursor.tools import TOOLS, unlisted_tool
from pytest_agentv.adapters.cursor.transcript import Text, read_lines
from pytest_agentv.adapters.places import InUsersHome, file_ref, files_below, folders_in
from pytest_agentv.adapters.probe import probe
from pytest_agentv.adapters.records import Drift, text_lines
from pytest_agentv.adapters.session import ToldSession
from pytest_agentv.adapters.told import Told

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_agentv.adapters.base import ReadOptions, SessionRef

__all__ = ["TOOLS", "CursorAdapter", "unlisted_tool"]

_TRANSCRIPTS, _SUBAGENTS = "agent-transcripts", "subagents"
_ROLES = ("user", "assistant")
_TEXT = re.compile(rb"user:\s*\n\s*<[a-z_-]{1,64}>")
_INIT = ("apiKeySource", "permissionMode")


class CursorAdapter(InUsersHome):
    """Transcripts of Cursor's agent; without results, times and tokens, as Cursor has none."""

    name = "cursor"
    provider = PROVIDER
    tested = ("2025.08", "2026.10")
    usual_home = ".cursor"
    home_variables = ("CURSOR_CONFIG_DIR",)

    def claims(self, path: Path) -> bool:
        """Whether a file is a transcript or a stream of Cursor's."""
        found = probe(path)
        if _TEXT.match(found.head):
            return True
        return _is_stream(found.records) or _is_transcript(found.records)

    def sessions(self, home: Path, *, project: Path | None = None) -> Iterator[SessionRef]:
        """The transcripts of all projects, or of one; those of sub-agents are parts of others."""
        wanted = None if project is None else _slug(project)
        folders = folders_in(home / "projects")
        for folder in folders:
            if wanted is not None and folder.name.lower() != wanted:
                continue
            seen: set[str] = set()
            # The newer form first: a transcript may be there in both.
            for path in sorted(
                files_below(folder / _TRANSCRIPTS, ".jsonl", ".txt"), key=lambda one: one.suffix
            ):
                ref = file_ref(path.stem, path)
                if ref is not None and path.parent.name != _SUBAGENTS and path.stem not in seen:
                    seen.add(path.stem)
                    yield ref

    def summarize(self, ref: SessionRef) -> SessionSummary:
        """Folder and first prompt; when it began, no transcript says."""
        told = _read(ref)
        return SessionSummary(told.started, told.cwd, told.opening)

    def read(self, ref: SessionRef, options: ReadOptions) -> ToldSession:
        """The session as a stream."""
        told = _read(ref, include_subagents=options.include_subagents)
        return ToldSession(told, ref, tested=self.tested[1])


def _read(ref: SessionRef, *, include_subagents: bool = False) -> Told:
    told = Told(Drift(), PROVIDER)
    told.session_id = ref.path.stem
    found = probe(ref.path)
    if _TEXT.match(found.head):
        Text(told).read(text_lines(ref.path))
    elif _is_like_stream(found.records):
        Stream(told).read(ref.path)
    else:
        read_lines(ref.path, told)
        beside = ref.path.parent / _SUBAGENTS
        if include_subagents and ref.path.parent.name == ref.path.stem:
            for path in files_below(beside, ".jsonl", depth=0):
                read_lines(path, told, agent_id=path.stem)
    return told


def _is_transcript(records: list[dict[str, Any]]) -> bool:
    """Whether lines have a role and a message, and nothing that others have besides."""
    messages = [one for one in records if one.get("role") in _ROLES]
    return bool(messages) and all(
        isinstance(one.get("message"), dict)
        and isinstance(one["message"].get("content"), (list, str))
        and "type" not in one
        and "uuid" not in one
        for one in messages
    )


def _is_stream(records: list[dict[str, Any]]) -> bool:
    for one in records:
        if one.get("type") == "tool_call" and isinstance(one.get("tool_call"), dict):
            return any(key.endswith("ToolCall") or key == "function" for key in one["tool_call"])
        if one.get("type") == "system" and one.get("subtype") == "init":
            return all(isinstance(one.get(name), str) for name in _INIT) and "tools" not in one
    return False


def _is_like_stream(records: list[dict[str, Any]]) -> bool:
    """Whether lines of a file that is Cursor's are a stream, be a field of theirs what it may."""
    return _is_stream(records) or not any("role" in one for one in records)


def _slug(project: Path) -> str:
    """The name that Cursor's folder of a project has."""
    return re.sub(r"[^A-Za-z0-9]+", "-", os.path.realpath(project)).strip("-").lower()
