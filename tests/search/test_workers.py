"""Processes that read sessions for the index."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import pytest

from pytest_agentv.search.workers import collect_often

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


@pytest.mark.parametrize(("before", "after"), [(700, 700), (100_000, 10_000)])
def test_garbage_is_looked_for_more_often_and_never_less(before: int, after: int) -> None:
    gc.set_threshold(before)
    collect_often()

    assert gc.get_threshold()[0] == after
