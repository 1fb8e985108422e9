"""Real sessions and what an independent oracle counted in them, if there are any.

The environment variable AGENTV_CORPUS names their folder.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from typing import TypeAlias

    from pytest_agentv import Transcript

    # What the oracle counted, by the session's file.
    Rows: TypeAlias = dict[str, dict[str, Any]]

CORPUS = Path(os.environ.get("AGENTV_CORPUS") or "no corpus")


def sessions_of(vendor: str) -> tuple[list[str], Rows]:
    """The files of a vendor below the corpus, and the oracle's rows; skips without a corpus."""
    if not (CORPUS / "expected.jsonl").is_file():
        pytest.skip("AGENTV_CORPUS names no folder of real sessions", allow_module_level=True)
    lines = (CORPUS / "expected.jsonl").read_text(encoding="utf-8").split("\n")
    rows = [json.loads(line) for line in lines if line]
    files = [path for path in (CORPUS / vendor).rglob("*.jsonl") if path.is_file()]
    return (
        sorted(path.relative_to(CORPUS).as_posix() for path in files),
        {row["file"]: row for row in rows if row["file"].startswith(f"{vendor}/")},
    )


def files_of_others(vendor: str) -> list[str]:
    """The files of all other vendors."""
    return sorted(
        path.relative_to(CORPUS).as_posix()
        for path in CORPUS.rglob("*")
        if path.is_file() and path.parent != CORPUS and path.relative_to(CORPUS).parts[0] != vendor
    )


def tools_of(transcript: Transcript) -> dict[str, int]:
    """How often each tool was called, under its vendor's name."""
    names = [call.tool for call in transcript.tool_calls()]
    return {name: names.count(name) for name in dict.fromkeys(names)}
