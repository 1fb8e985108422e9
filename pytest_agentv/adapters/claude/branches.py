"""Rewinds: prompts that were taken back and typed anew, with all that had followed them.

Forks of the record tree are nearly all parallel tool calls. Only prompts with different texts on
the same parent are alternatives; the one whose branch was written to last is the one that lives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from pytest_agentv.adapters.records import Drift, RecordFile

if TYPE_CHECKING:
    from pathlib import Path

# Some records stand before their parent; further passes find what hangs on those.
_MAX_PASSES = 3


class _Link(msgspec.Struct, gc=False, rename="camel"):
    uuid: str | None = None
    parent_uuid: str | None = None


class Branches:
    """The prompts of a session by the record they answer."""

    def __init__(self) -> None:
        # Nearly every prompt is the only one on its parent: most of a long session's take no more
        # than the hashes of parent and text, and its own id.
        self._first: dict[int, tuple[int, str]] = {}
        self._rivals: dict[int, dict[int, str]] = {}

    def note_prompt(self, parent: str, uuid: str, text: str) -> None:
        """A person typed a text after the record ``parent``."""
        mark, said = hash(parent), hash(text)
        first = self._first.setdefault(mark, (said, uuid))
        if first[0] != said:
            self._rivals.setdefault(mark, dict([first])).setdefault(said, uuid)

    def dead_records(self, path: Path) -> set[int]:
        """Offsets of all records of abandoned branches; reads the file again if there are any."""
        rivals = [list(texts.values()) for texts in self._rivals.values()]
        return _abandoned(path, rivals) if rivals else set()


def _abandoned(path: Path, rivals: list[list[str]]) -> set[int]:
    prompts = {uuid for group in rivals for uuid in group}
    branch_of = {uuid: uuid for uuid in prompts}
    outer: dict[str, str | None] = {}
    members: dict[str, set[int]] = {uuid: set() for uuid in prompts}
    for _ in range(_MAX_PASSES):
        known = len(branch_of)
        with RecordFile(path, _Link, Drift()) as file:
            for (offset, _, _), link in file.records():
                if link.uuid is None:
                    continue
                above = branch_of.get(link.parent_uuid or "")
                if link.uuid in prompts:
                    outer[link.uuid] = above if above != link.uuid else None
                elif above is not None:
                    branch_of.setdefault(link.uuid, above)
                if link.uuid in branch_of:
                    members[branch_of[link.uuid]].add(offset)
        if len(branch_of) == known:
            break
    return _losers(rivals, outer, members)


def _losers(
    rivals: list[list[str]], outer: dict[str, str | None], members: dict[str, set[int]]
) -> set[int]:
    """Records of all branches that lost, with those of every branch inside them."""
    inside: dict[str, list[str]] = {uuid: [] for uuid in members}
    for uuid, above in outer.items():
        if above is not None:
            inside[above].append(uuid)
    last = {uuid: max(offsets, default=-1) for uuid, offsets in members.items()}
    outermost = [uuid for uuid in members if outer.get(uuid) is None]
    for uuid in _inner_first([*outermost, *members], inside):
        last[uuid] = max([last[uuid], *(last[one] for one in inside[uuid])])
    winners = {max(group, key=last.__getitem__) for group in rivals}
    waiting = [uuid for group in rivals for uuid in group if uuid not in winners]
    dead: set[str] = set()
    while waiting:
        uuid = waiting.pop()
        if uuid not in dead:
            dead.add(uuid)
            waiting += inside[uuid]
    return {offset for uuid in dead for offset in members[uuid]}


def _inner_first(roots: list[str], inside: dict[str, list[str]]) -> list[str]:
    """All branches, those inside others before them; branches in a circle in any order."""
    order: list[str] = []
    seen: set[str] = set()
    for root in roots:
        waiting = [root]
        while waiting:
            uuid = waiting.pop()
            if uuid not in seen:
                seen.add(uuid)
                order.append(uuid)
                waiting += inside[uuid]
    return order[::-1]
