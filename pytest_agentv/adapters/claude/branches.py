"""Rewinds: prompts that were taken back and typed anew, with all that had followed them.

Forks of the record tree are nearly all parallel tool calls. Only prompts with different texts on
the same parent are alternatives; the one whose branch was written to last is the one that lives.
The same text twice, with no other between, was sent twice; after another, it is a new attempt.
"""

from __future__ import annotations

from array import array
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

import msgspec

from pytest_agentv.adapters.bulk import BulkFile
from pytest_agentv.adapters.recent import RecentIds
from pytest_agentv.adapters.records import Drift

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_NO_ID = hash(None)
# The branch of a record that is in none.
_TRUNK = 0


class _Link(msgspec.Struct, gc=False, rename="camel"):
    uuid: str | None = None
    parent_uuid: str | None = None


class Branches:
    """The prompts of a session by the record they answer; ids are long, so by their hashes."""

    def __init__(self) -> None:
        # What was said, and in which record; nearly every prompt is the only one on its parent.
        self._first: dict[int, tuple[int, int]] = {}
        self._several: dict[int, list[tuple[int, int]]] = {}

    def note_prompt(self, parent: str, uuid: str, text: str) -> None:
        """A person typed a text after the record ``parent``."""
        above, prompt = hash(parent), (hash(text), hash(uuid))
        first = self._first.setdefault(above, prompt)
        if first is not prompt:
            self._several.setdefault(above, [first]).append(prompt)

    def dead_records(self, path: Path) -> set[int]:
        """Hashes of the ids in abandoned branches; reads the file again if there are any."""
        groups = [
            [[mark for _, mark in run] for _, run in groupby(prompts, key=itemgetter(0))]
            for prompts in self._several.values()
        ]
        rivals = [runs for runs in groups if len(runs) > 1]
        if not rivals:
            return set()
        # A branch has the number of the prompt that it begins with.
        marks = dict.fromkeys(mark for runs in rivals for run in runs for mark in run)
        numbers = {mark: number for number, mark in enumerate(marks, 1)}
        links = _Links(path)
        branches, outer = links.followed(numbers)
        # The last record that was written to each.
        last = {branch: number for number, branch in enumerate(branches)}
        dead = _losers(
            [[[numbers[mark] for mark in run] for run in runs] for runs in rivals], outer, last
        )
        return {mark for mark, branch in zip(links.ids, branches, strict=True) if branch in dead}


class _Links:
    """Which record of a session answers which: all records, in their order."""

    def __init__(self, path: Path) -> None:
        self.ids = array("q")
        self._parents = array("q")
        known = RecentIds()
        with BulkFile(path, _Link, Drift(), expected=_Link) as file:
            for run in file.runs():
                marks = [hash(link.uuid) for link in run.records]
                # A record that is repeated is where it was first, whatever it answers now.
                self.ids.fromlist([mark if known.add(mark) else _NO_ID for mark in marks])
                self._parents.fromlist([hash(link.parent_uuid) for link in run.records])

    def followed(self, prompts: dict[int, int]) -> tuple[Sequence[int], dict[int, int]]:
        """The branch of each record, and for each branch the one that it begins in."""
        branches = array("I", bytes(len(self.ids) * array("I").itemsize))
        outer = dict.fromkeys(prompts.values(), _TRUNK)
        places = self._places_of_parents()
        # Where the parents of records are that stand before them. Such a record begins a branch,
        # until it is known which one it is in.
        later = array("I")
        first = len(prompts) + 1
        before, above = _NO_ID, _TRUNK
        for number, (mark, parent) in enumerate(zip(self.ids, self._parents, strict=True)):
            if mark == _NO_ID:
                continue
            if parent != before:
                place = places.get(parent)
                if place is None:
                    above = _TRUNK
                elif place < number:
                    above = branches[place]
                else:
                    above = first + len(later)
                    later.append(place)
            branch = prompts.get(mark, above)
            if branch != above:
                outer[branch] = above
            branches[number] = branch
            before, above = mark, branch
        if later:
            known = array("I", range(first))
            known.extend(_resolved(later, branches, first))
            branches = array("I", map(known.__getitem__, branches))
            outer = {branch: known[above] for branch, above in outer.items()}
        return branches, outer

    def _places_of_parents(self) -> dict[int, int]:
        """Which record has which id, of parents of records other than the next."""
        parents = set()
        before = _NO_ID
        for mark, parent in zip(self.ids, self._parents, strict=True):
            if mark != _NO_ID:
                if parent != before:
                    parents.add(parent)
                before = mark
        parents.discard(_NO_ID)
        places: dict[int, int] = {}
        for number, mark in enumerate(self.ids):
            if mark in parents:
                places.setdefault(mark, number)
        return places


def _resolved(later: Sequence[int], branches: Sequence[int], first: int) -> Sequence[int]:
    """Which branches those from ``first`` on are: that of the record at each place in ``later``."""
    resolved = array("I", bytes(len(later) * array("I").itemsize))
    seen = bytearray(len(later))
    for number in range(len(later)):
        path = []
        branch = first + number
        while branch >= first and not seen[branch - first]:
            seen[branch - first] = True
            path.append(branch - first)
            branch = branches[later[branch - first]]
        if branch >= first:  # it is known already, or a circle of parents
            branch = resolved[branch - first]
        for one in path:
            resolved[one] = branch
    return resolved


def _losers(rivals: list[list[list[int]]], outer: dict[int, int], last: dict[int, int]) -> set[int]:
    """All branches that lost, with every branch inside them.

    ``rivals``: for each parent, what was tried one after another; what was sent twice is two
    branches of one attempt.
    """
    inside: dict[int, list[int]] = {branch: [] for branch in outer}
    for branch, above in outer.items():
        if above != _TRUNK:
            inside[above].append(branch)
    ends = {branch: last.get(branch, -1) for branch in outer}
    outermost = [branch for branch, above in outer.items() if above == _TRUNK]
    for branch in _inner_first([*outermost, *outer], inside):
        ends[branch] = max([ends[branch], *(ends[one] for one in inside[branch])])
    waiting = []
    for runs in rivals:
        winner = max(runs, key=lambda run: max(ends[branch] for branch in run))
        waiting += [branch for run in runs if run is not winner for branch in run]
    dead: set[int] = set()
    while waiting:
        branch = waiting.pop()
        if branch not in dead:
            dead.add(branch)
            waiting += inside[branch]
    return dead


def _inner_first(roots: list[int], inside: dict[int, list[int]]) -> list[int]:
    """All branches, those inside others before them; branches in a circle in any order."""
    order: list[int] = []
    seen: set[int] = set()
    for root in roots:
        waiting = [root]
        while waiting:
            branch = waiting.pop()
            if branch not in seen:
                seen.add(branch)
                order.append(branch)
                waiting += inside[branch]
    return order[::-1]
