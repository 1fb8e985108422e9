"""The index that a command works with: opened, brought up to date, made anew if it is damaged."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from pytest_agentv.cli.console import count, say
from pytest_agentv.cli.progress import progress_of
from pytest_agentv.config import load_config
from pytest_agentv.errors import IndexCorrupt, SearchError, SettingsError
from pytest_agentv.plugins import registry
from pytest_agentv.search.indexing import rebuild, update
from pytest_agentv.search.schema import discard, open_index, open_to_read, translated, updating
from pytest_agentv.search.settings import settings_of
from pytest_agentv.search.workers import collect_often

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Mapping

    from pytest_agentv.config import Config
    from pytest_agentv.search.indexing import Updated

_T = TypeVar("_T")


def configured(given: Mapping[str, object] | None = None) -> Config:
    """The settings here; ``given`` is what options of the command say, by the names of keys.

    SearchError if one is wrong: to end as if nothing were found would hide that.
    """
    try:
        config = load_config(Path.cwd(), os.environ, given=given)
        config.check_sources(registry().names)
    except SettingsError as exc:
        raise SearchError(str(exc)) from exc
    return config


def bring_up_to_date(config: Config, *, anew: bool = False) -> Updated | None:
    """Update the index, and say what has to be known of that; None if another process does."""
    path = config.index_path
    try:
        return _update(path, config, anew=anew)
    except IndexCorrupt as exc:
        return _after_damage(exc, path, config)


def ask(config: Config, question: Callable[[sqlite3.Connection], _T]) -> _T:
    """What an index answers; one that turns out to be damaged is made anew, and asked again."""
    path = config.index_path
    try:
        return _asked(path, question)
    except IndexCorrupt as exc:
        _after_damage(exc, path, config)
        return _asked(path, question)


def _asked(path: Path, question: Callable[[sqlite3.Connection], _T]) -> _T:
    with contextlib.closing(open_to_read(path)) as db, translated(path):
        return question(db)


def _after_damage(error: IndexCorrupt, path: Path, config: Config) -> Updated | None:
    say(f"agentv: {error}; it is made anew")
    with updating(path) as may:
        if may:
            discard(path)
    return _update(path, config, anew=False)


def _update(path: Path, config: Config, *, anew: bool) -> Updated | None:
    with updating(path) as may:
        if not may:
            say("agentv: the index is being updated by another process; this is what it has now")
            return None
        is_first = not path.exists()
        with contextlib.closing(open_index(path, tell=lambda one: say(f"agentv: {one}"))) as db:
            if is_first:
                say(f"agentv: reading all sessions into {path}, once")
            with translated(path), progress_of("indexing", "vectors") as (read, made):
                if anew:
                    rebuild(db)
                collect_often()
                settings = settings_of(config)
                done = update(db, registry(), settings, progress=read, of_vectors=made)
    _tell(done)
    return done


def _tell(done: Updated) -> None:
    if done.rebuilt:
        say("agentv: the index was made by other settings of [index]; it was made anew")
    for note in done.notes:
        say(f"agentv: {note}")
    if done.failed:
        many = count(done.failed, "session")
        say(f"agentv: {many} could not be read; agentv index status says why")
