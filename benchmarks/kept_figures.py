"""Keeps what was measured: a line in the history, and the tables of a page between its markers."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

from figures import markdown_table
from targets import verdict_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from comparisons import Sizes
    from figures import Figure
    from targets import Verdict

BEGIN, END = "<!-- measured -->", "<!-- /measured -->"
_ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Occasion:
    """What was measured, when, and on what kind of machine; not on whose."""

    version: str
    commit: str
    date: str
    machine: str
    repeat: int


def occasion(repeat: int) -> Occasion:
    """Return it for this checkout."""
    changed = "+changes" if _git("status", "--porcelain", "-uno") else ""
    commit = _git("rev-parse", "--short=12", "HEAD")
    system = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    return Occasion(
        version=_git("describe", "--tags", "--always") or "unknown",
        commit=f"{commit}{changed}" if commit else "unknown",
        date=datetime.now(timezone.utc).date().isoformat(),
        machine=f"{system}, Python {platform.python_version()}",
        repeat=repeat,
    )


def _git(*arguments: str) -> str:
    """Return what git says, or nothing where it knows nothing of this folder."""
    try:
        done = subprocess.run(
            ["git", "-C", str(_ROOT), *arguments],  # noqa: S607 (whichever git there is)
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()


def history_line(
    when: Occasion, sizes: Sizes, figures: Sequence[Figure], verdicts: Sequence[Verdict]
) -> str:
    """Return one line of JSON with all of a run."""
    rows = [
        {
            "what": one.what,
            "program": one.program,
            "cpu_seconds": _rounded(one.cpu_seconds),
            "wall_seconds": _rounded(one.wall_seconds),
            "peak_mb": _rounded(one.peak_mb),
            "times_ours": _rounded(one.times_ours),
            **({"stopped": True} if one.stopped else {}),
        }
        for one in figures
        if one.cpu_seconds is not None
    ]
    targets = [
        {"target": one.target, "value": _rounded(one.value), "outcome": one.outcome}
        for one in verdicts
    ]
    written = {**asdict(when), "sizes": asdict(sizes), "targets": targets, "figures": rows}
    return json.dumps(written, ensure_ascii=False, separators=(",", ":"))


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def append_history(path: Path, line: str) -> None:
    """Add a run at the end of the history."""
    with path.open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")


def measured_text(when: Occasion, figures: Sequence[Figure], verdicts: Sequence[Verdict]) -> str:
    """Return what stands between the markers of a page."""
    head = f"Measured on {when.date} at commit `{when.commit}`: {when.machine}, best of"
    return (
        f"{head} {when.repeat}.\n\n{verdict_table(verdicts)}\n\n"
        f"## Beside other programs\n\n{markdown_table(figures)}"
    )


def is_page(path: Path) -> bool:
    """Whether tables can be written into it: it has both markers."""
    return path.is_file() and END in path.read_text(encoding="utf-8").partition(BEGIN)[2]


def write_page(path: Path, text: str) -> None:
    """Replace what stands between the markers of a page."""
    before, _, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    path.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}", encoding="utf-8")
