"""Measures assertions on trajectories: what they cost beside reading the names of all calls.

A session of many calls is graded by every mode of `tool-trajectory` and by the types beside it.
Some entries hold; some fail, which costs more, because the nearest calls are looked for. The floor
is one loop over all calls that compares the name of each tool. It judges nothing and exits 0.

    python benchmarks/grade_trajectories.py --calls 1000 10000 --expected 20 --repeat 3
"""

from __future__ import annotations

import argparse
import platform
import random
import sys
from functools import partial
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from pytest_agentv import Message, Source, ToolCall, Transcript
from pytest_agentv.graders.base import CaseFacts
from pytest_agentv.graders.catalogue import builtin_graders

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_agentv.graders.base import Grader

_CASE = CaseFacts(id="made-up")
_GRADERS = {name: one for one in builtin_graders() for name in one.types}
_KINDS = (("Bash", "shell", "command"), ("Read", "read", "path"), ("Edit", "edit", "path"))


def made_up(calls: int, seed: int) -> Transcript:
    """Return a session of so many calls, most of them with arguments of their own."""
    chance = random.Random(seed)
    messages = []
    for number in range(calls):
        tool, kind, name = chance.choice(_KINDS)
        args = {name: f"src/part{chance.randrange(calls)}/file{number % 50}.ts --flag"}
        call = ToolCall(tool=tool, kind=kind, input=args, args=args, line=number)
        messages.append(Message(role="assistant", tool_calls=(call,)))
    return Transcript(source=Source(provider="claude-cli", cwd="/home/dev"), output=tuple(messages))


def entries(session: Transcript, expected: int) -> dict[str, Grader]:
    """Return graders of every type, with that many expected calls where they list any."""
    made = session.tool_calls()
    step = max(1, len(made) // expected)
    there = [{"tool": one.kind, "args": dict(one.args)} for one in made[::step][:expected]]
    kinds = ["shell", "read", "edit"]
    rare = [f"*part{n}7*[xyz]?" for n in range(expected)]
    # Each fits a third of all calls, or more.
    frequent = [f"*par*{n % 10}*/*[a-z]*" + "*" * (n // 10) for n in range(expected)]
    paths = [f"**/part{n}*/file{n % 50}.*" for n in range(expected)]
    entry: dict[str, tuple[str, dict[str, Any]]] = {
        "in_order, holds": ("tool-trajectory", {"expected": there}),
        "in_order, fails": ("tool-trajectory", {"expected": there[::-1]}),
        "superset, holds": ("tool-trajectory", {"expected": there[::-1], "mode": "superset"}),
        "superset, fails": (
            "tool-trajectory",
            {"expected": (there * 2)[:expected], "mode": "superset"},
        ),
        "exact, fails": ("tool-trajectory", {"expected": there, "mode": "exact"}),
        "subset, holds": ("tool-trajectory", {"expected": kinds, "mode": "subset"}),
        "subset, fails": ("tool-trajectory", {"expected": there, "mode": "subset"}),
        "tool-used": ("trajectory:tool-used", {"value": ["*part1*", "read"]}),
        "tool-sequence": ("trajectory:tool-sequence", {"value": kinds * (expected // 3)}),
        "tool-order": ("tool-order", {"value": kinds}),
        "tool-call-f1": ("tool-call-f1", {"expected": kinds}),
    }
    for mode in ("in_order", "superset", "exact", "subset"):
        for name, tool, argument, texts in (
            ("rare globs", "shell", "command", rare),
            ("frequent globs", "shell", "command", frequent),
            ("globs of paths", "read", "path", paths),
            ("patterns", "shell", "command", [f"/part{n}7.*[xyz]/" for n in range(expected)]),
        ):
            calls = [{"tool": tool, "args": {argument: text}} for text in texts]
            entry[f"{mode}, {name}"] = "tool-trajectory", {"expected": calls, "mode": mode}
    entry["files-changed, globs"] = "files-changed", {"value": paths}
    entry["files-read, forbidden globs"] = "files-read", {"forbidden": paths}
    entry["tool-used, globs"] = "trajectory:tool-used", {"value": rare}
    entry["tool-sequence, globs"] = "trajectory:tool-sequence", {"value": frequent}
    return {name: _GRADERS[type_].model_validate(keys) for name, (type_, keys) in entry.items()}


def cpu_seconds(work: Callable[[], object], repeat: int) -> float:
    """Return the least CPU time of some runs."""
    times = []
    for _ in range(repeat):
        before = process_time()
        work()
        times.append(process_time() - before)
    return min(times)


def floor(session: Transcript) -> int:
    """Return how often one tool was called, as the plainest check would count it."""
    return sum(call.tool == "Bash" for message in session.output for call in message.tool_calls)


def measured(calls: int, *, expected: int, repeat: int, seed: int) -> dict[str, float]:
    """Return the CPU time of the floor and of every entry."""
    session = made_up(calls, seed)
    times = {"floor": cpu_seconds(partial(floor, session), repeat)}
    for name, grader in entries(session, expected).items():
        times[name] = cpu_seconds(partial(grader.grade, session, _CASE), repeat)
    return times


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--calls", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--expected", type=int, default=20)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(f"Python {platform.python_version()}, {options.expected} expected calls")
    print("| calls | assertion | CPU ms | x floor | ms of a call, x that of the fewest |")
    print("|---|---|---|---|---|")
    first: dict[str, float] = {}
    for calls in sorted(options.calls):
        times = measured(calls, expected=options.expected, repeat=options.repeat, seed=options.seed)
        for name, seconds in times.items():
            growth = seconds / calls / first.setdefault(name, seconds / calls)
            ratio = seconds / times["floor"]
            print(f"| {calls} | {name} | {seconds * 1000:.1f} | {ratio:.1f} | {growth:.2f} |")


if __name__ == "__main__":
    main()
