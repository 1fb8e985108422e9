"""What `-o` may name: a file or a folder, and not what other programs call standard output."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import click

if TYPE_CHECKING:
    from pathlib import Path

    Named = TypeVar("Named", str | None, Path | None)


def no_dash(ctx: click.Context, parameter: click.Parameter, value: Named) -> Named:
    """Refuse `-`: a file of that name is not what anybody means, and is hard to get rid of."""
    del ctx, parameter
    if value is not None and str(value) == "-":
        raise click.BadParameter("'-' names no file; standard output cannot be named.")
    return value


def eval_file(ctx: click.Context, parameter: click.Parameter, value: Path | None) -> Path | None:
    """Refuse what neither pytest nor `agentv validate` would take for an eval file."""
    no_dash(ctx, parameter, value)
    if value is not None and value.suffix.lower() not in {".yaml", ".yml"} and not value.is_dir():
        raise click.BadParameter(f"{value} is no eval file: these end in .yaml or .yml.")
    return value
