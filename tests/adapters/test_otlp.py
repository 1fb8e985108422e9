"""Traces: what we export is read again, and threads of sub-agents are told apart."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from runaway import no_runaway

from pytest_agentv import ReadOptions, Transcript, load
from pytest_agentv.adapters.base import refs_of
from pytest_agentv.adapters.otlp.adapter import OtlpAdapter
from pytest_agentv.adapters.otlp.spanfile import SpanFile
from pytest_agentv.errors import SessionNotFound
from pytest_agentv.plugins import registry
from pytest_agentv.views.otlp import otlp

if TYPE_CHECKING:
    from pytest_agentv import ToolCall

ROOT = Path(__file__).parents[2]
SESSIONS = [
    next((ROOT / "examples" / "claude-home").rglob("3f1c9a52*.jsonl")),
    next((ROOT / "examples" / "codex-home").rglob("*.jsonl")),
    next((ROOT / "examples" / "copilot-home").rglob("events.jsonl")),
    ROOT / "tests" / "data" / "cursor" / "stream.jsonl",
    ROOT / "tests" / "data" / "droid" / "login-limit.jsonl",
]
SILENT = ROOT / "tests" / "data" / "otlp" / "silent.json"


def _read(path: Path, *, include_subagents: bool = False) -> list[Transcript]:
    adapter = registry().adapter_of(path)
    options = ReadOptions(include_subagents=include_subagents)
    return [load(adapter.read(ref, options)) for ref in refs_of(adapter, path)]


def _call(call: ToolCall) -> dict[str, Any]:
    names = ("tool", "kind", "args", "output", "status", "exit_code")
    # A span without extent may be one whose end nobody knew.
    return {name: getattr(call, name) for name in names} | {"took": call.duration_ms or None}


@pytest.mark.parametrize("session", SESSIONS, ids=lambda path: path.parts[-2])
def test_what_was_exported_is_read_again(session: Path, tmp_path: Path) -> None:
    (written,) = _read(session)
    path = tmp_path / "trace.jsonl"
    path.write_bytes(b"".join(otlp(written)))
    (found,) = _read(path)
    assert found.source.session_id == written.source.session_id
    assert found.source.version == written.source.version
    assert found.input == written.input
    assert found.prompts == written.prompts
    assert found.final_answer == written.final_answer
    assert found.drift == {}
    assert found.token_usage == written.token_usage
    for call, original in zip(found.tool_calls(), written.tool_calls(), strict=True):
        assert _call(call) == _call(original)
    said = [(one.content, one.thinking, one.usage) for one in found.messages(role="assistant")]
    assert said == [
        (one.content, one.thinking, one.usage) for one in written.messages(role="assistant")
    ]


def test_a_prompt_that_nobody_answered_is_read_again(tmp_path: Path) -> None:
    line = {"role": "user", "message": {"content": "Anybody there?"}}
    session = tmp_path / "session.jsonl"
    session.write_text(f"{json.dumps(line)}\n", encoding="utf-8")
    (written,) = _read(session)
    path = tmp_path / "trace.jsonl"
    path.write_bytes(b"".join(otlp(written)))
    assert _read(path)[0].prompts == ("Anybody there?",)


def test_spans_of_sub_agents_are_added_if_somebody_asks() -> None:
    alone, _ = _read(SILENT)
    assert alone.left_out["span of a sub-agent"] == 2
    assert {message.agent_id for message in alone.output} == {None}
    together, _ = _read(SILENT, include_subagents=True)
    (call,) = (one for one in together.output if one.agent_id == "h1" and one.tool_calls)
    assert call.tool_calls[0].output == "of the helper"


def test_a_call_whose_content_was_not_recorded_is_neither_ok_nor_an_error() -> None:
    alone, _ = _read(SILENT)
    build, task = alone.tool_calls("run_build")[0], alone.tool_calls("task")[0]
    assert (build.status, build.output) == ("timeout", "The build took too long.")
    assert (task.status, task.output) == ("unknown", None)


def test_traces_of_other_programs_are_nobodys(tmp_path: Path) -> None:
    span = {
        "name": "GET /",
        "attributes": [{"key": "http.method", "value": {"stringValue": "GET"}}],
    }
    path = tmp_path / "trace.jsonl"
    document = {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}
    path.write_text(json.dumps(document), encoding="utf-8")
    assert not OtlpAdapter().claims(path)


def test_a_cache_that_is_counted_beside_the_input_is_added(tmp_path: Path) -> None:
    def attribute(key: str, value: int | str) -> dict[str, Any]:
        kind = "stringValue" if isinstance(value, str) else "intValue"
        return {"key": key, "value": {kind: str(value)}}

    attributes = [
        attribute("gen_ai.operation.name", "chat"),
        attribute("gen_ai.usage.input_tokens", 10),
        attribute("gen_ai.usage.cache_read.input_tokens", 900),
        attribute("gen_ai.usage.output_tokens", "7"),
    ]
    span = {"traceId": "a", "spanId": "b", "name": "chat", "attributes": attributes}
    path = tmp_path / "trace.json"
    document = {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}
    path.write_text(json.dumps(document, indent=1), encoding="utf-8")
    usage = _read(path)[0].token_usage
    assert usage is not None
    assert (usage.input, usage.cached, usage.output) == (910, 900, 7)


def _chat(conversation: str, number: int, said: str) -> bytes:
    """A response of a model, on a line of its own; ``said`` is JSON within JSON."""
    stated = {
        "gen_ai.operation.name": "chat",
        "gen_ai.conversation.id": conversation,
        "gen_ai.output.messages": "SAID",
    }
    span = {
        "traceId": conversation,
        "spanId": f"{conversation}-{number}",
        "startTimeUnixNano": str(number + 1),
        "attributes": [{"key": key, "value": {"stringValue": stated[key]}} for key in stated],
    }
    batch = {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}
    return json.dumps(batch).replace("SAID", said).encode() + b"\n"


def test_many_sessions_of_a_file_are_told_apart_in_one_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Path] = []

    class Counted(SpanFile):
        def __init__(self, path: Path) -> None:
            opened.append(path)
            super().__init__(path)

    monkeypatch.setattr("pytest_agentv.adapters.otlp.adapter.SpanFile", Counted)
    path = tmp_path / "trace.jsonl"
    path.write_bytes(b"".join(_chat(f"c{n}", n, f"Hello {n}") for n in range(5)))
    adapter = OtlpAdapter()
    refs = refs_of(adapter, path)
    found = [load(adapter.read(ref, ReadOptions())) for ref in refs]
    assert [one.final_answer for one in found] == [f"Hello {n}" for n in range(5)]
    assert opened == [path]
    path.write_bytes(path.read_bytes() + _chat("c0", 9, "Bye"))
    assert load(adapter.read(refs[0], ReadOptions())).final_answer == "Bye"


def test_a_line_that_was_repaired_is_counted_once(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    path.write_bytes(b"".join(_chat("c", n, r"half \ud800") for n in range(9)))
    (found,) = _read(path)
    assert found.drift == {"text repaired": 9}
    assert len(found.output) == 9


def test_a_file_that_is_not_there_is_no_session(tmp_path: Path) -> None:
    with pytest.raises(SessionNotFound):
        refs_of(OtlpAdapter(), tmp_path / "none.jsonl")


@pytest.mark.parametrize(
    ("part", "drift"),
    [
        ({"type": "tool_call", "id": "1", "name": 7}, {"tool call without a name": 1}),
        ({"type": "tool_call", "id": "1", "name": ""}, {"tool call without a name": 1}),
        ({"type": "tool_call", "id": "1", "name": "x"}, {}),
    ],
)
def test_a_call_without_a_name_is_counted(
    part: dict[str, object], drift: dict[str, int], tmp_path: Path
) -> None:
    said = json.dumps([{"role": "assistant", "parts": [part]}])
    path = tmp_path / "trace.jsonl"
    path.write_bytes(_chat("c", 1, json.dumps(said)[1:-1]))
    (found,) = _read(path)
    assert found.drift == drift
    assert len(found.tool_calls()) == (not drift)


def test_a_response_may_be_of_any_number_of_messages(tmp_path: Path) -> None:
    said = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "gpt-5.5",
        "gen_ai.output.messages": json.dumps(["a"] * 300_000),
    }
    attributes = [{"key": key, "value": {"stringValue": text}} for key, text in said.items()]
    span = {"traceId": "1" * 32, "spanId": "1" * 16, "name": "chat", "attributes": attributes}
    path = tmp_path / "trace.json"
    path.write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}))
    with no_runaway():  # what is quadratic takes minutes
        (transcript,) = _read(path)
    assert transcript.output[-1].content.count("a") == 300_000
