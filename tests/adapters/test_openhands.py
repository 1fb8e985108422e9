"""Conversations of OpenHands: their folders, and events that are not as they should be."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from adapter_fixtures import DATA

from pytest_agentv import ReadOptions, Transcript, load
from pytest_agentv.adapters.base import refs_of
from pytest_agentv.adapters.openhands.adapter import OpenHandsAdapter

if TYPE_CHECKING:
    from pathlib import Path

ADAPTER = OpenHandsAdapter()
SESSION = DATA / "openhands" / "version-0-session"


def _read(path: Path) -> Transcript:
    (ref,) = refs_of(ADAPTER, path)
    return load(ADAPTER.read(ref, ReadOptions()))


def _message(text: str, source: str = "user") -> dict[str, Any]:
    role = "user" if source == "user" else "assistant"
    message = {"role": role, "content": [{"type": "text", "text": text}]}
    stamp = "2026-01-01T10:00:00"
    return {"kind": "MessageEvent", "source": source, "timestamp": stamp, "llm_message": message}


@pytest.fixture
def events(tmp_path: Path) -> Path:
    folder = tmp_path / "conversation" / "events"
    folder.mkdir(parents=True)
    return folder


def test_events_stand_in_the_order_of_their_numbers(events: Path) -> None:
    for number in (99999, 100000, 2):
        content = json.dumps(_message(str(number)))
        (events / f"event-{number:05}-x.json").write_text(content, encoding="utf-8")
    assert [one.content for one in _read(events.parent).output] == ["2", "99999", "100000"]


def test_an_event_that_cannot_be_read_is_counted(events: Path) -> None:
    (events / "event-00000-x.json").write_text(json.dumps(_message("Hello")), encoding="utf-8")
    (events / "event-00001-x.json").write_bytes(b"{torn")
    (events / "event-00002-x.json").write_bytes(b"[]")
    (events / "notes.txt").write_text("no event", encoding="utf-8")
    transcript = _read(events.parent)
    assert transcript.drift == {"unreadable event": 1, "event that is no object": 1}
    assert transcript.input == "Hello"


def test_a_pickle_beside_the_events_is_never_loaded(tmp_path: Path) -> None:
    folder = tmp_path / "session"
    shutil.copytree(SESSION, folder)
    # The fixture's own pickle would end the process.
    assert (folder / "agent_state.pkl").read_bytes()[:1] == b"\x80"
    assert _read(folder).input == "Make it build."
    (folder / "agent_state.pkl").unlink()
    assert _read(folder).input == "Make it build."


def test_a_conversation_of_the_hosted_agents_counts_caches_besides(events: Path) -> None:
    (events / "event-00000-x.json").write_text(json.dumps(_message("Hello")), encoding="utf-8")
    usage = {"prompt_tokens": 10, "completion_tokens": 2, "cache_read_tokens": 100}
    stats = {"usage_to_metrics": {"default": {"accumulated_token_usage": usage}}}
    state = {"agent": {"kind": "ACPAgent"}, "stats": stats}
    (events.parent / "base_state.json").write_text(json.dumps(state), encoding="utf-8")
    usage_read = _read(events.parent).token_usage
    assert usage_read is not None
    assert (usage_read.input, usage_read.cached, usage_read.output) == (110, 100, 2)


def test_a_call_of_a_hosted_agent_is_told_again_until_it_is_done(tmp_path: Path) -> None:
    def call(status: str, **more: Any) -> dict[str, Any]:
        stamp = "2026-01-01T10:00:01"
        return {"kind": "ACPToolCallEvent", "source": "agent", "timestamp": stamp,
                "tool_call_id": "c1", "title": "Run ls", "status": status, **more}  # fmt: skip

    lines = [_message("List"), call("pending", raw_input={"command": "ls"}), call("in_progress"),
             call("completed", raw_output="a b"), call("completed")]  # fmt: skip
    path = tmp_path / "events.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    (made,) = _read(path).tool_calls()
    assert (made.tool, made.status, made.output) == ("Run ls", "ok", "a b")


def test_a_project_has_the_sessions_that_ran_in_it(tmp_path: Path) -> None:
    project = tmp_path / "shop"
    project.mkdir()
    for name, folder in (("one", str(project)), ("two", "/elsewhere")):
        events = tmp_path / "home" / "conversations" / name / "events"
        events.mkdir(parents=True)
        (events / "event-00000-x.json").write_text(json.dumps(_message("Hi")), encoding="utf-8")
        state = {"workspace": {"working_dir": folder}}
        (events.parent / "base_state.json").write_text(json.dumps(state), encoding="utf-8")
    found = ADAPTER.sessions(tmp_path / "home", project=project)
    assert [ref.session_id for ref in found] == ["one"]


@pytest.mark.parametrize(("kind", "status"), [("run", "ok"), ("read", "error"), ("edit", "error")])
def test_a_text_that_begins_as_an_error_is_one_of_the_editor_only(
    tmp_path: Path, kind: str, status: str
) -> None:
    events = [
        {"id": 0, "source": "user", "action": "message", "args": {"content": "Go"}},
        {"id": 1, "source": "agent", "action": kind, "args": {"command": "pip check", "path": "a"}},
        {"id": 2, "source": "agent", "observation": kind, "cause": 1, "content": "ERROR: none",
         "extras": {"metadata": {"exit_code": 0}} if kind == "run" else {}},
    ]  # fmt: skip
    path = tmp_path / "session.json"
    path.write_text(json.dumps(events), encoding="utf-8")
    (made,) = _read(path).tool_calls()
    assert made.status == status


def test_a_patch_names_the_files_that_it_changes(tmp_path: Path) -> None:
    patch = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-a\n+b\n*** End Patch"
    event = {"kind": "ActionEvent", "source": "agent", "timestamp": "2026-01-01T10:00:01",
             "id": "a", "tool_name": "apply_patch", "action": {"patch": patch}}  # fmt: skip
    path = tmp_path / "events.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in (_message("Go"), event)), "utf-8")
    (made,) = _read(path).tool_calls()
    assert made.paths == ("src/a.py",)


@pytest.mark.parametrize(
    ("costs", "cost"), [((0.0,), None), ((0.5, 0.0), None), ((0.5, 0.25), 0.75)]
)
def test_tokens_that_cost_nothing_have_no_known_price(
    events: Path, costs: tuple[float, ...], cost: float | None
) -> None:
    (events / "event-00000-x.json").write_text(json.dumps(_message("Hello")), encoding="utf-8")
    usage = {"prompt_tokens": 10, "completion_tokens": 2}
    metrics: dict[str, Any] = {
        str(number): {"accumulated_cost": one, "accumulated_token_usage": usage}
        for number, one in enumerate(costs)
    }
    metrics["unused"] = {"accumulated_cost": 0.0, "accumulated_token_usage": None}
    state = {"stats": {"usage_to_metrics": metrics}}
    (events.parent / "base_state.json").write_text(json.dumps(state), encoding="utf-8")
    assert _read(events.parent).cost_usd == cost
