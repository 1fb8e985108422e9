"""The ways to write one path, so that an eval file fits sessions of any folder and system."""

from __future__ import annotations

import re
from posixpath import normpath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_UNTIDY = re.compile(r"^\./|//|/\.{1,2}(?:/|$)")


def path_forms(path: str, cwd: str | None) -> Iterator[str]:
    """A path with slashes, tidied up, and relative to a folder if it lies below that."""
    windows = _is_windows(path) or _is_windows(cwd)
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


def _is_windows(path: str | None) -> bool:
    return path is not None and (path[1:3] == ":\\" or path.startswith("\\\\"))
