"""Running the command ``agentv`` on a terminal, as people do."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from agentv_command import environ

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

COMMAND = [sys.executable, "-m", "pytest_agentv"]
# What a terminal is told by us: bold, colours, moving within the progress bar.
OUR_CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_TERMINAL = {
    "TERM": "xterm-256color",
    "TZ": "UTC",
    # What says that nobody watches, or who does.
    **dict.fromkeys(("NO_COLOR", "CI", "COLUMNS", "PYTEST_VERSION", "PYTEST_CURRENT_TEST")),
}


@dataclass(frozen=True)
class Screen:
    """What a process wrote to a terminal, and to its standard output if that was none."""

    code: int
    raw: str
    out: str

    @property
    def lines(self) -> list[str]:
        """What somebody reads there."""
        return OUR_CODES.sub("", self.raw).replace("\r\n", "\n").rstrip("\n").split("\n")


def on_terminal(
    arguments: Sequence[str],
    *,
    cwd: Path,
    columns: int = 80,
    pipe_output: bool = False,
    command: Sequence[str] = COMMAND,
    keys: Sequence[tuple[str, str]] = (),
    watch: Callable[[bytes], object] = bytes,
    **environment: str,
) -> Screen:
    """Run a command on a pseudo-terminal; ``watch`` is given all that it wrote, again and again.

    ``keys`` are pressed one after the other, each when the text before them has been written.
    """
    pty = pytest.importorskip("pty", reason="no pseudo-terminals here")
    import fcntl  # noqa: PLC0415 (not everywhere)
    import struct  # noqa: PLC0415
    import termios  # noqa: PLC0415

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    process = subprocess.Popen(
        [*command, *arguments],
        cwd=cwd,
        env=environ({**_TERMINAL, **environment}),
        stdin=theirs,
        stdout=subprocess.PIPE if pipe_output else theirs,
        stderr=theirs,
    )
    os.close(theirs)
    written = b""
    waiting, seen = list(keys), 0
    with contextlib.suppress(OSError):  # what Linux says at the end of a terminal
        while chunk := os.read(ours, 65_536):
            written += chunk
            if waiting and waiting[0][0].encode() in written[seen:]:
                seen = len(written)
                os.write(ours, waiting.pop(0)[1].encode())
            watch(written)
    os.close(ours)
    out, _ = process.communicate(timeout=60)
    return Screen(process.returncode, written.decode(), (out or b"").decode())
