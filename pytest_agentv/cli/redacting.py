"""``--redact``: what commands share that let texts of sessions leave the process."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pytest_agentv.redact.profiles import PROFILES

if TYPE_CHECKING:
    from pytest_agentv.redact import Redactor

redact_option = click.option(
    "--redact",
    "profile",
    type=click.Choice(list(PROFILES)),
    metavar="PROFILE",
    help=f"Redact what stands in sessions: {', '.join(PROFILES)}.",
)


def redactor_of(profile: str | None) -> Redactor | None:
    """What redacts by a profile and the settings of the project here; None if nothing is asked."""
    if profile is None:
        return None
    from pytest_agentv.redact import Redactor, read_redact_settings  # noqa: PLC0415 (many rules)

    return Redactor(profile, settings=read_redact_settings(Path.cwd()))
