"""Which files a session read and changed, as far as its calls say so.

Files are read and changed by tools for that, by patches, and read by commands that do nothing else:
some clients have no tool to read, and use ``cat`` or ``sed`` instead. What any other command does
to files nobody knows.
"""

from __future__ import annotations

import re
from posixpath import isabs, join
from typing import TYPE_CHECKING, NamedTuple

from pytest_agentv.graders.call_commands import commands_of
from pytest_agentv.graders.calls import arguments_known, native_arguments, steps
from pytest_agentv.graders.path_forms import is_windows, path_forms
from pytest_agentv.graders.shell_wrappers import program_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from pytest_agentv.graders.calls import Step
    from pytest_agentv.graders.shell_commands import Command
    from pytest_agentv.transcript.model import ToolCall, Transcript

_CHANGES = frozenset({"write", "edit"})
# Kinds of calls that change files, or read them; a shell does so by patches, or by `cat`.
CHANGING = _CHANGES | {"shell"}
READING = frozenset({"read", "shell"})
# Programs that print files, and their options that take the next word.
_READERS = {
    "cat": "",
    "head": "-n -c --lines --bytes",
    "tail": "-n -c --lines --bytes",
    "nl": "-b -d -f -h -i -l -n -s -v -w",
    "less": "",
    "more": "",
    "bat": "-r -l --line-range --language --style",
    "batcat": "-r -l --line-range --language --style",
    "sed": "-e -f --expression --file",
    "get-content": "-totalcount -tail -head -encoding -first -last -readcount -delimiter",
    "gc": "-totalcount -tail -head -encoding -first -last -readcount -delimiter",
    "type": "",
}
_OPTIONS = {name: frozenset(options.split()) for name, options in _READERS.items()}
_IN_PLACE = re.compile(r"-[A-Za-z]*i.*|--in-place.*")
_UNKNOWN_PATH = re.compile(r"[$*?`]|^[-<>]|^$")


class FileSeen(NamedTuple):
    """A file that a call read or changed."""

    path: str
    step: Step
    # Whether it did so; False if nobody can say.
    is_sure: bool

    @property
    def name(self) -> str:
        """The path as it is seen from the folder of the session."""
        *_, name = path_forms(self.path, self.step.cwd)
        return name


def changed_files(transcript: Transcript) -> Iterator[FileSeen]:
    """Files that were written or edited: by tools, and by patches in scripts."""
    for step in steps(transcript):
        call = step.call
        # A script has paths only if it applies a patch.
        if call.kind in _CHANGES or call.kind == "shell":
            did = _did(call, all_or_nothing=call.kind != "shell")
            if did is not False:
                for path in call.paths:
                    yield FileSeen(_placed(path, transcript.source.cwd), step, did is True)


def read_files(transcript: Transcript) -> Iterator[FileSeen]:
    """Files that were read by tools, or by commands that print files."""
    cwd = transcript.source.cwd
    for step in steps(transcript):
        call = step.call
        if call.kind == "read":
            did = _did(call, all_or_nothing=True)
            paths: Sequence[str] = call.paths
        elif call.kind == "shell" and call.command is not None:
            # What a container or another machine reads is no file of the session's.
            commands = [one for one in commands_of(call, cwd) if not one.is_guessed]
            paths = list(_printed(call, commands, cwd))
            did = _did(call, all_or_nothing=len(commands) == 1)
        else:
            continue
        if did is not False:
            for path in paths:
                yield FileSeen(_placed(path, cwd), step, did is True)


def silent_steps(transcript: Transcript, kinds: Collection[str]) -> list[Step]:
    """Calls of some kinds of which the session does not say what they were about."""
    return [
        step
        for step in steps(transcript)
        if step.call.kind in kinds
        and not arguments_known(step.call)
        and _did(step.call, all_or_nothing=step.call.kind != "shell") is not False
    ]


def _did(call: ToolCall, *, all_or_nothing: bool) -> bool | None:
    """Whether a call did what it is for; None if nobody can say."""
    if call.status == "ok":
        return True
    if call.status == "denied" or (call.status == "error" and all_or_nothing):
        return False
    return None


def _placed(path: str, folder: str | None) -> str:
    """A path as it is seen from outside its folder."""
    if folder is None or isabs(path) or path.startswith("~") or is_windows(path):
        return path
    if is_windows(folder):
        return f"{folder}{'/' if '/' in folder else chr(92)}{path}"
    # Where a session does not say its whole folder, nothing is to be gained from a part of it.
    return join(folder, path) if isabs(folder) else path


def _printed(call: ToolCall, commands: Iterable[Command], cwd: str | None) -> Iterator[str]:
    """The files that the commands of a line print."""
    workdir = native_arguments(call).get("workdir")
    folder = _placed(workdir, cwd) if isinstance(workdir, str) else cwd
    for command in commands:
        name, *arguments = command.words
        if name == "cd" and len(arguments) == 1 and not _UNKNOWN_PATH.search(arguments[0]):
            folder = _placed(arguments[0], folder)
        program = program_of(name)
        if program in _OPTIONS:
            for path in _arguments(program, arguments):
                yield _placed(path, folder)


def _arguments(program: str, words: Sequence[str]) -> Iterator[str]:
    """What of the words behind a program are files."""
    takes_value = _OPTIONS[program]
    # The first argument of sed is its script, unless an option gave one.
    skipped = int(program == "sed")
    is_value = False
    for word in words:
        if is_value:
            is_value = False
        elif word.startswith("-"):
            if program == "sed" and _IN_PLACE.fullmatch(word):
                return
            is_value = word.lower() in takes_value
            if program == "sed" and is_value:
                skipped = 0
        elif skipped:
            skipped -= 1
        elif not _UNKNOWN_PATH.search(word):
            yield word
