"""What goes through a pipe: what a command prints, as far as the line says it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_agentv.graders.shell_parts import STAND_IN, SimpleCommand, unescaped
from pytest_agentv.graders.shell_wrappers import program_of, runs_in

if TYPE_CHECKING:
    from collections.abc import Iterator

# How many arguments of one ``printf`` are looked at as texts of their own.
_MAX_SAID = 50

# Names by which programs read what a pipe brings.
INPUTS = frozenset({"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"})
_ECHO_OPTION = re.compile(r"-[neE]+")


def fed_by(command: SimpleCommand) -> SimpleCommand:
    """A command without words that reads what another one prints, or hands on."""
    said = _said_by(command)
    return SimpleCommand(command.documents if said is None else said, command)


def is_unseen(command: SimpleCommand | None) -> bool:
    """Whether the line does not say what a command prints; what is in a file is not asked for."""
    while command is not None:
        program, *words = _unwrapped(command)
        if program in ("echo", "printf"):
            return False
        if program not in ("cat", "tee") or STAND_IN in words:
            return True
        if program == "cat" and any(_is_file(word) for word in words):
            return False
        command = command.feeder  # which is what these print
    return False


def _said_by(command: SimpleCommand) -> list[str] | None:
    """What a command prints, if it is one that prints its arguments and reads nothing."""
    program, *words = _unwrapped(command)
    if program == "echo":
        while words and _ECHO_OPTION.fullmatch(words[0]):
            del words[0]
    elif program != "printf":
        return None
    texts = [" ".join(words)]
    if program == "printf" and len(words) > 1:
        texts += words[:_MAX_SAID]
        texts += [STAND_IN] if len(words) > _MAX_SAID else []
    return [form for text in texts for form in _forms(text)]


def _unwrapped(command: SimpleCommand) -> list[str]:
    """The name of a command's program without wrappers, and its arguments."""
    run = next((one for one in runs_in(command.words) if one.is_innermost), None)
    if run is None:
        return [""]
    program, *words = (word.text for word in command.words[run.start : run.end])
    return [program_of(program), *words]


def _is_file(word: str) -> bool:
    return word not in INPUTS and not word.startswith("-")


def _forms(text: str) -> Iterator[str]:
    yield text
    if "\\" in text:
        yield unescaped(text)
