"""The answers that a peer grades: those of `sessions.jsonl` in the folder that it is run in."""

from __future__ import annotations

import json
from pathlib import Path


def answers() -> list[tuple[str, str]]:
    """Return each case and its answer."""
    with Path("sessions.jsonl").open(encoding="utf-8") as file:
        return [(one["test_id"], one["output"][-1]["content"]) for one in map(json.loads, file)]
