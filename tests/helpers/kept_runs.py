"""Kept runs for the tests of commands: sessions of three clients, and runs of other makers."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from made_calls import example
from runs import MadeCase, make_run, score

from pytest_agentv import Message, Source, Transcript
from pytest_agentv.results.model import Figures, Place

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_agentv.results.reading import Run

CLIENTS = ("claude", "codex", "copilot")


def figures_of(transcript: Transcript) -> Figures:
    """What a session took, as far as it is needed here."""
    calls = transcript.tool_calls()
    return Figures(
        token_usage=transcript.token_usage,
        duration_ms=transcript.duration_ms,
        cost_usd=transcript.cost_usd,
        messages=len(transcript.output),
        tool_calls=len(calls),
        tools=dict(Counter(call.kind for call in calls)),
    )


def case_of(transcript: Transcript, **fields: Any) -> MadeCase:
    """A case on a session that is kept."""
    fields = {"figures": figures_of(transcript), **fields}
    return MadeCase(target=transcript.source.provider, transcript=transcript, **fields)


def three_clients(root: Path) -> Run:
    """One test on the same task of three clients, of which Codex fails; a crash, and a skip."""
    where = (Place(message=21, line=40, excerpt="Done."),)
    claim = "the final answer contains 'Retry-After'"
    lacking = score(
        "contains-Retry-After", "fail", line=9, claim=claim, reason="not found", evidence=where
    )
    cases = [
        case_of(
            example(client),
            test_id="login-limit",
            scores=(
                lacking if client == "codex" else score("contains-Retry-After", reason="found"),
                score("ran-tests", reason="2 calls"),
            ),
        )
        for client in CLIENTS
    ]
    crash = score("own-check", "error", reason="KeyError: 'x'")
    unknown = score("contains-JWT", "skip", reason="no transcript was given")
    cases += [
        MadeCase(test_id="adds-jwt", suite="tokens", scores=(crash,)),
        MadeCase(test_id="rotates-keys", suite="tokens", target=None, scores=(unknown,)),
    ]
    return make_run(root, cases)


def session(*messages: Message, provider: str = "claude-cli", **fields: Any) -> Transcript:
    """A session of some messages."""
    source = Source(provider=provider, session_id=fields.pop("session_id", None))
    return Transcript(source=source, output=messages, **fields)


def answer(text: str, **fields: Any) -> Transcript:
    """A session whose final answer is this text."""
    prompt = Message(role="user", origin="human", content="Do it", line=1)
    return session(prompt, Message(role="assistant", content=text, line=2), **fields)


def agentv_4_rows(path: Path) -> Path:
    """Rows as AgentV 4 writes them: one that passed, one that failed, one that crashed."""
    shared = {
        "timestamp": "2026-05-01T10:00:00.000Z",
        "suite": "auth",
        "target": "transcript",
        "token_usage": {"input": 1200, "output": 300},
        "duration_ms": 5000,
        "artifact_dir": "auth/one",
        "experiment": "default",
    }
    claim = {"text": "Mentions JWT", "passed": False, "evidence": "it does not"}
    rows: list[dict[str, Any]] = [
        {**shared, "test_id": "one", "score": 0.9, "execution_status": "ok",
         "scores": [{"name": "c", "type": "contains", "score": 0.9, "verdict": "pass"}]},
        {**shared, "test_id": "two", "score": 0.2, "execution_status": "quality_failure",
         "scores": [], "assertions": [claim]},
        {**shared, "test_id": "three", "score": 0, "execution_status": "execution_error",
         "error": "the provider timed out"},
    ]  # fmt: skip
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path
