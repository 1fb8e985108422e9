"""``agentv judge``: commands about those who judge."""

from __future__ import annotations

import click

from pytest_agentv.cli.groups import LazyGroup


class JudgeGroup(LazyGroup):
    """The commands on judges."""

    modules = {  # noqa: RUF012 (a mapping that nobody changes)
        "calibrate": ("judge_calibrate", "Compare a judge with the labels of people."),
    }


@click.command("judge", cls=JudgeGroup)
def command() -> None:
    """Find out how far language models that judge can be trusted."""
