"""Break the sessions of every adapter value by value: ``python -m fuzz.mutate --records 5000``.

Prints a line for each adapter, and every law that does not hold; exits with 1 if there is one.
"""

from __future__ import annotations

import argparse
import faulthandler
import random
import resource
import sys
import tempfile
import time
import traceback
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from fuzz.laws import Bench, Broken, kinds_at
from fuzz.seeds import seeds
from pytest_agentv.catalogue import ADAPTERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fuzz.seeds import Place, Seed
    from pytest_agentv.adapters.base import Adapter

# None of these is a client's own form: a place where those of others are kept.
NAMES = [one.name for one in ADAPTERS if one.name != "entire"]
# After so many seconds a session that is still being read ends the run, and says where it was.
_HANGS = 60


@dataclass
class Figures:
    """What came of breaking the sessions of an adapter."""

    records: int = 0
    errors: int = 0
    slowest: float = 0.0
    problems: list[str] = field(default_factory=list)


def adapter_of(name: str) -> Adapter:
    """The adapter of that name."""
    (listed,) = (one for one in ADAPTERS if one.name == name)
    adapter: Adapter = getattr(listed.imported(), listed.adapter)()
    return adapter


def mutate(name: str, records: int, seed: int = 0) -> Figures:
    """Break sessions of an adapter so many times, spread over all places and kinds."""
    adapter = adapter_of(name)
    figures = Figures()
    chosen = list(_chosen(seeds(name), records, seed))
    with tempfile.TemporaryDirectory() as folder:
        benches: dict[str, Bench] = {}
        for one, place, kind in chosen:
            if one.id not in benches:
                own = Path(folder) / str(len(benches))
                benches[one.id] = Bench(one, adapter, own)
            _one(benches[one.id], place, kind, figures)
    return figures


def _one(bench: Bench, place: Place, kind: str, figures: Figures) -> None:
    figures.records += 1
    problem = f"{bench.seed.id} {place} {kind}"
    start = time.perf_counter()
    faulthandler.dump_traceback_later(_HANGS, exit=True)
    try:
        reading = bench.check(place, kind)
        figures.errors += reading.error is not None
    except Broken as exc:
        figures.problems.append(f"{problem}: {exc}")
    except Exception:  # noqa: BLE001 (whatever it is, it is what is looked for)
        figures.problems.append(f"{problem}: {traceback.format_exc()}")
    faulthandler.cancel_dump_traceback_later()
    figures.slowest = max(figures.slowest, time.perf_counter() - start)


def _chosen(given: list[Seed], records: int, seed: int) -> Iterator[tuple[Seed, Place, str]]:
    """So many of all that could be broken, the same in every run."""
    chance = random.Random(seed)  # noqa: S311 (to choose, not to hide)
    places = [(one, place) for one in given for place in one.places()]
    chance.shuffle(places)
    left: dict[int, list[str]] = {}
    for number in range(records):
        index = number % len(places)  # every place has a turn before any has two
        one, place = places[index]
        if not left.get(index):
            left[index] = kinds_at(one, place)
            chance.shuffle(left[index])
        yield one, place, left[index].pop()


def main() -> int:
    """Break sessions of all adapters, or of those that are named."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.mutate", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="ADAPTER", help=f"of {', '.join(NAMES)}")
    parser.add_argument("--records", type=int, default=5000, help="of each adapter (5000)")
    parser.add_argument("--seed", type=int, default=0, help="which of all possible ones (0)")
    parser.add_argument("--show", type=int, default=5, help="problems to show (5)")
    options = parser.parse_args()
    problems = 0
    print(f"{'adapter':16}{'records':>8}{'refused':>9}{'problems':>10}{'slowest':>10}{'memory':>9}")
    for name in options.names or NAMES:
        figures = mutate(name, options.records, options.seed)
        problems += len(figures.problems)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
        print(
            f"{name:16}{figures.records:8}{figures.errors:9}{len(figures.problems):10}"
            f"{figures.slowest:8.2f} s{memory:6} MB",
            flush=True,
        )
        for problem in figures.problems[: options.show]:
            print(f"  {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
