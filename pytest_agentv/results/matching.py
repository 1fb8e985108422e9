"""Which rows of several runs are of the same test."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pytest_agentv.results.model import Row


class Side(Struct, frozen=True, kw_only=True):
    """One side of a comparison: the rows of a run, or of one target in it."""

    # As people know it: ``latest``, ``claude-cli``.
    label: str
    run_id: str
    complete: bool = True
    rows: tuple[Row, ...]

    @property
    def targets(self) -> list[str]:
        """The targets that its sessions are of."""
        return sorted({row.target for row in self.rows if row.target is not None})


class TestKey(Struct, frozen=True, kw_only=True, order=True):
    """A test, as it is matched between sides."""

    __test__ = False

    file: str
    test_id: str
    # Only where sides have several.
    target: str | None = None

    def __str__(self) -> str:
        return self.test_id if self.target is None else f"{self.test_id} [{self.target}]"


def matched(sides: Sequence[Side]) -> list[dict[TestKey, list[Row]]]:
    """The rows of each side by the tests they are of, by names that fit all sides.

    Where no side has more than one target, it is the targets that are compared. Eval files may
    have moved from one run to the other: then the ids of tests have to do.
    """
    by_target = any(len(side.targets) > 1 for side in sides)
    by_file = _grouped(sides, lambda row: row.eval_file or row.suite, by_target=by_target)
    if _have_common(by_file):
        return by_file
    by_id = _grouped(sides, lambda _: "", by_target=by_target)
    return by_id if _have_common(by_id) and _are_single_files(sides) else by_file


def _grouped(
    sides: Sequence[Side], file_of: Callable[[Row], str], *, by_target: bool
) -> list[dict[TestKey, list[Row]]]:
    found: list[dict[TestKey, list[Row]]] = []
    for side in sides:
        tests: dict[TestKey, list[Row]] = {}
        for row in side.rows:
            target = row.target if by_target else None
            key = TestKey(file=file_of(row), test_id=row.test_id, target=target)
            tests.setdefault(key, []).append(row)
        found.append(tests)
    return found


def _have_common(sides: Sequence[Mapping[TestKey, object]]) -> bool:
    return bool(sides) and any(all(key in side for side in sides) for key in sides[0])


def _are_single_files(sides: Sequence[Side]) -> bool:
    """Whether the id of a test says which it is."""
    for side in sides:
        places = {(row.eval_file or row.suite, row.test_id) for row in side.rows}
        if len(places) > len({test_id for _, test_id in places}):
            return False
    return True
