"""What a command gives to a shell to run: ``bash -c``, ``eval``, documents, encoded commands.

Where a shell runs what the line does not say, that is told, too: it may be anything.
"""

from __future__ import annotations

import re
from base64 import b64decode
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, NamedTuple

from pytest_agentv.graders.shell_parts import STAND_IN
from pytest_agentv.graders.shell_pipes import INPUTS, is_unseen
from pytest_agentv.graders.shell_wrappers import behind_options, program_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TypeAlias

    from pytest_agentv.graders.shell_parts import SimpleCommand, Word
    from pytest_agentv.graders.shell_wrappers import Run

# A command line, the text of a here-document, or a line for PowerShell.
Dialect: TypeAlias = Literal["shell", "text", "powershell"]

UNIX_SHELLS = frozenset(
    {"bash", "sh", "zsh", "dash", "ksh", "fish", "ash", "su", "csh", "tcsh", "mksh", "rbash"}
)
_POWERSHELLS = frozenset({"powershell", "pwsh"})
_SOURCES = frozenset({"source", "."})
_EXPRESSIONS = frozenset({"iex", "invoke-expression"})
_STARTS = frozenset({"start-process", "saps", "start"})
_SCHEDULES = frozenset({"at", "batch"})
_SCRIPT_OPTION = re.compile(r"-[A-Za-z]*c[A-Za-z]*|--command")
_INPUT_OPTION = re.compile(r"-[A-Za-z]*s[A-Za-z]*")
_SCRIPT_IN_OPTION = "--command="
_SHELL_OPTIONS_WITH_VALUE = frozenset({"-o", "+o", "-O", "+O", "--rcfile", "--init-file"})
# Options may be cut short: `-ExecutionPolicy` is `-exec`, too.
_POWERSHELL_OPTION_WITH_VALUE = re.compile(
    r"-(?:ex\w*|ep|w\w*|v\w*|o\w*|inp\w*|if|conf\w*|cu\w*|set\w*|ps\w*)", re.IGNORECASE
)
_ENCODED = re.compile(r"-e(?:c|n[a-z]*)?", re.IGNORECASE)
_START_OPTION = re.compile(
    r"-(?:file\w*|arg\w*|wait|nonew\w*|pass\w*|load\w*|use\w*)", re.IGNORECASE
)
_START_OPTION_WITH_VALUE = re.compile(
    r"-(?:verb|work\w*|wind\w*|redir\w*|cred\w*|env\w*)", re.IGNORECASE
)
_VARIABLE = re.compile(r"\$\{?[\w:]+\}?|" + re.escape(STAND_IN))
# Interpreters that take code as an argument, and what in it may run a command.
_INTERPRETERS = re.compile(
    r"(?:python|pypy|node|deno|bun|perl|ruby|php|lua|rscript|julia|osascript|[gm]?awk)[0-9.]*"
)
_SPAWNS = re.compile(
    r"\b(?:system2?|popen\d?|subprocess|create_subprocess_\w+|child_process|(?:posix_)?spawn\w*"
    r"|shell_exec|passthru|proc_open|pcntl_exec|open3|deno\.command|do shell script)\b"
    r"|(?:\bos\.|(?<![.\w]))exec\w*\b|%x[\W]|\bqx\W|`",
    re.IGNORECASE,
)
_PIPES_OF_AWK = re.compile(r'(?<!\|)\|\s*(?:getline\b|")')
_CODE_OPTION = re.compile(r"-[A-Za-z]*[cerE]|--eval|--print|eval|-")


class Script(NamedTuple):
    """A text that is run, and by what."""

    text: str
    dialect: Dialect = "shell"


def scripts_of(simple: SimpleCommand, run: Run) -> Iterator[Script]:
    """What a command gives to a shell to run."""
    words = simple.words[run.start : run.end]
    name = program_of(words[0].text)
    if run.is_guessed:
        # In one word there may be a whole command.
        texts = (word.text.rpartition("=")[2] if _is_option(word) else word.text for word in words)
        yield from (Script(text) for text in texts if " " in text)
    if name == "eval":
        yield Script(_joined(words[1:]))
    elif name in UNIX_SHELLS:
        yield from map(Script, _of_a_shell(words))
        yield from map(Script, simple.documents)
    elif name in _SOURCES or name in _SCHEDULES or name == "ssh":
        yield from map(Script, simple.documents)
    elif name == "trap":
        yield from (Script(word.text) for word in words[1:2])
    elif name == "alias":
        yield from (Script(word.text.partition("=")[2]) for word in words[1:])
    elif name == "env":
        yield from map(Script, _split_by_env(words))
    elif name == "cmd":
        start = next(
            (one for one in range(1, len(words)) if words[one].text[:1] != "/"), len(words)
        )
        # It has neither's quotes; backslashes are as PowerShell reads them.
        yield Script(_joined(words[start:]))
        yield Script(_joined(words[start:]), "powershell")
    else:
        yield from _of_powershell(name, simple, words)


def is_hidden(simple: SimpleCommand, run: Run) -> bool:
    """Whether a command runs a script that the line does not say."""
    words = simple.words[run.start : run.end]
    name = program_of(words[0].text)
    if name in _EXPRESSIONS:
        told = words[_behind_powershell_options(words) :]
        return not told or told[0].text.startswith(("$", "("))
    if name in UNIX_SHELLS or name in _SOURCES:
        return _is_hidden_from_a_shell(name, simple, words, run)
    if name in _POWERSHELLS:
        told = words[_behind_powershell_options(words) :]
        if _encoded(words) == "" or (len(told) == 1 and _VARIABLE.fullmatch(told[0].text)):
            return True
        return _is_input(told) and is_unseen(simple.feeder)
    return _INTERPRETERS.fullmatch(name) is not None and _may_spawn(name, simple, words)


def _is_hidden_from_a_shell(
    name: str, simple: SimpleCommand, words: Sequence[Word], run: Run
) -> bool:
    if name in UNIX_SHELLS and any(_SCRIPT_OPTION.fullmatch(word.text) for word in words):
        # What comes from elsewhere would be the script.
        return run.is_fed and not any(True for _ in _of_a_shell(words))
    start = behind_options(words, 1, _SHELL_OPTIONS_WITH_VALUE)
    is_told = any(_INPUT_OPTION.fullmatch(word.text) for word in words[1:start])
    if is_told or name == "su" or _is_input(words[start:]):
        return is_unseen(simple.feeder)
    return words[start].text == STAND_IN


def _may_spawn(name: str, simple: SimpleCommand, words: Sequence[Word]) -> bool:
    """Whether code in another language may run a command."""
    codes: list[str] = []
    if name.endswith("awk"):
        codes = [word.text for word in words[1:]]
        if any(_PIPES_OF_AWK.search(code) for code in codes):
            return True
    elif _is_input(words[1:]):
        if STAND_IN in simple.documents or is_unseen(simple.feeder):
            return True
    elif any(_CODE_OPTION.fullmatch(word.text) for word in words[1:4]):
        codes = [word.text for word in words[1:]]
    return any(_SPAWNS.search(code) for code in [*codes, *simple.documents])


def _of_a_shell(words: Sequence[Word]) -> Iterator[str]:
    for position, word in enumerate(words):
        if _SCRIPT_OPTION.fullmatch(word.text):
            start = behind_options(words, position + 1, _SHELL_OPTIONS_WITH_VALUE)
            yield from (word.text for word in words[start : start + 1])
            return
        if word.text.startswith(_SCRIPT_IN_OPTION):
            yield word.text.removeprefix(_SCRIPT_IN_OPTION)
            return


def _split_by_env(words: Sequence[Word]) -> Iterator[str]:
    """What ``env -S`` takes apart: one text that is a whole command."""
    for position, word in enumerate(words):
        for option in ("--split-string", "-S"):
            if word.text.startswith(option):
                rest = word.text.removeprefix(option).removeprefix("=")
                yield f"{rest} {_joined(words[position + 1 :])}"
                return


def _of_powershell(name: str, simple: SimpleCommand, words: Sequence[Word]) -> Iterator[Script]:
    if name in _POWERSHELLS:
        coded = _encoded(words)
        start = _behind_powershell_options(words)
        yield Script(coded or _joined(words[start:]), "powershell")
        yield from (Script(text, "powershell") for text in simple.documents)
    elif name in _EXPRESSIONS:
        yield Script(_joined(words[_behind_powershell_options(words) :]), "powershell")
    elif name in _STARTS:
        yield Script(_started(words), "powershell")


def _behind_powershell_options(words: Sequence[Word]) -> int:
    start = 1
    while start < len(words) and words[start].text.startswith("-"):
        start += 2 if _POWERSHELL_OPTION_WITH_VALUE.fullmatch(words[start].text) else 1
    return start


def _started(words: Sequence[Word]) -> str:
    """The command line that ``Start-Process`` makes of a program and a list of arguments."""
    told = []
    position = 1
    while position < len(words):
        text = words[position].text
        is_pair = _START_OPTION_WITH_VALUE.fullmatch(text) is not None
        if not is_pair and _START_OPTION.fullmatch(text) is None:
            told.append(text.replace(",", " "))
        position += 2 if is_pair else 1
    return " ".join(told)


def _encoded(words: Sequence[Word]) -> str | None:
    """A command that was given in base64; empty if it cannot be read, None if there is none."""
    for option, value in pairwise(words):
        if _ENCODED.fullmatch(option.text):
            try:
                return b64decode(value.text, validate=True).decode("utf-16-le")
            except ValueError:
                return ""
    return None


def _is_input(words: Sequence[Word]) -> bool:
    """Whether a program with these arguments reads its code from a pipe."""
    return not words or words[0].text in INPUTS


def _is_option(word: Word) -> bool:
    return word.text.startswith("-")


def _joined(words: Iterable[Word]) -> str:
    return " ".join(word.text for word in words)
