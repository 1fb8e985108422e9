"""The options of ``agentv export`` that belong to one form each, and the statistics of states."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from pytest_agentv.cli.console import say
from pytest_agentv.cli.roles import Roles
from pytest_agentv.cli.times import Since
from pytest_agentv.views.entries import ENTRY_ROLES
from pytest_agentv.views.formats import ViewOptions
from pytest_agentv.views.states import HISTORY_TOKENS, HistoryLimits

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from pytest_agentv.views.states import StateStatistics

# Options that mean nothing to other forms.
_FORM_OF = {
    "since": "entries",
    "roles": "entries",
    "last": "entries",
    "max_history": "states",
    "max_history_tokens": "states",
    "stats": "states",
}


_OPTIONS = [
    click.option("--skip-subagents", is_flag=True, help="Leave out what sub-agents wrote."),
    click.option("--skip-thinking", is_flag=True, help="Leave out thinking."),
    click.option("--skip-tool-calls", is_flag=True, help="Leave out calls of tools."),
    click.option(
        "--since",
        type=Since(),
        metavar="TIME",
        help="entries: from this time on (2026-03-29, 12h, 7d).",
    ),
    click.option(
        "--roles",
        type=Roles(),
        metavar="ROLE,…",
        help=f"entries: only these of {', '.join(ENTRY_ROLES)}.",
    ),
    click.option(
        "--last", type=click.IntRange(min=0), metavar="N", help="entries: the last N of the rest."
    ),
    click.option(
        "--max-history",
        type=click.IntRange(min=1),
        metavar="N",
        help="states: at most N messages before a turn.",
    ),
    click.option(
        "--max-history-tokens",
        type=click.IntRange(min=1),
        metavar="N",
        default=HISTORY_TOKENS,
        show_default=True,
        help="states: at most about N tokens before a turn.",
    ),
    click.option("--stats", is_flag=True, help="states: say what became of the messages."),
]


def with_view_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def check_options(format_: str) -> None:
    """Refuse an option that was given and would do nothing."""
    context = click.get_current_context()
    for name, form in _FORM_OF.items():
        if form != format_ and context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            option = f"--{name.replace('_', '-')}"
            raise click.UsageError(f"{option} is for --format {form}", context)


def view_options(
    *,
    since: datetime | None,
    roles: frozenset[str] | None,
    last: int | None,
    max_history: int | None,
    max_history_tokens: int,
    submitter: Mapping[str, Any] | None,
    captured_at: str,
) -> ViewOptions:
    """What the options say, as the forms want it."""
    return ViewOptions(
        since=since,
        roles=roles,
        last=last,
        limits=HistoryLimits(messages=max_history, tokens=max_history_tokens),
        submitter=submitter,
        captured_at=captured_at,
    )


def put_statistics(statistics: StateStatistics) -> None:
    """Say what became of the messages: on standard error, beside the name of the file."""
    counts = asdict(statistics)
    skipped = counts.pop("skipped")
    for name, count in counts.items():
        say(f"{name.replace('_', ' ')}: {count:,}")
    for reason, count in sorted(skipped.items()):
        say(f"skipped, {reason}: {count:,}")
