"""Whole sessions and the transcripts they must become, byte for byte."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_agentv.adapters.copilot.adapter import CopilotAdapter
    from pytest_agentv.testing import AdapterCheck

DATA = Path(__file__).parents[2] / "data" / "copilot"
SESSIONS = {
    path.stem: path
    for path in sorted(DATA.glob("*.json*"))
    if not path.name.endswith(".transcript.json")
}
WITH_SUBAGENTS = {"sub-agents"}


@pytest.mark.parametrize("name", SESSIONS)
def test_a_session_becomes_its_transcript(
    agentv_check_adapter: AdapterCheck, adapter: CopilotAdapter, name: str
) -> None:
    agentv_check_adapter(
        adapter,
        SESSIONS[name],
        golden=DATA / f"{name}.transcript.json",
        include_subagents=name in WITH_SUBAGENTS,
    )


def test_every_transcript_has_its_session() -> None:
    suffix = ".transcript.json"
    transcripts = {path.name.removesuffix(suffix) for path in DATA.glob(f"*{suffix}")}
    assert transcripts == set(SESSIONS)
    assert SESSIONS
