"""Where the files of a run are."""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_agentv.errors import Location

# Runs are kept here, below the folder that one works in.
ROOT = Path(".agentv/results")
INDEX = "index.jsonl"
SUMMARY = "summary.json"
# In runs of AgentV 5 the same file is in this folder.
INTERNAL = ".internal"
# Only while a run goes on, or if it was never ended.
JOURNAL = "journal.jsonl"
TRANSCRIPTS = "transcripts"

_PROVIDER_LENGTH = 40


def transcript_path(provider: str, session_id: str | None, at: Location) -> str:
    """The place of a transcript in the folder of a run: the same in every process.

    The end of the name tells sessions apart that have no ids or the same ones.
    """
    place = blake2b(f"{Path(at.path).absolute()}:{at.line or 0}".encode(errors="replace"))
    parts = [provider[:_PROVIDER_LENGTH], (session_id or "")[:8], place.hexdigest()[:8]]
    return f"{TRANSCRIPTS}/{'-'.join(_plain(one) for one in parts if one)}.jsonl"


def _plain(text: str) -> str:
    """A part of a file name: nothing but ASCII letters, digits, `_` and `-`."""
    return "".join(one if one.isascii() and (one.isalnum() or one in "_-") else "-" for one in text)
