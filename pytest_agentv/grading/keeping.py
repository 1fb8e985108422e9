"""The file of rows: what is graded is in it at once, so that a run that was killed can go on.

While it is made, it is called ``NAME.part``: a line that says what is graded, and one for each
portion. Portions come in the same order every time, so to go on is to read along.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from pytest_agentv.errors import Location, OutputError
from pytest_agentv.files import atomic_write
from pytest_agentv.grading.working import Done

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import BinaryIO

if sys.platform != "win32":
    import fcntl

SUFFIX = ".part"
_encoder = msgspec.json.Encoder()


class _Head(Struct, frozen=True):
    grading: str


class PartFile:
    """What was graded so far."""

    def __init__(self, output: Path, fingerprint: str, *, anew: bool = False) -> None:
        """Open it, or go on with what is there, if that was graded in the same way.

        With ``anew`` whatever is there is given up.
        """
        self._output = output
        self.path = output.with_name(output.name + SUFFIX)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
            self._file: BinaryIO = os.fdopen(os.open(self.path, flags, 0o600), "r+b")
        except OSError as exc:
            raise self._error(exc) from exc
        try:
            self._begin(_encoder.encode(_Head(fingerprint)) + b"\n", anew=anew)
        except BaseException:
            self._file.close()
            raise

    def _begin(self, head: bytes, *, anew: bool) -> None:
        self._lock()
        try:
            if anew:
                self._file.truncate(0)
            there = self._file.readline()
            if not there.endswith(b"\n"):  # new, or killed before its first line was whole
                self._file.seek(0)
                self._file.truncate(0)
                self._file.write(head)
                self._file.flush()
        except OSError as exc:
            raise self._error(exc) from exc
        if there.endswith(b"\n") and there != head:
            raise OutputError(
                "is of another grading: other eval files, prices, sessions or options; "
                "--force begins anew",
                at=Location(self.path),
            )

    def _lock(self) -> None:
        if sys.platform == "win32":  # has no such locks
            return
        try:
            # Not flock: that one processes of a pool would hold, too, and outlive us.
            fcntl.lockf(self._file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as exc:
            if exc.errno not in (errno.EACCES, errno.EAGAIN):
                return  # a file system without locks
            message = "another grading is writing to it"
            raise OutputError(message, at=Location(self.path)) from exc

    def next(self, portion: str) -> Done | None:
        """The next portion, if it is this one; else all from here on is given up."""
        start = self._file.tell()
        line = self._file.readline()
        if line.endswith(b"\n"):
            with contextlib.suppress(msgspec.MsgspecError):
                found = msgspec.json.decode(line, type=Done)
                if found.portion == portion:
                    return found
        self._file.seek(start)
        self._file.truncate()
        return None

    def add(self, done: Done) -> None:
        """Add what became of the next portion."""
        try:
            self._file.write(_encoder.encode(done) + b"\n")
            self._file.flush()
        except OSError as exc:
            raise self._error(exc) from exc

    def finish(self, *, overwrite: bool) -> None:
        """Put the rows in place."""
        with atomic_write(self._output, overwrite=overwrite) as file:
            for done in self._all():
                file.writelines(bytes(row) + b"\n" for row in done.rows)
        self._file.close()
        self.path.unlink(missing_ok=True)

    def close(self) -> None:
        """Leave it as it is; a later run goes on."""
        self._file.close()

    def _all(self) -> Iterator[Done]:
        self._file.seek(0)
        next(self._file)
        for line in self._file:
            yield msgspec.json.decode(line, type=Done)

    def _error(self, exc: OSError) -> OutputError:
        return OutputError(f"cannot be written: {exc.strerror}", at=Location(self.path))
