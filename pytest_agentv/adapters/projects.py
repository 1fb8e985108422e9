"""What belongs to a project: its folder and its git worktrees, however a client writes a path."""

from __future__ import annotations

import os
import re
import unicodedata
from contextlib import suppress
from operator import attrgetter
from typing import TYPE_CHECKING

from pytest_agentv.adapters.places import file_ref
from pytest_agentv.errors import SessionError
from pytest_agentv.files import read_small

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from pytest_agentv.adapters.base import SessionRef

_WINDOWS = re.compile(r"[A-Za-z]:[\\/]|\\\\")
_EXTENDED = "\\\\?\\"
_EXTENDED_SHARE = "\\\\?\\UNC\\"


class Project:
    """A project, to be compared with the folders that sessions ran in."""

    def __init__(self, folder: Path) -> None:
        # As it was given too: a home may come from another machine, where paths look different.
        spellings = [str(folder), os.path.abspath(folder), os.path.realpath(folder)]  # noqa: PTH100 (links stay)
        trees = [os.path.realpath(tree) for tree in worktrees(folder)]
        self._places = {comparable(place) for place in (*spellings, *trees)}

    def has(self, cwd: str) -> bool:
        """Whether a session that ran in ``cwd`` is one of this project's."""
        return comparable(cwd) in self._places


def file_sessions(
    files: Iterable[Path],
    project: Path | None,
    folder_of: Callable[[SessionRef], str | None],
    *,
    id_of: Callable[[Path], str] = attrgetter("stem"),
) -> Iterator[SessionRef]:
    """The sessions of files, one in each, or those of them that ``of_project`` finds."""
    refs = (file_ref(id_of(path), path) for path in files)
    return of_project(refs, project, folder_of)


def of_project(
    refs: Iterable[SessionRef | None],
    project: Path | None,
    folder_of: Callable[[SessionRef], str | None],
) -> Iterator[SessionRef]:
    """The sessions of a project, by the folders that they ran in; all of them without a project.

    One that cannot be read is of none, and keeps nobody from the others.
    """
    found = (ref for ref in refs if ref is not None)
    if project is None:
        yield from found
        return
    wanted = Project(project)
    for ref in found:
        folder = None
        with suppress(SessionError):
            folder = folder_of(ref)
        if folder and wanted.has(folder):
            yield ref


def comparable(path: str) -> str:
    r"""A path in the one form that all its spellings share: ``\\?\C:\App\`` is ``c:/app``."""
    if path.startswith(_EXTENDED_SHARE):
        path = "\\\\" + path.removeprefix(_EXTENDED_SHARE)
    else:
        path = path.removeprefix(_EXTENDED)
    if _WINDOWS.match(path):
        path = path.replace("\\", "/").lower()
    return unicodedata.normalize("NFC", path.rstrip("/") or "/")


def worktrees(project: Path) -> list[Path]:
    """The other working trees of a project's git repository, as git notes them on disk."""
    git = project / ".git"
    try:
        if git.is_file():  # a worktree itself: its file names the repository's folder for it
            notes = _noted(git, project, prefix="gitdir:")
            git = _noted(notes / "commondir", notes)  # a submodule has none, and no worktrees
        trees = [
            _noted(tree, tree.parent).parent for tree in sorted(git.glob("worktrees/*/gitdir"))
        ]
    except (
        SessionError,
        OSError,
        ValueError,
        RuntimeError,
    ):  # RuntimeError: a loop of links, before 3.13
        return []
    return [tree for tree in (git.parent, *trees) if tree != project] if trees else []


def _noted(file: Path, base: Path, *, prefix: str = "") -> Path:
    """The path in a file of git's; newer versions may write it relative to a folder."""
    noted = read_small(file).decode("utf-8", "replace").removeprefix(prefix).strip()
    return (base / noted).resolve()
