"""Times as people type them."""

from __future__ import annotations

from datetime import date, datetime

import click

from pytest_agentv.search.times import moment_typed


class Since(click.ParamType):  # type: ignore[type-arg,unused-ignore]  # generic since click 8.2
    """A moment: a date, a date and time, or how long ago."""

    name = "TIME"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> datetime:
        """The moment, with a time zone; one typed without is of this machine's."""
        if isinstance(value, datetime):
            return value
        try:
            return moment_typed(str(value))
        except ValueError as exc:
            self.fail(str(exc), param, ctx)


class Day(click.ParamType):  # type: ignore[type-arg,unused-ignore]  # generic since click 8.2
    """A date."""

    name = "DATE"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> date:
        """The date."""
        if isinstance(value, date):
            return value
        text = str(value).strip()
        try:
            return datetime.strptime(text, "%Y-%m-%d").date()  # noqa: DTZ007 (a day has no zone)
        except ValueError:
            self.fail(f"{text!r} is no date; right is 2026-03-29", param, ctx)
