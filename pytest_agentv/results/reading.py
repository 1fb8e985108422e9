"""Reading runs: by their names, and by the paths of their folders or files."""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from pytest_agentv.errors import (
    AmbiguousRun,
    Location,
    ResultsError,
    RunNotFound,
    SessionError,
)
from pytest_agentv.files import open_regular, read_small
from pytest_agentv.results.foreign import foreign_row
from pytest_agentv.results.journal import Begun, Notes, read_note
from pytest_agentv.results.model import Row, Summary
from pytest_agentv.results.places import INDEX, INTERNAL, JOURNAL, SUMMARY
from pytest_agentv.results.repeats import repeats_of
from pytest_agentv.results.totals import totals_of
from pytest_agentv.results.transcripts import lines_of
from pytest_agentv.transcript.reading import read_transcripts, transcript_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_agentv.errors import AgentvError
    from pytest_agentv.transcript.model import Transcript

LATEST = "latest"
# A row holds excerpts and no session.
_LONGEST_ROW = 64 << 20


class _Whose(msgspec.Struct):
    """Whose a row is: AgentV's say no outcome."""

    outcome: object = None


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """A run that was kept."""

    # The results file that it was read from.
    path: Path
    summary: Summary
    rows: tuple[Row, ...]
    # What transcripts become before anybody gets them.
    shown: Callable[[Transcript], Transcript] | None = None
    # Where they are, by the names under which rows show them.
    places: dict[str, str] = {}

    @property
    def folder(self) -> Path:
        """Its folder; transcripts are named relative to it."""
        return _folder_of(self.path)

    def transcript(self, row: Row) -> Transcript:
        """The transcript that a row was graded on."""
        found = self._transcript(row)
        return found if self.shown is None else self.shown(found)

    def _transcript(self, row: Row) -> Transcript:
        path, line = self._transcript_path(row), row.transcript_line
        if line is None:
            found = next(read_transcripts(path), None)
            if found is None:
                raise ResultsError("is empty", at=Location(path))
            return found
        content = lines_of(path).line(line)
        if not content:
            raise ResultsError(f"has no line {line}", at=Location(path))
        return transcript_of(content, at=Location(path, line))

    def transcript_size(self, row: Row) -> int:
        """How many bytes the transcript of a row has; raises AgentvError if it cannot be had."""
        path, line = self._transcript_path(row), row.transcript_line
        lines = lines_of(path)
        return lines.size(line) if line is not None else lines.whole

    def _transcript_path(self, row: Row) -> Path:
        if row.transcript_path is None:
            raise RunNotFound(f"{row.case or row.test_id}: its transcript was not kept")
        folder = self.folder.resolve()
        name = row.transcript_path
        try:
            path = (folder / self.places.get(name, name)).resolve()
        except (OSError, RuntimeError, ValueError) as exc:  # links in a circle, a NUL
            message = f"the transcript {name!r} cannot be found"
            raise ResultsError(message, at=Location(self.path)) from exc
        if not path.is_relative_to(folder):  # a foreign file must not make us read others
            message = f"the transcript {name!r} lies outside of the run"
            raise ResultsError(message, at=Location(self.path))
        return path


def read_run(path: Path) -> Run:
    """The run in a folder, or of a results file: of ours, or an ``index.jsonl`` of AgentV's."""
    if path.is_dir():
        names = (INDEX, JOURNAL, f"{INTERNAL}/{INDEX}")
        path = next((path / one for one in names if (path / one).is_file()), path)
        if path.is_dir():
            raise RunNotFound(f"holds no {INDEX}: it is no run", at=Location(path))
    if path.name == JOURNAL:
        return _from_journal(path)
    rows = tuple(_rows(path))
    if not rows:
        raise ResultsError("holds no results", at=Location(path))
    summary = _summary_of(path.with_name(SUMMARY)) if path.name == INDEX else None
    if summary is None:
        summary = Summary(
            run_id=_folder_of(path).absolute().name if path.name == INDEX else path.stem,
            started_at=rows[0].timestamp,
            ended_at=rows[-1].timestamp,
            complete=True,
            targets=totals_of(rows),
            repeats=repeats_of(rows),
        )
    return Run(path=path, summary=summary, rows=rows)


def summaries(root: Path) -> list[Summary]:
    """What the runs below a folder were, the newest first; of most, one small file is read."""
    return runs_in(root)[0]


def runs_in(root: Path) -> tuple[list[Summary], list[AgentvError]]:
    """The runs below a folder, the newest first, and why other folders there are none."""
    try:
        folders = sorted(
            one for one in root.iterdir() if one.is_dir() and not one.name.startswith(".")
        )
    except OSError:
        return [], []
    found = [_summary_in(folder) for folder in folders]
    known = [one for one in found if isinstance(one, Summary)]
    problems = [one for one in found if not isinstance(one, Summary)]
    known.sort(key=lambda one: (one.started_at or "", one.run_id), reverse=True)
    return known, problems


def find_run(what: str, *, root: Path) -> Run:
    """A run by its id, which may be shortened, by ``latest``, or by a path."""
    if is_path(what):
        return read_run(Path(what))
    known = [one.run_id for one in summaries(root)]
    if what == LATEST and known:
        return read_run(root / known[0])
    fitting = [one for one in known if one.startswith(what)] if what else []
    if what in fitting or len(fitting) == 1:
        return read_run(root / (what if what in fitting else fitting[0]))
    if fitting:
        shown = ", ".join(sorted(fitting)[:5])
        raise AmbiguousRun(f"{what!r} fits {len(fitting)} runs: {shown}; write more of the id")
    there = f"the newest is {known[0]}" if known else none_in(root)
    raise RunNotFound(
        there if what == LATEST else f"no run {what!r}, and no such file or folder; {there}"
    )


def none_in(root: Path) -> str:
    """Says that there is no run at all, and what would make one."""
    return f"there is no run in {root}; agentv eval and pytest --agentv-results keep one"


def is_path(what: str) -> bool:
    """Whether the name of a run is that of a file or folder."""
    try:
        return bool(what) and Path(what).exists()
    except (OSError, ValueError):  # a name that is too long, or has a NUL
        return False


def _summary_in(folder: Path) -> Summary | AgentvError:
    """What a folder says of its run. The folder is what it is found by, whatever is written."""
    try:
        summary = _summary_of(folder / SUMMARY) if (folder / INDEX).is_file() else None
        return replace(summary or read_run(folder).summary, run_id=folder.name)
    except (ResultsError, SessionError) as exc:
        return exc


def _summary_of(path: Path) -> Summary | None:
    try:
        return msgspec.json.decode(read_small(path), type=Summary, strict=False)
    except (SessionError, msgspec.DecodeError, UnicodeDecodeError):
        return None


def _rows(path: Path) -> Iterator[Row]:
    for number, line in _lines(path):
        yield _decoded_row(line, at=Location(path, number))


def _folder_of(path: Path) -> Path:
    """The folder of the run that a results file is of."""
    return path.parent.parent if path.parent.name == INTERNAL else path.parent


def _decoded_row(line: bytes, *, at: Location) -> Row:
    try:
        whose, row = _decoders()
        return foreign_row(line) if whose.decode(line).outcome is None else row.decode(line)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as exc:
        raise ResultsError(f"is no row of results: {exc}", at=at) from exc


# Made when they are needed: who keeps a run loads this module, too, and reads no rows.
@cache
def _decoders() -> tuple[msgspec.json.Decoder[_Whose], msgspec.json.Decoder[Row]]:
    return msgspec.json.Decoder(_Whose), msgspec.json.Decoder(Row, strict=False)


def _from_journal(path: Path) -> Run:
    """What is left of a run that never ended; its last line may be torn."""
    lines = _lines(path)
    try:
        begun = msgspec.json.decode(next(lines, (1, b""))[1], type=Begun, strict=False)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as exc:
        raise ResultsError("is no journal of a run", at=Location(path)) from exc
    notes = Notes(note for _, line in lines if (note := read_note(line)) is not None)
    return Run(path=path, summary=notes.summary(begun), rows=notes.rows)


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    with open_regular(path) as file:
        for number, line in enumerate(iter(partial(file.readline, _LONGEST_ROW + 1), b""), 1):
            if len(line) > _LONGEST_ROW:
                message = f"is longer than {_LONGEST_ROW >> 20} MiB: it is no row of results"
                raise ResultsError(message, at=Location(path, number))
            if line.strip():
                yield number, line
