"""Checking a file of settings before anything of it counts: unknown keys, wrong values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_agentv.config.keys import BY_NAME, INDEX_PATH, KEYS, REFUSED, SOURCES, nearest
from pytest_agentv.config.sources import patterns_of
from pytest_agentv.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_agentv.config.toml import TomlFile

_TABLES = {
    ".".join(key.name.split(".")[:length])
    for key in KEYS
    for length in range(1, key.name.count(".") + 1)
}
# What shapes an index: it must be the project's own.
_OF_INDEX = ("index", SOURCES)


def check_user_file(file: TomlFile, *, of_projects: tuple[str, ...]) -> None:
    """Refuse what a user's file cannot say."""
    for name in of_projects:
        if name in file.document:
            raise SettingsError(
                f"`{name}` is a setting of projects: [tool.agentv.{name}] in their pyproject.toml",
                at=file.at(name),
            )
    _check(file, (), file.document)


def check_project_file(file: TomlFile, table: tuple[str, ...], *, others: tuple[str, ...]) -> None:
    """Refuse what a project cannot say; ``others`` are tables that others read and check."""
    said = file.table(*table)
    if not isinstance(said, dict):
        raise SettingsError(f"`{'.'.join(table)}` must be a table", at=file.at(*table))
    ours = {name: value for name, value in said.items() if name not in others}
    _check(file, table, ours, others=others)
    if _has(ours, INDEX_PATH):
        return
    for name in _OF_INDEX:
        if _has(ours, name):
            place = (*table, *name.split("."))
            raise SettingsError(
                f"`{'.'.join(place)}` is of an index that the project must have for itself: say "
                f"where it is with `{'.'.join(table)}.{INDEX_PATH}`",
                at=file.at(*place),
            )


def _check(
    file: TomlFile,
    table: tuple[str, ...],
    said: dict[str, Any],
    *,
    others: tuple[str, ...] = (),
) -> None:
    prefix = "".join(f"{one}." for one in table)
    for name, value in _leaves(said):
        at = file.at(*table, *name.split("."))
        if name in REFUSED:
            raise SettingsError(f"`{prefix}{name}` is not used: {REFUSED[name]}", at=at)
        if name in _TABLES or name == SOURCES:
            raise SettingsError(f"`{prefix}{name}` must be a table, not {value!r}", at=at)
        if name.startswith(f"{SOURCES}."):
            if patterns_of(value) is None:
                wanted = "a path, a glob or a list of them"
                message = f"`{prefix}{name}` must be {wanted}, not {value!r}"
                raise SettingsError(message, at=at)
            continue
        key = BY_NAME.get(name)
        if key is None:
            known = (*BY_NAME, *others)
            raise SettingsError(f"unknown key `{prefix}{name}`{nearest(name, known)}", at=at)
        if not key.accepts(value):
            message = f"`{prefix}{name}` must be {key.wanted}, not {value!r}"
            raise SettingsError(message, at=at)


def _leaves(said: dict[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """The keys and their values; a table is looked into where we have one of the name."""
    for name, value in said.items():
        full = f"{above}{name}"
        if isinstance(value, dict) and (full in _TABLES or full == SOURCES):
            yield from _leaves(value, f"{full}.")
        else:
            yield full, value


def _has(said: Any, name: str) -> bool:
    for part in name.split("."):
        if not isinstance(said, dict) or part not in said:
            return False
        said = said[part]
    return True
