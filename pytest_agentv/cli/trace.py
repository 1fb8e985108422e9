"""``agentv trace``: what ``agentv inspect`` was called before."""

from __future__ import annotations

import click

from pytest_agentv.cli.console import say
from pytest_agentv.cli.inspect import InspectGroup


@click.command("trace", cls=InspectGroup)
def command() -> None:
    """Deprecated: the same as agentv inspect."""
    say("agentv: `agentv trace` is deprecated; use `agentv inspect`")
