"""A session is drafted in a temporary file while it is read; what comes out never depends on it."""

from __future__ import annotations

import errno
import io
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from generate_claude import generate

from pytest_agentv import write_stream
from pytest_agentv.adapters.base import ReadOptions, SessionRef
from pytest_agentv.adapters.claude.adapter import ClaudeAdapter

DATA = Path(__file__).parents[2] / "data" / "claude"
_CORPUS = os.environ.get("AGENTV_CORPUS")
SESSIONS = [
    *sorted(DATA.glob("*.jsonl")),
    *(sorted((Path(_CORPUS) / "claude").glob("*.jsonl")) if _CORPUS else []),
]


class FullDisk(io.RawIOBase):
    """A file on a disk that has no space left."""

    def write(self, _: Any) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def written(path: Path) -> bytes:
    file = io.BytesIO()
    write_stream(file, ClaudeAdapter().read(SessionRef(path.stem, path), ReadOptions()))
    return file.getvalue()


def without_a_temporary_file(monkeypatch: pytest.MonkeyPatch, path: Path) -> bytes:
    def refuse(**_: Any) -> None:
        raise PermissionError

    with monkeypatch.context() as patch:
        patch.setattr(tempfile, "TemporaryFile", refuse)
        return written(path)


@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.stem)
def test_a_session_gives_the_same_bytes_without_a_draft(
    monkeypatch: pytest.MonkeyPatch, path: Path
) -> None:
    assert written(path) == without_a_temporary_file(monkeypatch, path)


def test_a_large_session_gives_the_same_bytes_without_a_draft(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    generate(tmp_path / "session.jsonl", megabytes=3, seed=7)

    drafted = written(tmp_path / "session.jsonl")

    assert drafted == without_a_temporary_file(monkeypatch, tmp_path / "session.jsonl")


def test_a_full_disk_spoils_the_draft_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    generate(tmp_path / "session.jsonl", megabytes=1, seed=7)
    expected = written(tmp_path / "session.jsonl")

    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **_: FullDisk())

    assert written(tmp_path / "session.jsonl") == expected
