"""Real sessions of every client in every form: all of them are written, and keep their schemas."""

from __future__ import annotations

import json
from typing import Any

import pytest
from corpus import CORPUS, sessions_of
from jsonschema import Draft202012Validator

from pytest_agentv.adapters.base import ReadOptions, SessionRef
from pytest_agentv.errors import SessionError
from pytest_agentv.plugins import registry
from pytest_agentv.transcript.stream import load
from pytest_agentv.views.events import events_schema
from pytest_agentv.views.formats import FORMATS, ViewOptions
from pytest_agentv.views.parquet import write_parquet

ADAPTERS = {name: registry().adapter(name) for name in ("claude", "codex", "copilot")}
SESSIONS = [(vendor, name) for vendor in ADAPTERS for name in sessions_of(vendor)[0]]
_ATIF = CORPUS.parent / "formats" / "atif-v1.8.schema.json"
VALIDATORS = {
    "events": Draft202012Validator(events_schema()),
    "atif": Draft202012Validator(
        json.loads(_ATIF.read_text(encoding="utf-8")) if _ATIF.is_file() else True
    ),
}


@pytest.mark.parametrize(("vendor", "name"), SESSIONS)
def test_a_session_is_written_in_every_form(
    vendor: str, name: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = CORPUS / name
    options = ReadOptions(include_subagents=True)
    try:
        transcript = load(ADAPTERS[vendor].read(SessionRef(path.stem, path), options))
    except SessionError:
        pytest.skip("cannot be imported")
    if not transcript.output:
        pytest.skip("has no messages")
    written = {
        form: b"".join(one.pieces(transcript, ViewOptions())) for form, one in FORMATS.items()
    }

    write_parquet([transcript], tmp_path_factory.getbasetemp() / "parquet", overwrite=True)
    documents: dict[str, list[dict[str, Any]]] = {
        form: [json.loads(line) for line in text.splitlines()]
        for form, text in written.items()
        if form != "markdown"
    }
    for form, validator in VALIDATORS.items():
        for document in documents[form]:
            assert next(validator.iter_errors(document), None) is None
    (events,) = documents["events"]
    assert events["metrics"]["toolCallCount"] == len(transcript.tool_calls())
    assert events["metrics"]["eventCount"] == len(events["events"])
    roles = [entry["role"] for entry in documents["entries"]]
    assert roles.count("tool_call") == len(transcript.tool_calls())
