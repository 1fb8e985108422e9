"""``agentv export``: sessions in a form for somebody else."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import asdict
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pytest_agentv.adapters.base import ReadOptions
from pytest_agentv.cli.console import put, put_json
from pytest_agentv.cli.export_options import (
    check_options,
    put_statistics,
    view_options,
    with_view_options,
)
from pytest_agentv.cli.names import names_given
from pytest_agentv.cli.outputs import no_dash
from pytest_agentv.cli.redacting import redact_option, redactor_of
from pytest_agentv.config import load_config
from pytest_agentv.config.project import read_submitter
from pytest_agentv.errors import AmbiguousSession, SessionUnreadable
from pytest_agentv.files import atomic_write
from pytest_agentv.importing import Redacted
from pytest_agentv.plugins import registry
from pytest_agentv.sources import renamed, sessions_named
from pytest_agentv.transcript.stored import stored
from pytest_agentv.views.formats import FORMATS
from pytest_agentv.views.threads import chosen

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_agentv.redact import Redactor
    from pytest_agentv.sources import RecordedSession
    from pytest_agentv.transcript.stored import StoredTranscript
    from pytest_agentv.transcript.stream import SessionStream
    from pytest_agentv.views.formats import ViewOptions

_SUFFIXES = {
    **{name: one.suffix for name, one in FORMATS.items()},
    "html": "html",
    "parquet": "parquet",
}


@click.command("export")
@click.argument("sessions", metavar="SESSION...", nargs=-1, required=True)
@click.option(
    "-f",
    "--format",
    "format_",
    type=click.Choice(sorted(_SUFFIXES)),
    help="The form to write: html and markdown are for people, the others for programs; default: "
    "what is configured.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, readable=False),
    callback=no_dash,
    metavar="FILE",
    help="File to write, or folder of parquet; without it the name of the session here, as "
    "claude-cli-3f1c9a52.html.",
)
@click.option(
    "--include-subagents",
    is_flag=True,
    help="Add the messages of sub-agents; a transcript has those it was imported with.",
)
@click.option("--force", is_flag=True, help="Overwrite a file that exists.")
@redact_option
@with_view_options
@click.option(
    "--json", "as_json", is_flag=True, help="Print path, sessions and statistics as JSON."
)
def command(
    sessions: tuple[str, ...],
    *,
    format_: str | None,
    output: Path | None,
    include_subagents: bool,
    force: bool,
    profile: str | None,
    skip_subagents: bool,
    skip_thinking: bool,
    skip_tool_calls: bool,
    stats: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """Write each SESSION in another form.

    SESSION is named as for pytest's --transcript: claude:latest, codex:ID, a session file of any
    client, transcripts, or one of several in a file as FILE:LINE; - reads names from standard
    input, as agentv search --names prints them.
    """
    config = load_config(Path.cwd(), os.environ, given={"export.default_format": format_})
    format_ = config.text("export.default_format")
    if not format_:
        forms = ", ".join(sorted(_SUFFIXES))
        raise click.UsageError(
            f"say which form with --format ({forms}), or in the configuration with "
            "export.default_format."
        )
    check_options(format_)
    if include_subagents and skip_subagents:
        raise click.UsageError("--include-subagents and --skip-subagents exclude each other.")
    found = _sessions_named(sessions, ReadOptions(include_subagents=include_subagents))
    redactor = redactor_of(profile)
    found = [_shown(one, redactor) for one in found]
    path = output or Path(f"{_name(found)}.{_SUFFIXES[format_]}")
    if format_ == "html" and len(found) > 1:
        names = ", ".join(map(repr, sessions))
        hint = "name one of them, as FILE:1 does"
        raise AmbiguousSession(f"{names} names {len(found)} sessions; {hint}")
    captured = datetime.now(timezone.utc).isoformat(timespec="seconds")
    options = view_options(
        submitter=read_submitter(Path.cwd()) if format_ == "events" else None,
        captured_at=f"{captured[:-6]}Z",
        **given,
    )
    transcripts = _transcripts(
        found,
        redactor,
        options,
        subagents=not skip_subagents,
        thinking=not skip_thinking,
        tool_calls=config.flag("export.include_tool_calls") and not skip_tool_calls,
    )
    theme = config.text("export.html_theme")
    _write(format_, transcripts, path, overwrite=force, options=options, theme=theme)
    if as_json:
        put_json(_done(path, found, asdict(options.statistics) if stats else None))
        return
    if stats:
        put_statistics(options.statistics)
    put(str(path))


def _shown(session: RecordedSession, redactor: Redactor | None) -> RecordedSession:
    """A session under the names that may be shown."""
    return session if redactor is None else renamed(session, redactor.fresh().text)


def _done(
    path: Path, found: Sequence[RecordedSession], statistics: dict[str, Any] | None
) -> dict[str, Any]:
    """What was done, for programs."""
    sessions = [{"provider": one.provider, "session_id": one.session_id} for one in found]
    done: dict[str, Any] = {"path": str(path), "sessions": sessions}
    return done if statistics is None else {**done, "statistics": statistics}


def _sessions_named(names: Sequence[str], options: ReadOptions) -> list[RecordedSession]:
    found = (
        one
        for name in names_given(*names)
        for one in sessions_named(name, registry, folder=Path.cwd(), options=options)
    )
    # What two names stand for is exported once.
    return list({(one.at, one.session_id): one for one in found}.values())


def _transcripts(
    found: Sequence[RecordedSession],
    redactor: Redactor | None,
    options: ViewOptions,
    *,
    subagents: bool,
    thinking: bool,
    tool_calls: bool,
) -> Iterator[StoredTranscript]:
    """The transcripts one after another, no more than a message of them held."""

    def kept(stream: SessionStream) -> tuple[StoredTranscript, Counter[str]]:
        skipped: Counter[str] = Counter()
        messages = chosen(
            stream.messages(),
            subagents=subagents,
            thinking=thinking,
            tool_calls=tool_calls,
            skip=lambda reason: skipped.update([reason]),
        )
        return stored(stream, messages), skipped

    for session in found:
        transcript, skipped = Redacted(session.stream, redactor).given_to(kept)
        if not transcript.output and not skipped:
            message = "has no messages: there is nothing to export"
            raise SessionUnreadable(message, at=session.at)
        for reason, count in skipped.items():
            options.statistics.skip(reason, count)
        yield transcript


def _write(
    format_: str,
    transcripts: Iterator[StoredTranscript],
    path: Path,
    *,
    overwrite: bool,
    options: ViewOptions,
    theme: str,
) -> None:
    if format_ == "html":
        from pytest_agentv.html.page import write_session  # noqa: PLC0415 (loads jinja2)

        write_session(next(transcripts), path, overwrite=overwrite, theme=theme)
    elif format_ == "parquet":
        from pytest_agentv.views.parquet import write_parquet  # noqa: PLC0415 (loads pyarrow)

        write_parquet(transcripts, path, overwrite=overwrite)
    else:
        with atomic_write(path, overwrite=overwrite) as file:
            for transcript in transcripts:
                for piece in FORMATS[format_].pieces(transcript, options):
                    file.write(piece)


def _name(found: Sequence[RecordedSession]) -> str:
    """A file name: nothing of it but ASCII letters, digits and ``-``."""
    if len(found) > 1:
        return "sessions"
    (session,) = found
    parts = [session.provider[:40], (session.session_id or "session")[:8]]
    text = "-".join(parts)
    return "".join(one if one.isascii() and one.isalnum() else "-" for one in text).strip("-")
