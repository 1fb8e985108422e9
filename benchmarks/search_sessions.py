"""Measures search over many sessions: index, update, queries, memory, and how well it finds.

All in one run, each program as its own process: `agentv import --all` of the same sessions, the
first index without and with vectors, an update after one change, whole commands that search, then
every labelled query in each mode, beside a plain scan of all files and tantivy. It measures, judges
nothing and exits 0. Of several runs of a program the least times count, and the highest peak.

    python benchmarks/search_sessions.py --sessions 10000 --megabytes 1000

With ``--home DIR`` the sessions are kept there, and taken from there the next time.
"""

from __future__ import annotations

import argparse
import json
import operator
import os
import platform
import sys
import tempfile
import time
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from generate_corpus import CLIENTS
from measuring import Cost, NotMeasuredError, Program, cost, json_of

INDEX_TARGET = 2.0
UPDATE_TARGET_S = 1.0
QUERY_TARGET_MS = 50.0
PEAK_TARGET_MB = 200.0

# What the command `agentv` does, from this checkout.
_OURS = [sys.executable, "-c", "from pytest_agentv.cli.main import main; main()"]
_COMPARISONS = {"<=": operator.le, "<": operator.lt}
_SHORT = 5
"""Runs of a program that takes less than a second, at least."""
_QUERY = "flaky websocket reconnect"
_SETTLED = 3.0
"""Seconds after which a file that changed is not read once more to be sure."""
_SCANNED = 5
"""Queries that all files are scanned for: it takes long, and each takes the same."""
_KINDS = ("words", "identifier", "path", "meaning", "all")
_REMEMBERED = "corpus.json"
"""Beside a home that is kept: what was written there."""


def _sum(costs: list[Cost]) -> Cost:
    return Cost(
        sum(one.cpu_seconds for one in costs),
        max(one.peak_mb for one in costs),
        sum(one.wall_seconds for one in costs),
    )


def _best(run: Any, repeat: int) -> Cost:
    """The least time and the highest peak of some runs."""
    costs = [run() for _ in range(repeat)]
    return Cost(
        min(one.cpu_seconds for one in costs),
        max(one.peak_mb for one in costs),
        min(one.wall_seconds for one in costs),
    )


class Bench:
    """One home with sessions, and what is done with them."""

    def __init__(self, home: Path, work: Path) -> None:
        self.home = home
        self.work = work
        self.index = work / "index.db"
        self.config = work / "config.toml"
        self.config.touch()
        self._session = min((home / ".claude").rglob("*.jsonl"))
        self._content = self._session.read_bytes()
        os.environ["AGENTV_INDEX_PATH"] = str(self.index)
        os.environ["AGENTV_CONFIG"] = str(self.config)

    def imported(self) -> Cost:
        """Import all sessions of all clients."""
        to = ["--all", "--force", "-o", str(self.work / "transcripts")]
        return _sum([self._ours("import", client, *to) for client in CLIENTS])

    def indexed(self, *, vectors: bool) -> Cost:
        """Index all sessions from nothing."""
        for file in self.work.glob("index.db*"):
            file.unlink()
        return self.updated(vectors=vectors)

    def updated(self, *, vectors: bool) -> Cost:
        """Bring the index up to date."""
        said = f"[index.vector]\nenabled = {'true' if vectors else 'false'}\n"
        self.config.write_text(said, encoding="utf-8")
        return self._ours("index", "update")

    def _ours(self, *arguments: str) -> Cost:
        return cost(Program(arguments[0], [*_OURS, *arguments]), home=self.home)

    def searched(self, mode: str) -> Cost:
        """Search once, as a command: it starts, looks for changes, loads what it needs, asks."""
        return self._ours("search", "--mode", mode, _QUERY)

    def changed(self, *, vectors: bool) -> Cost:
        """Bring the index up to date after one session grew."""
        with self._session.open("rb+") as file:
            last = file.read().rstrip(b"\n").rpartition(b"\n")[2]
            file.write(last + b"\n")
        return self.updated(vectors=vectors)

    def restore(self) -> None:
        """Make the session that grew what it was."""
        self._session.write_bytes(self._content)

    def scanned(self, queries: list[str]) -> float:
        """Milliseconds that it takes to find the files with the words of a query; the median."""
        files = sorted(self.home.rglob("*.jsonl"))
        times = []
        for query in queries:
            words = [word.encode() for word in query.lower().split()]
            began = time.perf_counter()
            for file in files:
                text = file.read_bytes().lower()
                all(word in text for word in words)
            times.append((time.perf_counter() - began) * 1000)
        return sorted(times)[len(times) // 2]


def measure(options: argparse.Namespace, work: Path) -> dict[str, Any]:
    """Measure everything."""
    home = options.home or work / "home"
    corpus = _corpus(options, home)
    bench = Bench(home, work)
    try:
        return _measured(options, bench, corpus)
    finally:
        bench.restore()


def _corpus(options: argparse.Namespace, home: Path) -> dict[str, Any]:
    """What is in a home; it is written unless the same was before."""
    size = ["--sessions", str(options.sessions), "--megabytes", f"{options.megabytes:g}"]
    wanted = [*size, "--seed", str(options.seed)]
    remembered = home.parent / _REMEMBERED
    if remembered.exists():
        known: dict[str, Any] = json.loads(remembered.read_text(encoding="utf-8"))
        if known["arguments"] == wanted:
            return known
    if home.exists():
        sys.exit(f"{home}: holds other sessions; take it away, or name another folder")
    corpus = {**json_of("generate_corpus.py", *wanted, str(home)), "arguments": wanted}
    remembered.write_text(json.dumps(corpus), encoding="utf-8")
    return corpus


def _measured(options: argparse.Namespace, bench: Bench, corpus: dict[str, Any]) -> dict[str, Any]:
    labelled = bench.work / "labelled.json"
    labelled.write_text(json.dumps(corpus), encoding="utf-8")
    told: dict[str, Any] = {"sessions": corpus["sessions"], "bytes": corpus["bytes"]}
    told["import"] = vars(_best(bench.imported, options.repeat))
    told["index"] = vars(_best(lambda: bench.indexed(vectors=False), options.repeat))
    short = max(options.repeat, _SHORT)
    told["one change"] = vars(_best(lambda: bench.changed(vectors=False), short))
    modes = ["lexical", "hash"]
    if find_spec("wordllama") is not None:
        told["with vectors"] = vars(_best(lambda: bench.indexed(vectors=True), options.repeat))
        told["one change, with vectors"] = vars(_best(lambda: bench.changed(vectors=True), short))
        modes[1:1] = ["semantic", "hybrid"]
    time.sleep(_SETTLED)
    bench.updated(vectors="hybrid" in modes)
    told["commands"] = {
        mode: vars(_best(partial(bench.searched, mode), short)) for mode in modes if mode != "hash"
    }
    told["index_mb"] = bench.index.stat().st_size / 1e6
    modes += ["tantivy"] if find_spec("tantivy") is not None else []
    arguments = [str(bench.index), str(labelled)]
    told["modes"] = [json_of("ask_index.py", "--mode", mode, *arguments) for mode in modes]
    queries = [one["query"] for one in corpus["labelled"]][:_SCANNED]
    told["scan_ms"] = bench.scanned(queries)
    return told


def table(told: dict[str, Any]) -> str:
    """The figures as plain text."""
    lines = [
        f"{'program':<26} {'CPU s':>8} {'clock s':>8} {'peak MB':>8}   x import, CPU and clock"
    ]
    base = told["import"]
    for name in ("import", "index", "with vectors", "one change", "one change, with vectors"):
        if name in told:
            one = told[name]
            ratios = (one[unit] / base[unit] for unit in ("cpu_seconds", "wall_seconds"))
            times = "" if "change" in name else "   " + ", ".join(f"{each:.2f}" for each in ratios)
            figures = f"{one['cpu_seconds']:>8.2f} {one['wall_seconds']:>8.2f}"
            lines.append(f"{name:<26} {figures} {one['peak_mb']:>8.0f}{times}")
    for mode, one in told["commands"].items():
        figures = f"{one['cpu_seconds']:>8.2f} {one['wall_seconds']:>8.2f} {one['peak_mb']:>8.0f}"
        lines.append(f"{f'agentv search, {mode}':<26} {figures}")
    lines += ["", f"{'query':<10} {'median ms':>9} {'max ms':>8} {'CPU ms':>8} {'peak MB':>8}"]
    for one in told["modes"]:
        times = f"{one['median_ms']:>9.1f} {one['max_ms']:>8.1f} {one['cpu_median_ms']:>8.1f}"
        lines.append(f"{one['mode']:<10} {times} {one['peak_mb']:>8.0f}")
    lines.append(f"{'plain scan':<10} {told['scan_ms']:>9.1f}")
    for group in told["modes"][0]["relevance"]:
        kinds = "".join(f"{kind:>14}" for kind in _KINDS)
        lines += ["", f"{group + ', MRR / recall@5':<26}{kinds}"]
        for one in told["modes"]:
            scores = (one["relevance"][group][kind] for kind in _KINDS)
            found = "".join(f"   {each['mrr']:.2f} / {each['recall']:.2f}" for each in scores)
            lines.append(f"{one['mode']:<25} {found}")
    return "\n".join(lines)


def verdicts(told: dict[str, Any]) -> list[str]:
    """A line per target: met or missed."""
    base = told["import"]["wall_seconds"]
    lines = []
    for name in ("index", "with vectors"):
        if name in told:
            ratio = told[name]["wall_seconds"] / base
            lines.append(_verdict(f"{name}, times import", "<=", ratio, INDEX_TARGET))
            peak = told[name]["peak_mb"]
            lines.append(_verdict(f"{name}, MB", "<", peak, PEAK_TARGET_MB))
    lines += [
        _verdict(f"{name}, s", "<", told[name]["wall_seconds"], UPDATE_TARGET_S)
        for name in ("one change", "one change, with vectors")
        if name in told
    ]
    for one in told["modes"]:
        if one["mode"] != "tantivy":
            query = f"{one['mode']}, median ms"
            lines.append(_verdict(query, "<", one["median_ms"], QUERY_TARGET_MS))
            lines.append(_verdict(f"{one['mode']}, MB", "<", one["peak_mb"], PEAK_TARGET_MB))
    return lines


def _verdict(target: str, comparison: str, value: float, limit: float) -> str:
    met = "met" if _COMPARISONS[comparison](value, limit) else "MISSED"
    return f"{target:<30} {comparison:>2} {limit:>5g}  {met} ({value:.2f})"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sessions", type=int, default=10_000, help="how many (default: 10,000)")
    parser.add_argument("--megabytes", type=float, default=1000, help="all (default: 1000)")
    parser.add_argument("--repeat", type=int, default=1, help="runs of each program (default: 1)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the made-up sessions")
    parser.add_argument("--home", type=Path, metavar="DIR", help="write the sessions there")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures as JSON")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="agentv-benchmark-") as folder:
        try:
            told = measure(options, Path(folder).resolve())
        except NotMeasuredError as error:
            sys.exit(f"not measured: {error}")
    python = f"Python {platform.python_version()}"
    print(f"{python}, {told['sessions']} sessions, {told['bytes'] / 1e6:.0f} MB\n")
    print(f"{table(told)}\n\n" + "\n".join(verdicts(told)))
    if options.json:
        options.json.write_text(json.dumps({"python": python, **told}, indent=2), encoding="utf-8")


if __name__ == "__main__":
    main()
