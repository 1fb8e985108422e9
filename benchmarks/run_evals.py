"""Measures pytest with eval files: what the plugin costs unused, and what each assertion costs.

Unused: a collection of an empty folder with and without the plugin. Used: cases of five assertions
each, with a session for every case, beside a plain test file that makes the same checks with
`parametrize`, and with its results kept. It measures and says whether the targets were met; it
judges nothing and exits 0.

    python benchmarks/run_evals.py --cases 1000 10000 --repeat 3
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from generate_evals import CHECKS, write_evals
from measuring import Cost, Program, measured

UNUSED_TARGET = 1.05
CPU_TARGET = 1.15
PEAK_TARGET_MB = 100.0
GROWTH_TARGET = 1.1
RESULTS_TARGET = 1.1

_PLUGIN = ["-p", "pytest_agentv.pytest_plugin"]
# Only the plugins that are named: others would make what they have in common look larger.
RUN_PYTEST = """
import os, sys
os.chdir(sys.argv[1])
for name in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS", "GITHUB_ACTIONS", "CI"):
    os.environ.pop(name, None)
if os.environ.get("BENCHMARK_PLUGINS") != "all":
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
import pytest
code = pytest.main(sys.argv[2:])
sys.exit(0 if code == pytest.ExitCode.NO_TESTS_COLLECTED else code)
"""


@dataclass(frozen=True)
class Row:
    """One line of the table; `problem` says why figures are missing."""

    what: str
    items: int
    program: str
    cpu_seconds: float | None = None
    times_plain: float | None = None
    peak_mb: float | None = None
    wall_seconds: float | None = None
    problem: str | None = None


def unused_programs(folder: Path) -> list[Program]:
    """Return the collection of an empty folder, without the plugin first."""
    folder.mkdir()
    command = [sys.executable, "-c", RUN_PYTEST, str(folder), "--collect-only", "-q"]
    return [Program("without", command), Program("with plugin", [*command, *_PLUGIN])]


def used_programs(folder: Path) -> list[Program]:
    """Return the same checks twice, the plain ones first."""
    command = [sys.executable, "-c", RUN_PYTEST, str(folder), "-q", "-p", "no:cacheprovider"]
    evals = [*_PLUGIN, "made-up.eval.yaml", "--transcript=sessions.jsonl"]
    return [
        Program("parametrize", [*command, "test_plain.py"]),
        Program("eval file", [*command, *evals]),
        Program("with results", [*command, *evals, "--agentv-results=results"]),
    ]


def warm_up(work: Path) -> None:
    """Have bytecode made of everything, which takes time and memory of its own."""
    write_evals(work / "warm-up", cases=1, seed=0)
    measured(used_programs(work / "warm-up"), repeat=1, home=work)


def rows_of(
    what: str, candidates: list[Program], *, items: int, repeat: int, home: Path
) -> list[Row]:
    """Measure programs of which the first is the plain one; return a row for each."""
    results = measured(candidates, repeat=repeat, home=home)
    plain = results[candidates[0].name]
    return [
        _row(what, items, program.name, result=results[program.name], plain=plain)
        for program in candidates
    ]


def _row(what: str, items: int, program: str, *, result: Cost | str, plain: Cost | str) -> Row:
    if isinstance(result, str):
        return Row(what, items, program, problem=result)
    times = None if isinstance(plain, str) else result.cpu_seconds / plain.cpu_seconds
    return Row(what, items, program, result.cpu_seconds, times, result.peak_mb, result.wall_seconds)


def table(rows: list[Row]) -> str:
    """Return the rows as plain text."""
    names = f"{'what':<7} {'items':>6}  {'program':<12}"
    lines = [f"{names} {'CPU s':>8} {'x plain':>8} {'wall s':>8} {'peak MB':>8}"]
    for row in rows:
        head = f"{row.what:<7} {row.items:>6}  {row.program:<12}"
        if row.cpu_seconds is None or row.wall_seconds is None:
            lines.append(f"{head} not measured: {row.problem}")
            continue
        times = "-" if row.times_plain is None else f"{row.times_plain:.2f}"
        figures = f"{row.wall_seconds:>8.2f} {row.peak_mb:>8.0f}"
        lines.append(f"{head} {row.cpu_seconds:>8.2f} {times:>8} {figures}")
    return "\n".join(lines)


def verdicts(rows: list[Row]) -> list[str]:
    """Return a line for each target: met, missed, or not measured."""
    unused = [row for row in rows if row.program == "with plugin"]
    evals = sorted((row for row in rows if row.program == "eval file"), key=lambda row: row.items)
    lines = [_verdict("unused, CPU x without", row.times_plain, UNUSED_TARGET) for row in unused]
    for row in evals:
        what = f"{row.items} items, CPU x parametrize"
        lines.append(_verdict(what, row.times_plain, CPU_TARGET))
    kept = {row.items: row for row in rows if row.program == "with results"}
    for row in evals:
        if row.items in kept:
            cpu, wall = _times(kept[row.items], row)
            lines.append(_verdict(f"{row.items} items, results, CPU", cpu, RESULTS_TARGET))
            lines.append(_verdict(f"{row.items} items, results, wall", wall, RESULTS_TARGET))
    if evals:
        smallest, largest = evals[0], evals[-1]
        what = f"{smallest.items} items, peak MB"
        lines.append(_verdict(what, smallest.peak_mb, PEAK_TARGET_MB))
        if largest.items > smallest.items:
            what = f"CPU of an item, {largest.items} x {smallest.items}"
            lines.append(_verdict(what, _growth(smallest, largest), GROWTH_TARGET))
    return lines


def _times(kept: Row, plain: Row) -> tuple[float | None, float | None]:
    """How much more a run takes that is kept: of CPU time, and by the clock."""
    pairs = (
        (kept.cpu_seconds, plain.cpu_seconds),
        (kept.wall_seconds, plain.wall_seconds),
    )
    cpu, wall = (one / other if one and other else None for one, other in pairs)
    return cpu, wall


def _growth(smallest: Row, largest: Row) -> float | None:
    """How much more an item costs among many than among few."""
    if smallest.cpu_seconds is None or largest.cpu_seconds is None:
        return None
    return (largest.cpu_seconds / largest.items) / (smallest.cpu_seconds / smallest.items)


def _verdict(target: str, value: float | None, limit: float) -> str:
    wanted = f"{target:<34} <= {limit:>5g}"
    if value is None:
        return f"{wanted}  not measured"
    return f"{wanted}  {'met' if value <= limit else 'MISSED'} ({value:.2f})"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--cases", type=int, nargs="+", action="extend", help="cases (default: 1000 and 10000)"
    )
    parser.add_argument("--repeat", type=int, default=3, help="runs of each program (default: 3)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the made-up sessions")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the rows as JSON")
    return parser.parse_args()


def main() -> None:
    """Measure all and print the table."""
    options = _options()
    with tempfile.TemporaryDirectory(prefix="agentv-benchmark-") as folder:
        work = Path(folder)
        # A start is short, and so it is measured more often.
        empty = unused_programs(work / "empty")
        warm_up(work)
        rows = rows_of("unused", empty, items=0, repeat=5 * options.repeat, home=work)
        for cases in options.cases or [1000, 10000]:
            evals = work / f"evals-{cases}"
            write_evals(evals, cases=cases, seed=options.seed)
            programs = used_programs(evals)
            rows += rows_of(
                "used", programs, items=CHECKS * cases, repeat=options.repeat, home=work
            )
    python = f"Python {platform.python_version()}"
    print(f"{python}, best of {options.repeat}\n\n{table(rows)}\n")
    print("\n".join(verdicts(rows)))
    if options.json:
        written = {"python": python, "repeat": options.repeat, "rows": list(map(asdict, rows))}
        options.json.write_text(json.dumps(written, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
