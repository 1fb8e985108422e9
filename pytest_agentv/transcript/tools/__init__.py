"""What a tool call is in every vendor's words: its canonical kind and arguments.

A vendor's table stands in its own module. Adapters use these tables, and so does the reader of
foreign transcripts, so that a call gets the same kind by whichever way it comes in.
"""

from __future__ import annotations

from typing import Any

from pytest_agentv.transcript.tools import claude
from pytest_agentv.transcript.tools.table import MCP, OTHER, Table

_TABLES: dict[str, Table] = {"claude-cli": claude.TOOLS}
_EVERY_TOOL: Table = {name: tool for table in _TABLES.values() for name, tool in table.items()}


def describe(tool: str, arguments: Any, provider: str | None) -> tuple[str, dict[str, Any]]:
    """Kind and canonical arguments of a call; without a known provider any vendor's name fits."""
    entry = _TABLES.get(provider or "", _EVERY_TOOL).get(tool)
    if entry is None:
        entry = MCP if tool.startswith("mcp__") else OTHER
    return entry.kind, entry.canonical(arguments)
