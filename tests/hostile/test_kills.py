"""Killed at any moment, or out of room: what is there is whole, and the next run completes it.

A few kills of each writer; ``AGENTV_KILLS=200`` for more.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

_KILLS = os.environ.get("AGENTV_KILLS", "8")
_HELPERS = Path(__file__).parents[1] / "helpers"

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs POSIX")


def _told(tmp_path: Path, *arguments: str) -> dict[str, dict[str, int]]:
    path = os.pathsep.join(filter(None, [str(_HELPERS), os.environ.get("PYTHONPATH")]))
    ended = subprocess.run(
        [sys.executable, str(_HELPERS / "killing.py"), str(tmp_path), *arguments],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    told: dict[str, dict[str, int]] = json.loads(ended.stdout)
    return told


def test_whatever_is_killed_while_it_writes_leaves_nothing_half_and_loses_nothing(
    tmp_path: Path,
) -> None:
    told = _told(tmp_path, "kill", _KILLS)
    assert sum(one["kills"] for one in told.values()) >= int(_KILLS)
    # Of those that are killed at a random moment of their work, some are not done.
    assert sum(one["early"] for one in told.values()) > 0


def test_without_room_the_old_file_stays_and_nothing_half_written_is_seen(tmp_path: Path) -> None:
    told = _told(tmp_path, "fill")
    assert all(one["refused"] > 0 for one in told.values())
