"""Every error and warning of the package, and where in a file it happened.

AgentvError
├── SessionError            a vendor's session on disk
│   ├── SessionNotFound
│   ├── SessionUnreadable
│   │   └── SessionEmpty    it was begun, and nothing was said
│   └── AmbiguousSession    several sessions, or several adapters, fit
├── TranscriptError         a transcript file of ours, or of AgentV's
├── EvalFileError           an eval file; holds every problem that was found in it
├── PairingError            sessions and tests that do not fit together
├── NotGradable             a grader met something it cannot grade: an error, never a grade
├── ResultsError            a run that was kept, or its files
│   └── RunNotFound
│       └── AmbiguousRun    several runs fit
├── SettingsError           what people wrote down for us: settings, labels, rules
├── SearchError             searching sessions
│   ├── QueryError          what was typed cannot be searched for
│   └── IndexUnusable       the file of the index
│       └── IndexCorrupt    it is ours, and damaged: it can be made anew
├── OutputError             a file that we could not write
├── ProcessLost             a process that did a part of the work
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
    column: int | None = None

    def __str__(self) -> str:
        """``path:line:column``, as editors and terminals make it clickable."""
        path = str(self.path).replace("\n", "\N{REPLACEMENT CHARACTER}")
        return ":".join([path, *(str(one) for one in self[1:] if one is not None)])


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


class SessionEmpty(SessionUnreadable):
    """A session was begun, all of it is understood, and nobody said anything in it."""


class AmbiguousSession(SessionError):
    """More than one session, or more than one adapter, fits what was asked for."""


class TranscriptError(AgentvError):
    """A transcript file is malformed."""


class Problem(NamedTuple):
    """One thing that is wrong in an eval file, and where."""

    at: Location
    message: str

    def __str__(self) -> str:
        return f"{self.at}: {self.message}"


class EvalFileError(AgentvError):
    """An eval file is malformed; its text has a line for every problem."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(
            sorted(
                problems, key=lambda one: (str(one.at.path), one.at.line or 0, one.at.column or 0)
            )
        )
        super().__init__("\n".join(map(str, self.problems)))


class PairingError(AgentvError):
    """Sessions and the tests of an eval file do not fit together."""


class NotGradable(AgentvError):
    """A grader met something that it cannot grade; that is an error, and never a grade."""


class ResultsError(AgentvError):
    """The files of a run that was kept are malformed, or do not fit what was asked of them."""


class RunNotFound(ResultsError):
    """No run fits what was asked for."""


class AmbiguousRun(RunNotFound):
    """More than one run fits what was asked for."""


class SettingsError(AgentvError):
    """A setting is wrong, in a file or a variable, or a file of labels or rules."""


class SearchError(AgentvError):
    """Sessions cannot be searched."""


class QueryError(SearchError):
    """What was typed cannot be searched for."""


class IndexUnusable(SearchError):
    """The file of the index is missing, not ours, or in use."""


class IndexCorrupt(IndexUnusable):
    """The index is ours and damaged; nothing is lost, for sessions can be read again."""


class OutputError(AgentvError):
    """A file could not be written; what stood there before still stands."""


class ProcessLost(AgentvError):
    """A process that did a part of the work is gone."""


class PluginError(AgentvError):
    """An adapter or grader from outside misbehaves."""


class UnknownName(PluginError):
    """A name that nothing registered has."""

    def __init__(self, what: str, name: str, known: Iterable[str]) -> None:
        super().__init__(f"unknown {what} {name!r}; known: {', '.join(sorted(known)) or 'none'}")


class DuplicateName(PluginError):
    """Two plugins registered the same name."""
