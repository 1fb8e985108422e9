"""``agentv browse``: sessions of all clients on a screen."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from pytest_agentv.cli.console import put
from pytest_agentv.cli.imported import DEFAULT_FOLDER
from pytest_agentv.cli.indexed import configured
from pytest_agentv.cli.outputs import no_dash
from pytest_agentv.cli.querying import QueryCommand
from pytest_agentv.cli.redacting import redact_option, redactor_of
from pytest_agentv.errors import OutputError
from pytest_agentv.plugins import registry


@click.command("browse", cls=QueryCommand)
@click.argument("query", nargs=-1)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, readable=False),
    callback=no_dash,
    metavar="DIR",
    default=DEFAULT_FOLDER,
    show_default=True,
    help="Folder that transcripts are written to.",
)
@click.option("--force", is_flag=True, help="Overwrite transcripts that exist.")
@click.option("--include-subagents", is_flag=True, help="Import the messages of sub-agents, too.")
@redact_option
def command(
    query: tuple[str, ...],
    *,
    output: Path,
    force: bool,
    include_subagents: bool,
    profile: str | None,
) -> None:
    """Look through the sessions of all clients, and import those you mark.

    QUERY is what to search for at first, as for agentv search.
    """
    try:
        from pytest_agentv.browse.app import Browser  # noqa: PLC0415 (loads Textual)
    except ModuleNotFoundError as exc:
        if (exc.name or "").partition(".")[0] != "textual":
            raise
        message = "agentv browse needs Textual, which is not installed: "
        raise OutputError(f"{message}pip install 'pytest-agentv[tui]'") from exc
    # Textual draws there, so that names of files can go into a pipe.
    screen = sys.stdout if sys.platform == "win32" else sys.stderr
    if not (sys.stdin.isatty() and screen.isatty()):
        raise click.UsageError("agentv browse needs a terminal; agentv search does not.")
    from pytest_agentv.browse.actions import Actions  # noqa: PLC0415 (only for somebody who looks)
    from pytest_agentv.browse.updating import update_index  # noqa: PLC0415

    config = configured()
    actions = Actions(
        registry(),
        output,
        include_subagents=include_subagents,
        overwrite=force,
        redactor=redactor_of(profile),
    )
    app = Browser(config.index_path, actions, update=update_index, query=" ".join(query))
    app.run()
    for path in app.written:
        put(str(path))
