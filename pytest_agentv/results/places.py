"""Where the files of a run are."""

from __future__ import annotations

from pathlib import Path

# Runs are kept here, below the folder that one works in.
ROOT = Path(".agentv/results")
INDEX = "index.jsonl"
SUMMARY = "summary.json"
# In runs of AgentV 5 the same file is in this folder.
INTERNAL = ".internal"
# Only while a run goes on, or if it was never ended.
JOURNAL = "journal.jsonl"
# Every session that was graded, each on a line of its own.
TRANSCRIPTS = "transcripts.jsonl"
# Those that workers kept; only while a run goes on, or if it was never ended.
PARTS = "transcripts-*.jsonl"


def part_of(worker: str) -> str:
    """The file that a worker keeps transcripts in."""
    return PARTS.replace("*", worker)
