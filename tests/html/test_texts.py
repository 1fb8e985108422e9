"""Texts and figures of a page: cut to size, and unknown where nothing is known."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_agentv.html import texts
from pytest_agentv.html.texts import Clip, clip, line_of, since
from pytest_agentv.transcript.times import moment


@given(st.text(), st.integers(1, 50))
def test_of_a_text_its_ends_are_shown_and_the_rest_is_counted(text: str, limit: int) -> None:
    shown = clip(text, limit)

    assert len(shown.head) + len(shown.tail) <= limit
    assert len(shown.head) + shown.left_out + len(shown.tail) == len(text)
    assert text.startswith(shown.head)
    assert text.endswith(shown.tail)


def test_a_text_that_fits_is_shown_whole() -> None:
    assert clip("abc", 3) == Clip("abc")


@given(st.text(), st.integers(1, 50))
def test_a_line_has_no_line_ends_and_is_short(text: str, limit: int) -> None:
    line = line_of(text, limit)

    assert len(line) <= limit + 1
    assert "\n" not in line


def test_a_line_that_is_cut_off_says_so() -> None:
    assert line_of("one  two\nthree") == "one two three"
    assert line_of("one two three", 7) == "one two…"
    assert line_of(" " * 10_000 + "late", 10) == "…"


def test_unknown_is_never_zero() -> None:
    for says in (texts.cost, texts.number, texts.share, texts.score, texts.tokens, texts.duration):
        assert says(None) == "unknown"
        assert says(0) != "unknown"


def test_figures_read_as_people_write_them() -> None:
    assert (texts.duration(114_244), texts.tokens(999_999), texts.cost(0)) == (
        "1m54s",
        "1.0M",
        "$0.00",
    )
    assert (texts.number(12), texts.number(12.0), texts.number(4.25)) == ("12", "12", "4.2")
    assert (texts.share(0.8), texts.share(0.9999)) == ("80.0%", "99.9%")
    assert (texts.score(2 / 3), texts.score(0.999)) == ("0.67", "0.99")
    assert (texts.plural(1, "message"), texts.plural(1200, "call")) == ("1 message", "1,200 calls")


def test_a_time_is_told_from_the_beginning_of_its_session() -> None:
    start = moment("2026-03-29T21:10:11.969Z")

    assert since(start, "2026-03-29T21:10:15.000Z") == "+0:03"
    assert since(start, "2026-03-29T22:11:12.000Z") == "+1:01:00"


@pytest.mark.parametrize("odd", [None, "", "yesterday", "2026-03-29", "0001-01-01T00:00:00+23:59"])
def test_a_time_that_means_nothing_is_not_told(odd: str | None) -> None:
    assert since(moment("2026-03-29T21:10:11.969Z"), odd) == ""


def test_a_clock_that_goes_backwards_is_not_believed() -> None:
    assert since(moment("2026-03-29T21:10:11Z"), "2026-03-29T21:10:10Z") == ""


def test_a_time_is_shown_in_utc_and_what_is_none_as_it_stands() -> None:
    assert texts.clock("2026-03-29T23:10:11+02:00") == "2026-03-29 21:10:11 UTC"
    assert (texts.clock("soon"), texts.clock(None)) == ("soon", "unknown")
