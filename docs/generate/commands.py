"""Tables of the command line: the options of each command, as its own help has them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click
from marked import code, coded, sentence, table

from pytest_agentv.catalogue import ADAPTERS
from pytest_agentv.cli.main import agentv

if TYPE_CHECKING:
    from collections.abc import Iterator

# Clients with a table of their own; that of all others is the same, and shown once.
_OWN = ("claude", "codex", "copilot")
_OTHERS = "agentv import CLIENT"


def parts() -> dict[str, str]:
    """The table of each command that has options, by the command."""
    found: dict[str, str] = {}
    for name, command in _commands(agentv, ("agentv",)):
        rows = [_row(one) for one in command.params if isinstance(one, click.Option)]
        if name == "agentv":
            rows.append(["`-h`, `--help`", "show help, here and for every command"])
        if not rows:
            continue
        made = table(["option", "does"], rows)
        if found.setdefault(name, made) != made:
            raise SystemExit(f"the clients of {name!r} have different options")
    return found


def _commands(command: click.Command, path: tuple[str, ...]) -> Iterator[tuple[str, click.Command]]:
    name = " ".join(path)
    client = name.removeprefix("agentv import ")
    ours = {one.name for one in ADAPTERS} - {*_OWN}
    yield _OTHERS if client in ours else name, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for child in command.list_commands(context):
            found = command.get_command(context, child)
            if found is not None and (path[-1] != "import" or child in {"auto", *_OWN, *ours}):
                yield from _commands(found, (*path, child))


def _row(option: click.Option) -> list[str]:
    value = "" if option.is_flag else f" {_value(option)}"
    names = ", ".join(code(one + value) for one in (*option.opts, *option.secondary_opts))
    choices = option.type.choices if isinstance(option.type, click.Choice) else ()
    words = [str(one) for one in choices]
    return [names, coded(sentence(_help(option, words)), words)]


def _value(option: click.Option) -> str:
    if option.metavar is not None:
        return option.metavar
    if isinstance(option.type, click.Choice) and len(option.type.choices) == 1:
        return str(option.type.choices[0])
    return option.opts[-1].lstrip("-").rpartition("-")[2].upper()


def _help(option: click.Option, choices: list[str]) -> str:
    """The help, with the values that it does not name, and the default if it does not say it."""
    text = (option.help or "").removesuffix(".")
    unnamed = [one for one in choices if not re.search(rf"\b{re.escape(one)}\b", text)]
    if unnamed and len(choices) > 1:
        text += f"; one of {', '.join(choices)}"
    usual = option.default
    if isinstance(usual, int | float | str) and usual is not False and "default" not in text:
        text += f" (default: {usual})"
    return text + ("; required" if option.required else "")
