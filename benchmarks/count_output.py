"""Counts the tool calls and tokens in the output of an import, and prints them as JSON.

Reads our transcripts (a session per line) and AgentV's (a message per line). Runs as a process of
its own, so that the memory it takes does not show in the peak of what is measured.
"""

from __future__ import annotations

import json
import mmap
import sys
from pathlib import Path

import msgspec


class Call(msgspec.Struct):
    """A tool call; only its presence counts."""


class Message(msgspec.Struct):
    """A message of a transcript."""

    tool_calls: list[Call] = []


class Row(msgspec.Struct):
    """A line: a session with its messages (ours) or a single message (AgentV's)."""

    output: list[Message] = []
    tool_calls: list[Call] = []
    token_usage: dict[str, int | bool | None] | None = None


def lines(path: Path) -> list[memoryview]:
    """Return the lines of a file without copying them."""
    with path.open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    view = memoryview(mapped)
    found: list[memoryview] = []
    start = 0
    while start < len(mapped):
        end = mapped.find(b"\n", start)
        end = len(mapped) if end < 0 else end
        found.append(view[start:end])
        start = end + 1
    return found


def main() -> None:
    """Count what is in the file named on the command line."""
    rows = msgspec.json.Decoder(Row)
    calls = 0
    usage: dict[str, int | bool | None] | None = None
    for line in lines(Path(sys.argv[1])):
        row = rows.decode(line)
        calls += len(row.tool_calls) + sum(len(message.tool_calls) for message in row.output)
        usage = row.token_usage if row.output else usage
    print(json.dumps({"tool_calls": calls, "tokens": usage}))


if __name__ == "__main__":
    main()
