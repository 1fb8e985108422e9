"""Measures what ``--redact`` adds to ``agentv import`` of a big session: CPU time and peak memory.

python benchmarks/redact_sessions.py --megabytes 100 --repeat 3
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

from measuring import Cost, Program, json_of, measured
from vendors import VENDORS, session_path

TARGET = 3.0
_PIECE = 1 << 20
PROFILES = ("secrets", "research", "strict")
_BEGIN_OF_TEXT = re.compile(rb'"(?:content|text)":"(?=[A-Z])')
# A password and a user, as they stand before anything says what they are, and what says it.
_BEFORE = rb"Try Zk7-vQ93xw-Lm2 and ask rosalind. "
_AFTER = b"password = Zk7-vQ93xw-Lm2 of " + b"/home" + b"/rosalind/notes. "


def main() -> None:
    """Print a table: each profile beside the import without any."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vendor", nargs="+", default=["claude"], choices=list(VENDORS))
    parser.add_argument("--megabytes", type=float, default=100)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--late",
        action="store_true",
        help="with a password and a name that only the last text gives away",
    )
    arguments = parser.parse_args()
    print(f"{'session':<8} {'profile':<9} {'CPU s':>7} {'added, x import':>16} {'peak MB':>8}")
    for vendor in arguments.vendor:
        with tempfile.TemporaryDirectory() as folder:
            work = Path(folder)
            session = session_path(VENDORS[vendor], work)
            size = ["--megabytes", str(arguments.megabytes), "--seed", str(arguments.seed)]
            json_of(VENDORS[vendor].generator, *size, str(session))
            if arguments.late:
                plant(session)
            rows(vendor, session, work, repeat=arguments.repeat)


def plant(session: Path) -> None:
    """Put a password and a name into the first text, and what they are into the last."""
    aside = session.with_suffix(".planted")
    with session.open("rb") as file, aside.open("wb") as planted:
        # Piece by piece: a child starts with the peak memory of this process.
        first = next(_BEGIN_OF_TEXT.finditer(file.read(_PIECE))).end()
        end = file.seek(-_PIECE, os.SEEK_END)
        last = end + [*_BEGIN_OF_TEXT.finditer(file.read())][-1].end()
        file.seek(0)
        for place, text in ((first, _BEFORE), (last, _AFTER)):
            while left := place - file.tell():
                planted.write(file.read(min(left, _PIECE)))
            planted.write(text)
        shutil.copyfileobj(file, planted)
    aside.replace(session)


def rows(name: str, session: Path, work: Path, *, repeat: int) -> None:
    """Print the rows of one vendor."""
    output = str(work / "out.jsonl")
    command = [sys.executable, "-m", "pytest_agentv", "import", name, "--file", str(session)]
    command += ["-o", output, "--force"]
    candidates = [
        Program("none", command),
        *(Program(profile, [*command, "--redact", profile]) for profile in PROFILES),
    ]
    results = measured(candidates, repeat=repeat, home=work)
    floor = results["none"]
    for profile, result in results.items():
        if isinstance(result, str) or not isinstance(floor, Cost):
            print(f"{name:<8} {profile:<9} not measured: {result}")
            continue
        added = result.cpu_seconds / floor.cpu_seconds - 1
        said = "" if profile == "none" else f"{added:.2f}{'' if added <= TARGET else ' MISSED'}"
        print(
            f"{name:<8} {profile:<9} {result.cpu_seconds:>7.2f} {said:>16} {result.peak_mb:>8.0f}"
        )


if __name__ == "__main__":
    main()
