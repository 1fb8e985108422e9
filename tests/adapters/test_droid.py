"""Sessions of Droid: the settings beside them have the tokens."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from pytest_agentv import ReadOptions, SessionRef, TokenUsage, Transcript, load
from pytest_agentv.adapters.droid import DroidAdapter

DATA = Path(__file__).parents[1] / "data" / "droid"


def test_tokens_and_model_come_from_the_settings(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    shutil.copy(DATA / "login-limit.jsonl", path)
    settings = {
        "model": "claude-opus-4-5",
        "tokenUsage": {
            "inputTokens": 120, "outputTokens": 30, "cacheReadTokens": 40,
            "cacheCreationTokens": 10, "thinkingTokens": 7,
        },
    }  # fmt: skip
    (tmp_path / "a.settings.json").write_text(json.dumps(settings), encoding="utf-8")
    found = load(DroidAdapter().read(SessionRef("a", path), ReadOptions()))
    assert found.source.model == "claude-opus-4-5"
    assert found.token_usage == TokenUsage(
        input=170, output=37, cached=40, cache_write=10, reasoning=7, output_complete=True
    )


def read(path: Path, *messages: dict[str, Any]) -> Transcript:
    start = {"type": "session_start", "id": "s-1", "cwd": "/home/dev/shop", "version": 2}
    records = [start, *({"type": "message", "message": one} for one in messages)]
    path.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")
    return load(DroidAdapter().read(SessionRef("s-1", path), ReadOptions()))


def test_an_error_that_only_the_user_saw_is_no_prompt(tmp_path: Path) -> None:
    error = {"type": "text", "text": "Error: Connection error."}
    transcript = read(
        tmp_path / "a.jsonl",
        {"role": "user", "content": [error], "visibility": "user_only"},
        {"role": "user", "content": [{"type": "text", "text": "Try again."}]},
    )
    assert [(one.role, one.content) for one in transcript.output] == [
        ("system", "Error: Connection error."),
        ("user", "Try again."),
    ]
    assert transcript.input == "Try again."


def test_each_response_names_its_model_and_what_it_thought(tmp_path: Path) -> None:
    settings = json.dumps({"model": "gpt-5.5"})
    (tmp_path / "a.settings.json").write_text(settings, encoding="utf-8")
    thought = {"type": "thinking", "thinking": "The block."}
    done = {"type": "text", "text": "Done."}
    said = {"role": "assistant", "modelId": "glm-5.2"}
    transcript = read(
        tmp_path / "a.jsonl",
        {**said, "content": [done], "chatCompletionReasoningContent": "Beside."},
        {**said, "content": [thought, done], "chatCompletionReasoningContent": "The block."},
        {"role": "assistant", "content": [done]},
    )
    assert [(one.model, one.thinking) for one in transcript.output] == [
        ("glm-5.2", "Beside."),
        ("glm-5.2", "The block."),
        ("gpt-5.5", None),
    ]
    assert transcript.source.model == "glm-5.2"


def test_other_logs_that_start_sessions_are_not_claimed(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text('{"type":"session_start","id":"S1","msg":"x"}\n{"type":"commit"}\n')
    assert not DroidAdapter().claims(path)
