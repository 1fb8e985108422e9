"""A session is drafted while it is read, in memory or in a file; what comes out never shows it."""

from __future__ import annotations

import errno
import io
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from generate_claude import generate
from hypothesis import HealthCheck, given, settings, strategies

from pytest_agentv import SessionError, load, write_stream
from pytest_agentv.adapters import spool
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


def no_folder() -> None:
    raise FileNotFoundError


def stream(path: Path) -> Any:
    return ClaudeAdapter().read(SessionRef(path.stem, path), ReadOptions())


def written(path: Path) -> bytes:
    file = io.BytesIO()
    write_stream(file, stream(path))
    return file.getvalue()


@pytest.fixture
def in_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sessions of tests are small: let the first portion of a draft be too much for memory."""
    monkeypatch.setattr(spool, "_IN_MEMORY", 0)


@pytest.fixture
def large(tmp_path: Path) -> Path:
    generate(tmp_path / "session.jsonl", megabytes=3, seed=7)
    return tmp_path / "session.jsonl"


@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.stem)
def test_a_session_gives_the_same_bytes_without_a_draft(
    monkeypatch: pytest.MonkeyPatch, path: Path
) -> None:
    drafted = written(path)

    monkeypatch.setattr(spool, "_IN_MEMORY", 0)
    monkeypatch.setattr(tempfile, "TemporaryFile", no_folder)

    assert written(path) == drafted


def test_a_draft_in_a_file_is_the_same_as_one_in_memory(
    monkeypatch: pytest.MonkeyPatch, large: Path
) -> None:
    expected = written(large), load(stream(large))

    monkeypatch.setattr(spool, "_IN_MEMORY", 1 << 20)

    assert (written(large), load(stream(large))) == expected


@pytest.mark.usefixtures("in_a_file")
def test_a_full_disk_spoils_the_draft_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch, large: Path
) -> None:
    expected = written(large)

    monkeypatch.setattr(tempfile, "TemporaryFile", FullDisk)

    assert written(large) == expected


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(data=strategies.data())
def test_whatever_comes_late_or_twice_or_never_the_bytes_are_the_same(data: Any) -> None:
    path = data.draw(strategies.sampled_from(sorted(DATA.glob("*.jsonl"))))
    lines = path.read_bytes().split(b"\n")
    for _ in range(data.draw(strategies.integers(1, 4))):
        place = strategies.integers(0, len(lines) - 1)
        source, target = data.draw(place), data.draw(place)
        line = lines[source]
        if data.draw(strategies.booleans()):
            del lines[source]
        if data.draw(strategies.booleans()) or not lines:
            lines.insert(target, line)
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        changed = Path(folder) / path.name
        changed.write_bytes(b"\n".join(lines))
        try:
            drafted: bytes | None = written(changed)
        except SessionError:
            drafted = None
        patch.setattr(spool, "_IN_MEMORY", 0)
        patch.setattr(tempfile, "TemporaryFile", no_folder)
        try:
            assert written(changed) == drafted
        except SessionError:
            assert drafted is None
