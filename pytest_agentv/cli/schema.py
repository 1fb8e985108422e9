"""``agentv schema``: the JSON Schemas of the files we write and read."""

from __future__ import annotations

import click

from pytest_agentv.cli.console import put_json
from pytest_agentv.transcript.schema import transcript_schema

_SCHEMAS = {"transcript": transcript_schema}


@click.command("schema")
@click.argument("format_", metavar="FORMAT", type=click.Choice(sorted(_SCHEMAS)))
def command(format_: str) -> None:
    """Print the JSON Schema (draft 2020-12) of FORMAT: transcript."""
    put_json(_SCHEMAS[format_]())
