"""``agentv export``: one session in a form for somebody else."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pytest_agentv.adapters.base import ReadOptions
from pytest_agentv.cli.console import put, put_json
from pytest_agentv.errors import AmbiguousSession
from pytest_agentv.plugins import registry
from pytest_agentv.sources import Transcripts, paths_named, sessions_in

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_agentv.sources import RecordedSession
    from pytest_agentv.transcript.model import Transcript


def _html(transcript: Transcript, path: Path, *, overwrite: bool) -> None:
    from pytest_agentv.html.page import write_session  # noqa: PLC0415 (loads jinja2)

    write_session(transcript, path, overwrite=overwrite)


_FORMATS: dict[str, Callable[..., None]] = {"html": _html}


@click.command("export")
@click.argument("session", metavar="SESSION")
@click.option(
    "-f",
    "--format",
    "format_",
    type=click.Choice(sorted(_FORMATS)),
    required=True,
    help="The form to write: html is a page for people.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, readable=False),
    metavar="FILE",
    help="File to write; without it the name of the session here, as claude-cli-3f1c9a52.html.",
)
@click.option(
    "--include-subagents",
    is_flag=True,
    help="Add the messages of sub-agents; a transcript has those it was imported with.",
)
@click.option("--force", is_flag=True, help="Overwrite a file that exists.")
@click.option("--json", "as_json", is_flag=True, help="Print what was done as JSON.")
def command(
    session: str,
    *,
    format_: str,
    output: Path | None,
    include_subagents: bool,
    force: bool,
    as_json: bool,
) -> None:
    """Write SESSION in another form.

    SESSION is named as for pytest's --transcript: claude:latest, codex:ID, a session file of any
    client, a transcript.
    """
    found = _only_session(session, ReadOptions(include_subagents=include_subagents))
    transcript = Transcripts().get(found)
    path = output or Path(f"{_name(found)}.{format_}")
    _FORMATS[format_](transcript, path, overwrite=force)
    if as_json:
        about = {"provider": found.provider, "session_id": found.session_id}
        put_json({**about, "path": str(path)})
    else:
        put(str(path))


def _only_session(what: str, options: ReadOptions) -> RecordedSession:
    paths = paths_named(what, registry, folder=Path.cwd())
    found = [one for path in paths for one in sessions_in(path, registry, options=options)]
    if len(found) > 1:
        raise AmbiguousSession(f"{what!r} names {len(found)} sessions; name one of them")
    return found[0]


def _name(session: RecordedSession) -> str:
    """A file name: nothing of it but ASCII letters, digits and ``-``."""
    parts = [session.provider[:40], (session.session_id or "session")[:8]]
    text = "-".join(parts)
    return "".join(one if one.isascii() and one.isalnum() else "-" for one in text).strip("-")
