"""English that people and models say in a corpus for searching: topics, and everyday work around.

The everyday work uses the words of the topics too (tests, tokens, tables, pages), in other
sentences, so that a topic must be found among sessions that resemble it. Knows no vendor.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from speech import Speech
from synthetic_text import escaped

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from setting import Setting

_HEAD_SHARE = 10
"""One line in so many of the instructions that a long session begins with."""
_SHARE_OF_MENTIONS = 0.3
_PARTS = (
    "the order service",
    "the search page",
    "the nightly report",
    "the payment form",
    "the audit trail",
    "the token store",
    "the user table",
    "the login page",
    "the admin view",
    "the message queue",
    "the image cache",
    "the test server",
    "the retry policy",
    "the price list",
    "the address book",
    "the calendar feed",
    "the release script",
    "the build pipeline",
    "the config loader",
    "the database schema",
    "the http client",
    "the file watcher",
    "the session model",
    "the event log",
    "the permission check",
    "the country list",
    "the upload handler",
    "the metrics endpoint",
    "the job scheduler",
    "the mail template",
    "the type checker",
    "the docker setup",
    "the api gateway",
    "the customer import",
    "the basket widget",
    "the sidebar menu",
    "the error page",
    "the postgres replica",
    "the redis client",
    "the typescript build",
)
_TROUBLES = (
    "returns an empty list when the input has one element",
    "logs a warning on every start",
    "does not compile with the newest compiler",
    "breaks when a name contains a space",
    "uses a deprecated function",
    "ignores the second argument",
    "writes its output to the wrong folder",
    "raises a key error for optional fields",
    "needs a newer version of its dependency",
    "shows the wrong icon after a refresh",
    "keeps a file open",
    "has no test at all",
    "sorts numbers as if they were text",
    "is hard to read and far too long",
    "cannot be configured from the environment",
    "reports success although a step was skipped",
    "misses a translation of one label",
    "starts twice when the service restarts",
    "prints a stack trace instead of a message",
    "rejects values with trailing zeros",
    "fails when the clock changes in autumn",
    "reads the whole file although one line is enough",
    "swallows the exit code of its child",
    "depends on the order of a dictionary",
    "treats an unknown value as zero",
)
_ASKS = (
    "{part} {trouble}. Can you have a look?",
    "Please fix this: {part} {trouble}.",
    "I noticed that {part} {trouble}. What is the reason?",
    "Since yesterday {part} {trouble}.",
    "Write a failing test first, then repair it: {part} {trouble}.",
    "Refactor {part} so that it shares code with {other}.",
    "Add a command line option to {part} and document it.",
    "Review my last commit, it touches {part} and {other}.",
    "How do {part} and {other} talk to each other?",
    "Bump the version of everything that {part} uses.",
    "In {file} there is a function {name}; {part} {trouble} because of it.",
    "Rename {name} to something that says what it does.",
)
_REMARKS = (
    "Let me look at {file} first.",
    "I will run the tests of {part}.",
    "The function {name} is called from {other}.",
    "That confirms it: {part} {trouble}.",
    "Now the same change in {other}.",
    "One test still fails, I check why.",
    "I search for other callers of {name}.",
    "The type of {name} was too wide.",
)
_ANSWERS = (
    "{part} no longer {does}. The cause was in {file}: {name} was called too late.",
    "Done. {name} in {file} handles this case, and a test covers it.",
    "The reason is that {other} {trouble}. I changed {name} accordingly.",
    "I moved the shared part to {file}. Both {part} and {other} use it.",
    "All tests pass. I also updated the documentation of {part}.",
    "This was not a bug of {part} but of {other}, which {trouble}.",
    "I found three places and changed all of them, see {file}.",
    "Nothing had to be changed: {name} does this already.",
)
_MENTIONS = (
    "Does {one} have anything to do with {two}?",
    "The notes on {one} are out of date, and those on {two} too.",
    "Leave {one} alone for now.",
    "I looked at {one} first, because {two} was changed last week.",
    "There is a comment about {one} above the code for {two}.",
    "This reminds me of {one}, which we discussed before.",
)
"""With words of the queries: what is looked for is not the only place that has them."""
_DOES = ("does that", "fails", "complains", "loses anything", "depends on it", "waits for it")


@dataclass(frozen=True)
class Topic:
    """What one session is about: its first prompt and the answer to it."""

    asked: str
    answered: str


class CorpusSpeech(Speech):
    """Everyday work; with a topic, the first prompt and the first answer are about that."""

    def __init__(
        self, rng: Random, topic: Topic | None = None, *, words: Sequence[str] = ()
    ) -> None:
        self._rng = rng
        self._words = words
        self._asked = [topic.asked] if topic else []
        self._answered = [topic.answered] if topic else []

    def prompt(self, setting: Setting, median: float) -> str:
        """Return one or a few requests."""
        if self._asked:
            return escaped(self._asked.pop())
        return self._sentences(_ASKS, setting, median / 2)

    def remark(self, setting: Setting, median: float) -> str:
        """Return what the model is about to do."""
        return self._sentences(_REMARKS, setting, median / 2)

    def answer(self, setting: Setting, median: float) -> str:
        """Return what the model has done."""
        if self._answered:
            return escaped(self._answered.pop())
        return self._sentences(_ANSWERS, setting, median / 2)

    def context(self, setting: Setting, first: int, count: int) -> str:
        """Return fewer lines: sessions of a corpus are short, and so is what they begin with."""
        return setting.texts.prose.cut(first, count // _HEAD_SHARE)

    def _sentences(self, forms: tuple[str, ...], setting: Setting, median: float) -> str:
        count = setting.size(median, 0.6, 12)
        return escaped(" ".join(self._sentence(forms, setting) for _ in range(count)))

    def _sentence(self, forms: tuple[str, ...], setting: Setting) -> str:
        rng, names = self._rng, setting.texts.names
        if self._words and rng.random() < _SHARE_OF_MENTIONS:
            one, two = rng.sample(self._words, 2)
            return rng.choice(_MENTIONS).format(one=one, two=two)
        said = rng.choice(forms).format(
            part=rng.choice(_PARTS),
            other=rng.choice(_PARTS),
            trouble=rng.choice(_TROUBLES),
            does=rng.choice(_DOES),
            file=setting.texts.file(rng).path,
            name=f"{rng.choice(names)}_{rng.choice(names)}",
        )
        return said[0].upper() + said[1:]
