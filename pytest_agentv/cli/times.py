"""Times as people type them."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta

import click

_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_AGO = re.compile(r"(\d{1,6})([mhdw])")


class Since(click.ParamType):  # type: ignore[type-arg,unused-ignore]  # generic since click 8.2
    """A moment: a date, a date and time, or how long ago."""

    name = "TIME"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> datetime:
        """The moment, with a time zone; one typed without is of this machine's."""
        if isinstance(value, datetime):
            return value
        text = str(value).strip()
        ago = _AGO.fullmatch(text)
        try:
            if ago:
                return datetime.now().astimezone() - timedelta(
                    **{_UNITS[ago.group(2)]: int(ago.group(1))}
                )
            return datetime.fromisoformat(re.sub(r"[Zz]$", "+00:00", text)).astimezone()
        except (ValueError, OverflowError, OSError):
            self.fail(
                f"{text!r} is no time; right are 2026-03-29, 2026-03-29T21:10, 30m, 12h, 7d, 2w",
                param,
                ctx,
            )


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
