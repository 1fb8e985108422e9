"""``agentv config``: what is configured, and who says so."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pytest_agentv.cli.console import put_json
from pytest_agentv.cli.tables import Column, print_table
from pytest_agentv.config import Origin, Setting, load_config
from pytest_agentv.config.keys import OF_PROJECTS, nearest
from pytest_agentv.config.project import read_prices, read_submitter
from pytest_agentv.config.toml import read_toml
from pytest_agentv.judge.settings import CACHE_VARIABLE, MODEL_VARIABLE, read_judge_settings
from pytest_agentv.plugins import registry

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_agentv.config.toml import TomlFile

# Lists of what somebody wants hidden: they are counted, not shown.
_HIDDEN = {"redact.names", "redact.hosts", "redact.allow", "redact.rules"}
_PASSWORD = re.compile(r"(?<=//)[^/@\s]*@")


@click.group("config")
def command() -> None:
    """Show what is configured, and who says so."""


@command.command("show")
@click.argument("key", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print the settings as JSON.")
def show(key: str | None, *, as_json: bool) -> None:
    """Show each setting, or that of KEY, and where its value comes from.

    KEY is a name as search.max_results, or the beginning of some: storage.
    """
    settings = {one.name: one for one in _settings(Path.cwd(), os.environ)}
    if key is not None:
        settings = _chosen(settings, key)
    if as_json:
        put_json([_as_json(one) for one in settings.values()])
    else:
        rows = [(one.name, _shown(one), str(one.origin)) for one in settings.values()]
        print_table(None, [Column("key"), Column("value", wrap=True), Column("from")], rows)


def _settings(root: Path, environ: Mapping[str, str]) -> Iterator[Setting]:
    config = load_config(root, environ)
    known = registry().names
    config.check_sources(known)
    yield from config.settings.values()
    yield from (one for name, one in sorted(config.sources.items()) if name in known)
    yield from _of_project(root, environ)


def _of_project(root: Path, environ: Mapping[str, str]) -> Iterator[Setting]:
    """What only projects have; those who use it check it first."""
    from pytest_agentv.redact import read_redact_settings  # noqa: PLC0415 (many rules)

    judge = read_judge_settings(root, environ)
    for check in (read_prices, read_submitter, read_redact_settings):
        check(root)
    file = read_toml(root / "pyproject.toml")
    found = {} if file is None else {one.name: one for one in _of_tables(file)}
    if environ.get(CACHE_VARIABLE):
        origin = Origin("environment", variable=CACHE_VARIABLE)
        found["judge.cache"] = Setting("judge.cache", str(judge.cache), origin)
    if environ.get(MODEL_VARIABLE) and "judge.model" not in found:
        origin = Origin("environment", variable=MODEL_VARIABLE)
        found["judge.model"] = Setting("judge.model", judge.model, origin)
    yield from sorted(found.values())


def _of_tables(file: TomlFile) -> Iterator[Setting]:
    for table in OF_PROJECTS:
        for name, value in file.table("tool", "agentv", table).items():
            at = file.at("tool", "agentv", table, name)
            full = f"{table}.{name}"
            shown = _counted(value) if full in _HIDDEN else value
            yield Setting(full, shown, Origin("project", at))


def _counted(values: Any) -> str:
    return f"({len(values)} that are not shown)"


def _chosen(settings: dict[str, Setting], key: str) -> dict[str, Setting]:
    found = {
        name: one for name, one in settings.items() if name == key or name.startswith(f"{key}.")
    }
    if not found:
        raise click.UsageError(f"there is no key `{key}`{nearest(key, tuple(settings))}")
    return found


def _shown(setting: Setting) -> str | None:
    value = setting.value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple | list):
        return ", ".join(map(str, value))
    if isinstance(value, dict):
        return ", ".join(f"{name} = {one}" for name, one in value.items())
    return None if value is None else _PASSWORD.sub("…@", str(value))


def _as_json(setting: Setting) -> dict[str, Any]:
    value, at = setting.value, setting.origin.at
    return {
        "key": setting.name,
        "value": _PASSWORD.sub("…@", value) if isinstance(value, str) else value,
        "from": setting.origin.kind,
        "file": None if at is None else str(at.path),
        "line": None if at is None else at.line,
        "variable": setting.origin.variable,
    }
