"""Answers of judges on disk, by what was asked: one small file for each.

Files, so that a project can keep them beside its eval files and merge them: their names are digests
of the prompt and of who was asked, so the same question has the same name everywhere.
"""

from __future__ import annotations

import contextlib
import hashlib
import time
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from pytest_agentv.errors import AgentvError, Location, OutputError
from pytest_agentv.files import atomic_write, open_regular

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_agentv.judge.prompt import Prompt

# Goes into every name: answers in another form are other answers.
SCHEMA_VERSION = "1.0"

_LARGEST = 1 << 22
_NAME_LENGTH = 40
# Of tokens, dollars or seconds: far more than any answer takes.
_LARGEST_FIGURE = 1e12


class CachedAnswer(Struct, frozen=True, kw_only=True):
    """What was said of one criterion."""

    met: bool
    score: float
    reason: str = ""


class CachedVerdict(Struct, frozen=True, kw_only=True):
    """What a judge said, and what it took."""

    schema_version: str = SCHEMA_VERSION
    model: str
    answers: tuple[CachedAnswer, ...]
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    # When it was said, in seconds since 1970.
    created: int = 0


class Key(Struct, frozen=True):
    """The name of an answer: what was asked, and who was."""

    question: str
    judge: str

    @property
    def name(self) -> str:
        """The name of its file."""
        return f"{self.question}-{self.judge}"


_decoder = msgspec.json.Decoder(CachedVerdict)


def question_digest(prompt: Prompt, sample: int) -> str:
    """The name of a question, whoever is asked."""
    return _digest({"version": SCHEMA_VERSION, "prompt": tuple(prompt), "sample": sample})


def judge_digest(model: str, parameters: dict[str, Any]) -> str:
    """The name of who is asked."""
    return _digest({"model": model, "parameters": parameters})[:16]


def _digest(value: Any) -> str:
    encoded = msgspec.json.encode(value, order="deterministic")
    return hashlib.sha256(encoded).hexdigest()[:_NAME_LENGTH]


class VerdictCache:
    """The answers of a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, key: Key) -> CachedVerdict | None:
        """An answer; one that cannot be read is none."""
        return _read(self._path(key))

    def of_anybody(self, question: str) -> list[CachedVerdict]:
        """The answers of all who were asked this."""
        folder = self.folder / question[:2]
        found = (_read(path) for path in sorted(folder.glob(f"{question}-*.json")))
        return [one for one in found if one is not None]

    def put(self, key: Key, verdict: CachedVerdict) -> None:
        """Keep an answer, whole or not at all."""
        path = self._path(key)
        with atomic_write(path, overwrite=True, private=False) as file:
            encoded = msgspec.json.encode(verdict, order="deterministic")
            file.write(msgspec.json.format(encoded, indent=1) + b"\n")

    def files(self) -> Iterator[Path]:
        """The files of answers, and no others."""
        for path in sorted(self.folder.glob("??/*.json")):
            stem = path.stem.partition("-")[0]
            if len(stem) == _NAME_LENGTH and stem.startswith(path.parent.name):
                yield path

    def statistics(self) -> dict[str, Any]:
        """How many answers there are, of whom, and what they took."""
        models: dict[str, int] = {}
        sizes, tokens, cost, unreadable, times = 0, 0, 0.0, 0, []
        for path in self.files():
            verdict = _read(path)
            # Another process may take it away at any time.
            with contextlib.suppress(OSError):
                sizes += path.stat().st_size
            if verdict is None:
                unreadable += 1
                continue
            models[verdict.model] = models.get(verdict.model, 0) + 1
            tokens += (verdict.input_tokens or 0) + (verdict.output_tokens or 0)
            cost += verdict.cost_usd or 0.0
            times.append(verdict.created)
        return {
            "folder": str(self.folder),
            "verdicts": sum(models.values()),
            "unreadable": unreadable,
            "bytes": sizes,
            "tokens": tokens,
            "cost_usd": round(cost, 6),
            "models": dict(sorted(models.items())),
            "oldest": min(times, default=None),
            "newest": max(times, default=None),
        }

    def clear(self, *, older_than: float | None = None) -> int:
        """Take answers away, all or those older than so many seconds; returns how many."""
        limit = None if older_than is None else time.time() - older_than
        count = 0
        for path in list(self.files()):
            verdict = None if limit is None else _read(path)
            if limit is not None and verdict is not None and verdict.created >= limit:
                continue
            try:
                path.unlink(missing_ok=True)
            except OSError as exc:
                raise OutputError(f"cannot be removed: {exc.strerror}", at=Location(path)) from exc
            count += 1
        for folder in self.folder.glob("??"):
            # Only those that are empty can be removed so.
            with contextlib.suppress(OSError):
                folder.rmdir()
        return count

    def _path(self, key: Key) -> Path:
        return self.folder / key.question[:2] / f"{key.name}.json"


def _read(path: Path) -> CachedVerdict | None:
    try:
        with open_regular(path) as file:
            verdict = _decoder.decode(file.read(_LARGEST))
    except (AgentvError, OSError, ValueError, msgspec.MsgspecError, RecursionError):
        return None
    good = all(0 <= one.score <= 1 for one in verdict.answers) and _can_be(verdict)
    return verdict if good and verdict.schema_version == SCHEMA_VERSION else None


def _can_be(verdict: CachedVerdict) -> bool:
    """Whether its figures are some that can be added up: others may have written the file."""
    figures = (verdict.input_tokens, verdict.output_tokens, verdict.cost_usd, verdict.created)
    return all(0 <= (one or 0) <= _LARGEST_FIGURE for one in figures)
