"""Programs that run other programs: where in their words the other command begins.

Of some it is known which options take a value, so there is one such place. Of others only a few
are guessed: rather too many commands are found than too few.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from pytest_agentv.graders.shell_parts import RESERVED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_agentv.graders.shell_parts import Word

# How many wrappers of one command are shown, and how many commands are guessed behind one.
_MAX_SHOWN = 8
_MAX_GUESSED = 8
# Among so many words a program looks for what it is to do.
_MAX_ORDERS = 6

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=")
_EXECUTABLE = re.compile(r"\.(?:exe|cmd|bat)$", re.IGNORECASE)
# Programs that run what follows them, and their options that take the next word.
_WRAPPERS = {
    "sudo": (
        "-u -g -h -p -C -r -t -T -U -D -R --user --group --host --prompt --chdir --chroot "
        "--close-from --role --type --other-user --command-timeout"
    ),
    "doas": "-u -C",
    "env": "-u -C -a -P --unset --chdir --argv0",
    "timeout": "-s -k --signal --kill-after",
    "gtimeout": "-s -k --signal --kill-after",
    "nice": "-n --adjustment",
    "ionice": "-c -n -p --class --classdata --pid",
    "time": "-f -o --format --output",
    "stdbuf": "-i -o -e --input --output --error",
    "xargs": (
        "-I -n -P -d -L -s -a -E -J -R -S --max-args --max-procs --delimiter --max-lines "
        "--arg-file --max-chars"
    ),
    "exec": "-a",
    "nohup": "",
    "setsid": "",
    "command": "",
    "builtin": "",
    "noglob": "",
    "nocorrect": "",
    "busybox": "",
    "toybox": "",
}
_TAKES_VALUE = {name: frozenset(options.split()) for name, options in _WRAPPERS.items()}
_QUESTION = re.compile(r"-p?[vV]")
# Their first argument is a time.
_TIMED = frozenset({"timeout", "gtimeout"})
_PLAIN_RUNNERS = (
    "arch bwrap caffeinate catchsegv cgexec chronic chroot chrt cpulimit dbus-run-session "
    "dotenv eatmydata entr expect faketime fakeroot firejail flock gosu gsudo hyperfine ltrace "
    "nix-shell npx nsenter numactl parallel pkexec prlimit proxychains proxychains4 runuser "
    "screen script setarch setpriv sg ssh sshpass strace su-exec systemd-run taskset tmux "
    "torify torsocks unbuffer unshare watch watchexec wsl xvfb-run"
)
# Programs of which nobody lists all options; some run a command only if they are told to.
_RUNNERS = {
    **dict.fromkeys(_PLAIN_RUNNERS.split(), ""),
    **dict.fromkeys(
        ["docker", "podman", "nerdctl", "docker-compose", "kubectl", "oc"], "run exec debug"
    ),
    **dict.fromkeys(["npm", "pnpm", "yarn", "bun"], "exec x dlx"),
    **dict.fromkeys(
        ["uv", "poetry", "pipenv", "pdm", "hatch", "rye", "conda", "mamba", "pixi"], "run"
    ),
    **dict.fromkeys(["fd", "fdfind"], "-x -X --exec --exec-batch"),
    **dict.fromkeys(
        ["bundle", "direnv", "mise", "asdf", "rbenv", "pyenv", "lxc", "incus"], "exec x"
    ),
    "adb": "shell",
    "vagrant": "ssh",
    "nix": "develop shell run",
    "git": "bisect submodule rebase filter-branch",
}
_ORDERS = {name: frozenset(orders.split()) for name, orders in _RUNNERS.items()}
# What they run gets more arguments than the line says.
_FEEDING = frozenset({"parallel", "fd", "fdfind"})
_RUNS_OF_FIND = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_END_OF_RUN = frozenset({";", "+"})


class Run(NamedTuple):
    """The words of a simple command that are a command themselves."""

    start: int
    end: int
    # There is no wrapper around another command.
    is_innermost: bool = True
    # More arguments come from elsewhere.
    is_fed: bool = False
    # Nobody knows whether the command begins here.
    is_guessed: bool = False


def program_of(word: str) -> str:
    """The name of a program in lower case, without its folder and ``.exe``."""
    return without_folder(word).lower()


def without_folder(word: str) -> str:
    """A program as one may call it anywhere: without its folder and ``.exe``."""
    return _EXECUTABLE.sub("", word.replace("\\", "/").rpartition("/")[2])


def is_assignment(word: str) -> bool:
    """Whether a word sets a variable."""
    return _ASSIGNMENT.match(word) is not None


def runs_in(words: Sequence[Word]) -> Iterator[Run]:
    """A command, the same without each of its wrappers, and what it runs itself."""
    innermost = None
    for innermost in _unwrapped_runs(words, 0, len(words)):
        yield innermost
    if innermost is None:
        return
    name = program_of(words[innermost.start].text)
    if name == "find":
        for start, end in _runs_of_find(words, innermost.start):
            yield from _unwrapped_runs(words, start, end)
    elif name in _ORDERS:
        guessed = _guessed(words, innermost, _ORDERS[name])
        yield from (run._replace(is_fed=name in _FEEDING) for run in guessed)


def behind_options(words: Sequence[Word], start: int, takes_value: frozenset[str]) -> int:
    """Where options and their values end."""
    while start < len(words) and words[start].text.startswith(("-", "+")):
        start += _length_of_option(words[start].text, takes_value)
    return start


def _length_of_option(text: str, takes_value: frozenset[str]) -> int:
    """How many words an option and its value are; ``-iu`` is ``-i -u``."""
    if text in takes_value:
        return 2
    if not text.startswith("--"):
        for position, letter in enumerate(text[1:], 2):
            if f"-{letter}" in takes_value:
                return 2 if position == len(text) else 1
    return 1


def _unwrapped_runs(words: Sequence[Word], start: int, end: int) -> Iterator[Run]:
    start = _first(words, start)
    number = 0
    is_fed = False
    while start < end:
        inner = _unwrapped(words, start)
        number += 1
        if number <= _MAX_SHOWN or inner is None:
            yield Run(start, end, is_innermost=inner is None, is_fed=is_fed)
        if inner is None:
            return
        is_fed = is_fed or program_of(words[start].text) == "xargs"
        start = inner


def _first(words: Sequence[Word], start: int) -> int:
    """The first word that is no reserved one, no assignment and no name of what follows."""
    while start < len(words) and (
        words[start].text in RESERVED
        or is_assignment(words[start].text)
        or (start and start + 1 < len(words) and words[start + 1].text == "{")
    ):
        start += 1
    return start


def _unwrapped(words: Sequence[Word], start: int) -> int | None:
    """Where the command begins that a wrapper runs; None if this is no wrapper."""
    name = program_of(words[start].text)
    if name not in _TAKES_VALUE or _is_question(name, words[start + 1 : start + 2]):
        return None
    start = behind_options(words, start + 1, _TAKES_VALUE[name])
    return _first(words, start + 1 if name in _TIMED else start)


def _is_question(name: str, words: Sequence[Word]) -> bool:
    """Whether only the place of a program is asked for, as by ``command -v``."""
    return name == "command" and any(_QUESTION.fullmatch(word.text) for word in words)


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


def _guessed(words: Sequence[Word], run: Run, orders: frozenset[str]) -> Iterator[Run]:
    """Where behind a program the command may begin that it runs."""
    start = run.start + 1
    if orders:
        told = range(start, min(run.end, start + _MAX_ORDERS))
        order = next((one for one in told if words[one].text in orders), None)
        if order is None:
            return
        start = order + 1
    texts = ((one, words[one].text) for one in range(start, run.end))
    # In an option there may be a whole command, as in `--run='make all'`.
    places = (one for one, text in texts if not text.startswith("-") or " " in text)
    for _, place in zip(range(_MAX_GUESSED), places, strict=False):
        yield Run(place, run.end, is_guessed=True)
