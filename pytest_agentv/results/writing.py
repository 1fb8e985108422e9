"""Writing a run: noted while it goes on, put in place when it ends."""

from __future__ import annotations

import contextlib
import time
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from pytest_agentv.errors import Location, OutputError
from pytest_agentv.files import atomic_write, create_private
from pytest_agentv.results.journal import Begun, Notes
from pytest_agentv.results.places import INDEX, JOURNAL, SUMMARY
from pytest_agentv.results.reading import Run
from pytest_agentv.results.transcripts import gathered, remove_parts

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pytest_agentv.results.journal import Graded

_encoder = msgspec.json.Encoder()


def now() -> str:
    """The time, as the files of a run write it."""
    seconds, milliseconds = divmod(time.time_ns() // 1_000_000, 1000)
    return f"{_second(seconds)}.{milliseconds:03}Z"


@lru_cache(maxsize=1)
def _second(seconds: int) -> str:
    """A second, which many cases have in common."""
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))


class RunWriter:
    """A run that goes on: every note is in its journal as soon as it is made."""

    def __init__(
        self,
        root: Path,
        *,
        agentv_version: str | None = None,
        pytest_version: str | None = None,
        arguments: Sequence[str] = (),
    ) -> None:
        """Make a folder below ``root`` that no other run has."""
        started_at = now()
        self.folder = _new_folder(root, started_at)
        self._path = self.folder / JOURNAL
        try:
            self._file = create_private(self._path)
        except OSError as exc:
            message = f"cannot be written: {exc.strerror}"
            raise OutputError(message, at=Location(self._path)) from exc
        self._noted: list[Graded] = []
        self._begun = Begun(
            run_id=self.folder.name,
            started_at=started_at,
            agentv_version=agentv_version,
            pytest_version=pytest_version,
            arguments=tuple(arguments),
        )
        self._append(_encoder.encode(self._begun))

    def note(self, note: Graded, line: bytes | None = None) -> None:
        """Append a note to the journal: a process that is killed later loses nothing of it.

        ``line``: what is written of it, if somebody made it already.
        """
        self._append(_encoder.encode(note) if line is None else line)
        self._noted.append(note)

    def _append(self, line: bytes) -> None:
        try:
            self._file.write(line + b"\n")
        except OSError as exc:
            message = f"cannot be written: {exc.strerror}"
            raise OutputError(message, at=Location(self._path)) from exc

    def finish(self, *, complete: bool, exit_status: int | None) -> Run:
        """Put the results in place of the journal."""
        self.close()
        if not self._path.exists():  # with all of the folder, or somebody wants no such run
            raise OutputError("no such file", at=Location(self._path))
        notes = Notes(self._noted)
        rows = gathered(self.folder, notes.rows)
        summary = msgspec.structs.replace(
            notes.summary(self._begun),
            ended_at=now(),
            complete=complete,
            exit_status=exit_status,
        )
        with atomic_write(self.folder / SUMMARY, overwrite=True) as file:
            file.write(msgspec.json.format(_encoder.encode(summary), indent=2) + b"\n")
        # The last: with it there, the run is one that has ended.
        with atomic_write(self.folder / INDEX, overwrite=True) as file:
            file.writelines(_encoder.encode(row) + b"\n" for row in rows)
        self._path.unlink()
        remove_parts(self.folder)
        return Run(path=self.folder / INDEX, summary=summary, rows=rows)

    def close(self) -> None:
        """Leave the journal as it is: what it says is all there will be of the run."""
        self._file.close()

    def discard(self) -> None:
        """Take the folder away again: there was nothing to keep."""
        self.close()
        with contextlib.suppress(OSError):  # something else was put there
            self._path.unlink()
            self.folder.rmdir()


def _new_folder(root: Path, started_at: str) -> Path:
    """Named by the time, so that names sort as runs do; of several at once, later ones count."""
    name = started_at.partition(".")[0].replace(":", "-") + "Z"
    number = 1
    while True:
        folder = root / (name if number == 1 else f"{name}-{number}")
        try:
            root.mkdir(parents=True, exist_ok=True)
            folder.mkdir()
        except FileExistsError:
            if not root.is_dir():
                raise OutputError("is not a folder", at=Location(root)) from None
            number += 1
        except OSError as exc:
            raise OutputError(f"cannot be made: {exc.strerror}", at=Location(folder)) from exc
        else:
            return folder
