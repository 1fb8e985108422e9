"""``agentv read``: what was said and done in a session, from its end or while it grows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click
import msgspec

from pytest_agentv.adapters.base import ReadOptions
from pytest_agentv.cli.console import say
from pytest_agentv.cli.imported import warn_of_drift
from pytest_agentv.cli.names import names_given
from pytest_agentv.cli.read_follow import follow_entries, follow_records
from pytest_agentv.cli.read_raw import put_records, raw_records
from pytest_agentv.cli.read_session import ClientSession, session_named
from pytest_agentv.cli.read_shown import printer
from pytest_agentv.cli.redacting import redact_option, redactor_of
from pytest_agentv.cli.roles import Roles
from pytest_agentv.cli.times import Since
from pytest_agentv.errors import Location
from pytest_agentv.views.entries import ENTRY_ROLES, entries, filtered

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from typing import Any

    from pytest_agentv.cli.read_session import KeptTranscript
    from pytest_agentv.views.entries import Entry

# How a process ends that Ctrl-C stopped, as `tail -f` does.
_INTERRUPTED = 130
_FORMATS = ["text", "json", "markdown"]


class Request(msgspec.Struct, frozen=True):
    """What was asked for on the command line."""

    last: int | None
    since: datetime | None
    roles: frozenset[str] | None
    raw: bool
    follow: bool
    format_: str | None
    full: bool
    include_subagents: bool
    profile: str | None


@click.command("read")
@click.argument("session", metavar="SESSION")
@click.option(
    "--since",
    type=Since(),
    metavar="TIME",
    help="Only what was said since: a date, a date and time, or an age like 30m or 12h.",
)
@click.option(
    "--roles",
    type=Roles(),
    metavar="ROLE,…",
    help=f"Only entries of these roles: {', '.join(ENTRY_ROLES)}.",
)
@click.option(
    "--last",
    type=click.IntRange(min=0),
    metavar="N",
    help="Only the last N entries of what --since and --roles leave.",
)
@click.option("--raw", is_flag=True, help="Print the records that the client wrote, as they are.")
@click.option("--follow", is_flag=True, help="Go on with whatever is added, until Ctrl-C.")
@click.option(
    "--format",
    "format_",
    type=click.Choice(_FORMATS),
    help="text for people (default), json: an object on each line, markdown.",
)
@click.option("--full", is_flag=True, help="Shorten no text.")
@click.option("--include-subagents", is_flag=True, help="Add what sub-agents said and did.")
@redact_option
def command(session: str, **values: Any) -> None:
    """Show what was said and done in SESSION.

    SESSION is claude:latest, codex:ID, the id of a session of any client or its beginning, a
    session file, a folder that holds one, or a transcript; - reads names from standard input, as
    agentv search --names prints them. Entries are chosen by --since, then by --roles, then by
    --last.
    """
    request = Request(**values)
    _check(request)
    redactor = redactor_of(request.profile)
    names = names_given(session)
    if request.follow and len(names) > 1:
        raise click.UsageError(f"--follow is for one session; these are {len(names)}.")
    if not request.follow:
        for name in names:
            if len(names) > 1:
                say(f"agentv: {name}")
            _read(replace(session_named(name), redactor=redactor), request)
        return
    try:
        _follow(replace(session_named(names[0], may_wait=True), redactor=redactor), request)
    except KeyboardInterrupt:
        raise click.exceptions.Exit(_INTERRUPTED) from None


def _check(request: Request) -> None:
    if not request.raw:
        return
    for option, is_given in {
        "--roles": request.roles is not None,
        "--format": request.format_ is not None,
        "--full": request.full,
        "--include-subagents": request.include_subagents,
        "--redact": request.profile is not None,
    }.items():
        if is_given:
            raise click.UsageError(
                f"--raw prints records as they are; --since and --last go with it, {option} does "
                "not."
            )


def _read(session: KeptTranscript | ClientSession, request: Request) -> None:
    if request.raw:
        with _of_client(session, "--raw").open_records() as file:
            shown = put_records(file, raw_records(file), since=request.since, last=request.last)
    else:
        stream = session.stream(_options(request))
        found = entries(stream.messages(), provider=stream.head.source.provider)
        shown = _Printed(request).put_first(found)
        if isinstance(session, ClientSession):
            warn_of_drift(session.path, stream.tail)
    if not shown:
        say(f"agentv: {Location(session.path)}: nothing in it was asked for")


def _follow(session: KeptTranscript | ClientSession, request: Request) -> None:
    live = _of_client(session, "--follow")
    say(f"agentv: following {live.path}")
    if request.raw:
        follow_records(live, since=request.since, last=request.last)
    printed = _Printed(request)
    follow_entries(live, _options(request), put_first=printed.put_first, put_more=printed.put_more)


class _Printed:
    """Prints entries as they are asked for."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self._put = printer(request.format_ or "text", full=request.full)

    def put_first(self, found: Iterator[Entry]) -> int:
        """Of what is there: how many they were."""
        request = self._request
        chosen = filtered(found, since=request.since, roles=request.roles, last=request.last)
        return self._put_all(chosen)

    def put_more(self, found: Iterator[Entry]) -> int:
        """Of what comes: it comes after any moment, and is last."""
        return self._put_all(filtered(found, roles=self._request.roles))

    def _put_all(self, chosen: Iterator[Entry]) -> int:
        count = 0
        for count, entry in enumerate(chosen, 1):  # noqa: B007 (the count is what is returned)
            self._put(entry)
        return count


def _options(request: Request) -> ReadOptions:
    return ReadOptions(include_subagents=request.include_subagents)


def _of_client(session: KeptTranscript | ClientSession, option: str) -> ClientSession:
    if isinstance(session, ClientSession):
        return session
    raise click.UsageError(
        f"{Location(session.path)} is a transcript; {option} is for the session that a client "
        "wrote."
    )
