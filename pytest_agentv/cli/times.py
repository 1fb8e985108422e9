"""Times as people type them."""

from __future__ import annotations

from datetime import date, datetime, timezone

import click


class Since(click.ParamType):  # type: ignore[type-arg,unused-ignore]  # generic since click 8.2
    """A moment: a date, a date and time, or how long ago."""

    name = "TIME"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> datetime:
        """The moment, with a time zone; one typed without is of this machine's."""
        if isinstance(value, datetime):
            return value
        from pytest_agentv.search.times import moment_typed  # noqa: PLC0415 (rarely typed)

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
            self.fail(f"{text!r} is no date like 2026-03-29", param, ctx)


def utc_text(seconds: int | None) -> str | None:
    """Seconds since 1970 as programs write a time; None if they are unknown, or none that is."""
    found = None if seconds is None else _moment(seconds)
    return None if found is None else f"{found.isoformat()[:-6]}Z"


def local_text(seconds: int | None) -> str | None:
    """Seconds since 1970 by the clock of this machine, to the minute."""
    found = None if seconds is None else _moment(seconds)
    try:
        return None if found is None else f"{found.astimezone():%Y-%m-%d %H:%M}"
    except (OverflowError, OSError, ValueError):
        return None


def _moment(seconds: int) -> datetime | None:
    try:
        return datetime.fromtimestamp(seconds, timezone.utc)
    except (OverflowError, OSError, ValueError):
        return None
