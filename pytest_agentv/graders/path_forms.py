"""The ways to write one path, so that an eval file fits sessions of any folder and system."""

from __future__ import annotations

import re
from posixpath import normpath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_WINDOWS = re.compile(r"[A-Za-z]:[\\/]|\\\\")
_UNTIDY = re.compile(r"^\./|//|/\.{1,2}(?:/|$)")


def path_forms(path: str, cwd: str | None) -> Iterator[str]:
    """A path with slashes, tidied up, and relative to a folder if it lies below that."""
    windows = is_windows(path) or is_windows(cwd)
    plain = path.replace("\\", "/") if windows else path
    yield plain
    tidy = normpath(plain) if _UNTIDY.search(plain) else plain
    if tidy != plain:
        yield tidy
    if cwd is not None:
        folder = (cwd.replace("\\", "/") if windows else cwd).rstrip("/")
        start = tidy[: len(folder)]
        # Windows knows no case.
        inside = start.lower() == folder.lower() if windows else start == folder
        if inside and tidy[len(folder) :].startswith("/"):
            yield tidy[len(folder) + 1 :]


def is_windows(path: str | None) -> bool:
    """Whether a path is a whole one of Windows: with a drive, or of another machine."""
    return path is not None and _WINDOWS.match(path) is not None
