"""``agentv inspect``: what runs that were kept say, on the screen or as JSON."""

from __future__ import annotations

import click

from pytest_agentv.cli.groups import LazyGroup


class InspectGroup(LazyGroup):
    """The commands on runs."""

    modules = {  # noqa: RUF012 (a mapping that nobody changes)
        "list": ("inspect_list", "List the runs there are, newest first."),
        "score": ("inspect_score", "Grade the sessions of a run by other assertions."),
        "search": ("inspect_search", "Search what was said and done in sessions."),
        "show": ("inspect_show", "Show the cases of a run, or one of them in full."),
        "stats": ("inspect_stats", "Show means and percentiles of what cases took."),
    }


@click.command("inspect", cls=InspectGroup)
def command() -> None:
    """Look into runs that were kept: by pytest --agentv-results, or agentv eval.

    RUN is the id of a run, the beginning of one, `latest`, or the path of a folder or a results
    file; index.jsonl files of AgentV can be read, too.
    """
