"""Every value of every record of every client, broken in every way: what can be read is read.

Some of all that can be broken are, the same in every run: ``AGENTV_MUTATIONS=5000`` for more of
each client, or ``python -m fuzz.mutate``.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from fuzz.laws import Bench, Broken, kinds_at
from fuzz.mutate import NAMES, adapter_of, mutate
from fuzz.seeds import Place, seeds
from pytest_agentv.errors import SessionUnreadable

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_agentv.adapters.base import ReadOptions, SessionRef

_RECORDS = int(os.environ.get("AGENTV_MUTATIONS", "100"))
_HANG = 10

# What once cost a session, was lost without a word, took for ever or raised something else.
_FOUND = [
    ("codex/typescript.json", "typescript.json", 0, "items.3.content.0", "list"),
    ("codex/typescript.json", "typescript.json", 0, "items.1.type", "deep list"),
    ("cline/screen", "screen/ui_messages.json", 0, "4.ts", "empty object"),
    ("cline/trouble.json", "trouble.json", 0, "6.content", "many blanks"),
    ("cline/roo", "roo/api_conversation_history.json", 0, "3.content.0.name", "false"),
    ("cline/trouble.json", "trouble.json", 0, "3.content.0", "empty list"),
    ("atif/exported.jsonl", "exported.jsonl", 1, "steps.8.tool_calls.0.extra.args", "nested 300"),
    ("atif/sub-agents.json", "sub-agents.json", 0, "subagent_trajectories.0", "whole number"),
    ("pi/version-1.jsonl", "version-1.jsonl", 1, "message.role", "list"),
    ("pi/tree.jsonl", "tree.jsonl", 13, "parentId", "thousands of digits"),
    ("pi/version-1.jsonl", "version-1.jsonl", 4, "message.content.0.text", "object"),
    ("qwen/login-limit.jsonl", "login-limit.jsonl", 32, "parentUuid", "Infinity"),
    ("qwen/login-limit.jsonl", "login-limit.jsonl", 7, "toolCallResult.status", "path"),
    ("gemini/log.jsonl", "log.jsonl", 0, "sessionId", "raw control characters"),
    ("gemini/login-limit.json", "login-limit.json", 0, "messages.10", "path"),
    ("cursor/stream.jsonl", "stream.jsonl", 0, "permissionMode", "whole number"),
    ("cursor/stream.jsonl", "stream.jsonl", 9, "tool_call.writeToolCall.result", "word"),
    ("cursor/stream.jsonl", "stream.jsonl", 24, "duration_ms", "negative number"),
    ("cursor/stream.jsonl", "stream.jsonl", 24, "duration_ms", "more than 64 bits"),
    ("droid/login-limit.jsonl", "login-limit.jsonl", 23, "message.content.0.type", "64 bits"),
    ("openai/blocks.json", "blocks.json", 0, "messages.2.content.0.type", "missing"),
    ("opencode/later.db", "later.db", 41, "content.3", "surrogate as bytes"),
    ("openhands/version-0.json", "version-0.json", 0, "4.args.thought", "fraction"),
    ("otlp/silent.json", "silent.json", 0, "resourceSpans.0.scopeSpans.0.spans.7", "word"),
    ("kimi/login-limit.jsonl", "login-limit.jsonl", 47, "event.part.text", "fraction"),
    ("mini-swe-agent/responses.traj.json", "responses.traj.json", 0, "messages.4.output", "word"),
]


def _place(file: str, record: int, steps: str) -> Place:
    return Place(
        file, record, tuple(int(one) if one.isdigit() else one for one in steps.split("."))
    )


@pytest.mark.parametrize("name", NAMES)
def test_a_broken_value_costs_at_most_its_record_and_what_is_lost_is_counted(name: str) -> None:
    figures = mutate(name, _RECORDS)
    assert figures.problems == []
    assert figures.records == _RECORDS
    assert figures.slowest < _HANG


@pytest.mark.parametrize("found", _FOUND, ids=[" ".join(map(str, one)) for one in _FOUND])
def test_what_was_found_once_is_not_found_again(
    found: tuple[str, str, int, str, str], tmp_path: Path
) -> None:
    session, file, record, steps, kind = found
    name = session.partition("/")[0]
    (seed,) = (one for one in seeds(name) if one.id == session)
    Bench(seed, adapter_of(name), tmp_path).check(_place(file, record, steps), kind)


def test_every_field_of_every_record_has_its_turn() -> None:
    (seed,) = (one for one in seeds("droid") if one.name == "trouble.jsonl")
    places = list(seed.places())
    assert _place("trouble.jsonl", 3, "message.content.0.tool_use_id") in places
    assert _place("trouble.jsonl", 3, "message.content.1") in places
    kinds = {kind for place in places for kind in kinds_at(seed, place)}
    assert {"missing", "null", "same key after", "deep list", "NaN", "lone surrogate"} <= kinds


class _Forgetful:
    """An adapter that reads a session as another does, but not if one thing is in it."""

    def __init__(self, adapter: Any, hated: bytes) -> None:
        self._adapter, self._hated = adapter, hated

    def __getattr__(self, name: str) -> Any:
        return getattr(self._adapter, name)

    def read(self, ref: SessionRef, options: ReadOptions) -> Any:
        if self._hated in ref.path.read_bytes():
            raise SessionUnreadable("is not as it should be")
        return self._adapter.read(ref, options)


def test_an_adapter_that_loses_more_is_found_out(tmp_path: Path) -> None:
    (seed,) = (one for one in seeds("droid") if one.name == "trouble.jsonl")
    forgetful = _Forgetful(adapter_of("droid"), b'"text": 7')
    place = _place("trouble.jsonl", 1, "message.content.0.text")
    with pytest.raises(Broken, match="costs the whole session"):
        Bench(seed, forgetful, tmp_path).check(place, "whole number")
