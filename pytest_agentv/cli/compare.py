"""``agentv compare``: which of two or more did better, and how sure that is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pytest_agentv.cli.compare_shown import as_json, print_markdown, print_tables
from pytest_agentv.cli.console import put_json, say
from pytest_agentv.results.comparing import compare, matrix
from pytest_agentv.results.places import ROOT
from pytest_agentv.results.sides import sides_named

if TYPE_CHECKING:
    from pytest_agentv.results.comparing import Comparison


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
    type=click.FloatRange(0, 1),
    default=0.1,
    show_default=True,
    help="A score that differs by so much is a win, or a loss.",
)
@click.option(
    "--fail-on",
    type=click.Choice(["loss", "mean", "never"]),
    default="loss",
    show_default=True,
    help="Exit with 1 if any test did worse, or if the mean fell by the threshold.",
)
@click.option(
    "--dir",
    "root",
    type=click.Path(path_type=Path, file_okay=False),
    default=ROOT,
    show_default=True,
    help="Folder of the runs.",
)
@click.option(
    "-f",
    "--format",
    "form",
    type=click.Choice(["table", "json", "markdown"]),
    default="table",
    show_default=True,
    help="Markdown is made for a comment on a pull request.",
)
@click.option("--json", "is_json", is_flag=True, help="The same as --format json.")
@click.option("--all", "show_all", is_flag=True, help="Show ties too where there are many tests.")
def command(
    names: tuple[str, ...],
    *,
    baseline: str | None,
    candidates: tuple[str, ...],
    threshold: float,
    fail_on: str,
    root: Path,
    form: str,
    is_json: bool,
    show_all: bool,
) -> None:
    """Compare runs, or the targets of a run, test by test.

    A RUN is an id, which may be shortened, `latest`, or a path of a folder or of a results file;
    RUN@TARGET is what one client did in it. The first is the baseline. Of one run alone its
    targets are compared; without any name, those of the latest.

    A test that passed and no longer does is a loss, and so is one whose score fell by the
    threshold. Of repeats the mean counts; an error counts as 0. Exits with 1 if there is a loss.
    """
    sides = sides_named(names, root=root, baseline=baseline, candidates=candidates)
    first, *others = sides
    comparisons = [compare(first, other, threshold=threshold) for other in others]
    scores = matrix(sides)
    if is_json or form == "json":
        put_json(as_json(sides, comparisons, scores))
    elif form == "markdown":
        print_markdown(sides, comparisons, scores)
    else:
        print_tables(sides, comparisons, scores, show_all=show_all)
    for side in sides:
        if not side.complete:
            say(f"agentv: {side.label} is incomplete: it ended before all was graded")
    if not any(one.tests for one in comparisons):
        raise click.ClickException("the sides have no graded test in common.")
    if any(_is_worse(one, fail_on) for one in comparisons):
        raise click.exceptions.Exit(1)


def _is_worse(comparison: Comparison, fail_on: str) -> bool:
    if fail_on == "mean":
        delta = comparison.mean_delta
        return delta is not None and delta < 0 and -delta >= comparison.threshold
    return fail_on == "loss" and comparison.losses > 0
