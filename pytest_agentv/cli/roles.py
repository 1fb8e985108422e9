"""Roles of entries as people type them."""

from __future__ import annotations

import click

from pytest_agentv.views.entries import ENTRY_ROLES


class Roles(click.ParamType):  # type: ignore[type-arg,unused-ignore]  # generic since click 8.2
    """Some of the roles of entries, with commas between them."""

    name = "ROLES"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> frozenset[str]:
        """The roles; one that no entry can have is an error."""
        if isinstance(value, frozenset):
            return value
        roles = [one.strip() for one in str(value).split(",")]
        for role in roles:
            if role not in ENTRY_ROLES:
                self.fail(f"{role!r} is no role; known: {', '.join(ENTRY_ROLES)}", param, ctx)
        return frozenset(roles)
