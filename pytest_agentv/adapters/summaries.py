"""Summaries of sessions for a list, remembered between calls.

A list of thousands of sessions opens thousands of files. What a file said stays true as long as
its size and time of change stay the same, so it is kept in the user's cache folder. The cache is
never needed: if it cannot be read or written, the list is merely slower.
"""

from __future__ import annotations

import contextlib
import os
from datetime import datetime  # noqa: TC003 (a struct needs it at run time)
from typing import TYPE_CHECKING

import msgspec

from pytest_agentv.adapters.base import SessionSummary, calling
from pytest_agentv.config.paths import cache_folder
from pytest_agentv.errors import AgentvError, SessionError
from pytest_agentv.files import atomic_write, open_regular

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_agentv.adapters.base import Adapter, SessionRef

# Raise it when an adapter comes to summarize differently: what was remembered is then forgotten.
_VERSION = 1
_PROMPT_LENGTH = 500
# Between a path and the row of a file that holds several sessions; no path has it.
_ROW = "\0"


class _Entry(msgspec.Struct, array_like=True):
    size: int
    modified: float
    started: datetime | None
    project: str | None
    first_prompt: str | None


class _File(msgspec.Struct):
    version: int
    entries: dict[str, _Entry]


class SummaryCache:
    """Summaries of one adapter's sessions."""

    def __init__(self, adapter: Adapter, path: Path | None) -> None:
        self._adapter = adapter
        self._path = path
        self._old = _load(path)
        self._new: dict[str, _Entry] = {}

    @classmethod
    def of_user(cls, adapter: Adapter) -> SummaryCache:
        """The cache in the user's cache folder."""
        folder = cache_folder(os.environ)
        return cls(adapter, folder and folder / f"sessions-{adapter.name}.json")

    def summary(self, ref: SessionRef) -> SessionSummary:
        """What a list shows of a session; of an unreadable one nothing."""
        key = str(ref.path).encode("utf-8", "backslashreplace").decode()
        if ref.row is not None:
            key += f"{_ROW}{ref.row}"
        entry = self._old.get(key)
        if entry is None or (entry.size, entry.modified) != (ref.size, ref.modified):
            try:
                entry = self._read(ref)
            except SessionError:
                return SessionSummary()  # not remembered: it may become readable as it is
        self._new[key] = entry
        return SessionSummary(entry.started, entry.project, entry.first_prompt)

    def save(self) -> None:
        """Remember all summaries, those of other projects as well, but of no file that is gone."""
        if self._path is None or all(self._old.get(key) == new for key, new in self._new.items()):
            return
        others = {key: old for key, old in self._old.items() if key not in self._new}
        merged = self._new | {key: old for key, old in others.items() if _exists(key)}
        content = msgspec.json.encode(_File(_VERSION, merged))
        with contextlib.suppress(AgentvError), atomic_write(self._path, overwrite=True) as file:
            file.write(content)

    def _read(self, ref: SessionRef) -> _Entry:
        with calling(self._adapter):
            summary = self._adapter.summarize(ref)
        prompt = summary.first_prompt
        return _Entry(
            ref.size,
            ref.modified,
            summary.started,
            summary.project,
            prompt
            if prompt is None or len(prompt) <= _PROMPT_LENGTH
            else f"{prompt[:_PROMPT_LENGTH]}…",
        )


def _exists(key: str) -> bool:
    return os.path.exists(key.partition(_ROW)[0])  # noqa: PTH110 (never raises, and costs less)


def _load(path: Path | None) -> dict[str, _Entry]:
    if path is None:
        return {}
    try:
        with open_regular(path) as file:
            content = msgspec.json.decode(file.read(), type=_File)
    except (SessionError, msgspec.MsgspecError, UnicodeDecodeError):
        return {}
    return content.entries if content.version == _VERSION else {}
