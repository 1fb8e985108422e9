"""Lines of sessions to be broken, what must be left of them, and the command with its limits."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, TypeAlias

from agentv_command import environ

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from pytest_agentv import Transcript

Json: TypeAlias = dict[str, Any]

# Far more than any import here takes: it only keeps a hang from blocking everything.
SAFETY_NET = 60

# Runs a command and tells its peak memory to a file descriptor. The command gets no other parent:
# it would inherit the peak of a large one.
_MEASURE = """
import os, resource, subprocess, sys
descriptor, limit, *command = sys.argv[1:]
try:
    code = subprocess.call(command, timeout=int(limit))
except subprocess.TimeoutExpired:
    sys.exit("hangs")
os.write(int(descriptor), str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss).encode())
sys.exit(code if code >= 0 else 128 - code)
"""

# Role, content and the id, status and output of every call of a message.
Kept: TypeAlias = list[tuple[str, str, list[tuple[str | None, str, str | None]]]]


def line(record: Any) -> bytes:
    """A record as the client writes it, newline included."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def lines(records: Iterable[Json | bytes]) -> bytes:
    """Records as lines; bytes stand as they are."""
    return b"".join(one if isinstance(one, bytes) else line(one) for one in records)


# Of a conversation as every client of the tests writes it.
CONVERSATION: Kept = [
    ("user", "Build the shop", []),
    ("assistant", "", [("toolu_1", "ok", "built")]),
    ("assistant", "The shop is built.", []),
]


def kept(transcript: Transcript) -> Kept:
    """What counts of a transcript when its line numbers may differ."""
    return [
        (
            message.role,
            message.content,
            [(call.id, call.status, call.output) for call in message.tool_calls],
        )
        for message in transcript.output
    ]


@dataclass(frozen=True)
class Ended:
    """How a run of the command ended; memory in bytes."""

    code: int
    out: str
    err: str
    memory: int

    @property
    def sentence(self) -> str:
        """The one line it said on standard error."""
        (only,) = self.err.removesuffix("\n").split("\n")
        assert "Traceback" not in only
        return only


def agentv(
    *arguments: str | bytes | Path,
    cwd: Path,
    command: tuple[str, ...] = (sys.executable, "-m", "pytest_agentv"),
    stdout: IO[bytes] | int = subprocess.PIPE,
    environment: Mapping[str, str | None] | None = None,
) -> Ended:
    """The command in a process of its own; a variable that is None is taken away."""
    measure = (sys.executable, "-E", "-S", "-c", _MEASURE)
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as measured:
        try:
            ended = subprocess.run(
                [*measure, str(writing), str(SAFETY_NET), *command, *arguments],
                cwd=cwd,
                env=environ(environment or {}),
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=subprocess.PIPE,
                pass_fds=(writing,),
                check=False,
                timeout=2 * SAFETY_NET,
            )
        finally:
            os.close(writing)
        assert ended.stderr != b"hangs\n"
        peak = int(measured.read())
    return Ended(
        ended.returncode,
        (ended.stdout or b"").decode("utf-8", "replace"),
        ended.stderr.decode("utf-8", "replace"),
        peak if sys.platform == "darwin" else peak * 1024,
    )
