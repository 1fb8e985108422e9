"""Every error and warning of the package, and where in a file it happened.

AgentvError
├── SessionError            a vendor's session on disk
│   ├── SessionNotFound
│   ├── SessionUnreadable
│   └── AmbiguousSession    several sessions, or several adapters, fit
├── TranscriptError         a transcript file of ours, or of AgentV's
├── OutputError             a file that we could not write
└── PluginError             adapters and graders of third parties
    ├── UnknownName
    └── DuplicateName
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


class Location(NamedTuple):
    """A place in a file; lines count from 1."""

    path: Path | str
    line: int | None = None

    def __str__(self) -> str:
        """``path:line``, as editors and terminals make it clickable."""
        path = str(self.path).replace("\n", "\N{REPLACEMENT CHARACTER}")
        return path if self.line is None else f"{path}:{self.line}"


class AgentvError(Exception):
    """Base of all errors; its text is one sentence for the user, with the place it speaks of."""

    def __init__(self, message: str, *, at: Location | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.at = at

    def __str__(self) -> str:
        return self.message if self.at is None else f"{self.at}: {self.message}"


class SessionError(AgentvError):
    """A vendor's session cannot be had."""


class SessionNotFound(SessionError):
    """No session fits what was asked for."""


class SessionUnreadable(SessionError):
    """A file exists but is no session we can read."""


class AmbiguousSession(SessionError):
    """More than one session, or more than one adapter, fits what was asked for."""


class TranscriptError(AgentvError):
    """A transcript file is malformed."""


class OutputError(AgentvError):
    """A file could not be written; what stood there before still stands."""


class PluginError(AgentvError):
    """An adapter or grader from outside misbehaves."""


class UnknownName(PluginError):
    """A name that nothing registered has."""

    def __init__(self, what: str, name: str, known: Iterable[str]) -> None:
        super().__init__(f"unknown {what} {name!r}; known: {', '.join(sorted(known)) or 'none'}")


class DuplicateName(PluginError):
    """Two plugins registered the same name."""
