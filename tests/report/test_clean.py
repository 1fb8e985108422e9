"""Text that may leave the process."""

from __future__ import annotations

import pytest
from hostile_texts import FOREIGN_TEXTS, assert_harmless
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_agentv.report.clean import clean, one_line, wrappable

_laws = settings(max_examples=300, deadline=None, derandomize=True, database=None)


@pytest.mark.parametrize(
    "text",
    ["", "plain", "two\nlines\tand a tab", "żółw 日本 👩‍👧", "a::b", "std::vector<int> x", "# [x]"],
)
def test_ordinary_text_stays_what_it_is(text: str) -> None:
    assert clean(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m"),
        ("\x1b]52;c;aGk=\x07", r"\x1b]52;c;aGk=\x07"),
        ("nul \x00, del \x7f, csi \x9b", r"nul \x00, del \x7f, csi \x9b"),
        ("user\u202etxt.exe", r"user\u202etxt.exe"),
        ("isolate\u2066\u2069", r"isolate\u2066\u2069"),
        ("one\u2028two\x85three", r"one\u2028two\x85three"),
        ("none in XML \uffff", r"none in XML \uffff"),
    ],
)
def test_what_steers_a_terminal_is_made_visible(text: str, shown: str) -> None:
    assert clean(text) == shown


def test_a_lone_surrogate_becomes_a_replacement_character() -> None:
    assert clean("half \ud83d of it") == "half \N{REPLACEMENT CHARACTER} of it"


def test_line_ends_of_windows_become_newlines_and_a_lone_carriage_return_is_seen() -> None:
    assert clean("one\r\ntwo\rthree") == "one\ntwo\\x0dthree"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("::error::x", ": :error::x"),
        ("fine\n \t\u3000::set-output name=a::b", "fine\n \t\u3000: :set-output name=a::b"),
        (":::", ": ::"),
        ("log ##[group]x", "log # #[group]x"),
        ("###[x]", "## #[x]"),
        ("##vso[task.complete]", "# #vso[task.complete]"),
        ("##teamcity[x]", "# #teamcity[x]"),
        ("\r\n::error::x", "\n: :error::x"),
    ],
)
def test_a_command_to_a_ci_system_is_broken(text: str, shown: str) -> None:
    assert clean(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("found ::error::x", "found : :error::x"),
        ("found :::error::x", "found : : :error::x"),
        ("use std::fs, a::b", "use std::fs, a::b"),
        ("x" * 40 + "::error::y", "x" * 40 + ": :error: :y"),
        ("::error::x", ": :error::x"),
    ],
)
def test_a_command_is_broken_also_where_a_line_may_be_broken_anew(text: str, shown: str) -> None:
    assert wrappable(text) == wrappable(shown) == shown


def test_of_a_long_text_the_middle_is_left_out_and_counted() -> None:
    assert clean("a" * 1000 + "z" * 1000, limit=60) == (
        "aaaaaaaaaaaaaaa … 1,971 characters left out … zzzzzzzzzzzzzz"
    )


def test_a_text_as_long_as_the_limit_is_whole() -> None:
    assert clean("a" * 60, limit=60) == "a" * 60


@pytest.mark.parametrize(("limit", "shown"), [(0, ""), (1, "…"), (5, "abcd…")])
def test_a_small_limit_cuts_the_text_off(limit: int, shown: str) -> None:
    assert clean("abcdefghijkl", limit=limit) == shown


def test_what_follows_the_gap_is_no_beginning_of_a_line() -> None:
    # The tail begins with what is a command at the beginning of a line only.
    text = "a" * 1000 + "::error::zzzzz"
    assert clean(text, limit=59) == "aaaaaaaaaaaaaa … 986 characters left out … ::error::zzzzz"


def test_a_text_of_many_megabytes_keeps_both_ends() -> None:
    text = "first" + "\x1b" * 50_000_000 + "last"
    shown = clean(text, limit=1000)
    assert len(shown) <= 1000
    assert shown.startswith(r"first\x1b")
    assert shown.endswith(r"\x1blast")
    assert " characters left out … " in shown


def test_a_line_has_single_blanks_and_no_newline() -> None:
    assert one_line("  one\r\n two\t\u2028 three\n") == "one two three"
    assert one_line("  one   two ") == "one two"
    assert one_line("") == one_line("   ") == ""


def test_a_long_line_is_cut_off() -> None:
    assert one_line("one two three", limit=8) == "one two…"


def test_a_long_text_that_begins_with_blanks_is_not_taken_for_empty() -> None:
    assert one_line(" " * 1000 + "end", limit=10) == "…"


@_laws
@given(FOREIGN_TEXTS)
def test_any_text_is_harmless_once_cleaned(text: str) -> None:
    assert_harmless(clean(text))


@_laws
@given(FOREIGN_TEXTS, st.integers(0, 120), st.integers(1, 9))
def test_a_limit_is_kept_and_what_is_shown_is_harmless(text: str, limit: int, times: int) -> None:
    shown = clean(text * times, limit=limit)
    assert len(shown) <= limit
    assert_harmless(shown)


@_laws
@given(FOREIGN_TEXTS, st.none() | st.integers(0, 120))
def test_cleaning_twice_changes_nothing_more(text: str, limit: int | None) -> None:
    once = clean(text, limit=limit)
    assert clean(once, limit=limit) == once


@_laws
@given(FOREIGN_TEXTS, st.integers(0, 60))
def test_one_line_is_one_line_and_harmless(text: str, limit: int) -> None:
    line = one_line(text, limit=limit)
    assert len(line) <= limit
    assert len(line.splitlines()) <= 1
    assert one_line(line, limit=limit) == line
    assert_harmless(line)
