"""Where files of the user's own are: settings, the index, caches, what ``~`` stands for."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

CONFIG_VARIABLE = "AGENTV_CONFIG"
_APP = "agentv"


def user_home(environ: Mapping[str, str]) -> Path | None:
    """The user's own folder."""
    home = environ.get("HOME") or environ.get("USERPROFILE")
    return Path(home) if home else None


def config_file(environ: Mapping[str, str]) -> Path | None:
    """The user's file: what AGENTV_CONFIG says, else config.toml in the user's settings."""
    if environ.get(CONFIG_VARIABLE):
        return expanded(environ[CONFIG_VARIABLE], environ, base=Path.cwd())
    folder = _folder(environ, "XDG_CONFIG_HOME", "APPDATA", ".config")
    return folder and folder / _APP / "config.toml"


def index_file(environ: Mapping[str, str]) -> Path | None:
    """Where the index is unless somebody says otherwise.

    Among data, not in a cache: whoever empties caches does not expect that it takes minutes.
    """
    folder = _folder(environ, "XDG_DATA_HOME", "LOCALAPPDATA", ".local/share")
    return folder and folder / _APP / "index.db"


def cache_folder(environ: Mapping[str, str]) -> Path | None:
    """Where what can be found out again is remembered; None if there is no such place."""
    if environ.get("XDG_CACHE_HOME"):
        return Path(environ["XDG_CACHE_HOME"]) / _APP
    if sys.platform == "win32" and environ.get("LOCALAPPDATA"):
        return Path(environ["LOCALAPPDATA"]) / _APP / "cache"
    home = user_home(environ)
    usual = "Library/Caches" if sys.platform == "darwin" else ".cache"
    return home and home / usual / _APP


def expanded(text: str, environ: Mapping[str, str], *, base: Path | None) -> Path:
    """A path as somebody wrote it; a relative one is below ``base``."""
    home = user_home(environ)
    if home is not None and (text == "~" or text.startswith(("~/", "~\\"))):
        return home / text[2:]
    return Path(text) if base is None else base / text


def _folder(environ: Mapping[str, str], unix: str, windows: str, usual: str) -> Path | None:
    if environ.get(unix):
        return Path(environ[unix])
    if sys.platform == "win32" and environ.get(windows):
        return Path(environ[windows])
    home = user_home(environ)
    return home and home / usual
