"""Sessions of Droid: the settings beside them have the tokens."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from pytest_agentv import ReadOptions, SessionRef, TokenUsage, load
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


def test_other_logs_that_start_sessions_are_not_claimed(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text('{"type":"session_start","id":"S1","msg":"x"}\n{"type":"commit"}\n')
    assert not DroidAdapter().claims(path)
