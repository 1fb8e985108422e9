"""Node ids with the provider in the middle: ``auth.eval.yaml::adds-jwt[claude-cli]::contains-JWT``.

pytest takes whatever follows the first bracket of an id for the parameters of a function. So it
finds no such id on its command line, and since version 9.2 shows it with one more bracket and
forgets it between runs. What is wanted is put right here, by attributes that pytest itself sets.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest

if TYPE_CHECKING:
    from pathlib import Path

# Of each file the cases, and of these the assertions, that were asked for.
Selected: TypeAlias = dict[str, dict[str, set[str]]]
_selected = pytest.StashKey[Selected]()

# The last bracket is what pytest 9.2 shows, and people copy.
_ASSERTION_ID = re.compile(
    r"(?P<file>.+?\.ya?ml)::(?P<case>.+\])::(?P<name>[^\]]+)\]?", re.IGNORECASE
)


def take_selected(config: pytest.Config) -> None:
    """Take assertions out of pytest's arguments; their files stay there, to be collected."""
    found = [_ASSERTION_ID.fullmatch(argument) for argument in config.args]
    others = [one for one, match in zip(config.args, found, strict=True) if match is None]
    whole = {_absolute(one, config) for one in others}
    selected: Selected = {}
    for match in filter(None, found):
        path = _absolute(match["file"], config)
        if path not in whole:
            selected.setdefault(path, {}).setdefault(match["case"], set()).add(match["name"])
    config.stash[_selected] = selected
    config.args[:] = [*others, *selected]


def names_selected(config: pytest.Config, path: Path) -> dict[str, set[str]] | None:
    """The assertions of each case that were asked for; None if all of the file was."""
    return config.stash.get(_selected, {}).get(str(path))


def restore_id(owner: Any) -> None:
    """Make the id of an item or a report what it says, where pytest has ids that are no texts."""
    structured: Any = getattr(owner, "_id", None)
    if structured is None or isinstance(structured, str):
        return
    parsed = type(structured).parse(str(structured))
    if parsed.params is not None and "]::" in parsed.params:
        kind = _kind(structured.__class__)
        owner._id = kind(path=parsed.path, names=parsed.names, params=parsed.params)  # noqa: SLF001


@cache
def _kind(base: Any) -> Any:
    """Ids whose bracket is in the middle; equal to what pytest makes of their text."""

    class AssertionId(base):  # type: ignore[misc]  # pytest's own class, whose name is private
        def __eq__(self, other: object) -> bool:
            return isinstance(other, base) and _key(self) == _key(other)

        def __hash__(self) -> int:
            return int(super().__hash__())

        def __str__(self) -> str:
            return f"{self.path}::{self.rest}"

        @property
        def rest(self) -> str:
            return f"{'::'.join(self.names)}[{self.params}"

    return AssertionId


def _key(node_id: Any) -> tuple[Any, ...]:
    return node_id.path, node_id.names, node_id.params


def _absolute(argument: str, config: pytest.Config) -> str:
    return str((config.invocation_params.dir / argument).absolute())
