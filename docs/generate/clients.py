"""The table of clients: how their adapters are called, and what they were tested with."""

from __future__ import annotations

from marked import code, table

from pytest_agentv.catalogue import ADAPTERS
from pytest_agentv.plugins import registry


def parts() -> dict[str, str]:
    """The table by its name."""
    known = registry()
    rows = []
    for one in ADAPTERS:
        oldest, newest = known.adapter(one.name).tested
        rows.append(
            [code(f"agentv import {one.name}"), code(one.provider), f"{oldest} to {newest}"]
        )
    return {"clients": table(["command", "`provider` of its transcripts", "tested with"], rows)}
