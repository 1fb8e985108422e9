"""Pieces of a draft are what they were, in memory or in a file, whatever is dropped between."""

from __future__ import annotations

import errno
import io
import mmap
import os
import sys
from typing import TYPE_CHECKING, NoReturn

import pytest
from hypothesis import given
from hypothesis.strategies import binary, integers, lists, one_of, tuples

from pytest_agentv.adapters import drafts
from pytest_agentv.adapters.drafts import DraftStore

if TYPE_CHECKING:
    from pathlib import Path


@given(
    limit=integers(0, 5000),
    steps=lists(
        one_of(
            tuples(binary(min_size=1, max_size=20), integers(1, 60)),
            integers(0, 5),
        ),
        max_size=40,
    ),
)
def test_pieces_are_what_they_were(limit: int, steps: list[int | tuple[bytes, int]]) -> None:
    store = DraftStore(limit)
    kept: list[tuple[int, bytes]] = []
    for step in steps:
        if isinstance(step, int):
            for place, _ in reversed(kept[step:]):
                store.drop(place)
            del kept[step:]
        else:
            piece = step[0] * step[1]
            kept.append((store.add(memoryview(piece)), piece))

    assert [bytes(store.get(place, len(piece))) for place, piece in kept] == [
        piece for _, piece in kept
    ]


def test_no_more_than_the_limit_is_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    file = io.BytesIO()
    monkeypatch.setattr(drafts, "unnamed_file", lambda: file)
    store = DraftStore(1000)

    places = [store.add(memoryview(b"%b" % letter * 400)) for letter in (b"a", b"b", b"c", b"d")]
    in_file = file.getvalue()

    assert in_file == b"c" * 400 + b"d" * 400
    assert [bytes(store.get(place, 2)) for place in places] == [b"aa", b"bb", b"cc", b"dd"]


def test_a_short_draft_takes_little_memory() -> None:
    resource = pytest.importorskip("resource", reason="no such figures on this system")
    if sys.platform != "linux":
        pytest.skip("counts pages of Linux")
    page = os.sysconf("SC_PAGE_SIZE")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt

    stores = [DraftStore(16 << 20) for _ in range(20)]
    for store in stores:
        store.add(memoryview(b"x" * 10_000))
    pages = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

    assert pages * page < 20 * (1 << 20)


@pytest.mark.parametrize("lacking", ["MADV_HUGEPAGE", "madvise"])
def test_without_large_pages_it_is_the_same(monkeypatch: pytest.MonkeyPatch, lacking: str) -> None:
    if lacking == "madvise":  # known, but refused
        monkeypatch.setattr(mmap, "MADV_HUGEPAGE", -1, raising=False)
    else:
        monkeypatch.delattr(mmap, lacking, raising=False)
    store = DraftStore(4 << 20)

    place = store.add(memoryview(b"{}" * 1_500_000))

    assert bytes(store.get(place + 2_999_998, 2)) == b"{}"


def test_a_process_that_may_not_have_so_much_memory_has_a_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file = io.BytesIO()
    monkeypatch.setattr(drafts, "unnamed_file", lambda: file)
    monkeypatch.setattr(drafts, "_pages", too_much)
    store = DraftStore(4)

    places = [store.add(memoryview(piece)) for piece in (b"zeros", b"one", b"two")]

    assert file.getvalue() == b"zerosonetwo"
    assert [bytes(store.get(place, 3)) for place in places] == [b"zer", b"one", b"two"]


def too_much(_: int) -> NoReturn:
    raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))


def test_the_file_of_a_draft_is_closed_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = (tmp_path / "draft").open("w+b")
    monkeypatch.setattr(drafts, "unnamed_file", lambda: file)
    store = DraftStore(0)
    store.add(memoryview(b"a"))

    del store

    assert file.closed
