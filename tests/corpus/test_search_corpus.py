"""Real sessions are found by what people typed in them."""

from __future__ import annotations

import contextlib
import re
from typing import TYPE_CHECKING

import pytest
from corpus import CORPUS, sessions_of

from pytest_agentv.plugins import registry
from pytest_agentv.search.indexing import update
from pytest_agentv.search.query import Query, Term
from pytest_agentv.search.schema import open_index
from pytest_agentv.search.searching import search
from pytest_agentv.search.settings import SearchSettings

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator
    from pathlib import Path

VENDORS = ("claude", "codex", "copilot")
sessions_of("claude")  # skips without a corpus
_WORDS = 5


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    """An index of all of them."""
    folder: Path = tmp_path_factory.mktemp("corpus")
    places = {name: (str(CORPUS / name),) for name in VENDORS}
    nowhere = {"HOME": str(folder / "nobody")}
    with contextlib.closing(open_index(folder / "index.db")) as opened:
        done = update(opened, registry(), SearchSettings(places=places, environ=nowhere))
        assert done.added > 50
        yield opened


def test_all_are_read(db: sqlite3.Connection) -> None:
    assert list(db.execute("SELECT error FROM sources WHERE error IS NOT NULL")) == []


@pytest.mark.parametrize("role", ["user", "assistant", "tool"])
def test_every_document_is_found_by_any_of_its_phrases(db: sqlite3.Connection, role: str) -> None:
    """Of one in fifty, by words from its middle, and what is shown has them marked."""
    rows = db.execute(
        "SELECT id, text FROM documents WHERE role = ? AND id % 50 = 7 LIMIT 60", (role,)
    ).fetchall()
    assert rows
    for id_, text in rows:
        words = re.findall(r"[A-Za-z0-9]+", text)
        middle = len(words) // 2
        # What stands between words, an accent as well, is part of the phrase.
        phrase = r"[^A-Za-z0-9]+".join(map(re.escape, words[middle : middle + _WORDS]))
        found = re.search(rf"(?<![A-Za-z0-9]){phrase}(?![A-Za-z0-9])", text)
        if not words or found is None:
            continue
        query = Query(wanted=((Term(found.group().replace('"', " ")),),))
        hits = search(db, query, limit=1000, per_session=10_000)
        matches = {match.said.id: match.said for hit in hits for match in hit.matches}
        assert id_ in matches, found.group()
        assert matches[id_].snippet.marks
