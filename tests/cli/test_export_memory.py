"""Exports, ``agentv read`` and ``redact --check`` hold only a part of a long session."""

from __future__ import annotations

import tracemalloc
from typing import TYPE_CHECKING

import pytest

from pytest_agentv import Message, Source, ToolCall, Transcript, dumps
from pytest_agentv.transcript import stored

if TYPE_CHECKING:
    from pathlib import Path

    from agentv_command import InProcess

MEBIBYTE = 1 << 20
SIZE = 12 * MEBIBYTE
FORMS = ("atif", "entries", "events", "markdown", "openai", "otlp", "states")
OUTPUT = "All of it is fine. " * 6_000


@pytest.fixture
def long_session(work: Path) -> Path:
    """A transcript with many long outputs, every tenth of a sub-agent."""
    messages = (
        Message(
            role="assistant",
            agent_id=None if number % 10 else f"a-{number % 30}",
            tool_calls=(ToolCall(tool="Bash", output=OUTPUT, status="ok"),),
        )
        for number in range(SIZE // len(OUTPUT))
    )
    path = work / "long.jsonl"
    path.write_bytes(dumps(Transcript(source=Source(provider="x"), output=tuple(messages))))
    return path


def peak_of(agentv: InProcess, *arguments: str | Path) -> int:
    agentv("export", "--help")  # modules that are loaded are no part of it
    tracemalloc.start()
    try:
        printed = agentv(*arguments)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert printed.code == 0, printed.err
    return peak


@pytest.mark.parametrize("form", FORMS)
def test_no_form_holds_a_long_session(
    form: str, agentv: InProcess, long_session: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored, "IN_MEMORY", MEBIBYTE)

    peak = peak_of(agentv, "export", long_session, "--format", form, "-o", "out")

    assert peak < 6 * MEBIBYTE


def test_no_more_of_a_transcript_is_read_than_is_shown(
    agentv: InProcess, long_session: Path
) -> None:
    peak = peak_of(agentv, "read", long_session, "--last", "2")

    assert peak < 6 * MEBIBYTE


def test_a_check_of_what_is_left_holds_no_long_session(
    agentv: InProcess, long_session: Path
) -> None:
    assert peak_of(agentv, "redact", "--check", long_session) < 6 * MEBIBYTE
