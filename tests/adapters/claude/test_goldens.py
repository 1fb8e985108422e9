"""Whole sessions and the transcripts they must become, byte for byte."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_agentv.adapters.claude.adapter import ClaudeAdapter
    from pytest_agentv.testing import AdapterCheck

DATA = Path(__file__).parents[2] / "data" / "claude"
SESSIONS = sorted(path.stem for path in DATA.glob("*.jsonl"))
WITH_SUBAGENTS = {"sub-agents", "side-chains"}


@pytest.mark.parametrize("name", SESSIONS)
def test_a_session_becomes_its_transcript(
    agentv_check_adapter: AdapterCheck, adapter: ClaudeAdapter, name: str
) -> None:
    agentv_check_adapter(
        adapter,
        DATA / f"{name}.jsonl",
        golden=DATA / f"{name}.transcript.json",
        include_subagents=name in WITH_SUBAGENTS,
    )


def test_every_transcript_has_its_session() -> None:
    transcripts = {path.name.removesuffix(".transcript.json") for path in DATA.glob("*.json")}
    assert transcripts == set(SESSIONS)
