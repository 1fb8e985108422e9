"""What was promised once is still there: commands, options, and the fields of the files we write.

`tests/data/stable/` holds what the last version had. Something new is added there by
`--agentv-update-golden`; nothing may go missing or change without a deprecation.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec
import pytest

from pytest_agentv.cli.main import agentv
from pytest_agentv.results.model import Row, Summary
from pytest_agentv.transcript.schema import transcript_schema
from pytest_agentv.views.events import events_schema

if TYPE_CHECKING:
    from collections.abc import Callable

RECORDED = Path(__file__).parent / "data" / "stable"
# What explains a field may be said better.
_PROSE = {"title", "description", "examples", "$comment"}


def commands() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}

    def walk(command: click.Command, name: str) -> None:
        names = [flag for one in command.params for flag in (*one.opts, *one.secondary_opts)]
        found[name] = sorted(flag for flag in names if flag.startswith("-"))
        if isinstance(command, click.Group):
            context = click.Context(command)
            for child in command.list_commands(context):
                below = command.get_command(context, child)
                assert below is not None
                walk(below, f"{name} {child}")

    walk(agentv, "agentv")
    return found


def results() -> dict[str, list[str]]:
    return {kind.__name__: list(kind.__struct_fields__) for kind in (Row, Summary)}


def missing(before: Any, now: Any, at: str = "") -> list[str]:
    """What stood in a recorded value and is gone or another now, by its place."""
    if isinstance(before, dict) and isinstance(now, dict):
        return [
            line
            for key, value in before.items()
            if key not in _PROSE or isinstance(value, dict)
            for line in (
                missing(value, now[key], f"{at}/{key}") if key in now else [f"{at}/{key} is gone"]
            )
        ]
    if isinstance(before, list) and isinstance(now, list):
        return [f"{at} has no {one!r}" for one in before if one not in now]
    return [] if before == now else [f"{at} was {before!r} and is {now!r}"]


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("commands", commands),
        ("events", events_schema),
        ("results", results),
        ("transcript", transcript_schema),
    ],
)
def test_nothing_that_was_promised_is_gone(
    name: str, made: Callable[[], Any], pytestconfig: pytest.Config
) -> None:
    now = json.loads(msgspec.json.encode(made()))
    file = RECORDED / f"{name}.json"
    before = json.loads(file.read_text(encoding="utf-8")) if file.exists() else now

    assert not missing(before, now)
    if pytestconfig.getoption("agentv_update_golden"):
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps(now, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    assert file.exists(), "--agentv-update-golden writes it"


def test_what_goes_missing_is_named() -> None:
    before = {"a": {"type": "string", "title": "old"}, "b": [1, 2], "c": 1}
    now = {"a": {"type": "integer", "title": "new"}, "b": [2, 3]}

    assert missing(before, now) == [
        "/a/type was 'string' and is 'integer'",
        "/b has no 1",
        "/c is gone",
    ]
