"""Importing: one session into one transcript file, whole or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from pytest_agentv.adapters.base import calling
from pytest_agentv.errors import AgentvError, Location, OutputError, SessionUnreadable
from pytest_agentv.files import atomic_write
from pytest_agentv.transcript.writing import write_stream

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import BinaryIO

    from pytest_agentv.adapters.base import Adapter, ReadOptions, SessionRef
    from pytest_agentv.redact import Redactor
    from pytest_agentv.transcript.stream import SessionStream
    from pytest_agentv.transcript.writing import Written

_Done = TypeVar("_Done")


class Imported(msgspec.Struct, frozen=True):
    """What an import wrote."""

    path: Path
    session: Path
    session_id: str | None
    provider: str
    messages: int
    tool_calls: int
    drift: dict[str, int]
    drift_lines: dict[str, int]
    # The receipt of a redaction.
    privacy: dict[str, Any] | None = None


def import_session(
    adapter: Adapter,
    ref: SessionRef,
    options: ReadOptions,
    *,
    output: Path,
    is_folder: bool = False,
    test_id: str | None = None,
    overwrite: bool = False,
    strict: bool = False,
    redactor: Redactor | None = None,
) -> Imported:
    """Read a session and write its transcript; with ``strict`` drift is an error.

    ``output`` is a file or a folder, in which the transcript gets a name by its session's id; a
    folder that does not exist yet is known by ``is_folder``.
    """
    with calling(adapter):
        session = Redacted(lambda: adapter.read(ref, options), redactor)
        source = session.stream.head.source
    if is_folder or output.is_dir():
        output = place_in(output, adapter, source.session_id, cleaned_path(ref.path, redactor))
    if output.exists() and output.samefile(ref.path):
        raise OutputError("is the session itself", at=Location(output))
    with atomic_write(output, overwrite=overwrite) as file:
        with calling(adapter):
            written = session.write_to(file, test_id=test_id)
            tail = session.stream.tail
        if strict and tail.drift:
            found = describe_drift(tail.drift, tail.drift_lines)
            raise SessionUnreadable(f"not all of it is understood: {found}", at=Location(ref.path))
    return Imported(
        path=output,
        session=ref.path,
        session_id=source.session_id,
        provider=source.provider,
        messages=written.messages,
        tool_calls=written.tool_calls,
        drift=dict(tail.drift),
        drift_lines=dict(tail.drift_lines),
        privacy=tail.privacy,
    )


class Redacted:
    """A session as it may leave the process, its receipt included.

    A secret may stand somewhere before it is known to be one, by the name that it has elsewhere.
    """

    def __init__(self, read: Callable[[], SessionStream], redactor: Redactor | None) -> None:
        self._read = read
        self._redactor = None if redactor is None else redactor.fresh()
        self.stream = self._opened()

    def write_to(self, file: BinaryIO, *, test_id: str | None = None) -> Written:
        """Write it at the end of a file; what was known too late is mended there."""
        start = file.tell()
        written = write_stream(file, self.stream, test_id=test_id)
        if self._redactor is None:
            return written
        from pytest_agentv.redact.mending import Draft  # noqa: PLC0415 (with the rules)
        from pytest_agentv.redact.streams import RedactedStream  # noqa: PLC0415

        if not isinstance(self.stream, RedactedStream):  # nothing is redacted
            return written
        draft = Draft(file, start, self.stream)
        late = self._redactor.late()
        places = None if late is None else draft.places(late)
        if places == []:
            return written
        import tempfile  # noqa: PLC0415 (it loads all compressions)

        with tempfile.TemporaryFile() as copy:
            if places is None:
                self._again()
            else:
                self.stream = draft.mended(places, self._redactor, copy)
            file.seek(start)
            file.truncate()
            return write_stream(file, self.stream, test_id=test_id)

    def given_to(self, take: Callable[[SessionStream], _Done]) -> _Done:
        """Give it to a function, and again if something was known too late."""
        done = take(self.stream)
        if self._redactor is not None:
            late = self._redactor.late()
            if late is None or any(late):
                del done  # it may hold a part of the session
                self._again()
                done = take(self.stream)
        return done

    def _again(self) -> None:
        """Read it again, with all that is known now."""
        assert self._redactor is not None
        self._redactor = self._redactor.again()
        del self.stream  # it may hold a part of the session
        self.stream = self._opened()

    def learned(self) -> SessionStream:
        """The session to be shown while it is read: what is secret in it is learned before."""
        if self._redactor is not None:
            for message in self._read().messages():
                self._redactor.learn(message)
        return self.stream

    def _opened(self) -> SessionStream:
        stream = self._read()
        return stream if self._redactor is None else self._redactor.stream(stream)


def cleaned_path(path: Path, redactor: Redactor | None) -> Path:
    """A file by the name that files made of it may have."""
    return path if redactor is None else path.with_name(redactor.fresh().text(path.name))


def place_in(folder: Path, adapter: Adapter, session_id: str | None, path: Path) -> Path:
    """Where a transcript goes: by the beginning of its id, or by all of it if that is taken.

    Ids that begin with a time are alike for sessions that began together.
    """
    from pytest_agentv.adapters.discovery import (  # noqa: PLC0415 (it loads the configuration)
        default_name,
    )

    short = folder / default_name(adapter, session_id, path)
    if not short.is_file():
        return short
    from pytest_agentv.transcript.reading import read_heads  # noqa: PLC0415 (hardly ever needed)

    try:
        held = [head.source.session_id for head in read_heads(short)]
    except AgentvError:
        return short
    is_of_another = bool(held) and session_id is not None and session_id not in held
    return folder / default_name(adapter, session_id, path, length=64) if is_of_another else short


def describe_drift(drift: dict[str, int], lines: dict[str, int]) -> str:
    """Drift in words: each reason, how often, and where first."""
    return ", ".join(
        f"{reason}: {count}" + (f" (first: line {lines[reason]})" if reason in lines else "")
        for reason, count in sorted(drift.items())
    )
