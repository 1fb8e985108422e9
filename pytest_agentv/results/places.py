"""Where the files of a run are."""

from __future__ import annotations

import os
import re
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
_NOT_PLAIN = re.compile("[^A-Za-z0-9_-]")


def transcript_path(provider: str, session_id: str | None, at: Location) -> str:
    """The place of a transcript in the folder of a run: the same in every process.

    The end of the name tells sessions apart that have no ids or the same ones.
    """
    where = f"{os.path.abspath(at.path)}:{at.line or 0}"  # noqa: PTH100 (it costs half as much)
    place = blake2b(where.encode(errors="replace"), digest_size=4).hexdigest()
    parts = (provider[:_PROVIDER_LENGTH], (session_id or "")[:8], place)
    # What a session is called is foreign, and no part of a path may be.
    return f"{TRANSCRIPTS}/{_NOT_PLAIN.sub('-', '-'.join(filter(None, parts)))}.jsonl"
