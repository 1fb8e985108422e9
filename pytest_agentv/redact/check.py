"""What is left: the finds in something that should hold none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_agentv.redact.redactor import Redactor
from pytest_agentv.transcript.model import Transcript
from pytest_agentv.transcript.stream import TranscriptStream

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_agentv.redact.profiles import Profile
    from pytest_agentv.redact.settings import RedactSettings
    from pytest_agentv.transcript.stream import SessionStream


class Finding(NamedTuple):
    """Something that a profile would replace; never what it is."""

    rule: str
    type: str
    field: str
    line: int | None
    placeholder: str


def findings(
    value: Transcript | str | Any,
    *,
    profile: Profile | str = "secrets",
    settings: RedactSettings | None = None,
    key: bytes | None = None,
) -> list[Finding]:
    """All that a profile would replace in a transcript, a text or a JSON value."""
    if isinstance(value, Transcript):
        transcript = value
        found = findings_in(
            lambda: TranscriptStream(transcript), profile=profile, settings=settings, key=key
        )
        return list(found)
    redactor = _redactor(profile, settings, key)
    redactor.value(value, "text" if isinstance(value, str) else "value")
    return list(_found(redactor))


def findings_in(
    read: Callable[[], SessionStream],
    *,
    profile: Profile | str = "secrets",
    settings: RedactSettings | None = None,
    key: bytes | None = None,
) -> Iterator[Finding]:
    """All that a profile would replace in a session, message by message.

    It is read twice: what the end of it gives away is found at its beginning, too.
    """
    redactor = _redactor(profile, settings, key)
    stream = read()
    redactor.head(stream.head)
    for message in stream.messages():
        redactor.learn(message)
    redactor.take()
    stream = read()
    redactor.head(stream.head)
    yield from _found(redactor)
    for number, message in enumerate(stream.messages()):
        redactor.message(message)
        yield from _found(redactor, f"output[{number}].", message.line)


def _redactor(
    profile: Profile | str, settings: RedactSettings | None, key: bytes | None
) -> Redactor:
    # A pseudonym that is never shown needs no key that is kept.
    return Redactor(profile, settings=settings, key=key or b"check")


def _found(redactor: Redactor, where: str = "", line: int | None = None) -> Iterator[Finding]:
    return (
        Finding(rule, kind, where + field, line, placeholder)
        for field, rule, kind, placeholder in redactor.take()
    )
