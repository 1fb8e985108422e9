"""Texts without secrets and names, as one profile wants them; what was found is remembered."""

from __future__ import annotations

from itertools import filterfalse
from typing import TYPE_CHECKING

from pytest_agentv.redact.keys import load_key
from pytest_agentv.redact.mending import Late
from pytest_agentv.redact.people import People
from pytest_agentv.redact.pseudonyms import Pseudonyms
from pytest_agentv.redact.scanner import Scanner
from pytest_agentv.redact.spans import placeholder

if TYPE_CHECKING:
    from pytest_agentv.redact.profiles import Profile
    from pytest_agentv.redact.receipt import Receipt
    from pytest_agentv.redact.settings import RedactSettings
    from pytest_agentv.redact.spans import Span

# What replaces a secret can hardly make another one, and never for ever.
_ROUNDS = 6
_TRIVIAL = 4
# So many texts and lines without a find are remembered, and no longer ones.
_MOST_PLAIN = 20_000
_MOST_LINES = 150_000
_SHORT = 200
# So often new values are looked for in lines that are remembered; then these are forgotten.
_MOST_COMPARED = 10_000_000


class Texts:
    """Redacts texts, and writes down in a receipt what it found."""

    def __init__(
        self, profile: Profile, settings: RedactSettings, receipt: Receipt, key: bytes | None
    ) -> None:
        self._profile = profile
        self._receipt = receipt
        # What was found, as it stood in texts, for whoever wants it and puts a set here.
        self.learned: set[str] | None = None
        self._scanner = Scanner(settings)
        self._has_rules = bool(settings.rules)
        # Lines without secrets and names, lines without secrets, and short texts without either, as
        # long as nothing new is known. Many come again and again.
        self._clean: set[str] = set()
        self._no_secrets: set[str] = set()
        self._plain: set[str] = set()
        self._knowledge = 0, 0
        self._compared = 0
        self._people: People | None = None
        # How many names were known before any text was looked at.
        self._known_at_first = 0
        if profile.pseudonyms:
            self._people = People(
                Pseudonyms(load_key if key is None else lambda: key),
                hash_paths=profile.hash_paths,
                users=settings.names,
                hosts=settings.hosts,
            )

    def share(self, other: Texts) -> None:
        """Know from now on what another one knows."""
        self._scanner, self._people = other._scanner, other._people
        self._clean, self._no_secrets, self._plain = other._clean, other._no_secrets, other._plain
        self._knowledge = other._knowledge

    def begin(self, folder: str | None) -> None:
        """A session in a folder, whose path may name somebody."""
        if self._people is not None:
            if folder:
                self._people.works_in(folder)
            self._known_at_first = len(self._people)

    def late(self) -> Late | None:
        """What may stand in texts before it was known what it is; None if nobody knows how.

        A token is known by its own form wherever it stands.
        """
        values = self._scanner.known.late()
        people = self._people
        if people is None:
            return Late(values, ())
        names = people.since(self._known_at_first)
        # A secret of which a part became a pseudonym stands nowhere as it is.
        is_clear = all(map(str.isascii, names)) and all(map(people.leaves, values))
        return Late(values, names) if is_clear else None

    def text(self, text: str, field: str) -> str:
        """A text without secrets and names; the same object if there are none."""
        if len(text) < _TRIVIAL or text in self._plain:
            return text
        self._receipt.field = field
        result = self._redacted(text)
        if result is text and len(text) < _SHORT:
            if len(self._plain) > _MOST_PLAIN:
                self._plain.clear()
            self._plain.add(text)
        return result

    def plain(self, text: str, field: str) -> str:
        """A text that names nobody, without secrets."""
        self._receipt.field = field
        lines = text.split("\n")
        spans = self._scanner.spans(text, lines, self._scanner.suspicious(lines))
        self._learn()
        return self._without(spans, text)

    def secret(self, value: str, rule: str, field: str) -> str:
        """What stands for a value that is a secret as a whole."""
        self._receipt.field = field
        self._scanner.learn(value, rule)
        self._learn()
        if self.learned is not None and value:
            self.learned.add(value)
        return self._receipt.note(rule, placeholder(rule))

    def _redacted(self, text: str) -> str:
        for _ in range(_ROUNDS):
            new = self._looked_at(text)
            if new == text:
                break
            text = new
        return text

    def _looked_at(self, text: str) -> str:
        lines = text.split("\n")
        fresh = list(filterfalse(self._clean.__contains__, lines))
        if not fresh and not self._has_rules:
            return text
        new, hot = text, set[str]()
        if self._profile.secrets:
            hot = self._scanner.suspicious(filterfalse(self._no_secrets.__contains__, fresh))
            new = self._without(self._scanner.spans(text, lines, hot), text)
        cold = [one for one in fresh if len(one) < _SHORT and one not in hot]
        if self._people is not None:
            if new is not text:
                lines = fresh = new.split("\n")
            new = self._people.replaced(new, lines, fresh, self._receipt.note)
        _remember(cold, self._clean if new is text else self._no_secrets)
        self._learn()
        return new

    def _learn(self) -> None:
        """Forget what lines were clean, if something is known now that may be in them."""
        known = len(self._scanner.known)
        names = 0 if self._people is None else len(self._people)
        if (known, names) == self._knowledge:
            return
        knew, knew_names = self._knowledge
        self._knowledge = known, names
        self._plain.clear()
        if names != knew_names:
            self._clean.clear()
        for value in self._scanner.known.since(knew):
            for lines in (self._clean, self._no_secrets):
                self._compared += len(lines)
                if self._compared > _MOST_COMPARED:
                    lines.clear()
                else:
                    lines.difference_update([one for one in lines if value in one])

    def _without(self, spans: list[Span], text: str) -> str:
        if not spans:
            return text
        if self.learned is not None:
            self.learned.update(text[start:stop] for start, stop, _ in spans)
        pieces: list[str] = []
        end = 0
        for start, stop, rule in spans:
            pieces += (text[end:start], self._receipt.note(rule, placeholder(rule)))
            end = stop
        return "".join([*pieces, text[end:]])


def _remember(lines: list[str], where: set[str]) -> None:
    if len(where) > _MOST_LINES:
        where.clear()
    where.update(lines)
