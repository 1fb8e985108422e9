"""Times of transcripts: what is one, and what is not."""

from __future__ import annotations

from datetime import datetime, timezone

import pytest

from pytest_agentv.adapters.clock import from_text
from pytest_agentv.transcript.times import moment


def test_a_time_is_told_in_utc() -> None:
    expected = datetime(2026, 3, 29, 21, 10, 11, 969000, tzinfo=timezone.utc)
    assert moment("2026-03-29T23:10:11.969+02:00") == expected


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("2026-03-29T21:10:11", id="in no zone"),
        pytest.param("0001-01-01T00:00:00+12:00", id="before all years"),
        pytest.param("yesterday", id="a word"),
        pytest.param("\ud83d", id="half a character"),
    ],
)
def test_what_is_no_moment_is_none(text: str) -> None:
    assert moment(text) is None


@pytest.mark.parametrize("text", ["yesterday", "\ud83d", 5, None])
def test_what_is_no_time_in_a_session_is_none(text: object) -> None:
    assert from_text(text) is None
