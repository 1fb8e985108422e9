"""What is found, by which words, and in which order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from agentv_command import full_id
from claude_sessions import Session, text

if TYPE_CHECKING:
    from search_index import Index


def _say(index: Index, beginning: str, *texts: str, **about: str) -> None:
    """A session in which a person and the assistant take turns."""
    session = Session(full_id(beginning), **about)
    for number, words in enumerate(texts):
        if number % 2:
            session.response(f"msg_{number}", text(words))
        else:
            session.prompt(words)
    index.home.add(session)


@pytest.mark.parametrize(
    "query",
    [
        "parse_jwt_token", "parseJwtToken", "parse-jwt-token", "jwt", "TOKEN", "parse jwt",
        '"jwt token"', "tok*", "src/auth/jwt.py", "auth/jwt", "jwt.py", "src/au*", "café", "cafe",
        "登录", "录失", "resume", "42",
    ],
)  # fmt: skip
def test_names_paths_and_words_are_found_whole_and_by_part(index: Index, query: str) -> None:
    _say(
        index,
        "aaaaaaaa",
        "Why does parseJwtToken in src/auth/jwt.py fail with 42 résumés? résumé; Café 登录失败了",
    )
    _say(index, "bbbbbbbb", "Nothing of the kind")
    index.update()

    assert index.found(query) == ["aaaaaaaa"]


def test_what_spans_two_names_is_no_phrase(index: Index) -> None:
    _say(index, "aaaaaaaa", "readToken getUser")
    index.update()

    assert index.found('"read token"') == ["aaaaaaaa"]
    assert index.found('"token get"') == []


def test_all_words_must_occur_in_one_document(index: Index) -> None:
    _say(index, "aaaaaaaa", "The login fails", "I fixed the cookie")
    _say(index, "bbbbbbbb", "The login sets a cookie", "Fine")
    index.update()

    assert index.found("login cookie") == ["bbbbbbbb"]
    assert sorted(index.found("login OR cookie")) == ["aaaaaaaa", "bbbbbbbb"]
    assert index.found("login -cookie") == ["aaaaaaaa"]
    assert index.found('"login sets"') == ["bbbbbbbb"]


def test_filters_choose_sessions_and_documents(index: Index) -> None:
    _say(index, "aaaaaaaa", "Fix the login", "Done", cwd="/home/dev/shop", git_branch="main")
    _say(index, "bbbbbbbb", "Hello", "The login is fixed", cwd="/home/dev/web", git_branch="fix/x")
    index.update()

    assert index.found("login project:shop") == ["aaaaaaaa"]
    assert index.found("login project:/home/dev/web") == ["bbbbbbbb"]
    assert sorted(index.found("login project:/home/dev")) == ["aaaaaaaa", "bbbbbbbb"]
    assert index.found("login -project:shop") == ["bbbbbbbb"]
    assert index.found("login branch:fix/*") == ["bbbbbbbb"]
    assert index.found("login role:user") == ["aaaaaaaa"]
    assert index.found("login role:assistant") == ["bbbbbbbb"]
    assert index.found("login agent:codex") == []
    assert len(index.found("login agent:claude-cli")) == 2
    assert index.found("login until:2026-03-01") == []
    assert len(index.found("login since:2026-03-02 until:2026-03-02")) == 2
    assert index.found("agent:claude -login") == ["bbbbbbbb", "aaaaaaaa"]


def test_calls_are_found_by_tool_path_and_arguments(index: Index) -> None:
    index.home.session("aaaaaaaa")
    index.update()

    assert index.found("make role:tool") == ["aaaaaaaa"]
    assert index.found("tool:bash") == ["aaaaaaaa"]
    assert index.found("tool:shell make") == ["aaaaaaaa"]
    assert index.found("tool:read make") == []
    assert index.found("path:notes.txt") == ["aaaaaaaa"]
    assert index.found("path:dev/notes") == ["aaaaaaaa"]
    assert index.found("path:*.txt") == ["aaaaaaaa"]
    assert index.found("path:*.py") == []
    assert index.found("path:otes.txt") == []
