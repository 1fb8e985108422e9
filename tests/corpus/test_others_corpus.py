"""Real sessions of all other clients: each is claimed once, and holds what an oracle counted.

The oracle counts messages by the roles that a format has; where results are messages of the user
in a format, they are no messages here, but are what calls returned. What differs besides is
argued in ``exceptions/<adapter>.json``: the figure that is right, and why.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from adapter_fixtures import NAMES
from corpus import CORPUS

from pytest_agentv import ReadOptions, TokenUsage, Transcript, load
from pytest_agentv.adapters.base import refs_of
from pytest_agentv.errors import SessionError
from pytest_agentv.plugins import registry

if not (CORPUS / "expected-others.jsonl").is_file():
    pytest.skip("AGENTV_CORPUS names no folder of real sessions", allow_module_level=True)

REGISTRY = registry()
# Which adapter reads a format of the oracle's, and whether results are messages of the user there.
FORMATS = {
    "gemini-cli": "gemini",
    "opencode-db": "opencode",
    "pi": "pi",
    "openhands-v0": "openhands",
    "openhands-v1": "openhands",
    "swe-agent": "swe-agent",
    "mini-swe-agent": "mini-swe-agent",
    "cline-sdk": "cline",
    "aider-md": "aider",
    "aider-llm": "aider",
    "openai-messages-xml": "openai",
}
RESULTS_ARE_USER_MESSAGES = {"swe-agent", "mini-swe-agent", "openai-messages-xml"}
ROWS = [
    row
    for line in (CORPUS / "expected-others.jsonl").read_text(encoding="utf-8").splitlines()
    for row in [json.loads(line)]
    # The dump of OpenCode's database lacks its parts, and has a test of its own.
    if FORMATS[row["format"]] in NAMES and row["format"] != "opencode-db"
]
EXCEPTIONS = {
    name: json.loads(path.read_text(encoding="utf-8"))
    for name in NAMES
    for path in [Path(__file__).with_name("exceptions") / f"{name}.json"]
    if path.is_file()
}
# Folders of the corpus, and the adapter that must claim every session in them; None: nobody.
FOLDERS = {
    "aider": "aider",
    "antigravity": None,
    "atif": "atif",
    "claude": "claude",
    "cline": "cline",
    "codex": "codex",
    "copilot": "copilot",
    "gemini-cli": "gemini",
    "inspect": None,
    "kimi": "kimi",
    "mini-swe-agent": "mini-swe-agent",
    "opencode": "opencode",
    "openhands-v0": "openhands",
    "openhands-v1": "openhands",
    "otlp": "otlp",
    "pi": "pi",
    "qwen": "qwen",
    "swe-agent": "swe-agent",
    "swe-smith": "openai",
}
# Parts of a session that are no session alone.
PARTS = (
    "base_state.json",
    "state.json",
    "sdk_session.json",
    "openagents_raw/messages.json",
    "openagents_raw/session_messages.json",
    "openagents_raw/sessions.json",
)


def _is_part(name: str) -> bool:
    # Single messages of Gemini CLI lie in a folder of their own.
    return name.endswith(PARTS) or "/individual/" in name


def _key(row: dict[str, Any]) -> str:
    return f"{row['file']}#{row['session']}"


@cache
def _transcripts(adapter: str, file: str) -> dict[str | None, Transcript]:
    found = REGISTRY.adapter(adapter)
    refs = refs_of(found, CORPUS / file)
    read = [load(found.read(ref, ReadOptions())) for ref in refs]
    return {one.source.session_id: one for one in read}


def _of_row(row: dict[str, Any]) -> list[Transcript]:
    found = _transcripts(FORMATS[row["format"]], row["file"])
    # Of a file of runs the oracle counted all together.
    is_whole = len(found) == 1 or row["session"] == "-"
    return list(found.values()) if is_whole else [found[row["session"]]]


def _added(row: dict[str, Any], transcripts: list[Transcript]) -> dict[str, float | None]:
    """The figures of several transcripts."""
    counted = [_counted(row, one) for one in transcripts]
    known = {
        name: [value for one in counted if (value := one[name]) is not None] for name in counted[0]
    }
    return {name: sum(values) if values else None for name, values in known.items()}


def _counted(row: dict[str, Any], transcript: Transcript) -> dict[str, float | None]:
    """The figures of a transcript, under the oracle's names."""
    calls = transcript.tool_calls()
    answered = sum(call.output is not None for call in calls)
    usage = transcript.token_usage or TokenUsage()
    users = len(transcript.messages(role="user"))
    if row["format"] in RESULTS_ARE_USER_MESSAGES:
        # Only where calls have no ids: with them goes a role of its own for results.
        users += sum(call.output is not None and call.id is None for call in calls)
    if row["format"] == "swe-agent":  # here the oracle counts messages of that role
        answered = sum(call.output is not None and call.id is not None for call in calls)
    said = transcript.messages(role="assistant")
    if row["format"] == "openhands-v1":  # here the oracle counts messages that are no actions
        said = tuple(message for message in said if not message.tool_calls)
    return {
        "user": users,
        "assistant": len(said),
        "tool_calls": len(calls),
        "tool_results": answered,
        "errors": len([call for call in calls if call.failed]),
        "tokens_in_total": usage.input,
        "tokens_cached": usage.cached,
        "tokens_out": usage.output,
        "cost_usd": transcript.cost_usd,
    }


@pytest.mark.parametrize("row", ROWS, ids=map(_key, ROWS))
def test_a_session_holds_what_the_oracle_counted(row: dict[str, Any]) -> None:
    argued = EXCEPTIONS.get(FORMATS[row["format"]], {}).get(_key(row), {})
    expected = {**row, **argued}
    actual = _added(row, _of_row(row))
    wanted = {
        figure: None if expected[figure] is None else pytest.approx(float(expected[figure]))
        for figure in actual
        if figure in expected
    }
    assert {figure: actual[figure] for figure in wanted} == wanted


def test_every_exception_is_argued_and_needed() -> None:
    keys = {_key(row) for row in ROWS}
    for of_adapter in EXCEPTIONS.values():
        assert set(of_adapter) - {"drift"} <= keys
        for key, argued in of_adapter.items():
            if key == "drift":
                continue
            (row,) = (one for one in ROWS if _key(one) == key)
            assert argued["why"]
            assert all(row.get(figure) != argued[figure] for figure in argued)


def _files() -> list[str]:
    return sorted(
        path.relative_to(CORPUS).as_posix()
        for path in CORPUS.rglob("*")
        if path.is_file() and path.parent != CORPUS
    )


@pytest.mark.parametrize("name", _files())
def test_exactly_the_right_adapter_claims_a_file(name: str) -> None:
    owner = FOLDERS[name.partition("/")[0]]
    claims = [adapter.name for adapter in REGISTRY.claims(CORPUS / name)]
    if owner not in REGISTRY.names:
        assert claims == []
    elif _is_part(name) or (not claims and owner in ("claude", "codex", "copilot")):
        assert claims in ([], [owner])
    else:
        assert claims == [owner]


@pytest.mark.parametrize(
    "name", [name for name in _files() if FOLDERS[name.partition("/")[0]] in NAMES]
)
def test_a_session_is_read_without_drift_or_refused(name: str) -> None:
    owner = FOLDERS[name.partition("/")[0]]
    assert owner is not None
    try:
        found = _transcripts(owner, name)
    except SessionError:
        assert _is_part(name)
        return
    argued = EXCEPTIONS.get(owner, {}).get("drift", {}).get(name, {"drift": {}, "why": "none"})
    for transcript in found.values():
        assert transcript.drift == argued["drift"], argued["why"]
