"""``agentv schema``: the JSON Schemas of the files we write and read."""

from __future__ import annotations

from typing import Any

import click

from pytest_agentv.cli.console import put_json


def _transcript() -> dict[str, Any]:
    from pytest_agentv.transcript.schema import transcript_schema  # noqa: PLC0415

    return transcript_schema()


def _eval() -> dict[str, Any]:
    from pytest_agentv.engine.schema import eval_file_schema  # noqa: PLC0415 (loads pydantic)
    from pytest_agentv.plugins import assertion_types, plugin_manager  # noqa: PLC0415

    return eval_file_schema(assertion_types(plugin_manager()))


def _events() -> dict[str, Any]:
    from pytest_agentv.views.events import events_schema  # noqa: PLC0415

    return events_schema()


_SCHEMAS = {"eval": _eval, "events": _events, "transcript": _transcript}


@click.command("schema")
@click.argument("format_", metavar="FORMAT", type=click.Choice(sorted(_SCHEMAS)))
def command(format_: str) -> None:
    """Print the JSON Schema (draft 2020-12) of FORMAT: eval, events or transcript.

    That of eval files knows the assertion types of every installed plugin.
    """
    put_json(_SCHEMAS[format_]())
