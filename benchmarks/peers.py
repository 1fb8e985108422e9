"""Measures all that the project must reach, with other programs side by side, in one run.

Says of each target whether it was met, MISSED or not measured. A program that cannot be installed
or run is a row that says why. It measures; it judges nothing and exits 0.

    python benchmarks/peers.py --peers-dir PEERS --page docs/benchmarks.md --history
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

import comparisons
from comparisons import Bench, Sizes
from figures import Figure, plain_table
from kept_figures import (
    BEGIN,
    END,
    append_history,
    history_line,
    is_page,
    measured_text,
    occasion,
    write_page,
)
from peer_install import PEERS, Peers, install
from targets import verdict_lines, verdicts

if TYPE_CHECKING:
    from collections.abc import Callable

HISTORY = Path(__file__).with_name("history.jsonl")
TASKS: dict[str, Callable[[Bench], list[Figure]]] = {
    "import": comparisons.importing,
    "large-import": comparisons.importing_much,
    "grade": comparisons.grading,
    "collect": comparisons.collecting,
    "list": comparisons.listing,
    "page": comparisons.paging,
}


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    add = parser.add_argument
    add("--peers-dir", type=Path, metavar="DIR", help="where peers are, or get, installed")
    add("--skip-peers", action="store_true", help="measure ours only")
    add("--task", nargs="+", choices=TASKS, default=[*TASKS], help="what to measure (default: all)")
    add("--repeat", type=int, default=3, help="runs of each program (default: 3)")
    add("--limit", type=float, default=60, help="seconds for all runs of a program (default: 60)")
    add("--page", type=Path, metavar="FILE", help="write the tables into this page")
    add(
        "--history",
        type=Path,
        nargs="?",
        const=HISTORY,
        metavar="FILE",
        help="add the figures to this file (default: history.jsonl beside this script)",
    )
    for size in fields(Sizes):
        number = type(size.default)
        name = f"--{size.name.replace('_', '-')}"
        add(name, type=number, default=size.default, help=f"(default: {size.default})")
    options = parser.parse_args(arguments)
    # Known now rather than after ten minutes.
    if options.page and not is_page(options.page):
        parser.error(f"{options.page} is no page with {BEGIN} and then {END}")
    return options


def measure(tasks: list[str], bench: Bench) -> list[Figure]:
    """Return the figures of all tasks; says on the way which one it is at."""
    found: list[Figure] = []
    for task in tasks:
        began = time.perf_counter()
        try:
            found += TASKS[task](bench)
        except (OSError, subprocess.CalledProcessError) as error:
            found.append(Figure(task, "", "all", problem=str(error)))
        print(f"{task}: {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
    return found


def main(arguments: list[str] | None = None) -> None:
    """Measure, print the tables, and keep them where that is asked for."""
    options = _options(arguments)
    sizes = Sizes(**{size.name: getattr(options, size.name) for size in fields(Sizes)})
    with tempfile.TemporaryDirectory(prefix="agentv-benchmark-") as folder:
        work = Path(folder)
        if options.skip_peers:
            peers = Peers(dict.fromkeys(PEERS, "left out (--skip-peers)"))
        else:
            peers = install(options.peers_dir or work / "peers")
        bench = Bench(sizes, peers, work, options.repeat, options.limit)
        figures = measure(list(dict.fromkeys(options.task)), bench)
    reached = verdicts(figures, sizes)
    when = occasion(options.repeat)
    print(f"{when.machine}, commit {when.commit}, best of {when.repeat}\n")
    print(plain_table(figures), "", *verdict_lines(reached), sep="\n")
    if options.page:
        write_page(options.page, measured_text(when, figures, reached))
    if options.history:
        append_history(options.history, history_line(when, sizes, figures, reached))


if __name__ == "__main__":
    main()
