"""The key of the pseudonyms: one for each user, made on first use, readable by nobody else."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

from pytest_agentv.errors import Location, OutputError

_BYTES = 32
_OVERRIDE = "AGENTV_REDACT_KEY_FILE"


def key_path() -> Path:
    """Where the key is kept: what AGENTV_REDACT_KEY_FILE says, else the user's config directory."""
    if override := os.environ.get(_OVERRIDE):
        return Path(override)
    variable = "APPDATA" if sys.platform == "win32" else "XDG_CONFIG_HOME"
    config = os.environ.get(variable)
    try:
        folder = Path(config) if config else Path.home() / ".config"
    except RuntimeError as exc:  # no home directory is known
        raise OutputError(
            f"there is no home directory to keep the key of the pseudonyms in; set {_OVERRIDE}"
        ) from exc
    return folder / "agentv" / "redact.key"


def load_key(path: Path | None = None) -> bytes:
    """The key; made if there is none. Of two that make one at the same time, both get the same."""
    path = key_path() if path is None else path
    try:
        if not path.exists():
            _make(path)
        text = path.read_bytes()
    except OSError as exc:
        reason = exc.strerror or str(exc)
        raise OutputError(f"the key of the pseudonyms: {reason}", at=Location(path)) from exc
    with contextlib.suppress(ValueError):
        key = bytes.fromhex(text.decode("ascii", "replace"))
        if len(key) == _BYTES:
            return key
    raise OutputError(
        f"is no key of pseudonyms: it must hold {2 * _BYTES} hexadecimal digits", at=Location(path)
    )


def _make(path: Path) -> None:
    import secrets  # noqa: PLC0415 (a key is made once)

    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    # Written aside and then linked: whoever comes second finds a whole key, never half of one.
    aside = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_hex(_BYTES).encode() + b"\n")
        _put_in_place(aside, path)
    finally:
        aside.unlink(missing_ok=True)


def _put_in_place(aside: Path, path: Path) -> None:
    try:
        os.link(aside, path)
    except FileExistsError:
        return
    except OSError:  # a file system without hard links
        if not path.exists():
            aside.replace(path)
