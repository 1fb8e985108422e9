"""What a draft does not repeat of a session."""

from __future__ import annotations

import pytest

from pytest_agentv.drafting.private import is_public, without_secrets


@pytest.mark.parametrize(
    ("said", "repeated"),
    [
        ("use password=hunter2 there", "use password=[…] there"),
        ('{"api_key": "abc", "n": 1}', '{"api_key": […], "n": 1}'),
        ("Authorization: Bearer abcdef go", "Authorization: […] go"),
        ("bearer abcdefghijklmnop.q", "bearer […]"),
        ("with ghp_16C7e42F292c6912E7710c838347Ae178B4a now", "with […] now"),
        ("AKIAIOSFODNN7EXAMPLE", "[…]"),
        ("xoxb-17653672481-19874698323-pdFZKVeTuE8sk7oOcHrzqqgy", "[…]"),
        ("3f1c9a52-7d4e-4b8a-9c61-2e5a80f4d7b3", "[…]"),
        ("git clone https://me:pw@example.com/x", "git clone https://[…]@example.com/x"),
    ],
)
def test_what_may_be_a_secret_is_left_out(said: str, repeated: str) -> None:
    assert without_secrets(said) == repeated
    assert not is_public(said)


@pytest.mark.parametrize(
    "said",
    [
        "Add basic authentication, with bearer tokens and a password field",
        "POST /auth/login: at most 5 attempts per minute",
        "src/middleware/rateLimit2.test.js",
        "a_rather_long_name_of_a_function_without_digits",
        "https://example.com/docs",
        "docs/plans/2026-07-01-001-feature-of-compatible-extensions-plan.md",
        "--list-all-files-of-2026 -- and -_2026-07-01-some-longer-name-_",
        "migrations/20260701_add_users_table_v2.sql",
    ],
)
def test_ordinary_words_are_kept(said: str) -> None:
    assert without_secrets(said) == said
    assert is_public(said)


@pytest.mark.parametrize("said", ["a\nb", "\x1b[31m", "\u202e", "\ud800"])
def test_what_cannot_be_printed_is_not_repeated(said: str) -> None:
    assert not is_public(said)
