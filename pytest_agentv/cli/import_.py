"""``agentv import``: sessions on disk become transcript files."""

from __future__ import annotations

import inspect
import os
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pytest_agentv.adapters.base import DatedSessions, calling, claims, refs_of
from pytest_agentv.cli.console import put, put_json, say
from pytest_agentv.cli.import_options import Request, check_request, of_any_client, of_client
from pytest_agentv.cli.imported import DEFAULT_FOLDER, as_json, sentence, warn_of_drift
from pytest_agentv.cli.redacting import redactor_of
from pytest_agentv.errors import Location, SessionNotFound, SessionUnreadable
from pytest_agentv.files import open_regular
from pytest_agentv.importing import import_session
from pytest_agentv.plugins import registry

if TYPE_CHECKING:
    from datetime import date

    from pytest_agentv.adapters.base import Adapter, SessionRef
    from pytest_agentv.registry import Registry


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
            from difflib import get_close_matches  # noqa: PLC0415 (only where there is an error)

            names = ["auto", *known.names]
            close = get_close_matches(cmd_name, names, n=1)
            hint = f"did you mean {close[0]!r}? " if close else ""
            ctx.fail(f"unknown client {cmd_name!r}; {hint}known: {', '.join(names)}.")
        return _vendor_command(known, known.adapter(cmd_name))


@click.command("import", cls=_Vendors)
def command() -> None:
    """Turn recorded sessions into transcripts.

    Each session becomes one line of JSON in .agentv/transcripts/.
    """


def _vendor_command(known: Registry, adapter: Adapter) -> click.Command:
    def run(*, date: date | None = None, **values: Any) -> None:
        _import(known, adapter, Request(date=date, **values))

    # What an adapter says of itself: its docstring is the only description there is.
    said = inspect.getdoc(type(adapter)) or ""
    text = f"Import sessions of {adapter.name}.\n\n{said}"
    command = of_client(run, dated=isinstance(adapter, DatedSessions))
    return click.command(adapter.name, help=text, short_help=said.partition("\n")[0])(command)


def _auto_command(known: Registry) -> click.Command:
    def run(file: Path, **values: Any) -> None:
        file = _session_file(known, file)
        adapter = known.adapter_of(file)
        nothing: dict[str, Any] = {
            "listing": False, "discover": None, "all_": False,
            "project_path": None, "since": None, "date": None,
        }  # fmt: skip
        _import(known, adapter, Request(file=file, **values, **nothing))

    text = "Import a session file of whichever client wrote it."
    return click.command("auto", help=text)(of_any_client(run))


def _import(known: Registry, adapter: Adapter, request: Request) -> None:
    check_request(request)
    if request.file is not None:
        refs = _refs_of_file(known, adapter, _session_file(known, request.file))
        _import_from_file(adapter, refs, request)
    else:
        _import_found(adapter, request)


def _import_found(adapter: Adapter, request: Request) -> None:
    """Import sessions of a client from where it keeps them."""
    from pytest_agentv.adapters.discovery import (  # noqa: PLC0415 (it loads the configuration)
        find_sessions,
        latest_session,
        nothing_found,
        session_by_id,
    )

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
        listed_by = f"agentv import {adapter.name} --list"
        _import_one(adapter, session_by_id(refs, request.session_id, listed_by=listed_by), request)
    else:
        _import_one(adapter, latest_session(adapter, refs), request)


def _import_from_file(adapter: Adapter, refs: list[SessionRef], request: Request) -> None:
    """Import what a file holds: one session, several, or the one of them that was asked for."""
    if request.listing:
        from pytest_agentv.cli.listing import list_sessions  # noqa: PLC0415 (loads a table engine)

        list_sessions(adapter, refs, as_json=request.as_json)
    elif request.session_id is not None:
        from pytest_agentv.adapters.discovery import session_by_id  # noqa: PLC0415 (see above)

        listed_by = f"agentv import {adapter.name} --file {request.file} --list"
        _import_one(adapter, session_by_id(refs, request.session_id, listed_by=listed_by), request)
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
        put(sentence(imported))
    warn_of_drift(imported.session, imported)
