"""A process that is killed while it indexes loses nothing and writes nothing twice.

AGENTV_KILLS says how often (10, if nobody does). Moments come from a seed and are spread over a
whole update; where exactly one hits is up to the machine, and what holds then is not.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from random import Random
from typing import TYPE_CHECKING

import pytest
from generate_corpus import generate
from search_index import content

from pytest_agentv.plugins import registry
from pytest_agentv.search import signs
from pytest_agentv.search.indexing import update
from pytest_agentv.search.schema import open_index
from pytest_agentv.search.settings import SearchSettings

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator
    from pathlib import Path

KILLS = int(os.environ.get("AGENTV_KILLS", "10"))

# Small portions, so that there are many moments between two transactions.
_UPDATE = """
import sys
from pathlib import Path
from pytest_agentv.plugins import registry
from pytest_agentv.search import indexing, vectors
from pytest_agentv.search.schema import open_index
from pytest_agentv.search.settings import SearchSettings
indexing._PORTION, vectors._SESSIONS = 60_000, 3
known = registry()
vectors.encoder(SearchSettings().vector)
print("ready", flush=True)
sys.stdin.readline()
with open_index(Path(sys.argv[1])) as db:
    indexing.update(db, known, SearchSettings(environ={"HOME": sys.argv[2]}))
"""
# What belongs to no session, or is not what a session counts.
_ASTRAY = {
    "documents": "SELECT id FROM documents WHERE id >> 24 NOT IN (SELECT id FROM sources)",
    "vectors": "SELECT document FROM vectors WHERE document NOT IN (SELECT id FROM documents)",
    "lacking": """
        SELECT document FROM vectors JOIN sources ON id = document >> 24
        WHERE sources.vectors IS NULL
    """,
    "counts": """
        SELECT id FROM sources WHERE documents !=
        (SELECT count(*) FROM documents WHERE id >> 24 = sources.id)
    """,
}


def _begin(index: Path, home: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", _UPDATE, str(index), str(home)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    process.stdin.write(b"\n")
    process.stdin.flush()
    return process


def _kill(process: subprocess.Popen[bytes], *, after: float) -> bool:
    """Kill it at a moment; whether it was still at work."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(after)
    process.kill()
    process.communicate()
    return process.returncode != 0


def _content(db: sqlite3.Connection) -> dict[str, list[tuple[object, ...]]]:
    vectors = db.execute(
        "SELECT path, document & 0xffffff, vector FROM vectors JOIN sources ON id = document >> 24"
    )
    return {**content(db), "vectors": sorted(vectors)}


def _complete(index: Path, home: Path) -> dict[str, list[tuple[object, ...]]]:
    with contextlib.closing(open_index(index)) as db:
        update(db, registry(), SearchSettings(environ={"HOME": str(home)}))
        return _content(db)


def _check(index: Path) -> None:
    """What an index is after a kill: whole, of whole sessions only."""
    if not index.exists():
        return
    with contextlib.closing(open_index(index)) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        db.execute("INSERT INTO words(words) VALUES ('integrity-check')")
        for name, sql in _ASTRAY.items():
            assert db.execute(sql).fetchall() == [], name
        vectors = [id_ for (id_,) in db.execute("SELECT document FROM vectors ORDER BY document")]
        assert sorted(_signed(db)) == vectors


def _signed(db: sqlite3.Connection) -> Iterator[int]:
    """The documents that have signs."""
    for (bits,) in db.execute("SELECT bits FROM signs"):
        for start in range(0, len(bits), signs.WIDTH):
            yield int.from_bytes(bits[start : start + signs.NUMBER], "little")


def _remove(index: Path) -> None:
    for file in index.parent.glob(f"{index.name}*"):
        file.unlink()


def _say_more(sessions: list[Path], rng: Random) -> None:
    """Change a part of the sessions: their last record is said again."""
    for path in rng.sample(sessions, len(sessions) // 4):
        with path.open("rb+") as file:
            last = file.read().rstrip(b"\n").rpartition(b"\n")[2]
            file.write(last + b"\n")


@pytest.mark.skipif(sys.platform == "win32", reason="signals are others there")
def test_killed_at_any_moment_an_update_loses_nothing_and_doubles_nothing(tmp_path: Path) -> None:
    home, index, fresh = (tmp_path / name for name in ("home", "index.db", "fresh.db"))
    generate(home, sessions=24, megabytes=0.5, has_topics=False)
    sessions = sorted(home.rglob("*.jsonl"))
    rng = Random(10)  # noqa: S311 (moments, no secrets)
    expected = _complete(fresh, home)
    began = time.perf_counter()
    _begin(tmp_path / "timed.db", home).communicate()
    whole = time.perf_counter() - began
    at_work = 0
    for number in range(KILLS):
        if number % 2:
            _say_more(sessions, rng)
            _remove(fresh)
            expected = _complete(fresh, home)
        else:
            _remove(index)
        share = (number + rng.random()) / KILLS
        at_work += _kill(_begin(index, home), after=whole * share)
        _check(index)
        assert _complete(index, home) == expected
    assert at_work >= KILLS // 4
