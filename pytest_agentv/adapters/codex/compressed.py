"""Sessions that Codex has compressed: it packs those that lay idle for a week, as Zstandard.

They are unpacked into a temporary file, because records are read by their place. A compressed
file may be cut off, damaged, or made to fill a disk: what can be had of it is kept, up to limits.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import sys
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, Protocol

from pytest_agentv.errors import Location, OutputError, SessionUnreadable
from pytest_agentv.files import open_regular, unnamed_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import IO, BinaryIO

    from pytest_agentv.adapters.records import Drift

SUFFIX = ".zst"

_MAGIC = b"\x28\xb5\x2f\xfd"

# No packed session, and nothing that comes out of one, may be larger.
_MAX_SIZE = 4 << 30
# Sessions shrink to a tenth or so. What grows a thousand times was made to fill the disk.
_MAX_GROWTH = 1000
_ALWAYS_ALLOWED = 256 << 20
# Codex writes a single frame. Each takes a decompressor of its own, and may be 9 bytes small.
_MAX_FRAMES = 100_000
# Of compressed bytes at a time. Four of them may stand for 128 KiB, so this bounds the memory.
_CHUNK = 1 << 10
# Nothing comes out of a block, which is 128 KiB at most, before all of it was read.
_SPARE_CHUNKS = 256


class _Frame(Protocol):
    """The decompressor of one frame; all libraries have the same."""

    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, /) -> bytes: ...


class _Library(NamedTuple):
    """How an installed library decompresses. All refuse windows of more than 128 MiB."""

    new_frame: Callable[[], _Frame]
    error: type[Exception]


class _Broken(Exception):
    """The compressed data ends or turns bad; the text is a reason for drift."""


def open_session(path: Path, *, limit: int | None = None, drift: Drift | None = None) -> BinaryIO:
    """Open a session, unpacked if it is compressed.

    With a ``limit``, no more than so many bytes are unpacked, and in memory: for a look at the
    beginning. Without, what is lost of a damaged file is noted in ``drift``.
    """
    file = open_regular(path)
    with contextlib.ExitStack() as opened:
        opened.enter_context(file)
        try:
            head = file.read(len(_MAGIC))
            size = file.seek(0, os.SEEK_END)
            file.seek(0)
        except OSError as exc:
            raise _unreadable(path, exc) from exc
        # An empty file is an empty session, whatever its name is.
        if head != _MAGIC and not (head and path.suffix == SUFFIX):
            opened.pop_all()
            return file
        library = _library(path)
        chunks = _chunks(file, path)
        if limit is not None:
            # Data hardly grows when it is compressed: more would be padding.
            chunks = islice(chunks, limit // _CHUNK + _SPARE_CHUNKS)
            return _beginning(_pieces(chunks, library), limit, path)
        return _temporary_file(_allowed(_pieces(chunks, library), size, path), path, drift)


def _temporary_file(pieces: Iterator[bytes], path: Path, drift: Drift | None) -> BinaryIO:
    """A file of what can be unpacked; it is gone when it is closed."""
    try:
        with contextlib.ExitStack() as on_error:
            file = unnamed_file()
            on_error.callback(_discard, file)
            _write(pieces, file, path, drift)
            file.seek(0)
            on_error.pop_all()
    except OSError as exc:  # no such folder, or no space left
        message = f"cannot be unpacked into the temporary folder: {exc.strerror or exc}"
        raise OutputError(message, at=Location(path)) from exc
    return file


def _discard(file: IO[bytes]) -> None:
    # Closing writes what is left, and there may be no space for it.
    with contextlib.suppress(OSError):
        file.close()


def _beginning(pieces: Iterator[bytes], limit: int, path: Path) -> BinaryIO:
    """The first bytes of what can be unpacked, in memory."""
    file = io.BytesIO()
    _write(_first(pieces, limit), file, path, None)
    file.seek(0)
    return file


def _write(pieces: Iterator[bytes], file: IO[bytes], path: Path, drift: Drift | None) -> None:
    """Write what can be unpacked; an error if that is nothing at all."""
    line = 1
    try:
        for piece in pieces:
            file.write(piece)
            line += piece.count(b"\n")
    except _Broken as exc:
        if not file.tell():
            message = f"cannot be unpacked: {exc.__cause__ or exc}"
            raise SessionUnreadable(message, at=Location(path)) from exc
        if drift is not None:
            drift.note(str(exc), line)


def _pieces(chunks: Iterator[bytes], library: _Library) -> Iterator[bytes]:
    """What compressed data holds; raises _Broken where it cannot be unpacked any further."""
    frame = None
    frames = 0
    for chunk in chunks:
        rest = chunk
        while rest:
            if frame is None or frame.eof:
                frame = library.new_frame()
                frames += 1
            if frames > _MAX_FRAMES:
                raise _Broken(f"more than {_MAX_FRAMES} compressed frames")
            try:
                yield frame.decompress(rest)
            except library.error as exc:
                raise _Broken("compressed data damaged") from exc
            rest = frame.unused_data if frame.eof else b""
    if frame is not None and not frame.eof:
        raise _Broken("compressed data cut off")


def _chunks(file: BinaryIO, path: Path) -> Iterator[bytes]:
    try:
        yield from iter(partial(file.read, _CHUNK), b"")
    except OSError as exc:
        raise _unreadable(path, exc) from exc


def _allowed(pieces: Iterator[bytes], size: int, path: Path) -> Iterator[bytes]:
    """The pieces; an error if they are more than a file of this size should hold."""
    if size > _MAX_SIZE:
        raise _too_large(path, "is", _MAX_SIZE)
    allowed = min(_MAX_SIZE, max(_ALWAYS_ALLOWED, _MAX_GROWTH * size))
    room = allowed
    for piece in pieces:
        room -= len(piece)
        if room < 0:
            raise _too_large(path, "unpacks to", allowed)
        yield piece


def _first(pieces: Iterator[bytes], limit: int) -> Iterator[bytes]:
    """No more than the first bytes."""
    room = limit
    for piece in pieces:
        yield piece[:room]
        room -= len(piece)
        if room <= 0:
            return


def _library(path: Path) -> _Library:
    """The library to decompress with: Python's own, its backport, or the older package."""
    # Before 3.14, a module of this name would be somebody else's.
    own = ["compression.zstd"] if sys.version_info >= (3, 14) else []
    for name in [*own, "backports.zstd"]:
        with contextlib.suppress(ImportError):
            module = importlib.import_module(name)
            return _Library(module.ZstdDecompressor, module.ZstdError)
    with contextlib.suppress(ImportError):
        module = importlib.import_module("zstandard")
        new_frame = module.ZstdDecompressor().decompressobj
        if hasattr(new_frame(), "eof"):  # the oldest have none
            return _Library(new_frame, module.ZstdError)
    message = (
        "is compressed with Zstandard, and nothing is installed that could unpack it: "
        "pip install 'pytest-agentv[zstd]'"
    )
    raise SessionUnreadable(message, at=Location(path))


def _too_large(path: Path, verb: str, limit: int) -> SessionUnreadable:
    message = (
        f"{verb} more than {limit >> 20} MiB, too much for a compressed session; "
        "if it is one, unpack it with 'zstd -d' and import the result"
    )
    return SessionUnreadable(message, at=Location(path))


def _unreadable(path: Path, exc: OSError) -> SessionUnreadable:
    return SessionUnreadable(f"cannot be read: {exc.strerror}", at=Location(path))
