"""The options of ``agentv import``, and what was asked for by them."""

from __future__ import annotations

from datetime import date, datetime  # noqa: TC003 (a struct needs them at run time)
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from pytest_agentv.adapters.base import ReadOptions
from pytest_agentv.cli.outputs import no_dash
from pytest_agentv.cli.redacting import redact_option
from pytest_agentv.cli.times import Day, Since
from pytest_agentv.cli.workers import workers_option

if TYPE_CHECKING:
    from collections.abc import Callable


class Request(msgspec.Struct, frozen=True):
    """What was asked for on the command line."""

    listing: bool
    session_id: str | None
    discover: str | None
    project_path: Path | None
    file: Path | None
    all_: bool
    output: str | None
    force: bool
    test_id: str | None
    include_subagents: bool
    since: datetime | None
    date: date | None
    strict: bool
    profile: str | None
    as_json: bool
    # With --all.
    resume: bool = False
    workers: int | None = None

    @property
    def read_options(self) -> ReadOptions:
        """How to read the sessions."""
        return ReadOptions(include_subagents=self.include_subagents)


# What is wrong with a path we say ourselves, in our words and with our exit codes.
_ANY_PATH = click.Path(path_type=Path, readable=False)

_OUTPUT_OPTIONS = [
    click.option(
        "-o", "--output", metavar="OUT", callback=no_dash,
        help="Transcript file to write, or folder to write it to; with --all the folder.",
    ),
    click.option("--force", is_flag=True, help="Overwrite a transcript that exists."),
    click.option(
        "--test-id", metavar="ID", help="The test of an eval file that this session is for."
    ),
    click.option(
        "--include-subagents", is_flag=True, help="Add the messages of sub-agents, too."
    ),
    click.option(
        "--strict", is_flag=True, help="Fail if any record of a session is not understood."
    ),
    redact_option,
    click.option("--json", "as_json", is_flag=True, help="Print what was done as JSON."),
]  # fmt: skip
_SELECTION_OPTIONS = [
    click.option("--list", "listing", is_flag=True, help="List the sessions there are."),
    click.option("--session-id", metavar="ID", help="The session with this id, or its beginning."),
    click.option("--discover", type=click.Choice(["latest"]), help="The newest session."),
    click.option(
        "--file", "file", type=_ANY_PATH, metavar="PATH",
        help="A session file, or a folder that is or holds one; of a file that holds several, all.",
    ),
    click.option("--all", "all_", is_flag=True, help="Every session."),
    click.option(
        "--resume", is_flag=True,
        help="With --all: leave out sessions whose transcript is newer than they are.",
    ),
    workers_option,
    click.option(
        "--project-path", type=_ANY_PATH, metavar="PATH",
        help="Only sessions of this project and its git worktrees.",
    ),
    click.option(
        "--since", type=Since(), metavar="TIME",
        help="Only sessions written to since: a date, a date and time, or an age like 12h or 7d.",
    ),
]  # fmt: skip
_DATE_OPTION = click.option(
    "--date", type=Day(), metavar="DATE", help="Only sessions that began on this day."
)


_FILE_OPTIONS = [
    click.option(
        "--file", "file", type=_ANY_PATH, metavar="PATH", required=True,
        help="A session file of any client, or a folder that is or holds one.",
    ),
    click.option(
        "--session-id", metavar="ID", help="The one with this id, of several in the file."
    ),
]  # fmt: skip


def of_client(function: Callable[..., None], *, dated: bool) -> Any:
    """The options for sessions of one client; ``dated``: they lie by the day they began."""
    return _with(
        [*_SELECTION_OPTIONS, *([_DATE_OPTION] if dated else []), *_OUTPUT_OPTIONS], function
    )


def of_any_client(function: Callable[..., None]) -> Any:
    """The options for a file of whichever client."""
    return _with([*_FILE_OPTIONS, *_OUTPUT_OPTIONS], function)


def _with(options: list[Callable[[Any], Any]], function: Callable[..., None]) -> Any:
    for option in reversed(options):
        function = option(function)
    return function


def check_request(request: Request) -> None:
    """One way to say which session, and no more."""
    ways = {
        "--list": request.listing,
        "--session-id": request.session_id is not None,
        "--discover": request.discover is not None,
        "--file": request.file is not None,
        "--all": request.all_,
    }
    chosen = [way for way, is_chosen in ways.items() if is_chosen]
    if len(chosen) != 1 and chosen not in (["--list", "--file"], ["--session-id", "--file"]):
        given = f"; {' and '.join(chosen)} are too many" if chosen else ""
        raise click.UsageError(f"say which session with one of {', '.join(ways)}{given}.")
    if not request.all_ and (request.resume or request.workers is not None):
        raise click.UsageError("--resume and --workers go with --all.")
    writes = (
        request.output,
        request.force,
        request.test_id,
        request.strict,
        request.include_subagents,
        request.profile,
    )
    if request.listing and any(writes):
        raise click.UsageError("--list writes nothing; --project-path, --since, --json go with it.")
    if request.file is not None and request.date:
        raise click.UsageError("--date chooses among sessions; --file is one.")
    if request.file is not None and (request.project_path or request.since):
        raise click.UsageError("--project-path and --since choose among sessions; --file is one.")
