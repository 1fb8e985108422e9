"""Naming files, opening those that may be anything, writing them whole or not at all.

Sessions are named by users, by vendors' databases and by globs, so a path can be a FIFO, a
device or a directory: opening one must neither hang nor read endlessly.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from pytest_agentv.errors import Location, OutputError, SessionNotFound, SessionUnreadable

if TYPE_CHECKING:
    from collections.abc import Iterator

# Large enough that two passes over a session cost little, small enough to stay in cache.
_BUFFER = 1 << 18

# How text begins that some programs on Windows write.
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def open_regular(path: Path, *, buffer: int = _BUFFER) -> BinaryIO:
    """Open a regular file for reading; anything else is an error, never a hang.

    ``buffer`` is how many bytes are read at once, for those who want less of a file than all.
    """
    try:
        # O_NONBLOCK: a FIFO without a writer would block in open(), before we could look at it.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | _O_BINARY)
    except FileNotFoundError as exc:
        raise SessionNotFound("no such file", at=Location(path)) from exc
    except (OSError, ValueError) as exc:  # ValueError: a NUL in the name
        raise SessionUnreadable(f"cannot be opened: {_reason(exc)}", at=Location(path)) from exc
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or _is_of_kernel(status):
        os.close(descriptor)
        message = f"is {_file_kind(status.st_mode)}, not a regular file"
        raise SessionUnreadable(message, at=Location(path))
    file = os.fdopen(descriptor, "rb", buffering=buffer)
    try:
        # Some files of the kernel's are regular in name only.
        file.seek(0, os.SEEK_END)
        file.seek(0)
    except OSError as exc:
        file.close()
        raise SessionUnreadable(f"cannot be read: {_reason(exc)}", at=Location(path)) from exc
    return file


def name_below(path: Path, folder: Path) -> str:
    """A path as people call it: from a folder on, if it lies there, with slashes on any system."""
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else str(path)


def read_part(path: Path, start: int, size: int) -> bytes:
    """A part of a regular file; less of it, where the file ends before."""
    with open_regular(path, buffer=0) as file:
        file.seek(start)
        return file.read(size)


def read_small(path: Path, *, limit: int = 64 << 20) -> bytes:
    """All of a regular file that people write; one that is far larger than any is an error."""
    with open_regular(path) as file:
        try:
            raw = file.read(limit + 1)
        except OSError as exc:
            raise SessionUnreadable(f"cannot be read: {_reason(exc)}", at=Location(path)) from exc
    if len(raw) > limit:
        raise SessionUnreadable(f"is larger than {limit >> 20} MiB", at=Location(path))
    return raw


def create_private(path: Path) -> BinaryIO:
    """Make a file that only its owner may read, to add to: each write is there at once, or raises.

    OSError if there is one, or none can be made.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | _O_BINARY
    return os.fdopen(os.open(path, flags, 0o600), "ab", buffering=0)


def unnamed_file() -> BinaryIO:
    """Make a file that has no name and is gone when it is closed, in the temporary folder.

    For what does not fit into memory. OSError if none can be made.
    """
    # The module tempfile loads all compressions, and most systems do not need it for this. But
    # where it is loaded, somebody may have told it of another folder.
    if _O_TMPFILE is not None and "tempfile" not in sys.modules:
        folder = os.environ.get("TMPDIR") or "/tmp"  # noqa: S108 (nobody can guess no name)
        with contextlib.suppress(OSError):
            descriptor = os.open(folder, os.O_RDWR | os.O_EXCL | _O_TMPFILE, 0o600)
            return os.fdopen(descriptor, "w+b")
    import tempfile  # noqa: PLC0415 (see above)

    file: Any = tempfile.TemporaryFile()  # noqa: SIM115 (returned open)
    return file  # type: ignore[no-any-return]


@contextlib.contextmanager
def atomic_write(path: Path, *, overwrite: bool, private: bool = True) -> Iterator[BinaryIO]:
    """Write a file that appears whole, at the end, or not at all.

    An error inside the block leaves what stood at ``path`` before. A file that is not ``private``
    may be read by whom the umask lets, as that of any other program.
    """
    try:
        if path.exists() and not path.is_file():
            raise OutputError("is not a regular file", at=Location(path))
        if not overwrite and os.path.lexists(path):
            raise OutputError("exists already; --force overwrites it", at=Location(path))
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = _temporary_beside(path, private=private)
    except (OSError, ValueError) as exc:
        raise OutputError(f"cannot be written: {_reason(exc)}", at=Location(path)) from exc
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "w+b", buffering=_BUFFER) as file:
            yield file
            file.flush()
            os.fsync(descriptor)
        _put_in_place(temporary, path, overwrite=overwrite)
    except OSError as exc:
        raise OutputError(f"cannot be written: {_reason(exc)}", at=Location(path)) from exc
    finally:
        temporary.unlink(missing_ok=True)


def no_room(exc: OSError) -> OutputError:
    """The error that a draft of a session does not fit where temporary files are."""
    reason = exc.strerror or exc
    return OutputError(f"no room for a draft of the session in the temporary folder: {reason}")


def _temporary_beside(path: Path, *, private: bool) -> tuple[int, str]:
    # Not the module secrets, nor tempfile: they load OpenSSL and all compressions.
    name = str(path.with_name(f".{path.name[:40]}.{os.urandom(8).hex()}"))
    # Not os.umask(): the only way to read it sets it, for all threads.
    mode = 0o600 if private else 0o666
    return os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL | _O_BINARY, mode), name


def _put_in_place(temporary: Path, path: Path, *, overwrite: bool) -> None:
    if overwrite:
        temporary.replace(path)
        return
    try:
        # A hard link fails where the name is taken, so two importers cannot overwrite each other.
        os.link(temporary, path)
    except FileExistsError as exc:
        raise OutputError("exists already; --force overwrites it", at=Location(path)) from exc
    except OSError:  # a file system without hard links
        temporary.replace(path)


def _reason(exc: Exception) -> str:
    return (exc.strerror if isinstance(exc, OSError) else None) or str(exc)


def _is_of_kernel(status: os.stat_result) -> bool:
    """Whether a file is regular in name only: to read one below /proc may mean to wait."""
    if status.st_size:
        return False
    try:
        return status.st_dev == os.stat("/proc").st_dev  # noqa: PTH116 (for every file)
    except OSError:
        return False


def _file_kind(mode: int) -> str:
    kinds = [
        (stat.S_ISDIR, "a directory"),
        (stat.S_ISFIFO, "a named pipe"),
        (stat.S_ISSOCK, "a socket"),
        (stat.S_ISCHR, "a device"),
        (stat.S_ISBLK, "a device"),
        (stat.S_ISREG, "made by the kernel"),
    ]
    return next((name for test, name in kinds if test(mode)), "something else")


_O_BINARY = getattr(os, "O_BINARY", 0)
_O_TMPFILE: int | None = getattr(os, "O_TMPFILE", None)
