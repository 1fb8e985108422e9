"""``agentv cache``: the verdicts of judges that are kept on disk."""

from __future__ import annotations

import os
from pathlib import Path

import click

from pytest_agentv.cli.amounts import Amount
from pytest_agentv.cli.console import count, put, put_json
from pytest_agentv.cli.tables import Column, print_table
from pytest_agentv.judge.cache import VerdictCache
from pytest_agentv.judge.settings import read_judge_settings

_DAY = 86_400

_folder_option = click.option(
    "--dir",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="The folder of the cache (default: that of the project, .agentv/cache/judge).",
)


@click.group("cache")
def command() -> None:
    """Look at the verdicts of judges that are kept, or take them away."""


@command.command("stats")
@_folder_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def stats(folder: Path | None, *, as_json: bool) -> None:
    """Show how many verdicts there are, whose, and what they took."""
    found = _cache(folder).statistics()
    if as_json:
        put_json(found)
        return
    rows: list[list[str | None]] = [[name, str(many)] for name, many in found["models"].items()]
    if rows:
        print_table(None, [Column("model"), Column("verdicts", right=True)], rows)
    put(f"{found['folder']}: {count(found['verdicts'], 'verdict')}, {found['bytes']:,} bytes")
    put(f"asked for: {found['tokens']:,} tokens, {found['cost_usd']:.4f} USD as far as known")
    if found["unreadable"]:
        put(f"{count(found['unreadable'], 'file')} cannot be read and will be asked again")


@command.command("clear")
@_folder_option
@click.option(
    "--older-than",
    type=Amount(min=0),
    metavar="DAYS",
    help="Only verdicts that were given longer ago.",
)
@click.option("--json", "as_json", is_flag=True, help="Print as JSON how many were removed.")
def clear(folder: Path | None, *, older_than: float | None, as_json: bool) -> None:
    """Take verdicts away, so that judges are asked again."""
    seconds = None if older_than is None else older_than * _DAY
    removed = _cache(folder).clear(older_than=seconds)
    if as_json:
        put_json({"removed": removed})
    else:
        put(f"{count(removed, 'verdict')} removed")


def _cache(folder: Path | None) -> VerdictCache:
    return VerdictCache(folder or read_judge_settings(Path.cwd(), os.environ).cache)
