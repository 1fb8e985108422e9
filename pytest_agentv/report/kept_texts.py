"""What results keep of texts that others wrote: cleaned, and cut to what a row has room for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import asdict

from pytest_agentv.report.clean import clean, one_line
from pytest_agentv.results.model import Place
from pytest_agentv.transcript.model import Source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_agentv.graders.grade import Evidence

_PHRASE_LENGTH = 2_000
_DETAILS_LENGTH = 16_000
_EXCERPT_LENGTH = 1_000
_PROMPT_LENGTH = 300
_MOST_PLACES = 10
# From here on a number is none that JSON readers agree on, and no place in a session.
_LARGEST = 1 << 62


def kept_phrase(text: str) -> str:
    """What an assertion claims, or the reason for what became of it."""
    return clean(text, limit=_PHRASE_LENGTH)


def kept_details(text: str) -> str:
    """What is said of it at length, if anything."""
    return clean(text, limit=_DETAILS_LENGTH) if text else ""


def kept_places(evidence: Sequence[Evidence | Place]) -> tuple[Place, ...]:
    """The first places that decided it; graders of others may say anything of them."""
    places = [
        Place(
            message=_number(one.message),
            line=None if one.line is None else _number(one.line),
            excerpt=clean(str(one.excerpt), limit=_EXCERPT_LENGTH),
        )
        for one in evidence[:_MOST_PLACES]
    ]
    return tuple(places)


def kept_prompt(text: str | None) -> str | None:
    """The first prompt of a session."""
    return None if text is None else one_line(text, limit=_PROMPT_LENGTH)


def kept_source(source: Source) -> Source:
    """Where a session comes from."""
    texts = asdict(source).items()
    return Source(**{name: one_line(one) for name, one in texts if one is not None})


def _number(value: Any) -> int | None:
    """A number of a message or a line that can be written."""
    return value if type(value) is int and -_LARGEST < value < _LARGEST else None
