"""Commands whose arguments are a query, which may begin with a minus."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Sequence


class QueryCommand(click.Command):
    """A command that takes ``-word`` for a part of its query: no option of its is called so."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse what was typed: options first, then the query as it stands."""
        return super().parse_args(ctx, self._parted(args))

    def _parted(self, typed: Sequence[str]) -> list[str]:
        options = [one for one in self.params if isinstance(one, click.Option)]
        takes_value = {name for one in options if not one.is_flag for name in one.opts}
        short = {"-h", *(name for one in options for name in one.opts if name[:2] != "--")}
        given: list[str] = []
        query: list[str] = []
        rest = iter(typed)
        for one in rest:
            if one == "--":
                query += rest
            elif one in takes_value:
                given += [one, *islice(rest, 1)]
            elif one.startswith("--") or one in short:
                given.append(one)
            else:
                query.append(one)
        return [*given, "--", *query]
