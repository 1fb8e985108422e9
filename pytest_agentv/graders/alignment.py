"""Which expected calls are which calls of a session: the best assignment there is.

Nothing here knows what a call is. What fits is given as one number for each expected call: its bit
``j`` says whether call ``j`` fits. Python's whole numbers of any size make that quick: a row of
10,000 calls is combined with another one in a fraction of a microsecond for each 64 of them.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TypeAlias

    # An expected call and a call that fits, by their positions.
    Pair: TypeAlias = tuple[int, int]


def bits_of(positions: Iterable[int], count: int) -> int:
    """The number whose bits at some positions below ``count`` are set."""
    row = bytearray(count // 8 + 1)
    for position in positions:
        row[position >> 3] |= 1 << (position & 7)
    return int.from_bytes(row, "little")


def positions_of(bits: int) -> Iterator[int]:
    """The positions of the bits that are set, the lowest first."""
    size = (bits.bit_length() + 7) // 8
    for number, byte in enumerate(bits.to_bytes(size, "little")):
        if byte:
            yield from (number * 8 + bit for bit in range(8) if byte >> bit & 1)


def lowest(bits: int) -> int:
    """The position of the lowest bit that is set."""
    return (bits & -bits).bit_length() - 1


def in_order(rows: Sequence[int], count: int) -> list[Pair]:
    """As many pairs as there can be with both positions growing: a longest common subsequence.

    Of several such lists it is one whose last pair comes as early as it can, and so on before it.
    """
    # Hyyrö's bit-parallel algorithm: a bit of a line that is not set says that one pair more is
    # possible with the calls up to there than with those before.
    everything = (1 << count) - 1
    line = everything
    lines = []
    for row in rows:
        both = line & row
        line = (line + both | line - both) & everything
        lines.append(line)
    pairs = []
    row_number, column = len(rows) - 1, count - 1
    while row_number >= 0 and column >= 0:
        # Back to the call with which this many pairs became possible.
        gains = ~lines[row_number] & (1 << column + 1) - 1
        column = gains.bit_length() - 1
        if column < 0:
            break
        above = row_number and not lines[row_number - 1] >> column & 1
        if not above:
            pairs.append((row_number, column))
            column -= 1
        row_number -= 1
    return pairs[::-1]


def any_order(rows: Sequence[int]) -> list[Pair]:
    """As many pairs as there can be with no position twice: a maximum bipartite matching."""
    taken_by: dict[int, int] = {}
    taken = 0
    # What led to no free call once can never do so again.
    hopeless = 0
    for start in range(len(rows)):
        path, seen = _path_to_a_free_call(rows, start, taken_by, taken, hopeless)
        if path is None:
            hopeless |= seen
            continue
        for owner, call in path:
            taken_by[call] = owner
            taken |= 1 << call
    return sorted((owner, call) for call, owner in taken_by.items())


def _path_to_a_free_call(
    rows: Sequence[int], start: int, taken_by: dict[int, int], taken: int, hopeless: int
) -> tuple[list[Pair] | None, int]:
    """Who takes which call so that one more gets one; else the calls that were looked at."""
    # By whom the call of an expected one was asked for, and which call that is.
    asked: dict[int, Pair] = {}
    waiting = deque([start])
    seen = hopeless
    while waiting:
        owner = waiting.popleft()
        free = rows[owner] & ~taken
        if free:
            path = [(owner, lowest(free))]
            while owner != start:
                owner, call = asked[owner]
                path.append((owner, call))
            return path, seen
        new = rows[owner] & ~seen
        seen |= new
        while new:
            call = lowest(new)
            new &= new - 1
            asked[taken_by[call]] = owner, call
            waiting.append(taken_by[call])
    return None, seen


def outside(rows: Iterable[int], count: int) -> list[int]:
    """The calls that fit nothing."""
    covered = 0
    for row in rows:
        covered |= row
    return list(positions_of(~covered & (1 << count) - 1))
