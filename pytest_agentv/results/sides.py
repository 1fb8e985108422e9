"""The sides of a comparison by their names: ``latest``, ``a.jsonl``, ``latest@codex-cli``."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pytest_agentv.errors import AmbiguousRun, Location, ResultsError
from pytest_agentv.results.matching import Side
from pytest_agentv.results.reading import LATEST, find_run, is_path

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pytest_agentv.results.reading import Run

_AT = "@"


def sides_named(
    names: Sequence[str],
    *,
    root: Path,
    baseline: str | None = None,
    candidates: Sequence[str] = (),
) -> list[Side]:
    """The sides that are compared, the baseline first.

    One name of a run stands for its targets, of which ``baseline`` and ``candidates`` may be
    chosen; several names, or one with a target, stand for a side each.
    """
    if len(names) > 1 or (names and target_in(names[0])):
        sides = [_side(name, root) for name in names]
        if len(sides) == 1:
            raise ResultsError(f"there is nothing to compare {names[0]!r} with; name another")
        return _told_apart(sides)
    run = find_run(names[0] if names else LATEST, root=root)
    return _of_targets(run, baseline, candidates)


def _side(name: str, root: Path) -> Side:
    target = target_in(name)
    if target is None:
        run = find_run(name, root=root)
        label = run.summary.run_id if name == LATEST else name
        return _whole(run, label)
    run = find_run(name[: -len(_AT + target)] or LATEST, root=root)
    return _of_target(run, _fitting(run, target), f"{run.summary.run_id}{_AT}")


def target_in(name: str) -> str | None:
    """The target that a name ends with, if it is not the name of a file."""
    _, at, target = name.rpartition(_AT)
    return target if at and target and not is_path(name) else None


def _of_targets(run: Run, baseline: str | None, candidates: Sequence[str]) -> list[Side]:
    there = _whole(run, "").targets
    first = _fitting(run, baseline) if baseline else None
    others = [_fitting(run, one) for one in candidates]
    chosen = list(dict.fromkeys([*([first] if first else []), *others]))
    if first is None:
        chosen = [next((one for one in there if one not in chosen), ""), *chosen]
    if not others:
        chosen += [one for one in there if one not in chosen]
    chosen = [one for one in chosen if one]
    if len(chosen) > 1:
        return [_of_target(run, one, "") for one in chosen]
    has = f"one target only, {there[0]}" if there else "no sessions"
    raise ResultsError(f"has {has}: name another run to compare it with", at=Location(run.path))


def _fitting(run: Run, target: str) -> str:
    """A target by its name, which may be shortened."""
    there = _whole(run, "").targets
    fitting = [one for one in there if one.startswith(target)]
    if target in fitting:
        return target
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        message = f"{target!r} fits {', '.join(fitting)}; write more of the target"
        raise AmbiguousRun(message, at=Location(run.path))
    message = f"has no target {target!r}; there are: {', '.join(there) or 'none'}"
    raise ResultsError(message, at=Location(run.path))


def _whole(run: Run, label: str) -> Side:
    summary = run.summary
    return Side(label=label, run_id=summary.run_id, complete=summary.complete, rows=run.rows)


def _of_target(run: Run, target: str, before: str) -> Side:
    rows = tuple(row for row in run.rows if row.target == target)
    return replace(_whole(run, before + target), rows=rows)


def _told_apart(sides: list[Side]) -> list[Side]:
    """The same with labels that differ, and say no more than that takes.

    Of one run its targets say it all; the same name may be given twice.
    """
    if len({side.run_id for side in sides}) == 1:
        short = [side.label.removeprefix(f"{side.run_id}{_AT}") for side in sides]
        sides = [replace(side, label=label) for side, label in zip(sides, short, strict=True)]
    counts = Counter(side.label for side in sides)
    return [
        replace(side, label=f"{side.label} ({number})") if counts[side.label] > 1 else side
        for number, side in enumerate(sides, 1)
    ]
