"""Waiting for answers, and telling somebody who watches what is waited for.

Who waits is the thread that asks; so who watches needs no lock.
"""

from __future__ import annotations

import time
from concurrent.futures import wait
from typing import TYPE_CHECKING, NamedTuple, Protocol

from pytest_agentv.graders.judging import total

if TYPE_CHECKING:
    from concurrent.futures import Future

    from pytest_agentv.judge.cache import CachedVerdict, Key

# Seconds until somebody is told, and between one time and the next.
_PATIENCE = 1.0


class Waiting(NamedTuple):
    """What is waited for."""

    model: str
    # The texts of the criteria.
    about: tuple[str, ...]
    seconds: float
    # Of the questions that this process put, those that have an answer, or never will.
    answered: int
    asked: int
    # So far; None: nobody knows.
    cost_usd: float | None


class Watcher(Protocol):
    """Who is told."""

    def show(self, waiting: Waiting) -> None:
        """Say what is waited for; called again while it is."""

    def hide(self) -> None:
        """The waiting is over."""


class Asked:
    """The questions that this process put, and their answers as they come."""

    def __init__(self, watcher: Watcher | None = None) -> None:
        self._watcher = watcher
        self._put: dict[Key, Future[CachedVerdict]] = {}

    def __contains__(self, key: Key) -> bool:
        """Whether it was put."""
        return key in self._put

    def get(self, key: Key) -> Future[CachedVerdict] | None:
        """A question that was put."""
        return self._put.get(key)

    def put(self, key: Key, answer: Future[CachedVerdict]) -> Future[CachedVerdict]:
        """Note a question."""
        self._put[key] = answer
        return answer

    def wait(
        self, answer: Future[CachedVerdict], *, model: str, about: tuple[str, ...]
    ) -> CachedVerdict:
        """An answer when it is there; what went wrong with it is raised."""
        if self._watcher is None:
            return answer.result()
        begin = time.monotonic()
        try:
            while not wait([answer], timeout=_PATIENCE).done:
                seconds = time.monotonic() - begin
                self._watcher.show(self._waiting(model, about, seconds))
        finally:
            self._watcher.hide()
        return answer.result()

    def _waiting(self, model: str, about: tuple[str, ...], seconds: float) -> Waiting:
        done = [one for one in self._put.values() if one.done()]
        costs = [
            one.result().cost_usd for one in done if not one.cancelled() and one.exception() is None
        ]
        return Waiting(
            model=model,
            about=about,
            seconds=seconds,
            answered=len(done),
            asked=len(self._put),
            cost_usd=total(costs) if costs else None,
        )
