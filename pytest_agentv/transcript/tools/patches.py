"""Patches in the form of ``apply_patch``: which files they touch, and whether a script is one.

Models send them as an argument, as an argument list, or as a here-document of a shell script.
"""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from pytest_agentv.transcript.tools.table import Description

BEGIN = "*** Begin Patch"
PROGRAMS = frozenset({"apply_patch", "applypatch"})

# A patch of a real session names some hundred files at most. Without a limit a patch made of
# headers only would cost a list many times its own size.
MAX_PATHS = 10_000

# No system has longer paths than 4096 bytes: a longer line is no header, and a script that goes
# from folder to folder or from patch to patch without end is not followed.
_MAX_FOLDER = 4096
_MAX_DOCUMENTS = 100
# It begins with a line break and no "^": the search for a fixed text is ten times as fast.
_HEADER = re.compile(
    r"\n\*\*\* (?:(?:Add|Update|Delete) File|Move to):[ \t]*(\S.{0,4095})$", re.MULTILINE
)
_ABSOLUTE = re.compile(r"[/\\~]|[A-Za-z]:")
_CHANGE_OF_FOLDER = re.compile(
    r"""\s*cd[ \t]+(?:--[ \t]+)?('[^'\n]*'|"[^"\n]*"|[^\s'"&;|<>()]+)[ \t]*(?:&&|;|\n)"""
)
_HERE_DOCUMENT = re.compile(
    r"""\s*(?:apply_patch|applypatch)[ \t]*<<(-?)[ \t]*(['"]?)(\w{1,64})\2[ \t]*\r?\n"""
)
_PROGRAM = re.compile(r"(?:^|[\n;&|(])[ \t]*(?:apply_patch|applypatch)\b")


def paths_in(patch: str, folder: str = "") -> list[str]:
    """Every file that a patch adds, changes, deletes or moves to, in order, each once."""
    paths: dict[str, None] = {}
    for header in _HEADER.finditer("\n" + patch):
        paths[_joined(folder, header[1].rstrip())] = None
        if len(paths) == MAX_PATHS:
            break
    return list(paths)


def described_patch(native: Any) -> Description:
    """A call of the patch tool: its input is the text itself, or an object that holds it."""
    patch = native
    if type(native) is dict:
        values = (native.get(name) for name in ("input", "patch"))
        patch = next((value for value in values if type(value) is str), None)
    if type(patch) is not str:
        return "edit", {}
    return "edit", {**path_arguments(paths_in(patch)), "content": patch}


def described_program(command: str, patch: str) -> Description:
    """A run of the patch program with the patch as its argument."""
    return "edit", {**path_arguments(paths_in(patch)), "command": command, "content": patch}


def described_script(script: str) -> Description:
    """A shell script that holds a patch: an edit if that is all it does."""
    found = _only_patches(script)
    if found is not None:
        paths = path_arguments(found.paths)
        return "edit", {**paths, "command": script, "content": "\n".join(found.texts)}
    if _PROGRAM.search(script) is None:
        return "shell", {"command": script}
    paths = path_arguments(paths_in(script, _change_of_folder(script, 0)[0]))
    return "shell", {**paths, "command": script}


def path_arguments(paths: list[str]) -> dict[str, Any]:
    """The canonical arguments for some files: one file is also the file that it is about."""
    if not paths:
        return {}
    return {"path": paths[0], "paths": paths} if len(paths) == 1 else {"paths": paths}


class _Patches(NamedTuple):
    texts: list[str]
    paths: list[str]


def _only_patches(script: str) -> _Patches | None:
    """The patches of a script that does nothing else, or None."""
    texts: list[str] = []
    paths: list[str] = []
    folder = ""
    position = 0
    while position < len(script) and len(texts) < _MAX_DOCUMENTS:
        entered, position = _change_of_folder(script, position)
        folder = _joined(folder, entered) if entered else folder
        if len(folder) > _MAX_FOLDER:
            return None
        start = _HERE_DOCUMENT.match(script, position)
        if start is None:
            break
        end, position = _end_of_document(script, start.end(), start[3], tabs=bool(start[1]))
        texts.append(script[start.end() : end])
        paths += paths_in(texts[-1], folder)[: MAX_PATHS - len(paths)]
    if not texts or script[position:].strip():
        return None
    return _Patches(texts, list(dict.fromkeys(paths)))


def _end_of_document(script: str, start: int, mark: str, *, tabs: bool) -> tuple[int, int]:
    """Where the text of a here-document ends, and where the script goes on after it."""
    indent = r"\t*" if tabs else ""
    found = re.compile(rf"\n{indent}{mark}\r?(?:\n|\Z)").search(script, start - 1)
    return (max(start, found.start()), found.end()) if found else (len(script), len(script))


def _change_of_folder(script: str, position: int) -> tuple[str, int]:
    """The folder that a script enters at a position, if it says which, and where it goes on."""
    found = _CHANGE_OF_FOLDER.match(script, position)
    if found is None:
        return "", position
    folder = found[1].strip("'\"")
    # What stands in a variable is not known.
    return ("" if "$" in folder or "`" in folder else folder), found.end()


def _joined(folder: str, path: str) -> str:
    return path if not folder or _ABSOLUTE.match(path) else posixpath.join(folder, path)
