"""Texts that leave a process which graded the sessions themselves: no secret of these is in them.

Excerpts, and pytest's own views of values, cut texts anywhere. A secret that was cut has no form
by which a rule knows it, so pieces of the secrets of all sessions read so far are replaced, too.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from msgspec import structs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_agentv.graders.grade import Grade
    from pytest_agentv.redact import Redactor
    from pytest_agentv.results.model import Score
    from pytest_agentv.transcript.model import Transcript

# What stands for a piece of a secret.
PIECE = "[REDACTED:piece]"
# Shorter pieces tell nothing, and would be found in texts that have nothing to do with secrets.
_LENGTH = 12
# As does what is all blanks, dashes or zeros.
_DIFFERENT = 6


class Outgoing:
    """Makes the texts of a run fit to leave its process."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._redactor.learned = self._found = set[str]()
        self._known: set[str] = set()
        self._pieces: set[str] = set()

    def learn(self, value: Any) -> None:
        """Remember the secrets of a session, or of anything that says them at length."""
        self._redactor.learn(value)
        self._look_up()

    def text(self, text: str) -> str:
        """A text without secrets, and without pieces of those that sessions hold."""
        redacted = self._redactor.text(text)
        self._look_up()
        return self._without_pieces(redacted) if self._pieces else redacted

    def name(self, text: str) -> str:
        """A text that becomes part of a name: the same in every process, whatever it has read."""
        return self._redactor.fresh().text(text)

    def transcript(self, transcript: Transcript) -> Transcript:
        """A whole session, with its receipt."""
        return self._redactor.fresh().transcript(transcript)

    def grade(self, grade: Grade) -> Grade:
        """A grade that says the same, before any of its texts is cut to its length."""
        return replace(
            grade,
            reason=self.text(grade.reason),
            claim=self.text(grade.claim),
            details=self.text(grade.details),
            evidence=tuple(
                replace(one, excerpt=self.text(str(one.excerpt))) for one in grade.evidence
            ),
        )

    def score(self, score: Score) -> Score:
        """What became of an assertion, as it may be shown."""
        return structs.replace(
            score,
            name=self.text(score.name),
            reason=self.text(score.reason),
            claim=self.text(score.claim),
            details=self.text(score.details),
            evidence=tuple(
                structs.replace(one, excerpt=self.text(one.excerpt)) for one in score.evidence
            ),
        )

    def json(self, value: Any) -> Any:
        """A JSON value, its keys included."""
        redacted = self._redactor.value(value)
        self._look_up()
        return self._json_without_pieces(redacted) if self._pieces else redacted

    def value(self, value: Any) -> Any:
        """A text, or anything else of which a text can be made, if there is something in it."""
        if value is None or type(value) in (bool, int, float):
            return value
        text = str(value)
        redacted = self.text(text)
        return value if redacted == text else redacted

    def _look_up(self) -> None:
        """Take the secrets in that the redactor has found since."""
        if len(self._found) == len(self._known):
            return
        new = self._found - self._known
        self._known |= new
        for secret in new:
            # Lines, because texts that quote a secret may indent it; and as Python shows it.
            for form in (*secret.split("\n"), repr(secret)[1:-1]):
                self._pieces |= set(_pieces(form))

    def _json_without_pieces(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._without_pieces(value)
        if isinstance(value, dict):
            return {
                self._without_pieces(key): self._json_without_pieces(one)
                for key, one in value.items()
            }
        if isinstance(value, (list, tuple)):
            return [self._json_without_pieces(one) for one in value]
        return value

    def _without_pieces(self, text: str) -> str:
        pieces, parts, done, start = self._pieces, [], 0, 0
        last = len(text) - _LENGTH
        while start <= last:
            if text[start : start + _LENGTH] not in pieces:
                start += 1
                continue
            end = start + _LENGTH
            while end < len(text) and text[end - _LENGTH + 1 : end + 1] in pieces:
                end += 1
            parts += [text[done:start], PIECE]
            done = start = end
        return "".join([*parts, text[done:]]) if parts else text


def _pieces(secret: str) -> Iterator[str]:
    for start in range(len(secret) - _LENGTH + 1):
        piece = secret[start : start + _LENGTH]
        if len(set(piece)) >= _DIFFERENT:
            yield piece
