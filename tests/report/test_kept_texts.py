"""What results keep of texts out of sessions: clean, and cut to size."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from pytest_agentv.graders.grade import Evidence
from pytest_agentv.report.kept_texts import (
    kept_details,
    kept_phrase,
    kept_places,
    kept_prompt,
    kept_source,
)
from pytest_agentv.results.model import Place
from pytest_agentv.transcript.model import Source

HOSTILE = "a\x1b[31m\ud800\n::error::b"
HARMLESS = "a\\x1b[31m\N{REPLACEMENT CHARACTER}\n: :error::b"


def test_phrases_and_details_are_cleaned_and_cut_and_stay_on_their_lines() -> None:
    assert kept_phrase(HOSTILE) == kept_details(HOSTILE) == HARMLESS
    assert kept_phrase("") == kept_details("") == ""

    assert kept_phrase("x" * 2_000) == "x" * 2_000
    assert 1_980 < len(kept_phrase("x" * 2_001)) <= 2_000
    assert kept_details("x" * 16_000) == "x" * 16_000
    assert 15_980 < len(kept_details("x" * 16_001)) <= 16_000


def test_prompts_and_sources_are_one_line_each() -> None:
    assert kept_prompt(" fix\n\n it\x07 ") == "fix it\\x07"
    assert len(kept_prompt("x" * 301) or "") == 300
    assert kept_prompt(None) is None

    source = Source(provider="claude-cli\n", session_id="\x1b1", cwd=None)
    assert kept_source(source) == Source(provider="claude-cli", session_id="\\x1b1", cwd=None)


def test_of_evidence_the_first_ten_places_are_kept_with_short_excerpts() -> None:
    evidence = tuple(Evidence(message=number, line=2, excerpt=HOSTILE) for number in range(1, 12))
    places = kept_places(evidence)

    assert [one.message for one in places] == list(range(1, 11))
    assert places[0] == Place(message=1, line=2, excerpt=HARMLESS)
    assert 980 < len(kept_places([Evidence(excerpt="x" * 1_001)])[0].excerpt) <= 1_000


def test_places_that_are_kept_already_stay_as_they_are() -> None:
    places = kept_places([Evidence(message=1, line=2, excerpt=HOSTILE)])
    assert kept_places(places) == places


@pytest.mark.parametrize("number", ["3", 2.5, True, 1 << 70, -(1 << 70), [1], None])
def test_a_place_without_a_number_that_can_be_written_keeps_its_excerpt(number: Any) -> None:
    (place,) = kept_places([Evidence(message=number, line=number, excerpt="here")])
    assert place == Place(excerpt="here")
    assert msgspec.json.encode(place) == b'{"excerpt":"here"}'
