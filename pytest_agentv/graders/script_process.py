"""Running a program that an eval file names: bounded in time and output, nothing left behind.

Its input and output are files, not pipes. So a program that does not read, that prints without
end, or that leaves a child behind with its output open can neither block us nor fill our memory.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, BinaryIO, NamedTuple
from uuid import uuid4

from pytest_agentv.errors import NotGradable
from pytest_agentv.graders.phrases import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

MAX_OUTPUT = 10 << 20
STDERR_TAIL = 2_000

# How often a running program is looked at, and how long a killed one may take to end.
_STEP_SECONDS = 0.1
_END_SECONDS = 5.0
_ROUNDS = 3
# What programs need to run at all: where others are, where files go, which language and time.
_KEPT = (
    "HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TEMP", "TMP", "TMPDIR", "TZ",
    "USER", "APPDATA", "COMSPEC", "LOCALAPPDATA", "PATHEXT", "PROGRAMDATA", "PROGRAMFILES",
    "SYSTEMDRIVE", "SYSTEMROOT", "USERPROFILE", "WINDIR",
)  # fmt: skip
# By this a process is known that left its group.
_MARK = "AGENTV_SCRIPT_RUN"


class Finished(NamedTuple):
    """A program that ended by itself; a negative code is the signal that ended it."""

    code: int
    stdout: str
    # Only its end.
    stderr: str


def environment(more: Sequence[str] | Mapping[str, str]) -> dict[str, str]:
    """The variables of a program: the few it cannot do without, and those it is to have besides.

    ``more`` are names of our own variables, or names with their values.
    """
    kept = {name: os.environ.get(name) for name in _KEPT}
    if sys.prefix != sys.base_prefix:
        # As if the virtual environment were activated: `python` is the one that runs pytest.
        kept["PATH"] = os.pathsep.join(
            (str(Path(sys.executable).parent), kept["PATH"] or os.defpath)
        )
    own = more if isinstance(more, dict) else {one: os.environ.get(one) for one in more}
    given = {**kept, **own} if isinstance(more, dict) else {**own, **kept}
    return {name: value for name, value in given.items() if value is not None}


def run(
    argv: Sequence[str],
    *,
    given: Iterable[bytes],
    folder: Path,
    variables: Mapping[str, str],
    seconds: float,
) -> Finished:
    """Run a program to its end; one that cannot be run to it is not gradable."""
    mark = uuid4().hex
    with contextlib.ExitStack() as files:
        stdin, stdout, stderr = (files.enter_context(tempfile.TemporaryFile()) for _ in range(3))
        stdin.writelines(given)
        stdin.seek(0)
        process = _started(argv, folder, {**variables, _MARK: mark}, (stdin, stdout, stderr))
        try:
            code = _ended(process, seconds, (stdout, stderr))
        finally:
            _kill_all(process, mark)
        if max(map(_size, (stdout, stderr))) > MAX_OUTPUT:
            raise _flood()
        return Finished(code, _text(stdout), _text(stderr)[-STDERR_TAIL:])


def _started(
    argv: Sequence[str],
    folder: Path,
    variables: Mapping[str, str],
    files: tuple[BinaryIO, BinaryIO, BinaryIO],
) -> subprocess.Popen[bytes]:
    stdin, stdout, stderr = files
    try:
        return subprocess.Popen(  # noqa: S603 (to run what the eval file names is the point)
            argv,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            cwd=folder,
            env=dict(variables),
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
    except FileNotFoundError as exc:
        raise NotGradable(_not_found(argv[0], folder)) from exc
    except (OSError, ValueError) as exc:  # ValueError: a NUL in a variable
        reason = (exc.strerror if isinstance(exc, OSError) else None) or exc
        raise NotGradable(f"{shown(argv[0])} cannot be run: {reason}") from exc


def _not_found(program: str, folder: Path) -> str:
    if not (folder / program).exists():
        return f"there is no program {shown(program)}"
    if Path(program).name == program:
        # Without a folder in its name a program is looked for on the PATH only.
        return f"there is no program {shown(program)} on the PATH; did you mean './{program}'?"
    return f"there is no program to run {shown(program)} with; see its first line"


def _ended(
    process: subprocess.Popen[bytes], seconds: float, outputs: tuple[BinaryIO, BinaryIO]
) -> int:
    """The exit code, as long as there is time and not too much is printed."""
    deadline = monotonic() + seconds
    while (left := deadline - monotonic()) > 0:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.wait(min(_STEP_SECONDS, left))
        if max(map(_size, outputs)) > MAX_OUTPUT:
            raise _flood()
    raise NotGradable(f"it did not end within {seconds:g} seconds, and was stopped")


def _flood() -> NotGradable:
    return NotGradable(f"it printed more than {MAX_OUTPUT >> 20} MiB")


def _size(file: BinaryIO) -> int:
    return os.fstat(file.fileno()).st_size


def _text(file: BinaryIO) -> str:
    file.seek(0)
    return file.read().decode("utf-8-sig", "replace").replace("\r\n", "\n")


def _kill_all(process: subprocess.Popen[bytes], mark: str) -> None:
    """End a program with everything that it started."""
    with contextlib.suppress(OSError):  # there is nobody left
        if sys.platform == "win32":
            command = ["taskkill", "/T", "/F", "/PID", str(process.pid)]
            subprocess.run(command, capture_output=True, check=False)  # noqa: S603 (our own)
        else:
            os.killpg(process.pid, signal.SIGKILL)
    # A process that comes to be while we look is found in the next round.
    for _ in range(_ROUNDS):
        if not _kill_marked(f"{_MARK}={mark}".encode()):
            break
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_END_SECONDS)


def _kill_marked(mark: bytes) -> bool:
    """Kill what has a mark in its environment, where the system tells: it may have left the group.

    Whether there was any.
    """
    found = False
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it ended, or is none of ours
            if mark in (folder / "environ").read_bytes().split(b"\0"):
                os.kill(int(folder.name), getattr(signal, "SIGKILL", signal.SIGTERM))
                found = True
    return found
