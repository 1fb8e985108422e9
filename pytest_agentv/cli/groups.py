"""Groups of commands whose modules are loaded only when used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, ClassVar

import click

if TYPE_CHECKING:
    from collections.abc import Mapping


class LazyGroup(click.Group):
    """Commands by name, each with its module beside this one and a line of help."""

    modules: ClassVar[Mapping[str, tuple[str, str]]] = {}
    # Names that work and are not listed.
    unlisted: ClassVar[frozenset[str]] = frozenset()

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in order."""
        del ctx
        return sorted(self.modules.keys() - self.unlisted)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A command, loaded now; None if there is none of the name."""
        del ctx
        if cmd_name not in self.modules:
            return None
        module, _ = self.modules[cmd_name]
        command: click.Command = import_module(f"pytest_agentv.cli.{module}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the words name; if there is none, the nearest is suggested."""
        if args[0] not in self.modules:
            from difflib import get_close_matches  # noqa: PLC0415 (only where there is an error)

            if close := get_close_matches(args[0], self.list_commands(ctx), n=1):
                ctx.fail(f"No such command {args[0]!r}; did you mean {close[0]!r}?")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands in the help text; none of them is loaded for it."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, self.modules[name][1]) for name in self.list_commands(ctx)])
