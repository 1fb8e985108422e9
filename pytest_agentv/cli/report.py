"""``agentv report``: the page of a run."""

from __future__ import annotations

import webbrowser
from pathlib import Path

import click

from pytest_agentv.cli.console import put, put_json, say
from pytest_agentv.cli.outputs import no_dash
from pytest_agentv.cli.redacting import redact_option, redactor_of
from pytest_agentv.cli.runs import dir_option, redacted_run, run_argument
from pytest_agentv.html.page import write_page
from pytest_agentv.results.places import INDEX, JOURNAL
from pytest_agentv.results.reading import find_run

_NAME = "report.html"


@click.command("report")
@run_argument
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, readable=False),
    callback=no_dash,
    metavar="FILE",
    help=f"Page to write; without it {_NAME} in the folder of the run.",
)
@click.option("--force", is_flag=True, help="Overwrite a FILE that exists.")
@redact_option
@click.option("--open", "show", is_flag=True, help="Show the page in a browser.")
@dir_option
@click.option("--json", "as_json", is_flag=True, help="Print what was done as JSON: run_id, path.")
def command(
    run: str,
    *,
    output: Path | None,
    force: bool,
    profile: str | None,
    show: bool,
    root: Path,
    as_json: bool,
) -> None:
    """Write the page of RUN: one HTML file that needs nothing else.

    RUN is the id of a run or its beginning, a folder, a results file, or latest; without it, the
    latest run is taken.
    """
    found = redacted_run(find_run(run, root=root), redactor_of(profile))
    path = output or found.folder / _NAME
    # In the folder of a run it can only be an older page of the same run; a results file can
    # lie anywhere, beside a report of somebody else.
    is_own = output is None and found.path.name in (INDEX, JOURNAL)
    # Beside the results it is as private as they are; elsewhere it is there to be read.
    write_page(found, path, overwrite=force or is_own, private=output is None)
    if as_json:
        put_json({"run_id": found.summary.run_id, "path": str(path)})
    else:
        put(str(path))
    if show and not webbrowser.open(path.absolute().as_uri()):
        say("agentv: no browser was found to show it in")
