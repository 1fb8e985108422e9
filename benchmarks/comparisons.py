"""What is compared with peers: imports, grading, pytest's start, listings, pages.

Each function measures one task in one run and returns a figure for every program.
"""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from figures import Figure, figures, missing
from generate_evals import CHECKS, write_evals
from import_sessions import OUR_COMMAND, measure_size, programs
from measuring import Program, json_of, measured
from peer_evals import (
    OURS,
    collecting_programs,
    grading_programs,
    peer_program,
)
from peer_install import AGENTV_PEER, CLAUDE_CODE_LOG, Peers
from run_evals import unused_programs, used_programs, warm_up
from vendors import AGENTV, VENDORS, session_path

if TYPE_CHECKING:
    from pathlib import Path

    from measuring import Cost

IMPORT, GRADE, COLLECT, LIST, PAGE = "import", "grade", "collect nothing", "list", "page"
FLOOR, WITHOUT = "decode every line", "pytest without it"
COLD, WARM = "ours, first time", "ours, again"
RESULTS = "ours, results kept"
_CLAUDE = VENDORS["claude"]
# What a program has left behind is taken away first.
_COLD = f"import shutil, sys; shutil.rmtree(sys.argv.pop(1), ignore_errors=True); {OUR_COMMAND}"


@dataclass(frozen=True)
class Sizes:
    """How much is measured; these are the sizes that the targets are about."""

    megabytes: float = 100.0
    large_megabytes: float = 1000.0
    tests: int = 1000
    many_tests: int = 10_000
    sessions: int = 10_000
    page_megabytes: float = 10.0


@dataclass(frozen=True)
class Bench:
    """How it is measured, and where."""

    sizes: Sizes
    peers: Peers
    work: Path
    repeat: int
    limit: float
    seed: int = 1


def size_of(megabytes: float) -> str:
    """Return the size of a session as a figure has it."""
    return f"{megabytes:g} MB"


def checks_of(tests: int) -> str:
    """Return a number of tests as a figure has it."""
    return f"{tests:,} tests x {CHECKS}"


def sessions_of(sessions: int) -> str:
    """Return a number of sessions as a figure has it."""
    return f"{sessions:,} sessions"


def importing(bench: Bench) -> list[Figure]:
    """Import one session of Claude Code; the floor only decodes its lines."""
    log = bench.peers.program(CLAUDE_CODE_LOG)
    peer_name = f"{CLAUDE_CODE_LOG.name}, JSON"

    def more(session: Path) -> list[Program]:
        if isinstance(log, str):
            return []
        command = _log_command(log, session, "json", bench.work)
        return [peer_program(peer_name, bench.work, command)]

    rows = measure_size(
        _CLAUDE,
        bench.sizes.megabytes,
        repeat=bench.repeat,
        seed=bench.seed,
        agentv=bench.peers.program(AGENTV_PEER),
        work=bench.work,
        more=more,
        limit=bench.limit,
    )
    names = {"floor": FLOOR, AGENTV: AGENTV_PEER.name}
    ours = next(row.cpu_seconds for row in rows if row.program == OURS)
    size = size_of(bench.sizes.megabytes)
    found = [
        Figure(
            IMPORT,
            size,
            names.get(row.program, row.program),
            row.cpu_seconds,
            row.wall_seconds,
            row.peak_mb,
            row.cpu_seconds / ours if ours and row.cpu_seconds is not None else None,
            note=_kept(row.tool_calls_kept, row.tool_calls),
            problem=row.problem,
            share=None if row.tool_calls_kept is None else row.tool_calls_kept / row.tool_calls,
        )
        for row in rows
    ]
    return found + (missing(IMPORT, size, {peer_name: log}) if isinstance(log, str) else [])


def _kept(kept: int | None, calls: int) -> str:
    return "" if kept is None else f"{kept:,} of {calls:,} tool calls"


def importing_much(bench: Bench) -> list[Figure]:
    """Import one very large session, once: its memory counts."""
    session = _made_up(bench, bench.sizes.large_megabytes)
    _, ours = programs(_CLAUDE, session, bench.work, "left out")
    results = measured([ours], repeat=1, home=bench.work)
    session.unlink()
    return figures(IMPORT, size_of(bench.sizes.large_megabytes), results, ours=OURS)


def grading(bench: Bench) -> list[Figure]:
    """Grade answers by five deterministic checks each; many more by ours only."""
    warm_up(bench.work)
    tests, many = bench.sizes.tests, bench.sizes.many_tests
    folder = bench.work / "evals"
    write_evals(folder, cases=tests, seed=bench.seed)
    candidates, absent = grading_programs(folder, bench.peers)
    kept = used_programs(folder)[2]
    candidates.insert(1, Program(RESULTS, kept.command))
    results = measured(candidates, repeat=bench.repeat, home=bench.work, limit=bench.limit)
    found = figures(GRADE, checks_of(tests), results, ours=OURS)
    found += missing(GRADE, checks_of(tests), absent)
    folder = bench.work / "many-evals"
    write_evals(folder, cases=many, seed=bench.seed)
    ours = Program(OURS, used_programs(folder)[1].command)
    results = measured([ours], repeat=1, home=bench.work)
    return found + figures(GRADE, checks_of(many), results, ours=OURS)


def collecting(bench: Bench) -> list[Figure]:
    """Start pytest in an empty folder: without a plugin, with ours, with deepeval's."""
    without, ours = unused_programs(bench.work / "empty")
    theirs, absent = collecting_programs(bench.work / "empty", bench.peers)
    candidates = [Program(WITHOUT, without.command), Program(OURS, ours.command), *theirs]
    # The first run makes bytecode, which takes time and memory of its own.
    measured(candidates, repeat=1, home=bench.work, limit=bench.limit)
    # A start is short, and so it is measured more often.
    results = measured(candidates, repeat=5 * bench.repeat, home=bench.work, limit=bench.limit)
    pairs = [(OURS, WITHOUT), *([(theirs[1].name, theirs[0].name)] if theirs else [])]
    notes = {with_it: _times(results[with_it], results[plain]) for with_it, plain in pairs}
    return figures(COLLECT, "", results, ours=OURS, notes=notes) + missing(COLLECT, "", absent)


def _times(with_it: Cost | str, plain: Cost | str) -> str:
    if isinstance(with_it, str) or isinstance(plain, str):
        return ""
    return f"{with_it.cpu_seconds / plain.cpu_seconds:.2f} times the pytest without it"


def listing(bench: Bench) -> list[Figure]:
    """List many sessions, with nothing known of them and once more."""
    size = sessions_of(bench.sizes.sessions)
    home, cache = bench.work / "many", bench.work / "list-cache"
    count = ["--sessions", str(bench.sizes.sessions), "--seed", str(bench.seed)]
    json_of("generate_many.py", *count, str(home / "projects"))
    environment = {"CLAUDE_CONFIG_DIR": str(home), "XDG_CACHE_HOME": str(cache)}
    command = ["import", "claude", "--list"]
    first = [sys.executable, "-c", _COLD, str(cache), *command]
    again = [sys.executable, "-c", OUR_COMMAND, *command]
    candidates = [
        Program(COLD, first, environment=environment),
        Program(WARM, again, environment=environment),
    ]
    absent: dict[str, str] = {}
    agentv = bench.peers.program(AGENTV_PEER)
    if isinstance(agentv, str):
        absent[AGENTV_PEER.name] = agentv
    else:
        theirs = [str(agentv), *command, "--projects-dir", str(home / "projects")]
        candidates.append(peer_program(AGENTV_PEER.name, bench.work, theirs))
    results = measured(candidates, repeat=bench.repeat, home=bench.work, limit=bench.limit)
    shutil.rmtree(home)
    notes = {AGENTV_PEER.name: "names and times of the newest 20, without prompts"}
    found = figures(LIST, size, results, ours=COLD, notes=notes)
    return found + missing(LIST, size, absent)


def paging(bench: Bench) -> list[Figure]:
    """Write a session as a page of HTML."""
    session = _made_up(bench, bench.sizes.page_megabytes)
    size = size_of(bench.sizes.page_megabytes)
    page = bench.work / "ours.html"
    export = ["export", str(session), "-f", "html", "-o", str(page), "--force"]
    candidates = [Program(OURS, [sys.executable, "-c", OUR_COMMAND, *export])]
    log = bench.peers.program(CLAUDE_CODE_LOG)
    absent: dict[str, str] = {}
    theirs = bench.work / "log"
    if isinstance(log, str):
        absent[CLAUDE_CODE_LOG.name] = log
    else:
        command = _log_command(log, session, "html", bench.work)
        candidates.append(peer_program(CLAUDE_CODE_LOG.name, bench.work, command))
    results = measured(candidates, repeat=bench.repeat, home=bench.work, limit=bench.limit)
    written = {OURS: _written(page), CLAUDE_CODE_LOG.name: _written(theirs.with_suffix(".html"))}
    session.unlink()
    return figures(PAGE, size, results, ours=OURS, notes=written) + missing(PAGE, size, absent)


def _written(page: Path) -> str:
    return f"writes {page.stat().st_size / 1e6:.1f} MB" if page.exists() else ""


def _made_up(bench: Bench, megabytes: float) -> Path:
    session = session_path(_CLAUDE, bench.work)
    size = ["--megabytes", str(megabytes), "--seed", str(bench.seed)]
    json_of(_CLAUDE.generator, *size, str(session))
    return session


def _log_command(log: Path, session: Path, form: str, work: Path) -> list[str]:
    output = work / f"log.{form}"
    fresh = ["--no-cache", "--combined", "only"]
    return [str(log), str(session), "--format", form, "--output", str(output), *fresh]
