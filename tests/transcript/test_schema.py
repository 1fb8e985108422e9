"""The JSON Schema of a transcript line says exactly what the types say."""

from __future__ import annotations

import copy
import inspect
import json
from typing import TYPE_CHECKING, Any, get_type_hints

import jsonschema
import msgspec
import pytest
from hypothesis import given, settings
from sample_transcripts import FULL, SAMPLE, patient, transcripts

from pytest_agentv import (
    Attachment,
    Message,
    Source,
    TokenUsage,
    ToolCall,
    Transcript,
    Usage,
    dumps,
)
from pytest_agentv.transcript.schema import transcript_schema

if TYPE_CHECKING:
    from collections.abc import Iterator

STRUCTS = (Attachment, Message, Source, TokenUsage, ToolCall, Transcript, Usage)
VALIDATOR = jsonschema.Draft202012Validator(transcript_schema())

_COUNTS = {
    "input": "count?",
    "output": "count?",
    "cached": "count?",
    "cache_write": "count?",
    "reasoning": "count?",
}
# Of every field its type; a question mark means "or null".
TYPES = {
    "Transcript": {
        "schema_version": "string",
        "test_id": "string?",
        "source": "Source",
        "input": "string?",
        "output": "[Message]",
        "token_usage": "TokenUsage?",
        "duration_ms": "count?",
        "cost_usd": "number?",
        "privacy": "object?",
        "drift": "{integer}",
        "left_out": "{integer}",
    },
    "Source": {
        "provider": "string",
        "session_id": "string?",
        "model": "string?",
        "version": "string?",
        "title": "string?",
        "timestamp": "string?",
        "ended_at": "string?",
        "git_branch": "string?",
        "cwd": "string?",
    },
    "Message": {
        "id": "string?",
        "line": "integer?",
        "role": "string",
        "origin": "string?",
        "content": "string",
        "thinking": "string?",
        "model": "string?",
        "timestamp": "string?",
        "usage": "Usage?",
        "tool_calls": "[ToolCall]",
        "attachments": "[Attachment]",
        "agent_id": "string?",
    },
    "ToolCall": {
        "id": "string?",
        "line": "integer?",
        "tool": "string",
        "kind": "string",
        "input": "anything",
        "args": "object",
        "output": "string?",
        "status": "string",
        "exit_code": "integer?",
        "duration_ms": "count?",
        "duration_source": "string?",
        "timestamp": "string?",
    },
    "Attachment": {
        "kind": "string",
        "media_type": "string?",
        "size": "count?",
        "name": "string?",
        "call_id": "string?",
    },
    "Usage": _COUNTS,
    "TokenUsage": {**_COUNTS, "output_complete": "boolean?"},
}
REQUIRED = {
    "Transcript": ["source", "output"],
    "Source": ["provider"],
    "Message": ["role"],
    "ToolCall": ["tool"],
    "Attachment": ["kind"],
    "Usage": [],
    "TokenUsage": [],
}


def _type(schema: dict[str, Any]) -> str:
    """A schema in the words of ``TYPES``."""
    if "anyOf" in schema:
        first, null = schema["anyOf"]
        assert null == {"type": "null"}
        return f"{_type(first)}?"
    if "$ref" in schema:
        return str(schema["$ref"]).removeprefix("#/$defs/")
    if schema.get("type") == "array":
        return f"[{_type(schema['items'])}]"
    if "additionalProperties" in schema:
        return f"{{{_type(schema['additionalProperties'])}}}"
    if schema.get("type") == "integer" and "minimum" in schema:
        assert schema["minimum"] == 0
        return "count"
    return str(schema.get("type", "anything"))


def _description(hint: Any) -> str | None:
    metas = [meta for meta in getattr(hint, "__metadata__", ()) if isinstance(meta, msgspec.Meta)]
    return next((meta.description for meta in metas if meta.description), None)


def test_the_schema_is_valid_draft_2020_12() -> None:
    schema = transcript_schema()
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    jsonschema.Draft202012Validator.check_schema(schema)


def test_every_field_of_every_struct_is_there_with_its_type() -> None:
    definitions = transcript_schema()["$defs"]
    found = {
        name: {field: _type(schema) for field, schema in definition["properties"].items()}
        for name, definition in definitions.items()
    }
    assert found == TYPES
    required = {name: definition["required"] for name, definition in definitions.items()}
    assert required == REQUIRED


@pytest.mark.parametrize("struct", STRUCTS)
def test_fields_stand_in_the_order_in_which_they_are_written(struct: type[msgspec.Struct]) -> None:
    properties = transcript_schema()["$defs"][struct.__name__]["properties"]
    assert tuple(properties) == struct.__struct_fields__


@pytest.mark.parametrize("struct", STRUCTS)
def test_every_description_of_the_model_is_in_the_schema(struct: type[msgspec.Struct]) -> None:
    definition = transcript_schema()["$defs"][struct.__name__]
    hints = get_type_hints(struct, include_extras=True)
    described = {
        name: description
        for name, hint in hints.items()
        if name in struct.__struct_fields__ and (description := _description(hint))
    }
    found = {
        name: schema["description"]
        for name, schema in definition["properties"].items()
        if "description" in schema
    }
    assert found == described


@pytest.mark.parametrize("struct", STRUCTS)
def test_a_struct_is_described_alike_on_every_python(struct: type[msgspec.Struct]) -> None:
    # Before Python 3.13 a docstring holds the indentation of its source.
    definition = transcript_schema()["$defs"][struct.__name__]
    assert definition["description"] == inspect.cleandoc(struct.__doc__ or "")


def test_what_is_not_plain_from_its_name_has_a_description() -> None:
    call = transcript_schema()["$defs"]["ToolCall"]["properties"]
    assert call["kind"]["description"] == (
        "the canonical tool: shell read write edit search fetch web_search task skill todo mcp"
        " other"
    )
    assert call["status"]["description"] == "ok error denied cancelled timeout unknown"


def test_the_sample_of_the_documentation_is_valid() -> None:
    VALIDATOR.validate(json.loads(dumps(SAMPLE)))
    VALIDATOR.validate(json.loads(dumps(FULL)))


@settings(patient, max_examples=40)
@given(transcripts)
def test_whatever_is_written_is_valid(transcript: Transcript) -> None:
    assert [error.message for error in VALIDATOR.iter_errors(json.loads(dumps(transcript)))] == []


def _places(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Every place of a JSON value, the value itself not included."""
    children = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, child in children:
        yield (*path, key)
        yield from _places(child, (*path, key))


def _changed(path: tuple[str | int, ...]) -> Iterator[tuple[str, Any]]:
    """The full transcript without a place, and with values of every type in it."""
    # 1.0 is left out: to JSON Schema it is an integer, to our reader it is none.
    values: list[Any] = [None, True, 0, -1, 1.5, "", "x", [], [1], [{}], {}, {"a": 1}, {"a": "b"}]
    original = json.loads(dumps(FULL))
    for name, value in [("deleted", None), *((repr(value), value) for value in values)]:
        line = copy.deepcopy(original)
        holder = line
        for step in path[:-1]:
            holder = holder[step]
        if name == "deleted":
            del holder[path[-1]]
        else:
            holder[path[-1]] = value
        yield name, line


def _is_read(line: Any) -> bool:
    try:
        msgspec.json.decode(json.dumps(line), type=Transcript)
    except msgspec.ValidationError:
        return False
    return True


def test_the_schema_rejects_a_changed_line_exactly_when_the_reader_does() -> None:
    places = list(_places(json.loads(dumps(FULL))))
    verdicts = {
        (place, name): (VALIDATOR.is_valid(line), _is_read(line))
        for place in places
        for name, line in _changed(place)
    }
    disagreements = {where: verdict for where, verdict in verdicts.items() if len({*verdict}) > 1}
    assert disagreements == {}
    # Both must say both, or the comparison would show nothing.
    assert sum(valid for valid, _ in verdicts.values()) > 100
    assert sum(not valid for valid, _ in verdicts.values()) > 500


@pytest.mark.parametrize("line", [None, True, 1, "x", [], [{}], {}])
def test_the_schema_rejects_what_is_no_transcript(line: Any) -> None:
    assert not VALIDATOR.is_valid(line)
    assert not _is_read(line)
