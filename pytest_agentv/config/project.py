"""Settings that only a project has, under ``[tool.agentv]``: prices, who shares its sessions."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from pytest_agentv.config.toml import read_toml
from pytest_agentv.errors import Location, SettingsError

if TYPE_CHECKING:
    from pathlib import Path

_KINDS = ("input", "output", "cached", "cache_write")
_SUBMITTER = {"key_id", "pseudonym"}
_LINKED = "identity_linked"


def read_prices(root: Path) -> dict[str, dict[str, float]]:
    """Prices by model, or by a glob of models: US dollars for a million tokens of each kind."""
    path = root / "pyproject.toml"
    table = _table(path).get("prices", {})
    if not isinstance(table, dict):
        raise SettingsError("`tool.agentv.prices` must be a table of models", at=Location(path))
    return {model: _prices(path, model, prices) for model, prices in table.items()}


def read_table(root: Path, name: str) -> dict[str, Any]:
    """A table of a project's settings; an empty one if the project has none."""
    path = root / "pyproject.toml"
    table = _table(path).get(name, {})
    if not isinstance(table, dict):
        raise SettingsError(f"`tool.agentv.{name}` must be a table", at=Location(path))
    return table


def read_submitter(root: Path) -> dict[str, Any] | None:
    """Who shares sessions, for the exports that can say it; None unless the project says it."""
    path = root / "pyproject.toml"
    table = _table(path).get("submitter")
    if table is None:
        return None
    if not isinstance(table, dict) or not _SUBMITTER <= table.keys() <= {*_SUBMITTER, _LINKED}:
        raise SettingsError(
            "`tool.agentv.submitter` must be a table with `key_id` and `pseudonym`, and maybe "
            "`identity_linked`",
            at=Location(path),
        )
    linked = table.get(_LINKED, False)
    if not all(isinstance(table[name], str) for name in _SUBMITTER) or type(linked) is not bool:
        raise SettingsError(
            "of `tool.agentv.submitter`, `key_id` and `pseudonym` must be texts and "
            "`identity_linked` true or false",
            at=Location(path),
        )
    return {
        "keyId": table["key_id"],
        "pseudonym": table["pseudonym"],
        "identityLinked": linked,
    }


def _table(path: Path) -> dict[str, Any]:
    file = read_toml(path)
    table = {} if file is None else file.table("tool", "agentv")
    return table if isinstance(table, dict) else {}


def _prices(path: Path, model: str, prices: Any) -> dict[str, float]:
    if not isinstance(prices, dict) or not {"input", "output"} <= prices.keys() <= set(_KINDS):
        raise SettingsError(
            f"the prices of {model!r} must be a table with `input` and `output`, and maybe "
            "`cached` and `cache_write`",
            at=Location(path),
        )
    for kind, price in prices.items():
        number = isinstance(price, (int, float)) and not isinstance(price, bool)
        if not number or not 0 <= price <= sys.float_info.max:
            raise SettingsError(
                f"the price of {model!r} for `{kind}` must be a number from 0 on, not {price!r}",
                at=Location(path),
            )
    return {kind: float(price) for kind, price in prices.items()}
