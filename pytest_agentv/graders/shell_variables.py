"""Variables that a command line sets itself, so that ``X=rm; $X -rf y`` runs ``rm -rf y``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_agentv.graders.shell_parts import STAND_IN, made_of
from pytest_agentv.graders.shell_wrappers import is_assignment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_agentv.graders.shell_parts import SimpleCommand

# Words at the beginning of a command that are looked at, values that a variable may have had, and
# how long they may be: a short line must not become a long one.
_MAX_WORDS = 12
_MAX_VALUES = 4
_MAX_LENGTH = 200

_USE = re.compile(
    r"\$(?:(?P<plain>[A-Za-z_]\w*)|\{(?P<name>[A-Za-z_]\w*)(?::?[-=](?P<default>[^}]*))?\})"
)
_BRACES = re.compile(r"\{[^{},\s]*,[^{}\s]*\}")
_UNKNOWN = re.compile(r"[$*?`]|" + re.escape(STAND_IN) + r"|^\{\}$|.\[|\[.")
_TESTS = frozenset({"[", "[["})


class Variables:
    """What is known of variables; made anew for every line."""

    def __init__(self) -> None:
        self._values: dict[str, list[str]] = {
            "SHELL": ["sh"], "BASH": ["bash"], "IFS": [" "],
        }  # fmt: skip

    def note(self, command: SimpleCommand) -> None:
        """Remember what a command sets."""
        for word in command.words[:_MAX_WORDS]:
            if not is_assignment(word.text):
                continue
            name, _, value = word.text.partition("=")
            values = self._values.setdefault(name.removesuffix("+"), [])
            if name.endswith("+") or len(value) > _MAX_LENGTH:
                value = STAND_IN
            if value not in values:
                # Of too many values one cannot say which it has.
                values.append(value if len(values) < _MAX_VALUES else STAND_IN)
                del values[_MAX_VALUES + 1 :]

    def expanded(self, command: SimpleCommand) -> Iterator[SimpleCommand]:
        """The command as it is written, and with what its variables stand for."""
        yield command
        texts = [word.text for word in command.words[:_MAX_WORDS]]
        if not any("$" in text or text.startswith("{") for text in texts):
            return
        rest = [word.text for word in command.words[_MAX_WORDS:]]
        for number in range(_MAX_VALUES + 1):
            changed = [self._word(text, number) for text in texts]
            if changed == texts:
                return
            # What a variable stands for may be several words.
            parts = (
                [text] if text == new else new.split()
                for text, new in zip(texts, changed, strict=True)
            )
            words = [word for part in parts for word in part]
            if words:
                yield made_of([*words, *rest], command)
            if all(len(values) <= number + 1 for values in self._values.values()):
                return

    def _word(self, text: str, number: int) -> str:
        if _BRACES.fullmatch(text):
            return text[1:-1].replace(",", " ")

        def value(found: re.Match[str]) -> str:
            values = self._values.get(found["plain"] or found["name"], [])
            values = [*values, found["default"]] if found["default"] else values
            return values[min(number, len(values) - 1)] if values else found[0]

        return _USE.sub(value, text) if "$" in text and len(text) <= _MAX_LENGTH else text


def is_unknown(program: str) -> bool:
    """Whether nobody can say which program a word is."""
    name = program.rpartition("/")[2]
    return name not in _TESTS and _UNKNOWN.search(name) is not None
