"""Files of a session as patterns that fit wherever else the project lies."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_agentv.drafting.private import is_public

if TYPE_CHECKING:
    from pytest_agentv.graders.calls import Matcher

_SPECIAL = re.compile(r"[*?\[]")
_ROOTED = re.compile(r"/|[A-Za-z]:/|~")
# Folders for temporary files, and those in which clients keep their plans and notes.
_SCRATCH = re.compile(
    r"/(?:private/)?(?:tmp|var/folders)/|.*/AppData/Local/Temp/|.*/\.(?:claude|codex|copilot)/",
    re.IGNORECASE,
)
_NO_NAME = re.compile(r"\.{0,2}|~|[A-Za-z]:")
# Of a file outside the session's folder: its name, and the folder that it is in.
_KEPT_PARTS = 2
_LONGEST = 200


def pattern_of(path: str, matcher: Matcher) -> str | None:
    """A glob for a file: from the session's folder, or by its last parts if it lies elsewhere.

    None for files that are of no use elsewhere: temporary ones, those of the client itself, and
    those whose names cannot be repeated.
    """
    if len(path) > _LONGEST:
        return None
    *_, form = matcher.forms_of(path)
    parts = form.split("/")
    if _NO_NAME.fullmatch(parts[-1]) or not is_public(form) or "{{" in form:
        return None
    if not (_ROOTED.match(form) or ".." in parts):
        return _escaped(form)
    if _SCRATCH.match(form):
        return None
    kept = [part for part in parts[-_KEPT_PARTS:] if not _NO_NAME.fullmatch(part)]
    return "/".join(("**", *map(_escaped, kept)))


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"[\g<0>]", text)
