"""Runs programs, each as its own process, and says what CPU time and memory they took.

Knows nothing about what is measured.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_HERE = Path(__file__).resolve().parent
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


class NotMeasuredError(Exception):
    """A program could not be run; says why in one line."""


@dataclass(frozen=True)
class Program:
    """A program to measure: how it is called, where it writes, and what it runs in."""

    name: str
    command: list[str]
    output: Path | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    folder: Path | None = None


@dataclass(frozen=True)
class Cost:
    """What one process took, with all processes that it started."""

    cpu_seconds: float
    peak_mb: float
    # By the clock.
    wall_seconds: float
    # It was not done when its time was over: it takes more than this.
    stopped: bool = False


def cost(program: Program, *, home: Path, limit: float | None = None) -> Cost:
    """Run a program to its end, or for `limit` seconds, and return what it took."""
    paths = [str(_HERE.parent), os.environ.get("PYTHONPATH", "")]
    # An installed package has its bytecode; a checkout makes it on the first of several runs.
    changed = {
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "HOME": str(home),
        "PYTHONPYCACHEPREFIX": str(home / "bytecode"),
        "PYTHONDONTWRITEBYTECODE": "",
    }
    with tempfile.TemporaryFile() as said:
        began = time.perf_counter()
        process = subprocess.Popen(
            program.command,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
            env={**os.environ, **changed, **program.environment},
            cwd=program.folder,
            start_new_session=True,
        )
        stopped = threading.Event()
        with _stopping(process.pid, limit, stopped):
            _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0 and not stopped.is_set():
            said.seek(0)
            raise NotMeasuredError(f"exit {process.returncode}: {last_line(said.read())}")
    unit = 1 if sys.platform == "darwin" else 1024
    cpu = used.ru_utime + used.ru_stime
    return Cost(cpu, used.ru_maxrss * unit / 1e6, wall, stopped.is_set())


@contextmanager
def _stopping(group: int, limit: float | None, stopped: threading.Event) -> Iterator[None]:
    """Kill a group of processes, and say so, if the block is not left within `limit` seconds."""

    def stop() -> None:
        stopped.set()
        with suppress(ProcessLookupError):
            os.killpg(group, signal.SIGKILL)

    if limit is None:
        yield
        return
    timer = threading.Timer(limit, stop)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def last_line(said: bytes) -> str:
    """Return the last line that a program printed, or that there is none."""
    plain = _COLOURS.sub("", said.decode("utf-8", errors="replace"))
    lines = plain.strip().splitlines()
    return lines[-1].strip()[:200] if lines else "nothing printed"


def measured(
    candidates: list[Program], *, repeat: int, home: Path, limit: float | None = None
) -> dict[str, Cost | str]:
    """Return the least time and the highest peak of each program, or why there is none.

    The programs take turns, so that a slow phase of the machine hits all of them. One that would
    take more than `limit` seconds in all is run less often, and its first run ends there.
    """
    results: dict[str, Cost | str] = {}
    spent = dict.fromkeys((program.name for program in candidates), 0.0)
    for _ in range(repeat):
        for program in candidates:
            before = results.get(program.name)
            if isinstance(before, str) or (before and _too_long(before, spent, program, limit)):
                continue
            if program.output is not None:
                # To let go of an old file of 60 MB would count for the program that replaces it.
                program.output.unlink(missing_ok=True)
            try:
                now = cost(program, home=home, limit=limit)
            except NotMeasuredError as error:
                results[program.name] = str(error)
                continue
            spent[program.name] += now.wall_seconds
            if not (before and now.stopped):
                results[program.name] = now if before is None else _best(before, now)
    return results


def _too_long(
    before: Cost, spent: Mapping[str, float], program: Program, limit: float | None
) -> bool:
    return limit is not None and spent[program.name] + before.wall_seconds > limit


def _best(one: Cost, two: Cost) -> Cost:
    return Cost(
        min(one.cpu_seconds, two.cpu_seconds),
        max(one.peak_mb, two.peak_mb),
        min(one.wall_seconds, two.wall_seconds),
    )


def json_of(script: str, *arguments: str) -> dict[str, Any]:
    """Run a script of this folder and return what it prints.

    As a process, because a child starts with the peak memory of the process that made it: this one
    has to stay small.
    """
    done = subprocess.run(
        [sys.executable, str(_HERE / script), *arguments], stdout=subprocess.PIPE, check=True
    )
    printed: dict[str, Any] = json.loads(done.stdout)
    return printed
