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
from pytest_agentv.graders.shell_scan import scanned

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_agentv.graders.shell_parts import SimpleCommand, Word

# How deep scripts may stand in scripts, and how many wrappers of one command are shown.
MAX_SCRIPTS = 6
# What was found in lines up to this length is remembered.
_SHORT = 2000
_MAX_SHOWN = 8

_RESERVED = frozenset(
    {"if", "then", "elif", "else", "while", "until", "do", "!", "{", "}", "coproc"}
)
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=")
# Programs that run what follows them, and their options that take the next word.
_WRAPPERS = {
    "sudo": (
        "-u -g -h -p -C -r -t -T -U -D -R --user --group --host --prompt --chdir --chroot "
        "--close-from --role --type --other-user --command-timeout"
    ),
    "doas": "-u -C",
    "env": "-u --unset --chdir",
    "timeout": "-s -k --signal --kill-after",
    "nice": "-n --adjustment",
    "ionice": "-c -n -p --class --classdata --pid",
    "time": "-f -o --format --output",
    "stdbuf": "-i -o -e --input --output --error",
    "xargs": "-I -n -P -d -L -s -a -E --max-args --max-procs --delimiter --max-lines --arg-file",
    "watch": "-n --interval",
    "exec": "-a",
    "nohup": "",
    "setsid": "",
    "command": "",
    "builtin": "",
    "busybox": "",
}
_TAKES_VALUE = {name: frozenset(options.split()) for name, options in _WRAPPERS.items()}
_UNIX_SHELLS = frozenset({"bash", "sh", "zsh", "dash", "ksh", "fish", "ash", "su"})
_POWERSHELLS = frozenset({"powershell", "pwsh"})
_SCRIPT_OPTION = re.compile(r"-[A-Za-z]*c[A-Za-z]*|--command")
_SHELL_OPTIONS_WITH_VALUE = frozenset({"-o", "+o"})
_POWERSHELL_OPTIONS_WITH_VALUE = frozenset(
    {"-executionpolicy", "-ep", "-ex", "-windowstyle", "-w", "-version", "-workingdirectory", "-wd"}
)
_RUNS_OF_FIND = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_END_OF_RUN = frozenset({";", "+"})


class Command(NamedTuple):
    """One command as it is written, and its words without quotes."""

    text: str
    words: tuple[str, ...]

    @property
    def forms(self) -> Iterator[str]:
        """The texts by which one may know it: with and without quotes, and the folder of it."""
        yield self.text
        plain = " ".join(self.words)
        if plain != self.text:
            yield plain
        program = self.words[0]
        if "/" in program:
            yield program.rpartition("/")[2] + plain[len(program) :]


def commands_in(line: str) -> Iterable[Command]:
    """The commands of a line in order, those in scripts inside it after them.

    Raises NotGradable if scripts stand in scripts too deep: what they run might be anything.
    """
    return _remembered(line) if len(line) <= _SHORT else _taken_apart(line)


@lru_cache(maxsize=10_000)
def _remembered(line: str) -> tuple[Command, ...]:
    """The same, for lines that many assertions look at."""
    return tuple(_taken_apart(line))


def _taken_apart(line: str) -> Iterator[Command]:
    scripts: dict[str, bool] = {line: False}
    for _ in range(MAX_SCRIPTS):
        found = [scanned(script, is_text=is_text) for script, is_text in scripts.items()]
        # By their text: a pipe of many shells may hand on the same document.
        scripts = {text: True for part in found for text in part.texts}
        for simple in (simple for part in found for simple in part.commands):
            for run in _runs(simple.words):
                yield _command(simple, run)
                if run.is_innermost:
                    scripts |= dict.fromkeys(_scripts(simple, run), False)
        if not scripts:
            return
    raise NotGradable(
        f"a command line holds scripts in scripts, more than {MAX_SCRIPTS} deep: {shown(line)}"
    )


def program_of(word: str) -> str:
    """The name of a program without its folder and ``.exe``."""
    return word.replace("\\", "/").rpartition("/")[2].lower().removesuffix(".exe")


class _Run(NamedTuple):
    """The words of a simple command that are a command themselves."""

    start: int
    end: int
    # There is no wrapper around another command.
    is_innermost: bool
    # More arguments come from elsewhere.
    is_fed: bool


def _command(simple: SimpleCommand, run: _Run) -> Command:
    words = simple.words
    first = words[run.start].start - simple.start
    last = None if run.end == len(words) else words[run.end].start - simple.start
    texts = tuple(word.text for word in words[run.start : run.end])
    return Command(simple.raw[first:last].rstrip(), (*texts, "{}") if run.is_fed else texts)


def _runs(words: Sequence[Word]) -> Iterator[_Run]:
    """A command, the same without each of its wrappers, and what it runs itself."""
    innermost = None
    for innermost in _unwrapped_runs(words, 0, len(words)):
        yield innermost
    if innermost is not None and program_of(words[innermost.start].text) == "find":
        for start, end in _runs_of_find(words, innermost.start):
            yield from _unwrapped_runs(words, start, end)


def _unwrapped_runs(words: Sequence[Word], start: int, end: int) -> Iterator[_Run]:
    start = _first(words, start)
    number = 0
    is_fed = False
    while start < end:
        inner = _unwrapped(words, start)
        number += 1
        if number <= _MAX_SHOWN or inner is None:
            yield _Run(start, end, inner is None, is_fed)
        if inner is None:
            return
        is_fed = is_fed or program_of(words[start].text) == "xargs"
        start = inner


def _first(words: Sequence[Word], start: int) -> int:
    """The first word that is no reserved one and no assignment."""
    while start < len(words) and (
        words[start].text in _RESERVED or _ASSIGNMENT.match(words[start].text)
    ):
        start += 1
    return start


def _unwrapped(words: Sequence[Word], start: int) -> int | None:
    """Where the command begins that a wrapper runs; None if this is no wrapper."""
    name = program_of(words[start].text)
    if name not in _TAKES_VALUE:
        return None
    start = _behind_options(words, start + 1, _TAKES_VALUE[name])
    if name == "timeout":
        start += 1  # for how long
    return _first(words, start)


def _behind_options(words: Sequence[Word], start: int, takes_value: frozenset[str]) -> int:
    while start < len(words) and words[start].text.startswith(("-", "+")):
        start += 2 if words[start].text.lower() in takes_value else 1
    return start


def _runs_of_find(words: Sequence[Word], start: int) -> Iterator[tuple[int, int]]:
    begin = None
    for position in range(start, len(words)):
        text = words[position].text
        if begin is None and text in _RUNS_OF_FIND:
            begin = position + 1
        elif begin is not None and text in _END_OF_RUN:
            if begin < position:
                yield begin, position
            begin = None
    if begin is not None and begin < len(words):
        yield begin, len(words)


def _scripts(simple: SimpleCommand, run: _Run) -> Iterator[str]:
    """What a command gives to a shell to run."""
    words = simple.words[run.start : run.end]
    name = program_of(words[0].text)
    if name == "eval":
        yield _joined(words[1:])
    elif name in _UNIX_SHELLS:
        options = [
            position for position, word in enumerate(words) if _SCRIPT_OPTION.fullmatch(word.text)
        ]
        if options:
            start = _behind_options(words, options[0] + 1, _SHELL_OPTIONS_WITH_VALUE)
            yield from (word.text for word in words[start : start + 1])
        yield from simple.documents
    elif name in _POWERSHELLS:
        yield _joined(words[_behind_options(words, 1, _POWERSHELL_OPTIONS_WITH_VALUE) :])
        yield from simple.documents
    elif name == "cmd":
        yield _joined(word for word in words[1:] if not word.text.startswith("/"))


def _joined(words: Iterable[Word]) -> str:
    return " ".join(word.text for word in words)
