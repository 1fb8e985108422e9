"""Runs programs, each as its own process, and says what CPU time and memory they took.

Knows nothing about what is measured.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_HERE = Path(__file__).resolve().parent


class NotMeasuredError(Exception):
    """A program could not be run; says why in one line."""


@dataclass(frozen=True)
class Program:
    """A program to measure: how it is called and where it writes."""

    name: str
    command: list[str]
    output: Path | None = None


@dataclass(frozen=True)
class Cost:
    """What one process took, with all processes that it started."""

    cpu_seconds: float
    peak_mb: float
    # By the clock.
    wall_seconds: float


def cost(command: list[str], *, home: Path) -> Cost:
    """Run a command to its end and return what it took."""
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
            command, stdout=said, stderr=subprocess.STDOUT, env={**os.environ, **changed}
        )
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            said.seek(0)
            raise NotMeasuredError(f"exit {process.returncode}: {last_line(said.read())}")
    unit = 1 if sys.platform == "darwin" else 1024
    return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss * unit / 1e6, wall)


def last_line(said: bytes) -> str:
    """Return the last line that a program printed, or that there is none."""
    lines = said.decode("utf-8", errors="replace").strip().splitlines()
    return lines[-1].strip()[:200] if lines else "nothing printed"


def measured(candidates: list[Program], *, repeat: int, home: Path) -> dict[str, Cost | str]:
    """Return the least time and the highest peak of each program, or why there is none.

    The programs take turns, so that a slow phase of the machine hits all of them.
    """
    results: dict[str, Cost | str] = {}
    for _ in range(repeat):
        for program in candidates:
            before = results.get(program.name)
            if isinstance(before, str):
                continue
            try:
                now = cost(program.command, home=home)
            except NotMeasuredError as error:
                results[program.name] = str(error)
                continue
            results[program.name] = now if before is None else _best(before, now)
    return results


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
