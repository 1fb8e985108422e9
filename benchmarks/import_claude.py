"""Measures the import of big Claude Code sessions: CPU time, peak memory, tool calls kept.

Three programs read the same made-up session in one run, each as its own process: a floor that only
decodes every line, ours, and AgentV's. It measures and says whether the targets were met; it
judges nothing and exits 0.

    python benchmarks/import_claude.py --megabytes 100 --repeat 3
"""

from __future__ import annotations

import argparse
import json
import operator
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

AGENTV = "agentv@4.42.4"
CPU_TARGET = 2.0
PEAK_TARGET_MB = 100.0
AGENTV_CPU_TARGET = 5.0
AGENTV_PEAK_TARGET = 8.0

_HERE = Path(__file__).resolve().parent
_SESSION_ID = "0f0e0d0c-0b0a-4908-8706-050403020100"
_FLOOR = "import sys, msgspec\nfor line in open(sys.argv[1], 'rb'): msgspec.json.decode(line)"
# What the command `agentv` does, from this checkout.
_OURS = "from pytest_agentv.cli.main import main; main()"
_INSTALL_SECONDS = 600
_COMPARISONS = {"<=": operator.le, "<": operator.lt, ">=": operator.ge, "==": operator.eq}


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


@dataclass(frozen=True)
class Row:
    """One line of the table; `problem` says why figures are missing."""

    megabytes: float
    program: str
    tool_calls: int
    cpu_seconds: float | None = None
    times_floor: float | None = None
    peak_mb: float | None = None
    tool_calls_kept: int | None = None
    tokens_exact: bool | None = None
    problem: str | None = None


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
        process = subprocess.Popen(
            command, stdout=said, stderr=subprocess.STDOUT, env={**os.environ, **changed}
        )
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            said.seek(0)
            raise NotMeasuredError(f"exit {process.returncode}: {_last_line(said.read())}")
    unit = 1 if sys.platform == "darwin" else 1024
    return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss * unit / 1e6)


def _last_line(said: bytes) -> str:
    lines = said.decode("utf-8", errors="replace").strip().splitlines()
    return lines[-1].strip()[:200] if lines else "nothing printed"


def _json_of(script: str, *arguments: str) -> dict[str, Any]:
    """Run a script of this folder and return what it prints.

    As a process, because a child starts with the peak memory of the process that made it: this one
    has to stay small.
    """
    done = subprocess.run(
        [sys.executable, str(_HERE / script), *arguments], stdout=subprocess.PIPE, check=True
    )
    printed: dict[str, Any] = json.loads(done.stdout)
    return printed


def agentv_command(directory: Path) -> Path:
    """Return the installed AgentV command; install it into `directory` where it is missing."""
    for tool in ("node", "npm"):
        if shutil.which(tool) is None:
            raise NotMeasuredError(f"{tool} is not installed")
    command = directory / "node_modules" / ".bin" / "agentv"
    if command.exists():
        return command
    install = ["npm", "install", AGENTV, "--prefix", str(directory), "--no-audit", "--no-fund"]
    try:
        subprocess.run(install, capture_output=True, check=True, timeout=_INSTALL_SECONDS)
    except subprocess.TimeoutExpired as error:
        raise NotMeasuredError(f"npm install took more than {_INSTALL_SECONDS} s") from error
    except subprocess.CalledProcessError as error:
        raise NotMeasuredError(f"npm install failed: {_last_line(error.stderr)}") from error
    return command


def programs(session: Path, outputs: Path, agentv: Path | str) -> list[Program]:
    """Return what is measured; the floor comes first."""
    ours = outputs / "ours.jsonl"
    command = [sys.executable, "-c", _OURS, "import", "claude", "--force"]
    found = [
        Program("floor", [sys.executable, "-c", _FLOOR, str(session)]),
        Program("ours", [*command, "--file", str(session), "-o", str(ours)], ours),
    ]
    if isinstance(agentv, Path):
        theirs = outputs / "agentv.jsonl"
        projects = str(session.parent.parent)
        command = [str(agentv), "import", "claude", "--session-id", session.stem]
        command += ["--projects-dir", projects, "-o", str(theirs)]
        found.append(Program(AGENTV, command, theirs))
    return found


def measured(candidates: list[Program], *, repeat: int, home: Path) -> dict[str, Cost | str]:
    """Return the least CPU time and the highest peak of each program, or why there is none.

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
    return Cost(min(one.cpu_seconds, two.cpu_seconds), max(one.peak_mb, two.peak_mb))


def measure_size(
    megabytes: float, *, repeat: int, seed: int, agentv: Path | str, work: Path
) -> list[Row]:
    """Generate a session of one size and return a row per program."""
    session = work / "projects" / "-home-dev-projects-orchard" / f"{_SESSION_ID}.jsonl"
    session.parent.mkdir(parents=True, exist_ok=True)
    size = ["--megabytes", str(megabytes), "--seed", str(seed)]
    truth = _json_of("generate_claude.py", *size, str(session))
    candidates = programs(session, work, agentv)
    results = measured(candidates, repeat=repeat, home=work)
    rows: list[Row] = []
    for program in candidates:
        result = results[program.name]
        row = Row(megabytes, program.name, tool_calls=truth["tool_calls"])
        rows.append(_filled(row, program, result, floor=results["floor"], truth=truth))
    if isinstance(agentv, str):
        rows.append(Row(megabytes, AGENTV, tool_calls=truth["tool_calls"], problem=agentv))
    return rows


def _filled(
    row: Row, program: Program, result: Cost | str, *, floor: Cost | str, truth: dict[str, Any]
) -> Row:
    if isinstance(result, str):
        return replace(row, problem=result)
    times = None if isinstance(floor, str) else result.cpu_seconds / floor.cpu_seconds
    row = replace(row, cpu_seconds=result.cpu_seconds, times_floor=times, peak_mb=result.peak_mb)
    if program.output is None:
        return row
    try:
        counted = _json_of("count_output.py", str(program.output))
    except subprocess.CalledProcessError:
        return replace(row, problem="its output cannot be read")
    tokens = counted["tokens"]
    exact = tokens and all(tokens.get(name) == count for name, count in truth["tokens"].items())
    return replace(
        row,
        tool_calls_kept=counted["tool_calls"],
        tokens_exact=None if tokens is None else bool(exact),
    )


def table(rows: list[Row]) -> str:
    """Return the rows as plain text."""
    costs = f"{'CPU s':>8} {'x floor':>8} {'peak MB':>8}"
    lines = [f"{'MB':>6}  {'program':<14} {costs}  {'tool calls kept':<18} tokens"]
    for row in rows:
        head = f"{row.megabytes:>6g}  {row.program:<14}"
        if row.cpu_seconds is None or row.peak_mb is None:
            lines.append(f"{head} not measured: {row.problem}")
            continue
        times = "-" if row.times_floor is None else f"{row.times_floor:.2f}"
        kept = "-" if row.tool_calls_kept is None else f"{row.tool_calls_kept} / {row.tool_calls}"
        tokens = {None: "-", True: "exact", False: "wrong"}[row.tokens_exact]
        figures = f"{row.cpu_seconds:>8.2f} {times:>8} {row.peak_mb:>8.0f}"
        lines.append(f"{head} {figures}  {kept:<18} {row.problem or tokens}")
    return "\n".join(lines)


def verdicts(rows: list[Row]) -> list[str]:
    """Return a line per size and target: met, missed, or not measured."""
    lines: list[str] = []
    for megabytes in dict.fromkeys(row.megabytes for row in rows):
        of_size = {row.program: row for row in rows if row.megabytes == megabytes}
        ours, theirs = of_size["ours"], of_size[AGENTV]
        faster = _ratio(theirs.cpu_seconds, ours.cpu_seconds)
        smaller = _ratio(theirs.peak_mb, ours.peak_mb)
        kept = _ratio(ours.tool_calls_kept, ours.tool_calls)
        lines += [
            f"{megabytes:>6g} MB  {verdict}"
            for verdict in (
                _verdict("CPU, times the floor", "<=", ours.times_floor, CPU_TARGET),
                _verdict("peak memory in MB", "<", ours.peak_mb, PEAK_TARGET_MB),
                _verdict("share of tool calls kept", "==", kept, 1.0),
                _verdict("times faster than AgentV", ">=", faster, AGENTV_CPU_TARGET),
                _verdict("times less memory than AgentV", ">=", smaller, AGENTV_PEAK_TARGET),
            )
        ]
    return lines


def _ratio(one: float | None, two: float | None) -> float | None:
    return None if one is None or two is None else one / two


def _verdict(target: str, comparison: str, value: float | None, limit: float) -> str:
    wanted = f"{target:<30} {comparison:>2} {limit:>5g}"
    if value is None:
        return f"{wanted}  not measured"
    met = _COMPARISONS[comparison](value, limit)
    return f"{wanted}  {'met' if met else 'MISSED'} ({value:.2f})"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--megabytes", type=float, nargs="+", action="extend", help="session sizes (default: 100)"
    )
    parser.add_argument("--repeat", type=int, default=3, help="runs of each program (default: 3)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the made-up session")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the rows as JSON")
    parser.add_argument("--skip-agentv", action="store_true", help="do not measure AgentV")
    parser.add_argument(
        "--agentv-dir", type=Path, metavar="DIR", help=f"where {AGENTV} is, or gets, installed"
    )
    return parser.parse_args()


def _agentv(options: argparse.Namespace, work: Path) -> Path | str:
    """Return AgentV's command, or why there is none."""
    if options.skip_agentv:
        return "skipped (--skip-agentv)"
    try:
        return agentv_command((options.agentv_dir or work / "npm").resolve())
    except NotMeasuredError as error:
        return str(error)


def main() -> None:
    """Measure every size and print the table."""
    options = _options()
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="agentv-benchmark-") as folder:
        work = Path(folder)
        agentv = _agentv(options, work)
        for megabytes in options.megabytes or [100.0]:
            rows += measure_size(
                megabytes, repeat=options.repeat, seed=options.seed, agentv=agentv, work=work
            )
    python = f"Python {platform.python_version()}"
    print(f"{python}, best of {options.repeat}\n\n{table(rows)}\n")
    print("\n".join(verdicts(rows)))
    if options.json:
        written = {"python": python, "repeat": options.repeat, "rows": list(map(asdict, rows))}
        options.json.write_text(json.dumps(written, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
