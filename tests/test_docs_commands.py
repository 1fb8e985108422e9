"""Every command that a page names exists, with its options, also where no test runs it."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest

from pytest_agentv.cli.main import agentv

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parent.parent
PAGES = [
    *sorted(ROOT.glob("*.md")),
    *sorted(path for folder in ("docs", "examples", "benchmarks")
            for path in (ROOT / folder).glob("*.md")),
]  # fmt: skip
_FENCED = re.compile(r"^```\w*\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_SPAN = re.compile(r"`([^`\n]+)`")
_COMMAND = re.compile(r"(?:^|[$ (/])(?P<name>agentv|pytest) (?P<rest>.*)")
_NEXT = re.compile(r"&&|\|\|?|;|>|#|\)")


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _lines(page: Path) -> Iterator[str]:
    """Lines of blocks, and code within text."""
    content = page.read_text(encoding="utf-8")
    for block in _FENCED.finditer(content):
        yield from block["text"].splitlines()
    yield from _SPAN.findall(_FENCED.sub("", content))


def _commands(page: Path) -> Iterator[tuple[str, list[str]]]:
    """Each command of a page: its name, and the words up to the next command or a comment."""
    for line in _lines(page):
        for found in _COMMAND.finditer(line):
            words = _words(found["rest"])
            ends = (place for place, word in enumerate(words) if _NEXT.match(word))
            yield found["name"], words[: next(ends, len(words))]


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:  # An apostrophe of a sentence.
        return text.split()


def _options(words: list[str]) -> list[str]:
    return [word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)]


def _unknown(words: list[str], of_pytest: set[str]) -> list[str]:
    """What `agentv` does not know: a command, or options of one."""
    command: click.Command = agentv
    while words and isinstance(command, click.Group):
        context = click.Context(command)
        if command.name == "import" and words[0] not in command.list_commands(context):
            # Where a page means any client, it has a sign or nothing in its place.
            words = ["claude", *words[not words[0].startswith("-") :]]
        child = command.get_command(context, words[0])
        if child is None:
            return [words[0]] if re.fullmatch("[a-z]+", words[0]) else []
        command, words = child, words[1:]
    if command.name == "eval":
        return _unknown_to_pytest(words, {*of_pytest, "--redact"})
    has = {option for one in command.params for option in (*one.opts, *one.secondary_opts)}
    return [one for one in _options(words) if one not in {*has, "-h", "--help"}]


def _unknown_to_pytest(words: list[str], known: set[str]) -> list[str]:
    """Options of ours that pytest does not know; those of pytest itself are its own business."""
    ours = [one for one in _options(words) if re.match("--(agentv|transcript|redact)", one)]
    return [one for one in ours if one not in known]


@pytest.fixture(scope="module")
def of_pytest(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--help"],
        cwd=tmp_path_factory.mktemp("empty"),
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=True,
    )
    return set(re.findall(r"^  (--(?:agentv-[\w-]+|transcript))", done.stdout, re.MULTILINE))


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_every_command_of_a_page_exists_with_its_options(page: Path, of_pytest: set[str]) -> None:
    assert of_pytest
    wrong = {
        f"{name} {' '.join(words)}": unknown
        for name, words in _commands(page)
        if (unknown := _unknown(words, of_pytest) if name == "agentv"
            else _unknown_to_pytest(words, of_pytest))
    }  # fmt: skip
    assert wrong == {}
