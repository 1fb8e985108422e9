"""Options of commands that ask judges, and the judge that they ask for."""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pytest_agentv.cli.amounts import Amount
from pytest_agentv.judge.judge import ModelJudge
from pytest_agentv.judge.settings import MODES, read_judge_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def judge_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say who judges, and within which bounds."""
    for option in reversed(
        (
            click.option(
                "--model", metavar="PROVIDER:MODEL", help="The language model that judges."
            ),
            click.option(
                "--judge",
                "mode",
                type=click.Choice(MODES),
                help="Ask judges (live), only look into the cache (cached), or skip (off); "
                "default: live if a model is named, else cached.",
            ),
            click.option(
                "--max-cost",
                type=Amount(min=0),
                metavar="USD",
                help="What judges may cost in all.",
            ),
        )
    ):
        function = option(function)
    return function


@contextmanager
def asked_judge(
    *,
    model: str | None,
    mode: Any,
    max_cost: float | None,
    redact: Callable[[str], str] | None = None,
) -> Iterator[ModelJudge]:
    """A judge by the options, the settings of the project and the environment.

    ``redact`` is what a judge may read of a text.
    """
    settings = read_judge_settings(
        Path.cwd(), os.environ, model=model, mode=mode, max_cost=max_cost
    )
    judge = ModelJudge(replace(settings, redact=redact))
    try:
        yield judge
    finally:
        judge.close()
