"""How names and texts become words."""

from __future__ import annotations

import pytest
from hostile_texts import FOREIGN_TEXTS
from hypothesis import given

from pytest_agentv.search.query import Term
from pytest_agentv.search.snippets import snippet
from pytest_agentv.search.tokens import BETWEEN, folded, parts_of, taken_apart


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("parseJwtToken", "parse Jwt Token"),
        ("HTTPServer2", "HTTP Server 2"),
        ("getURLs x", "get UR Ls"),
        ("snake_case kebab-case a.b.c UPPER lower", ""),
        ("oneTwo threeFour oneTwo", f"one Two {BETWEEN} three Four"),
        ("登录bug", "登 录 bug"),
        ("aB" * 40, ""),
    ],
)
def test_the_parts_of_names_are_their_words(text: str, parts: str) -> None:
    assert parts_of(text) == parts


def test_a_query_is_taken_apart_as_texts_are() -> None:
    assert taken_apart("auth/parseJwt.py") == "auth/parse Jwt.py"


@given(FOREIGN_TEXTS)
def test_folding_moves_no_character(text: str) -> None:
    assert len(folded(text)) == len(text)


@pytest.mark.parametrize(
    ("text", "query", "marked"),
    [
        ("Fix the JWT now", "jwt", ["JWT"]),
        ("parseJwtToken and ajwtb", "jwt", ["Jwt"]),
        ("see src/auth/jwt.py there", "auth/jwt", ["auth/jwt"]),
        (
            "snake_case snakeCase snake case",
            "snake_case",
            ["snake_case", "snakeCase", "snake case"],
        ),
        ("Un café noir", "CAFE", ["café"]),
        ("登录失败", "失败", ["失败"]),
        ("a token, tokens", "token", ["token"]),
        ("nothing", "else", []),
    ],
)
def test_what_was_found_is_marked(text: str, query: str, marked: list[str]) -> None:
    found = snippet(text, [Term(query)])

    assert [found.text[start:end] for start, end in found.marks] == marked


def test_a_beginning_is_marked_as_far_as_it_was_typed() -> None:
    found = snippet("tokens of\na   tokenizer", [Term("token", is_prefix=True)])

    assert found.text == "tokens of a tokenizer"
    assert found.marks == ((0, 5), (12, 17))


def test_a_long_text_is_shown_where_most_words_are() -> None:
    text = f"login {'x ' * 500}the login cookie is here {'y ' * 500}"
    found = snippet(text, [Term("login"), Term("cookie")])

    assert found.text.startswith("…")
    assert found.text.endswith("…")
    assert "the login cookie is here" in found.text
    assert len(found.text) < 260


@given(text=FOREIGN_TEXTS, word=FOREIGN_TEXTS)
def test_marks_are_in_order_and_within_the_text(text: str, word: str) -> None:
    found = snippet(text * 20, [Term(word), Term(text[:3])])
    places = [place for mark in found.marks for place in mark]

    assert places == sorted(places)
    assert not places or (places[0] >= 0 and places[-1] <= len(found.text))
