"""Commands that check a project: tests, builds, linters. By program and subcommand only.

The rest of a command line is not looked at and never repeated: arguments hold paths of one
machine, and may hold secrets.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_agentv.errors import NotGradable
from pytest_agentv.graders.shell_commands import commands_in

if TYPE_CHECKING:
    from collections.abc import Sequence

# Programs that are a check by themselves.
_PROGRAMS = frozenset(
    """
    ava black ctest cypress eslint flake8 golangci-lint invoke-pester isort jest karma mocha mypy
    nox nyc phpstan phpunit playwright pre-commit prettier pylint pyre pyright pytest rspec rubocop
    ruff shellcheck standard stylelint tox tsc unittest vitest vue-tsc xcodebuild
    """.split()  # noqa: SIM905 (a list of that many words reads worse)
)
# Programs of which a check is what they are asked to do.
_SUBCOMMANDS = {
    "bazel": {"build", "test"},
    "biome": {"check", "ci", "format", "lint"},
    "bun": {"test"},
    "cargo": {"bench", "build", "check", "clippy", "fmt", "nextest", "test"},
    "cmake": {"--build"},
    "dart": {"analyze", "test"},
    "deno": {"bench", "check", "fmt", "lint", "test"},
    "dotnet": {"build", "format", "test"},
    "flutter": {"analyze", "build", "test"},
    "go": {"build", "test", "vet"},
    "mix": {"compile", "format", "test"},
    "node": {"--test"},
    "npm": {"test", "t"},
    "pnpm": {"test", "t"},
    "swift": {"build", "test"},
    "terraform": {"fmt", "plan", "validate"},
    "yarn": {"test"},
    "zig": {"build", "test"},
}
# Programs that run a script of the project, whose name says what it does.
_SCRIPT_RUNNERS = (
    ("bun", "run"), ("composer", "run"), ("composer",), ("deno", "task"), ("gradle",),
    ("gradlew",), ("hatch", "run"), ("just",), ("make",), ("mise", "run"), ("mvn",), ("mvnw",),
    ("npm", "run"), ("pnpm", "run"), ("pnpm",), ("rake",), ("task",), ("turbo", "run"),
    ("turbo",), ("yarn", "run"), ("yarn",),
)  # fmt: skip
_SCRIPT = re.compile(
    r"(?:[a-z0-9_.-]*[:_.-])?"
    r"(?:all|build|check|checks|ci|clippy|compile|e2e|fmt|format|lint|package|spec|test|tests"
    r"|type-?check|types|unit|validate|verify|vet)"
    r"(?:[:_.-][a-z0-9_:.-]*)?",
    re.IGNORECASE,
)
# What stands before a program and runs it.
_LAUNCHERS = (
    ("bundle", "exec"), ("bunx",), ("hatch", "run"), ("npm", "exec"), ("npx",), ("pdm", "run"),
    ("pipenv", "run"), ("pipx", "run"), ("pixi", "run"), ("pnpm", "dlx"), ("pnpm", "exec"),
    ("poetry", "run"), ("py", "-m"), ("python", "-m"), ("python3", "-m"), ("rye", "run"),
    ("uv", "run"), ("uvx",), ("yarn", "dlx"), ("yarn", "exec"),
)  # fmt: skip
_WORD = re.compile(r"[A-Za-z0-9_.:+-]{1,40}", re.ASCII)
# How many launchers may stand before each other.
_MOST_LAUNCHERS = 3
# Beyond this a command line is no check, but a script of its own.
_LONGEST_LINE = 10_000


def checks_in(line: str) -> list[str]:
    """The checks that a command line runs, each by the words that say which one it is."""
    if len(line) > _LONGEST_LINE:
        return []
    try:
        runs = [command.words for command in commands_in(line) if not command.is_guessed]
    except NotGradable:  # too many scripts in scripts, which is no check either
        return []
    found = map(_check_of, runs)
    return [*dict.fromkeys(check for check in found if check is not None)]


def _check_of(words: Sequence[str]) -> str | None:
    # A program may be named by its path, which is another one elsewhere.
    words = [words[0].replace("\\", "/").rpartition("/")[2].removesuffix(".exe"), *words[1:]]
    length = _launched(words)
    found = _length(words[length:])
    said = words[: length + found]
    return " ".join(said) if found and all(map(_WORD.fullmatch, said)) else None


def _launched(words: Sequence[str]) -> int:
    """How many words come before the program that is meant."""
    length = 0
    for _ in range(_MOST_LAUNCHERS):
        length += next(
            (
                len(one)
                for one in _LAUNCHERS
                if _begins(words[length:], one) and words[length + 1 :]
            ),
            0,
        )
    return length


def _length(words: Sequence[str]) -> int:
    """How many words say which check a command is; 0 if it is none."""
    if not words:
        return 0
    program, second = words[0].lower(), words[1] if words[1:] else ""
    if program in _PROGRAMS:
        # What a linter is asked to do is a word; anything else is what it looks at.
        return (
            2 if program in ("ruff", "pre-commit") and second in ("check", "format", "run") else 1
        )
    if second in _SUBCOMMANDS.get(program, ()):
        return 2
    for runner in _SCRIPT_RUNNERS:
        script = words[len(runner)] if len(words) > len(runner) else ""
        if _begins(words, runner) and _SCRIPT.fullmatch(script):
            return len(runner) + 1
    return 0


def _begins(words: Sequence[str], with_: tuple[str, ...]) -> bool:
    return tuple(words[: len(with_)]) == with_
