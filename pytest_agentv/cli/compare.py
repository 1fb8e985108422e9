"""``agentv compare``: which of two or more did better, and how sure that is."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import click

from pytest_agentv.cli.amounts import Amount
from pytest_agentv.cli.compare_shown import Compared, as_json, put_markdown, put_tables
from pytest_agentv.cli.console import put_json, say
from pytest_agentv.cli.runs import dir_option, format_option
from pytest_agentv.results.comparing import FailOn, compare, matrix
from pytest_agentv.results.sides import sides_named, target_in

if TYPE_CHECKING:
    from pathlib import Path


@click.command("compare")
@click.argument("names", metavar="[RUN[@TARGET]]...", nargs=-1)
@click.option("-b", "--baseline", metavar="TARGET", help="Of one run: the target to start from.")
@click.option(
    "-c",
    "--candidate",
    "candidates",
    metavar="TARGET",
    multiple=True,
    help="Of one run: a target to compare with the baseline; may be repeated.",
)
@click.option(
    "-t",
    "--threshold",
    type=Amount(0, 1),
    default=0.1,
    show_default=True,
    help="A score that differs by so much is a win, or a loss.",
)
@click.option(
    "--fail-on",
    type=click.Choice(get_args(FailOn)),
    default="loss",
    show_default=True,
    help="Exit with 1 if any test did worse (loss), if the mean fell by the threshold (mean), or "
    "never.",
)
@dir_option
@format_option("markdown")
@click.option("--all", "show_all", is_flag=True, help="Show ties too where there are many tests.")
def command(
    names: tuple[str, ...],
    *,
    baseline: str | None,
    candidates: tuple[str, ...],
    threshold: float,
    fail_on: FailOn,
    root: Path,
    format_: str,
    show_all: bool,
) -> None:
    """Compare runs, or the targets of a run, test by test.

    A RUN is an id, which may be shortened, `latest`, or a path of a folder or of a results file;
    RUN@TARGET is what one client did in it. The first is the baseline. Of one run alone its
    targets are compared; without any name, those of the latest.

    A test that passed and no longer does is a loss, and so is one whose score fell by the
    threshold. Of repeats the share that passes counts, and the mean score; an error counts as 0.
    Exits with 1 if there is a loss. Markdown is made for a comment on a pull request.
    """
    if (baseline or candidates) and (len(names) > 1 or (names and target_in(names[0]))):
        raise click.UsageError("--baseline and --candidate are for the targets of one run.")
    if show_all and format_ != "table":
        raise click.UsageError("--all is for tables: JSON has all tests, Markdown no ties.")
    sides = sides_named(names, root=root, baseline=baseline, candidates=candidates)
    first, *others = sides
    compared = Compared(
        sides=sides,
        comparisons=[compare(first, other, threshold=threshold) for other in others],
        scores=matrix(sides),
        fail_on=fail_on,
    )
    if format_ == "json":
        put_json(as_json(compared))
    elif format_ == "markdown":
        put_markdown(compared)
    else:
        put_tables(compared, show_all=show_all)
    for note in compared.notes():
        say(f"agentv: {note}")
    if not any(one.tests for one in compared.comparisons):
        raise click.ClickException("the sides have no graded test in common.")
    if any(map(compared.is_regression, compared.comparisons)):
        raise click.exceptions.Exit(1)
