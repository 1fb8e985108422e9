"""Sessions in the branch of Entire whose notes are broken in every way: all of them are found."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from fuzz.kinds import broken, kinds_for
from pytest_agentv import ReadOptions, load
from pytest_agentv.adapters.entire import EntireAdapter

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")

_SESSION = Path(__file__).parents[1] / "data" / "droid" / "login-limit.jsonl"
_NOTE = {"session_id": "s", "created_at": "2026-07-15T10:12:31Z", "agent": "x"}


def _notes() -> list[bytes]:
    found = []
    for key, value in _NOTE.items():
        for kind in kinds_for(value, key, is_cell=False):
            raw = broken(kind, value, key)
            rest = {name: one for name, one in _NOTE.items() if name != key}
            start = json.dumps(rest).encode()[:-1]
            found.append(start + (b"}" if raw is None else b', "%b": %b}' % (key.encode(), raw)))
    return found


def _commit(repository: Path, notes: list[bytes]) -> None:
    """A branch with a session for each note; made at once, because git is slow to start."""
    session = _SESSION.read_bytes()
    parts = [
        b"blob\nmark :1\ndata %d\n%b\n" % (len(session), session),
        b"commit refs/heads/entire/checkpoints/v1\ncommitter dev <dev@devbox.example> 0 +0000\n",
        b"data 1\nx\n",
    ]
    for number, note in enumerate(notes):
        folder = b"00/%010x" % number
        parts.append(b"M 100644 :1 %b/full.jsonl\n" % folder)
        parts.append(b"M 100644 inline %b/metadata.json\ndata %d\n%b\n" % (folder, len(note), note))
    git = ["git", "-C", str(repository)]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "fast-import", "--quiet"], input=b"".join(parts), check=True)


def test_whatever_a_note_says_its_session_is_found_and_read(tmp_path: Path) -> None:
    notes = _notes()
    assert len(notes) > 100
    _commit(tmp_path, notes)
    adapter = EntireAdapter()
    found = list(adapter.sessions_of(tmp_path))
    # A note without a good id leaves its session the name of the checkpoint; others share one.
    assert {"s", "x"} <= {ref.session_id for ref in found}
    named = {ref.session_id for ref in found if ref.session_id.startswith("00")}
    assert len(named) > 20
    for ref in (found[0], found[-1]):
        assert load(adapter.read(ref, ReadOptions())).source.provider == "droid"


def test_a_time_that_is_none_costs_no_id(tmp_path: Path) -> None:
    _commit(tmp_path, [b'{"session_id": "kept", "created_at": 7}'])
    (ref,) = EntireAdapter().sessions_of(tmp_path)
    assert ref.session_id == "kept"
