"""What is left: the finds in something that should hold none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_agentv.redact.redactor import Redactor
from pytest_agentv.transcript.model import Transcript
from pytest_agentv.transcript.stream import TranscriptStream

if TYPE_CHECKING:
    from pytest_agentv.redact.profiles import Profile
    from pytest_agentv.redact.settings import RedactSettings


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
    # A pseudonym that is never shown needs no key that is kept.
    redactor = Redactor(profile, settings=settings, key=key or b"check")
    if not isinstance(value, Transcript):
        redactor.value(value, "text" if isinstance(value, str) else "value")
        return _found(redactor)
    redactor.learn(value)
    redactor.head(TranscriptStream(value).head)
    found = _found(redactor)
    for number, message in enumerate(value.output):
        redactor.message(message)
        found += _found(redactor, f"output[{number}].", message.line)
    return found


def _found(redactor: Redactor, where: str = "", line: int | None = None) -> list[Finding]:
    return [
        Finding(rule, kind, where + field, line, placeholder)
        for field, rule, kind, placeholder in redactor.take()
    ]
