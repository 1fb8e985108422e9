"""Bringing the index up to date beside the browser: a process of its own, which may be ended.

It takes no time from the screen, and an index is never damaged by that: ``agentv index update``
is made to be killed.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from tempfile import TemporaryFile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from threading import Event
    from typing import IO

_PAUSE = 0.1
_PATIENCE = 5.0
_PREFIX = "agentv: "


def update_index(stop: Event) -> str | None:
    """Run ``agentv index update``, unless ``stop`` is set; what is to know of it, if anything."""
    # By the path of this process: one that is started by -m would look into the current folder
    # first, which may be anybody's.
    code = (
        f"import sys; sys.path[:] = {sys.path!r}; "
        "from pytest_agentv.cli.main import main; main(['index', 'update', '--json'])"
    )
    with (
        TemporaryFile() as out,
        TemporaryFile() as err,
        subprocess.Popen(  # noqa: S603 (our own command)
            [sys.executable, "-c", code], stdin=subprocess.DEVNULL, stdout=out, stderr=err
        ) as process,
    ):
        while process.poll() is None:
            if stop.wait(_PAUSE):
                _end(process)
                return None
        if process.returncode == 0:
            said = json.loads(_text(out))["notes"]
        else:
            said = [line.removeprefix(_PREFIX) for line in _text(err).splitlines()]
    return "; ".join(said) or None


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode("utf-8", "replace")


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_PATIENCE)
        return
    process.kill()
