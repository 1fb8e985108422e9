"""Every command that a command line runs, however it is wrapped.

``cd x && sudo rm -rf y`` runs ``cd x``, ``sudo rm -rf y`` and ``rm -rf y``. What a shell is given
to run is looked into, too: ``bash -c '…'``, ``eval``, here-documents, substitutions. What a script
file, another language or another machine runs is not known here.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from pytest_agentv.errors import NotGradable
from pytest_agentv.graders.phrases import shown
from pytest_agentv.graders.powershell_scan import scanned_powershell
from pytest_agentv.graders.shell_scan import scanned
from pytest_agentv.graders.shell_scripts import Script, is_hidden, scripts_of
from pytest_agentv.graders.shell_variables import Variables, is_unknown
from pytest_agentv.graders.shell_wrappers import runs_in, without_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_agentv.graders.shell_parts import Scanned, SimpleCommand
    from pytest_agentv.graders.shell_scripts import Dialect
    from pytest_agentv.graders.shell_wrappers import Run

# How deep scripts may stand in scripts.
MAX_SCRIPTS = 6
_SHORT_OPTIONS = re.compile(r"(?P<program>[^\s-]\S*)(?P<options>(?: -[A-Za-z]+(?=\s|$))+)")
# All scripts together may be so many times as long as the line, or so long in any case.
_MAX_TIMES = 3
_ALWAYS = 20_000
# What was found in lines up to this length is remembered.
_SHORT = 2000


class Command(NamedTuple):
    """One command as it is written, and its words without quotes."""

    text: str
    words: tuple[str, ...]
    # What it runs cannot be seen: its program, or what it gives to a shell, is not written out.
    is_unknown: bool = False
    # Nobody knows whether it is a command, or only looks like one.
    is_guessed: bool = False
    is_powershell: bool = False

    @property
    def forms(self) -> Iterator[str]:
        """The texts by which one may know it: with and without quotes, and without its folder."""
        yield self.text
        plain = " ".join(self.words)
        if plain != self.text:
            yield plain
        program = self.words[0]
        name = without_folder(program)
        if name != program:
            yield name + plain[len(program) :]


def commands_in(line: str, dialect: Dialect = "shell") -> Iterable[Command]:
    """The commands of a line in order, those in scripts inside it after them.

    Raises NotGradable if too many scripts stand in scripts: what they run might be anything.
    """
    return _remembered(line, dialect) if len(line) <= _SHORT else _taken_apart(line, dialect)


@lru_cache(maxsize=10_000)
def _remembered(line: str, dialect: Dialect) -> tuple[Command, ...]:
    """The same, for lines that many assertions look at."""
    return tuple(_taken_apart(line, dialect))


def _taken_apart(line: str, dialect: Dialect) -> Iterator[Command]:
    scripts = {Script(line, dialect): None}
    variables = Variables()
    length = 0
    for _ in range(MAX_SCRIPTS):
        length += sum(len(script.text) for script in scripts)
        if length > _MAX_TIMES * len(line) + _ALWAYS:
            break
        found = [(script.dialect, _scanned(script)) for script in scripts]
        # By their text: a pipe of many shells may hand on the same document.
        scripts = dict.fromkeys(Script(text, "text") for _, part in found for text in part.texts)
        for spoken, simple in ((spoken, one) for spoken, part in found for one in part.commands):
            variables.note(simple)
            ways = list(variables.expanded(simple))
            for written in ways:
                for run in runs_in(written.words):
                    is_open = (written is not simple or len(ways) == 1) and not simple.is_value
                    yield _command(written, run, spoken, is_open=is_open)
                    if not simple.is_value or spoken != "powershell":
                        scripts |= dict.fromkeys(scripts_of(written, run))
        scripts.pop(Script("", "shell"), None)
        if not scripts:
            return
    raise NotGradable(f"a command line holds too many scripts in scripts: {shown(line)}")


def with_sorted_options(text: str) -> str:
    """A command whose short options stand together and sorted: ``rm -r -f x`` is ``rm -fr x``."""
    found = _SHORT_OPTIONS.match(text)
    if found is None:
        return text
    letters = "".join(sorted(set(found["options"]) - set(" -")))
    return f"{found['program']} -{letters}{text[found.end() :]}"


def _scanned(script: Script) -> Scanned:
    if script.dialect == "powershell":
        return scanned_powershell(script.text)
    return scanned(script.text, is_text=script.dialect == "text")


def _command(simple: SimpleCommand, run: Run, dialect: Dialect, *, is_open: bool) -> Command:
    """A command of a line; ``is_open`` if what it does not say is not said elsewhere."""
    words = simple.words
    first = words[run.start].start - simple.start
    last = None if run.end == len(words) else words[run.end].start - simple.start
    texts = tuple(word.text for word in words[run.start : run.end])
    # Of a guess the first word may be the value of an option.
    is_named = run.is_guessed or not is_unknown(texts[0])
    return Command(
        simple.raw[first:last].rstrip(),
        (*texts, "{}") if run.is_fed else texts,
        run.is_innermost and is_open and (not is_named or is_hidden(simple, run)),
        run.is_guessed,
        dialect == "powershell",
    )
