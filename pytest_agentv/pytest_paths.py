"""Files and folders that options of a run name, or settings of the same names."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest


def named_path(config: pytest.Config, name: str) -> Path | None:
    """What an option names, or the setting of the same name; an empty option takes that back.

    A setting is relative to the root directory, where it lies, and an option to where one is.
    """
    given: str | None = config.getoption(name)
    if given is None:
        setting = str(config.getini(name))
        return config.rootpath / setting if setting else None
    # Shells leave the tilde of `--agentv-results=~/runs` alone.
    return config.invocation_params.dir / Path(given).expanduser() if given else None
