"""Measures the import of big sessions: CPU time, peak memory, tool calls kept, tokens.

For each vendor three programs read the same made-up session in one run, each as its own process: a
floor that only decodes every line, ours, and AgentV's. It measures and says whether the targets
were met; it judges nothing and exits 0.

    python benchmarks/import_sessions.py --vendor claude codex copilot --megabytes 100 --repeat 3
"""

from __future__ import annotations

import argparse
import json
import operator
import platform
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from measuring import Cost, NotMeasuredError, Program, json_of, measured
from vendors import AGENTV, VENDORS, Vendor, agentv_command, agentv_import, session_path

if TYPE_CHECKING:
    from collections.abc import Callable

CPU_TARGET = 2.0
PEAK_TARGET_MB = 100.0
AGENTV_CPU_TARGET = 5.0
AGENTV_PEAK_TARGET = 8.0
REDACTION_TARGET = 3.0

REDACTED = "redacted"

_FLOOR = "import sys, msgspec\nfor line in open(sys.argv[1], 'rb'): msgspec.json.decode(line)"
# What the command `agentv` does, from this checkout.
OUR_COMMAND = "from pytest_agentv.cli.main import main; main()"
_COMPARISONS = {"<=": operator.le, "<": operator.lt, ">=": operator.ge, "==": operator.eq}


@dataclass(frozen=True)
class Row:
    """One line of the table; `problem` says why figures are missing."""

    vendor: str
    megabytes: float
    program: str
    tool_calls: int
    cpu_seconds: float | None = None
    times_floor: float | None = None
    peak_mb: float | None = None
    tool_calls_kept: int | None = None
    tokens_exact: bool | None = None
    wall_seconds: float | None = None
    problem: str | None = None


def programs(
    vendor: Vendor, session: Path, outputs: Path, agentv: Path | str, *, redact: bool = False
) -> list[Program]:
    """Return what is measured; the floor comes first."""
    ours = outputs / "ours.jsonl"
    command = [sys.executable, "-c", OUR_COMMAND, "import", vendor.name, "--force"]
    found = [
        Program("floor", [sys.executable, "-c", _FLOOR, str(session)]),
        Program("ours", [*command, "--file", str(session), "-o", str(ours)], ours),
    ]
    if redact:
        clean = outputs / "redacted.jsonl"
        profile = ["--redact", "secrets"]
        found.append(
            Program(REDACTED, [*command, *profile, "--file", str(session), "-o", str(clean)], clean)
        )
    if isinstance(agentv, Path):
        theirs = outputs / "agentv.jsonl"
        command = agentv_import(agentv, vendor, home=outputs, output=theirs)
        found.append(Program(AGENTV, command, theirs))
    return found


def measure_size(
    vendor: Vendor,
    megabytes: float,
    *,
    repeat: int,
    seed: int,
    agentv: Path | str,
    work: Path,
    redact: bool = False,
    more: Callable[[Path], list[Program]] | None = None,
    limit: float | None = None,
) -> list[Row]:
    """Generate a session of one size and return a row per program.

    `more` returns further programs that read this session.
    """
    session = session_path(vendor, work)
    size = ["--megabytes", str(megabytes), "--seed", str(seed)]
    truth = json_of(vendor.generator, *size, str(session))
    candidates = programs(vendor, session, work, agentv, redact=redact)
    candidates += more(session) if more else []
    results = measured(candidates, repeat=repeat, home=work, limit=limit)
    rows: list[Row] = []
    for program in candidates:
        result = results[program.name]
        row = Row(vendor.name, megabytes, program.name, tool_calls=truth["tool_calls"])
        rows.append(_filled(row, program, result, floor=results["floor"], truth=truth))
    if isinstance(agentv, str):
        calls = truth["tool_calls"]
        rows.append(Row(vendor.name, megabytes, AGENTV, tool_calls=calls, problem=agentv))
    session.unlink()
    return rows


def _filled(
    row: Row, program: Program, result: Cost | str, *, floor: Cost | str, truth: dict[str, Any]
) -> Row:
    if isinstance(result, str):
        return replace(row, problem=result)
    if result.stopped:
        return replace(row, problem=f"took more than {result.wall_seconds:.0f} s")
    times = None if isinstance(floor, str) else result.cpu_seconds / floor.cpu_seconds
    row = replace(
        row,
        cpu_seconds=result.cpu_seconds,
        times_floor=times,
        peak_mb=result.peak_mb,
        wall_seconds=result.wall_seconds,
    )
    if program.output is None:
        return row
    try:
        counted = json_of("count_output.py", str(program.output))
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
    lines = [f"{'session':<8} {'MB':>6}  {'program':<14} {costs}  {'tool calls kept':<18} tokens"]
    for row in rows:
        head = f"{row.vendor:<8} {row.megabytes:>6g}  {row.program:<14}"
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
    """Return a line per session and target: met, missed, or not measured."""
    lines: list[str] = []
    for session in dict.fromkeys((row.vendor, row.megabytes) for row in rows):
        vendor, megabytes = session
        of_size = {row.program: row for row in rows if (row.vendor, row.megabytes) == session}
        ours, theirs = of_size["ours"], of_size[AGENTV]
        faster = _ratio(theirs.cpu_seconds, ours.cpu_seconds)
        smaller = _ratio(theirs.peak_mb, ours.peak_mb)
        kept = _ratio(ours.tool_calls_kept, ours.tool_calls)
        exact = None if ours.tokens_exact is None else float(ours.tokens_exact)
        lines += [
            f"{vendor:<8} {megabytes:>6g} MB  {verdict}"
            for verdict in (
                _verdict("CPU, times the floor", "<=", ours.times_floor, CPU_TARGET),
                _verdict("peak memory in MB", "<", ours.peak_mb, PEAK_TARGET_MB),
                _verdict("share of tool calls kept", "==", kept, 1.0),
                _verdict("sessions with exact tokens", "==", exact, 1.0),
                _verdict("times faster than AgentV", ">=", faster, AGENTV_CPU_TARGET),
                _verdict("times less memory than AgentV", ">=", smaller, AGENTV_PEAK_TARGET),
                *_verdicts_on_redaction(of_size.get(REDACTED), ours),
            )
        ]
    return lines


def _verdicts_on_redaction(redacted: Row | None, ours: Row) -> list[str]:
    """What redaction adds to an import, if it was measured in the same run."""
    if redacted is None:
        return []
    times = _ratio(redacted.cpu_seconds, ours.cpu_seconds)
    added = None if times is None else times - 1
    return [
        _verdict("imports that redaction adds", "<=", added, REDACTION_TARGET),
        _verdict("peak memory in MB, redacted", "<", redacted.peak_mb, PEAK_TARGET_MB),
    ]


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
        "--vendor", nargs="+", choices=VENDORS, default=[*VENDORS], help="whose (default: all)"
    )
    parser.add_argument(
        "--megabytes", type=float, nargs="+", action="extend", help="session sizes (default: 100)"
    )
    parser.add_argument("--repeat", type=int, default=3, help="runs of each program (default: 3)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the made-up session")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the rows as JSON")
    parser.add_argument("--redact", action="store_true", help="also import with --redact secrets")
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
        for vendor in map(VENDORS.__getitem__, dict.fromkeys(options.vendor)):
            for megabytes in options.megabytes or [100.0]:
                rows += measure_size(
                    vendor,
                    megabytes,
                    repeat=options.repeat,
                    seed=options.seed,
                    agentv=agentv,
                    work=work,
                    redact=options.redact,
                )
    python = f"Python {platform.python_version()}"
    print(f"{python}, best of {options.repeat}\n\n{table(rows)}\n")
    print("\n".join(verdicts(rows)))
    if options.json:
        written = {"python": python, "repeat": options.repeat, "rows": list(map(asdict, rows))}
        options.json.write_text(json.dumps(written, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
