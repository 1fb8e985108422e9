"""Globs: as in a shell, and never a way to make grading hang."""

from __future__ import annotations

from contextlib import suppress
from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_agentv.errors import NotGradable
from pytest_agentv.globs import MAX_GLOB, fits
from pytest_agentv.graders.patterns import limited_find


@pytest.mark.parametrize(
    ("text", "pattern", "holds"),
    [
        ("npm test", "npm test", True),
        ("npm test", "npm *", True),
        ("npm test", "npm", False),
        ("npm test", "NPM *", False),
        ("a\nb", "a*b", True),
        ("abc", "a?c", True),
        ("ac", "a?c", False),
        ("abc", "a[a-c]c", True),
        ("abc", "a[!a-c]c", False),
        ("a]c", "a[]]c", True),
        ("abc", "a[z-a]c", False),
        ("abc", "a[!z-a]c", True),
        ("a[b", "a[b", True),
        ("a[bc", "a[b*", True),
        ("app/[id]/page.tsx", "app/[id]/page.tsx", True),
        ("src/auth.ts", "**/auth.ts", True),
        ("auth.ts", "**/auth.ts", True),
        ("oauth.ts", "**/auth.ts", False),
        ("src/auth.ts", "src/**/auth.ts", True),
        ("src/a/b/auth.ts", "src/**/auth.ts", True),
        ("srcs/auth.ts", "src/**/auth.ts", False),
        ("a/x/b/y/c", "**/a/**/b/**/c", True),
        ("", "*", True),
        ("", "?", False),
    ],
)
def test_what_fits(text: str, pattern: str, *, holds: bool) -> None:
    assert fits(text, pattern) is holds


def test_case_does_not_count_if_it_should_not() -> None:
    assert fits("Bash", "bA*", fold=True)
    assert not fits("Bash", "bA*")


@given(st.text("ab/]-!^\n[.", max_size=8), st.text("ab/*?[]!-^\n.", max_size=8))
def test_a_glob_means_what_it_means_in_the_standard_library(text: str, pattern: str) -> None:
    if "**/" not in pattern:
        assert fits(text, pattern) is (text == pattern or fnmatchcase(text, pattern))


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize(
    "pattern",
    [
        "*a*a*a*a*a*b",
        "*" + "a*" * 900 + "b",
        "*" + "a" * 1_900 + "b*",
        "*" + "?" * 1_900 + "b*",
        "*" + "[ab]" * 400 + "[c]*",
        "**/" * 100 + "b",
    ],
    ids=range(6),
)
def test_no_pattern_takes_long_on_a_long_text(pattern: str) -> None:
    with suppress(NotGradable):  # which says that it took too long
        assert not fits("a" * 3_000_000, pattern, long_find=limited_find)


def test_what_is_very_long_stands_for_itself() -> None:
    code = "x[0] * y" * MAX_GLOB
    assert fits(code, code)
    assert not fits(code + " ", code + "*")
