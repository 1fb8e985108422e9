"""``agentv import``: sessions on disk become transcript files."""

from __future__ import annotations

import inspect
import os
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from pytest_agentv.adapters.base import DatedSessions, ReadOptions, calling, claims, refs_of
from pytest_agentv.adapters.discovery import (
    find_sessions,
    latest_session,
    nothing_found,
    session_by_id,
)
from pytest_agentv.cli.console import count, put, put_json, say
from pytest_agentv.cli.redacting import redact_option, redactor_of
from pytest_agentv.cli.times import Day, Since
from pytest_agentv.cli.workers import workers_option
from pytest_agentv.errors import Location, SessionNotFound, SessionUnreadable
from pytest_agentv.files import open_regular
from pytest_agentv.importing import describe_drift, import_session
from pytest_agentv.plugins import registry

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import date, datetime

    from pytest_agentv.adapters.base import Adapter, SessionRef
    from pytest_agentv.importing import Imported
    from pytest_agentv.registry import Registry

DEFAULT_FOLDER = Path(".agentv") / "transcripts"


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


class _Vendors(click.Group):
    """One subcommand per adapter that is installed, and ``auto``."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return ["auto", *registry().names]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:
        known = registry()
        if cmd_name == "auto":
            return _auto_command(known)
        if cmd_name not in known.names:
            ctx.fail(f"unknown client {cmd_name!r}; known: {', '.join(['auto', *known.names])}.")
        return _vendor_command(known, known.adapter(cmd_name))


@click.command("import", cls=_Vendors)
def command() -> None:
    """Turn recorded sessions into transcripts.

    Each session becomes one line of JSON in .agentv/transcripts/.
    """


# What is wrong with a path we say ourselves, in our words and with our exit codes.
_ANY_PATH = click.Path(path_type=Path, readable=False)

_OUTPUT_OPTIONS = [
    click.option(
        "-o", "--output", metavar="OUT",
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
_FILE_OPTION = click.option(
    "--file",
    "file",
    type=_ANY_PATH,
    metavar="PATH",
    help="A session file, or a folder that is or holds one; of a file that holds several, all.",
)
_SELECTION_OPTIONS = [
    click.option("--list", "listing", is_flag=True, help="List the sessions there are."),
    click.option("--session-id", metavar="ID", help="The session with this id, or its beginning."),
    click.option("--discover", type=click.Choice(["latest"]), help="The newest session."),
    _FILE_OPTION,
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


def _with(options: list[Callable[[Any], Any]], function: Callable[..., None]) -> Any:
    for option in reversed(options):
        function = option(function)
    return function


def _vendor_command(known: Registry, adapter: Adapter) -> click.Command:
    def run(*, date: date | None = None, **values: Any) -> None:
        _import(known, adapter, Request(date=date, **values))

    # What an adapter says of itself: its docstring is the only description there is.
    text = f"Import sessions of {adapter.name}.\n\n{inspect.getdoc(type(adapter)) or ''}"
    dated = [_DATE_OPTION] if isinstance(adapter, DatedSessions) else []
    options = _SELECTION_OPTIONS + dated + _OUTPUT_OPTIONS
    return click.command(adapter.name, help=text)(_with(options, run))


def _auto_command(known: Registry) -> click.Command:
    def run(file: Path, **values: Any) -> None:
        file = _session_file(known, file)
        adapter = known.adapter_of(file)
        nothing: dict[str, Any] = {
            "listing": False, "discover": None, "all_": False,
            "project_path": None, "since": None, "date": None,
        }  # fmt: skip
        _import(known, adapter, Request(file=file, **values, **nothing))

    options = [
        click.option(
            "--file", "file", type=_ANY_PATH, metavar="PATH", required=True,
            help="A session file of any client, or a folder that is or holds one.",
        ),
        click.option(
            "--session-id", metavar="ID", help="The one with this id, of several in the file."
        ),
        *_OUTPUT_OPTIONS,
    ]  # fmt: skip
    text = "Import a session file of whichever client wrote it."
    return click.command("auto", help=text)(_with(options, run))


def _import(known: Registry, adapter: Adapter, request: Request) -> None:
    _check(request)
    if request.file is not None:
        refs = _refs_of_file(known, adapter, _session_file(known, request.file))
        _import_from_file(adapter, refs, request)
        return
    wanted: dict[str, Any] = {
        "project": request.project_path,
        "since": request.since,
        "day": request.date,
    }
    refs = find_sessions(adapter, os.environ, **wanted)
    nothing = nothing_found(adapter, os.environ, **wanted)
    if request.listing and not refs:
        put_json([]) if request.as_json else say(nothing)
    elif not refs:
        raise SessionNotFound(nothing)
    elif request.listing:
        from pytest_agentv.cli.listing import list_sessions  # noqa: PLC0415 (loads a table engine)

        list_sessions(adapter, refs, as_json=request.as_json)
    elif request.all_:
        from pytest_agentv.cli.import_all import import_all  # noqa: PLC0415 (loads process pools)

        import_all(adapter, refs, request)
    elif request.session_id is not None:
        _import_one(adapter, session_by_id(refs, request.session_id), request)
    else:
        _import_one(adapter, latest_session(adapter, refs), request)


def _check(request: Request) -> None:
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


def _import_from_file(adapter: Adapter, refs: list[SessionRef], request: Request) -> None:
    """Import what a file holds: one session, several, or the one of them that was asked for."""
    if request.listing:
        from pytest_agentv.cli.listing import list_sessions  # noqa: PLC0415 (loads a table engine)

        list_sessions(adapter, refs, as_json=request.as_json)
    elif request.session_id is not None:
        _import_one(adapter, session_by_id(refs, request.session_id), request)
    elif len(refs) == 1:
        _import_one(adapter, refs[0], request)
    else:
        if request.output and Path(request.output).suffix == ".jsonl":
            message = f"{request.file} holds {len(refs)} sessions; give -o a folder for them, "
            raise click.UsageError(f"{message}or say which one with --session-id.")
        from pytest_agentv.cli.import_all import import_all  # noqa: PLC0415 (loads process pools)

        import_all(adapter, refs, request)


def _session_file(known: Registry, path: Path) -> Path:
    """What is meant by a path: a folder that holds a single session, as Copilot's, stands for it.

    Some clients' sessions are folders. Of any other folder the error speaks.
    """
    if not os.path.isdir(path) or known.claims(path):  # noqa: PTH112 (never raises)
        return path
    files = list(islice(path.glob("*.jsonl"), 2))
    return files[0] if len(files) == 1 else path


def _refs_of_file(known: Registry, adapter: Adapter, path: Path) -> list[SessionRef]:
    size = 0
    is_folder = os.path.isdir(path)  # noqa: PTH112 (never raises, whatever the name is)
    with calling(adapter):
        is_ours = claims(adapter, path, is_folder=is_folder)
    if not (is_folder and (is_ours or known.claims(path))):
        with open_regular(path) as file:
            size = file.seek(0, os.SEEK_END)
    others = [] if is_ours else known.claims(path)
    if others:
        raise SessionUnreadable(
            f"is no session of {adapter.name}; try: agentv import {others[0].name} --file {path}",
            at=Location(path),
        )
    with calling(adapter):
        refs = refs_of(adapter, path, size=size)
    if not refs:
        raise SessionUnreadable(f"holds no session of {adapter.name}", at=Location(path))
    return refs


def _import_one(adapter: Adapter, ref: SessionRef, request: Request) -> None:
    imported = import_session(
        adapter,
        ref,
        request.read_options,
        output=Path(request.output) if request.output else DEFAULT_FOLDER,
        is_folder=not request.output or request.output.endswith(("/", os.sep)),
        test_id=request.test_id,
        overwrite=request.force,
        strict=request.strict,
        redactor=redactor_of(request.profile),
    )
    if request.as_json:
        put_json(as_json(imported))
    else:
        messages = count(imported.messages, "message")
        calls = count(imported.tool_calls, "tool call")
        put(f"{imported.path}: {messages}, {calls}{_redactions(imported)}")
    warn_of_drift(imported)


def _redactions(imported: Imported) -> str:
    found = (imported.privacy or {}).get("redactionCount")
    return "" if found is None else f", {count(found, 'redaction')}"


def as_json(imported: Imported) -> dict[str, Any]:
    """An import for programs."""
    return {
        "path": str(imported.path),
        "session": str(imported.session),
        "session_id": imported.session_id,
        "provider": imported.provider,
        "messages": imported.messages,
        "tool_calls": imported.tool_calls,
        "drift": imported.drift,
        "privacy": imported.privacy,
    }


def warn_of_drift(imported: Imported) -> None:
    """One line on what was not understood."""
    if imported.drift:
        found = describe_drift(imported.drift, imported.drift_lines)
        say(f"warning: {Location(imported.session)}: not all of it is understood: {found}")
