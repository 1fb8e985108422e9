"""Whole sessions and the transcripts they must become, byte for byte."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_agentv.adapters.codex.adapter import CodexAdapter
    from pytest_agentv.testing import AdapterCheck

DATA = Path(__file__).parents[2] / "data" / "codex"
GOLDEN = ".transcript.json"
SESSIONS = sorted(
    path.relative_to(DATA).as_posix()
    for path in DATA.rglob("*.json*")
    if not path.name.endswith(GOLDEN)
)
WITH_SUBAGENTS = {
    "sub-agents/rollout-2026-03-05T12-00-00-019cbdde-7a00-7000-8000-000000000001.jsonl"
}


@pytest.mark.parametrize("name", SESSIONS)
def test_a_session_becomes_its_transcript(
    agentv_check_adapter: AdapterCheck, adapter: CodexAdapter, name: str
) -> None:
    agentv_check_adapter(
        adapter,
        DATA / name,
        golden=(DATA / name).with_suffix(GOLDEN),
        include_subagents=name in WITH_SUBAGENTS,
    )


def test_every_transcript_has_its_session() -> None:
    transcripts = {path.name.removesuffix(GOLDEN) for path in DATA.rglob(f"*{GOLDEN}")}
    assert transcripts == {Path(name).stem for name in SESSIONS}
    assert set(SESSIONS) >= WITH_SUBAGENTS
