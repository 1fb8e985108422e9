"""``--workers``: how many processes a command uses."""

from __future__ import annotations

import os

import click

MOST_WORKERS = 8
workers_option = click.option(
    "--workers",
    type=click.IntRange(min=1, max=256),
    metavar="N",
    help=f"Processes; default: as many as there are cores, at most {MOST_WORKERS}.",
)


def workers_of(given: int | None) -> int:
    """How many processes."""
    if given is not None:
        return given
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min(cores or 1, MOST_WORKERS)
