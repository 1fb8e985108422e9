"""What an update reads, drops and leaves alone."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from search_index import Index

if TYPE_CHECKING:
    from pathlib import Path


def test_only_what_changed_is_read_again(index: Index) -> None:
    first = index.home.session("aaaaaaaa", "Fix the login")
    index.home.session("bbbbbbbb", "Fix the cart")
    done = index.update()
    assert (done.added, done.changed, done.unchanged, done.removed) == (2, 0, 0, 0)

    done = index.update()
    assert (done.added, done.changed, done.unchanged, done.removed) == (0, 0, 2, 0)

    index.home.session("aaaaaaaa", "Fix the sink")
    done = index.update()
    assert (done.added, done.changed, done.unchanged, done.removed) == (0, 1, 1, 0)
    assert index.found("login") == []
    assert index.found("sink") == ["aaaaaaaa"]

    first.unlink()
    done = index.update()
    assert (done.added, done.changed, done.unchanged, done.removed) == (0, 0, 1, 1)
    assert index.found("sink") == []


def test_an_index_after_changes_is_as_one_made_afresh(index: Index, tmp_path: Path) -> None:
    index.home.session("aaaaaaaa", "Fix the login")
    path = index.home.session("bbbbbbbb", "Fix the parseToken function")
    index.update()
    index.home.session("aaaaaaaa", "Fix the sink")
    path.unlink()
    index.home.session("cccccccc", "Another")
    index.update()

    fresh = Index(tmp_path / "fresh.db", index.home)
    fresh.update()
    assert index.content() == fresh.content()


def test_the_file_is_private(index: Index) -> None:
    index.home.session("aaaaaaaa")
    index.update()
    if os.name == "posix":
        assert index.path.stat().st_mode & 0o777 == 0o600
        assert index.path.parent.stat().st_mode & 0o777 == 0o700


def test_other_choices_make_it_anew(index: Index) -> None:
    index.home.session("aaaaaaaa")
    index.update()
    assert index.found("good") == []

    assert index.update(tool_output=True).rebuilt
    assert index.found("good role:output") == ["aaaaaaaa"]
