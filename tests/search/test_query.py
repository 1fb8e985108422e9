"""What people type is a query, or one sentence."""

from __future__ import annotations

import contextlib
from datetime import timedelta

import pytest
from agentv_command import new_home
from hostile_texts import FOREIGN_TEXTS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from search_index import Index

from pytest_agentv.errors import QueryError
from pytest_agentv.search.query import MOST_TERMS, Filter, Term, parse_query
from pytest_agentv.search.schema import open_to_read
from pytest_agentv.search.searching import search


@pytest.mark.parametrize(
    ("text", "wanted", "unwanted"),
    [
        ("fix login", [["fix"], ["login"]], []),
        ('"fix the" login', [["fix the"], ["login"]], []),
        ('"never closed', [["never closed"]], []),
        ("a OR b c", [["a", "b"], ["c"]], []),
        ("OR a", [["OR"], ["a"]], []),
        ("a OR", [["a"]], []),
        ('a -b -"c d"', [["a"]], ["b", "c d"]),
        ("http://localhost:80/x", [["http://localhost:80/x"]], []),
        ("well-known", [["well-known"]], []),
        ("--flag", [["-flag"]][:0], ["-flag"]),
        ("( ) ^ * : ' ;", [], []),
        ("a AND b NEAR(c)", [["a"], ["AND"], ["b"], ["NEAR(c)"]], []),
    ],
)  # fmt: skip
def test_words_phrases_and_what_is_not_wanted(
    text: str, wanted: list[list[str]], unwanted: list[str]
) -> None:
    query = parse_query(text)

    assert [[term.text for term in group] for group in query.wanted] == wanted
    assert [term.text for term in query.unwanted] == unwanted


def test_a_star_at_the_end_lets_words_go_on() -> None:
    assert parse_query('jw* "fix th"* *mid*dle').terms == (
        Term("jw", is_prefix=True),
        Term("fix th", is_prefix=True),
        Term("mid*dle"),
    )


def test_filters_have_names_and_values() -> None:
    query = parse_query('agent:claude Project:"my shop" -role:USER path:a/b x:y since:2026-03-02')

    assert query.filters == (
        Filter("agent", "claude"),
        Filter("project", "my shop"),
        Filter("role", "user", negated=True),
        Filter("path", "a/b"),
    )
    assert query.plain == "x:y"
    assert query.since is not None
    assert query.until is None


def test_until_a_day_is_until_its_end() -> None:
    day, moment = parse_query("until:2026-03-02").until, parse_query("since:2026-03-02").since

    assert day is not None
    assert moment is not None
    assert day - moment == timedelta(days=1)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("role:boss", "role: 'boss' is no role; known: title, user"),
        ("since:yesterday", "since: 'yesterday' is no time; right are 2026-03-29"),
        ("-since:7d", "-since: makes no sense"),
        ("x " * (MOST_TERMS + 1), "at most 100 words"),
        ("x" * 20_000, "at most 10,000 characters"),
    ],
)
def test_what_cannot_be_searched_for_is_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(QueryError, match=sentence):
        parse_query(text)


_TYPED = st.lists(
    st.sampled_from(
        ['"', "*", "-", "OR", "AND", "NOT", "NEAR(", ")", "(", ":", "^", "+", "{", "}", "text:",
         "path:", "role:user", "agent:", "tool:*", "path:[", "since:7d", "until:", "login", "\x00",
         "a*b*c", "words", "parts:", "'", ";", "--", "登录", "e\u0301", "\U0001e900", "path:*.py"]
    )
    | FOREIGN_TEXTS,
    max_size=8,
).map(" ".join) | FOREIGN_TEXTS  # fmt: skip


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """An index that nothing is written to, for many queries."""
    folder = tmp_path_factory.mktemp("shared")
    with pytest.MonkeyPatch.context() as monkeypatch:
        index = Index(folder / "index.db", new_home(folder, monkeypatch))
        index.home.session("aaaaaaaa", "Fix the login in src/auth/parseToken.py, 登录")
        index.update()
    return index


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(text=_TYPED)
def test_whatever_is_typed_is_answered_or_refused(shared: Index, text: str) -> None:
    with contextlib.closing(open_to_read(shared.path)) as db, contextlib.suppress(QueryError):
        for hit in search(db, parse_query(text), context=1):
            assert hit.session.startswith("aaaaaaaa")
