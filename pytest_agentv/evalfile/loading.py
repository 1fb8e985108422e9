"""What the parts of one loading share: the files, the problems, what was used up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pytest_agentv.evalfile.placed import shown
from pytest_agentv.evalfile.templates import Scope

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pytest_agentv.errors import Problem
    from pytest_agentv.evalfile.model import Entry
    from pytest_agentv.evalfile.placed import Part
    from pytest_agentv.evalfile.problems import Growth, Problems
    from pytest_agentv.evalfile.sources import Sources


@dataclass(frozen=True, slots=True)
class Loading:
    """One loading of an eval file."""

    sources: Sources
    problems: Problems
    growth: Growth
    env: Mapping[str, str] | None
    check: Callable[[Entry], Iterable[Problem]] | None = None

    def checked(self, entry: Entry) -> Entry | None:
        """An entry that is right for those who know its type; else its problems are noted."""
        problems = list(self.check(entry)) if self.check is not None else []
        for problem in problems:
            self.problems.add(*problem)
        return None if problems else entry

    def scope(self, *layers: Mapping[str, Any]) -> Scope:
        """The variables of a case, the nearest first."""
        return Scope(
            layers,
            env=self.env,
            root=self.sources.root.as_posix(),
            problems=self.problems,
            growth=self.growth,
        )

    def is_mapping(self, part: Part, what: str) -> bool:
        """Whether a part is a mapping; if not, that is a problem."""
        return self._is(dict, part, f"{what} must be a mapping")

    def is_list(self, part: Part, what: str) -> bool:
        """Whether a part is a list; if not, that is a problem."""
        return self._is(list, part, f"{what} must be a list")

    def _is(self, kind: type, part: Part, message: str) -> bool:
        if isinstance(part.data, kind):
            return True
        self.problems.add(part.at, f"{message}, not {shown(part.data)}")
        return False
