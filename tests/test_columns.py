"""Texts that fit on a terminal, whatever they are written in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_agentv.columns import columns_of, fitted


@pytest.mark.parametrize(
    ("text", "columns"),
    [("", 0), ("abc", 3), ("修复", 4), ("e\u0301", 1), ("a\u200bb", 2), ("é", 1)],
)
def test_wide_and_combining_characters_count_as_what_they_take(text: str, columns: int) -> None:
    assert columns_of(text) == columns


@pytest.mark.parametrize(
    ("text", "columns", "shown"),
    [("abc", 3, "abc"), ("abcd", 3, "ab…"), ("ab cd", 4, "ab…"), ("修复登录", 6, "修复…")],
)
def test_what_is_too_long_is_cut_off(text: str, columns: int, shown: str) -> None:
    assert fitted(text, columns) == shown


@given(st.text(), st.integers(1, 30))
def test_a_fitted_text_fits(text: str, columns: int) -> None:
    shown = fitted(text, columns)
    assert columns_of(shown) <= columns
    assert text.startswith(shown.removesuffix("…"))
