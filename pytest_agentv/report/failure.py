"""What an assertion says for itself: why it does not hold, or why nobody can tell."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from pytest_agentv.errors import Location
from pytest_agentv.report.clean import clean, one_line, wrappable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_agentv.graders.grade import Evidence, Grade

# Every failure goes to terminal, JUnit and annotations, and there may be thousands.
MAX_BYTES = 64 * 1024
# Why all of it is skipped where nobody named a session.
NO_SESSION = "no transcript: give --transcript=…, or the eval file a `transcript` key"

_PHRASE_LENGTH = 2_000
_EXCERPT_LENGTH = 2_000
_MOST_PLACES = 10
_QUOTE = "  | "
_INDENT = "    "


def failure_text(
    grade: Grade,
    *,
    at: Location,
    assertion: str,
    provider: str | None = None,
    session_id: str | None = None,
    session_path: Path | str | None = None,
) -> str:
    """Why an assertion does not hold: expected, found, and where in the session.

    It begins with the place of the assertion in its eval file, for editors and CI systems.
    """
    whose = f" ({one_line(provider)})" if provider else ""
    session = " ".join(str(one) for one in (session_id, session_path) if one)
    lines = [
        f"{Location(at.path, at.line)}: {one_line(assertion)} does not hold{whose}",
        *_labelled("expected", grade.claim),
        *_labelled("found", grade.reason),
        *_labelled("session", one_line(session)),
        *_places(grade.evidence),
        *_details(grade.details),
    ]
    return capped("\n".join(lines))


def skip_text(grade: Grade) -> str:
    """Why an assertion could not be graded, on one line."""
    claim = f" ({grade.claim})" if grade.claim else ""
    return wrappable(
        one_line(f"not evaluable: {grade.reason or 'the session does not say'}{claim}")
    )


def soft_text(grade: Grade, *, why: str = "soft") -> str:
    """Why an assertion does not hold that need not, on one line; it begins with why it need not."""
    parts = [("expected", grade.claim), ("found", grade.reason)]
    said = "; ".join(f"{label}: {phrase}" for label, phrase in parts if phrase)
    return wrappable(one_line(f"{why}: {said or 'does not hold'}"))


def _labelled(label: str, phrase: str) -> Iterator[str]:
    """A phrase behind its label; more lines of it are aligned with the first."""
    if not phrase:
        return
    first, *others = clean(phrase, limit=_PHRASE_LENGTH).split("\n")
    lead = f"  {label + ':':<10}"
    yield lead + first
    yield from (" " * len(lead) + line for line in others)


def _places(evidence: tuple[Evidence, ...]) -> Iterator[str]:
    for one in islice(evidence, _MOST_PLACES):
        if place := _place(one):
            yield f"  at {place}" + (":" if one.excerpt else "")
        if one.excerpt:
            yield from _prefixed(_QUOTE, clean(one.excerpt, limit=_EXCERPT_LENGTH))
    if (more := len(evidence) - _MOST_PLACES) > 0:
        yield f"  and {more:,} more " + ("place" if more == 1 else "places")


def _place(evidence: Evidence) -> str:
    message = "" if evidence.message is None else f"message {evidence.message}"
    line = "" if evidence.line is None else f"line {evidence.line} of the session"
    return ", ".join(one for one in (message, line) if one)


def _details(details: str) -> Iterator[str]:
    if details:
        yield "  details:"
        yield from _prefixed(_INDENT, clean(details, limit=MAX_BYTES))


def _prefixed(prefix: str, text: str) -> Iterator[str]:
    return (prefix + line if line else prefix.rstrip() for line in text.split("\n"))


def capped(text: str) -> str:
    """Clean text of at most so many bytes, whatever it is of."""
    limit = MAX_BYTES
    # Characters of several bytes leave room for fewer of them.
    while (size := len((capped := clean(text, limit=limit)).encode())) > MAX_BYTES:
        limit = limit * MAX_BYTES // size
    return capped
