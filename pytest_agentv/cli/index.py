"""``agentv index``: the index of all sessions, looked at, brought up to date, made anew."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from pytest_agentv.cli.console import count, put, put_json, say
from pytest_agentv.cli.indexed import ask, bring_up_to_date, configured
from pytest_agentv.cli.tables import Column, print_table
from pytest_agentv.cli.times import local_text, utc_text
from pytest_agentv.report.clean import one_line
from pytest_agentv.search.status import status_of

if TYPE_CHECKING:
    from pytest_agentv.search.indexing import Updated
    from pytest_agentv.search.status import Status

# Of the sessions that cannot be read; --json has them all.
_SHOWN = 20

_json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group("index")
def command() -> None:
    """Look after the index that agentv search uses.

    It is a file that only you can read; agentv config show storage.index_path says which. agentv
    search brings it up to date by itself.
    """


@command.command("status")
@_json_option
def status(*, as_json: bool) -> None:
    """Show what is in the index, and which sessions could not be read."""
    config = configured()
    found = ask(config, status_of)
    size = config.index_path.stat().st_size
    if as_json:
        put_json(_as_json(found, path=str(config.index_path), size=size))
        return
    put(f"{config.index_path}: {size / 1e6:.1f} MB")
    print_table(
        None,
        [
            Column("agent"),
            Column("sessions", right=True),
            Column("documents", right=True),
            Column("cut", right=True),
            Column("unreadable", right=True),
            Column("newest"),
        ],
        [
            [
                one.adapter,
                f"{one.sessions:,}",
                f"{one.documents:,}",
                f"{one.cut:,}",
                f"{one.unreadable:,}",
                local_text(one.newest),
            ]
            for one in found.agents
        ],
    )
    for error in found.errors[:_SHOWN]:
        say(f"agentv: {one_line(error)}")
    if len(found.errors) > _SHOWN:
        say(f"agentv: {len(found.errors) - _SHOWN} more could not be read; --json names them")


@command.command("update")
@_json_option
def update(*, as_json: bool) -> None:
    """Read what is new and what has changed; forget what is gone."""
    _put_done(bring_up_to_date(configured()), as_json=as_json)


@command.command("rebuild")
@_json_option
def rebuild(*, as_json: bool) -> None:
    """Empty the index, and read all sessions again."""
    _put_done(bring_up_to_date(configured(), anew=True), as_json=as_json)


def _put_done(done: Updated | None, *, as_json: bool) -> None:
    if done is None:
        raise click.exceptions.Exit(1)
    counts = {
        "added": done.added,
        "changed": done.changed,
        "removed": done.removed,
        "unchanged": done.unchanged,
        "unreadable": done.failed,
    }
    if as_json:
        put_json({**counts, "notes": done.notes})
        return
    total = done.added + done.changed + done.unchanged
    listed = ", ".join(f"{number} {name}" for name, number in counts.items())
    put(f"{count(total, 'session')} indexed: {listed}")


def _as_json(found: Status, *, path: str, size: int) -> dict[str, Any]:
    return {
        "path": path,
        "size": size,
        "settings": found.settings,
        "agents": [
            {
                "agent": one.adapter,
                "sessions": one.sessions,
                "documents": one.documents,
                "cut": one.cut,
                "unreadable": one.unreadable,
                "newest": utc_text(one.newest),
            }
            for one in found.agents
        ],
        "errors": found.errors,
    }
