"""Searching by meaning and by both, and what is done where there is no model."""

from __future__ import annotations

import contextlib
import sqlite3
from typing import TYPE_CHECKING

import pytest
from agentv_command import full_id
from claude_sessions import Session, text

from pytest_agentv.errors import SearchError
from pytest_agentv.search import encoder, signs, vectors
from pytest_agentv.search.schema import open_index
from pytest_agentv.search.settings import VectorSettings

if TYPE_CHECKING:
    from pathlib import Path

    from search_index import Index

needs_model = pytest.mark.skipif(
    not encoder.is_installed(), reason="the extra semantic is not installed"
)
NO_MODEL = VectorSettings(enabled=False)


def _say(index: Index, beginning: str, prompt: str, *, branch: str = "main") -> Path:
    session = Session(full_id(beginning), git_branch=branch)
    session.prompt(prompt)
    session.response("msg_1", text("Done."))
    return index.home.add(session)


@pytest.fixture
def told(index: Index) -> Index:
    """An index of three sessions."""
    _say(index, "aaaaaaaa", "People must sign in again after ten minutes")
    _say(index, "bbbbbbbb", "The recipe wants two eggs and some flour")
    _say(index, "cccccccc", "Fix the expiry of tokens in parseJwt", branch="side")
    index.update()
    return index


@needs_model
def test_a_session_is_found_by_its_meaning(told: Index) -> None:
    assert told.found("users are logged out too early") == []
    assert told.found("users are logged out too early", mode="semantic")[0] == "aaaaaaaa"
    assert told.found("baking a cake", mode="semantic")[0] == "bbbbbbbb"


@needs_model
def test_filters_and_unwanted_words_hold_for_meanings_too(told: Index) -> None:
    by_meaning = {"mode": "semantic"}

    assert told.found("logged out early branch:side", **by_meaning) == ["cccccccc"]
    assert told.found("logged out early role:user -minutes", **by_meaning)[0] == "cccccccc"
    assert set(told.found("logged out early -minutes role:user", **by_meaning)) == {
        "bbbbbbbb", "cccccccc",
    }  # fmt: skip
    assert told.found("logged out early agent:codex", **by_meaning) == []


@needs_model
def test_both_ways_put_first_what_both_find(told: Index) -> None:
    found = told.search("expiry tokens", mode="hybrid")

    assert found[0].session.startswith("cccccccc")
    assert found[0].matches[0].said.snippet.marks
    assert len(found) == 3


@needs_model
@pytest.mark.parametrize("mode", ["semantic", "hybrid"])
def test_filters_alone_find_the_newest_in_every_mode(told: Index, mode: str) -> None:
    assert told.found("branch:side", mode=mode) == told.found("branch:side") == ["cccccccc"]


@needs_model
def test_vectors_follow_what_changes_and_goes(told: Index) -> None:
    _say(told, "aaaaaaaa", "An entirely different question about the compiler")
    _say(told, "bbbbbbbb", "This one goes").unlink()
    told.update()

    assert told.found("users are logged out", mode="semantic")[0] != "aaaaaaaa"
    with told.opened() as db:
        orphans = "SELECT count(*) FROM vectors WHERE document NOT IN (SELECT id FROM documents)"
        assert db.execute(orphans).fetchone() == (0,)
        assert db.execute("SELECT count(*) FROM vectors").fetchone() == (4,)
        assert db.execute("SELECT sum(length(bits)) FROM signs").fetchone() == (4 * signs.WIDTH,)


@needs_model
def test_vectors_are_made_later_for_what_lacks_them(told: Index) -> None:
    with contextlib.closing(open_index(told.path)) as db:
        db.execute("DELETE FROM vectors")
        db.execute("UPDATE signs SET model = 'older'")
        db.execute("UPDATE sources SET vectors = 'older'")
        assert len(vectors.lacking(db, VectorSettings())) == 3
    assert told.found("users are logged out", mode="semantic") == []

    told.update()

    assert told.found("users are logged out too early", mode="semantic")[0] == "aaaaaaaa"


@needs_model
def test_calls_and_what_clients_add_have_no_vector(index: Index) -> None:
    session = Session(full_id("aaaaaaaa"))
    session.user("<ide_opened_file>pages/login.py</ide_opened_file>")
    session.prompt("Fix the login page")
    session.call("toolu_1", "Bash", {"command": "make test"}, "all good")
    session.response("msg_1", text("Done."))
    index.home.add(session)
    index.update()

    with index.opened() as db:
        every = "SELECT DISTINCT role FROM documents"
        roles = {role for (role,) in db.execute(every)}
        kept = {role for (role,) in db.execute(f"{every} JOIN vectors ON document = id")}
    assert (roles, kept) == ({"system", "user", "tool", "assistant"}, {"user", "assistant"})


@needs_model
@pytest.mark.parametrize(
    "harm", ["UPDATE signs SET bits = x'00'", "UPDATE vectors SET vector = x'0000'"]
)
def test_damaged_vectors_are_damage_of_the_index(told: Index, harm: str) -> None:
    with contextlib.closing(open_index(told.path)) as db:
        db.execute(harm)

    with pytest.raises(sqlite3.DatabaseError, match="vectors of another size"):
        told.found("users", mode="semantic")


@pytest.mark.parametrize("mode", ["semantic", "hybrid"])
def test_without_a_model_likeness_of_letters_stands_in(told: Index, mode: str) -> None:
    options = {"mode": mode, "vector": NO_MODEL}

    assert told.found("where we fixed when a token expires", **options)[0] == "cccccccc"
    assert told.found("parse jwt", **options)[0] == "cccccccc"
    assert told.found("expires branch:main", **options) == []
    assert told.found("expires -tokens", **options) == []
    assert told.found("branch:side", **options) == ["cccccccc"]


def test_without_a_model_and_a_fallback_a_sentence_says_what_is_needed(
    told: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encoder, "NEEDED", ("no_such_package",))

    with pytest.raises(SearchError, match=r"needs the extra: pip install 'pytest-agentv"):
        told.found("token", mode="hybrid", vector=VectorSettings(fallback="none", precision="f32"))
    with pytest.raises(SearchError, match=r"index\.vector\.enabled is false"):
        told.found("token", mode="hybrid", vector=VectorSettings(fallback="none", enabled=False))
