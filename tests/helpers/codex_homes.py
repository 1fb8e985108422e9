"""Synthetic homes of Codex: session files where it puts them, and its database as SQLite.

A session is named here by the first eight digits of its id.
"""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    import pytest

# The columns of the first database, and those that came later.
FIRST_COLUMNS = (
    *("id", "rollout_path", "created_at", "updated_at", "source", "model_provider", "cwd"),
    *("title", "sandbox_policy", "approval_mode", "tokens_used", "has_user_event", "archived"),
    *("archived_at", "git_sha", "git_branch", "git_origin_url"),
)
ALL_COLUMNS = (
    *FIRST_COLUMNS,
    *("cli_version", "first_user_message", "agent_nickname", "agent_role", "memory_mode"),
    *("model", "reasoning_effort", "agent_path", "created_at_ms", "updated_at_ms"),
    *("thread_source", "preview", "recency_at", "history_mode", "name", "is_pinned"),
)

DAY = "2026-03-05"


def full_id(short: str) -> str:
    return f"{short}-0000-7000-8000-000000000000"


def text(words: str, kind: str = "input_text") -> dict[str, str]:
    return {"type": kind, "text": words}


def wrapped(type_: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": f"{DAY}T12:00:00.000Z", "type": type_, "payload": payload}


def prompted(words: str) -> dict[str, Any]:
    return wrapped("event_msg", type="user_message", message=words, images=[])


def write_records(path: Path, records: Iterable[Mapping[str, Any] | bytes]) -> Path:
    lines = [one if isinstance(one, bytes) else json.dumps(one).encode() for one in records]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path


def write_state(
    path: Path,
    rows: Iterable[Mapping[str, Any]],
    *,
    columns: tuple[str, ...] = ALL_COLUMNS,
    table: str = "threads",
) -> Path:
    """Write a database with one row per thread; what a row does not say is empty."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"CREATE TABLE {table} ({', '.join(columns)})")
        marks = ", ".join("?" * len(columns))
        connection.executemany(
            f"INSERT INTO {table} VALUES ({marks})",  # noqa: S608 (names of our own)
            [[row.get(column) for column in columns] for row in rows],
        )
    return path


def record_opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths that are opened from now on, as they are."""
    opened: list[str] = []
    open_file = os.open

    def recording(path: Any, *arguments: Any, **keywords: Any) -> int:
        opened.append(os.fspath(path))
        return open_file(path, *arguments, **keywords)

    monkeypatch.setattr(os, "open", recording)
    return opened


class CodexHome:
    """A home in the making."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def place(self, short: str, *, day: str = DAY, archived: bool = False) -> Path:
        """Where the file of a session belongs."""
        name = f"rollout-{day}T10-23-56-{full_id(short)}.jsonl"
        if archived:
            return self.root / "archived_sessions" / name
        return self.root.joinpath("sessions", *day.split("-"), name)

    def session(
        self,
        short: str,
        *,
        cwd: str | Path | None = "/somewhere/else",
        prompt: str | None = "Go",
        archived: bool = False,
        **meta: Any,
    ) -> Path:
        """Write a session as today's versions do."""
        fields = {"id": full_id(short), "source": "cli", "cli_version": "0.140.0", **meta}
        if cwd is not None:
            fields["cwd"] = str(cwd)
        records = [wrapped("session_meta", **fields)]
        if prompt is not None:
            records.append(prompted(prompt))
        return write_records(self.place(short, archived=archived), records)

    def state(self, cwds: Mapping[str, str | Path], *, name: str = "state_5.sqlite") -> Path:
        """Write the database, with the folders that sessions ran in."""
        rows = [
            {"id": full_id(short), "rollout_path": str(self.place(short)), "cwd": str(cwd)}
            for short, cwd in cwds.items()
        ]
        return write_state(self.root / name, rows)
