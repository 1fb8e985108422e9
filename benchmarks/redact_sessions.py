"""Measures what redaction adds to the import of a big session: CPU time and peak memory.

python benchmarks/redact_sessions.py --megabytes 100 --repeat 3
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from measuring import Cost, Program, json_of, measured
from vendors import VENDORS, session_path

TARGET = 3.0

# What the command does, without the command line around it.
_IMPORT = """
import sys
from pathlib import Path
from pytest_agentv.adapters.base import ReadOptions, refs_of
from pytest_agentv.plugins import registry
from pytest_agentv.redact import Redactor
from pytest_agentv.transcript.writing import write_stream
vendor, profile, session, output = sys.argv[1:]
adapter = registry().adapter(vendor)
[ref] = refs_of(adapter, Path(session))
stream = adapter.read(ref, ReadOptions())
with open(output, "wb") as file:
    write_stream(file, Redactor(profile, key=bytes(32)).stream(stream))
"""


def main() -> None:
    """Print a table: each profile beside the import without any."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vendor", nargs="+", default=["claude"], choices=list(VENDORS))
    parser.add_argument("--megabytes", type=float, default=100)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    print(f"{'session':<8} {'profile':<9} {'CPU s':>7} {'added, x import':>16} {'peak MB':>8}")
    for vendor in arguments.vendor:
        with tempfile.TemporaryDirectory() as folder:
            size = ["--megabytes", str(arguments.megabytes), "--seed", str(arguments.seed)]
            rows(vendor, Path(folder), size, repeat=arguments.repeat)


def rows(name: str, work: Path, size: list[str], *, repeat: int) -> None:
    """Print the rows of one vendor."""
    vendor = VENDORS[name]
    session = session_path(vendor, work)
    json_of(vendor.generator, *size, str(session))
    command = [sys.executable, "-c", _IMPORT, name]
    candidates = [
        Program(profile, [*command, profile, str(session), str(work / "out.jsonl")])
        for profile in ("none", "secrets", "research", "strict")
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
