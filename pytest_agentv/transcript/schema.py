"""The JSON Schema of a transcript line, generated from its types."""

from __future__ import annotations

import inspect
from typing import Any

import msgspec

from pytest_agentv.transcript.model import Transcript

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def transcript_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of one line of a transcript file."""
    (reference,), components = msgspec.json.schema_components(
        [Transcript], ref_template="#/$defs/{name}"
    )
    for definition in components.values():
        # Before Python 3.13 a docstring holds the indentation of its source.
        definition["description"] = inspect.cleandoc(definition["description"])
    return {
        "$schema": _DIALECT,
        "title": "pytest-agentv transcript",
        **reference,
        "$defs": components,
    }
