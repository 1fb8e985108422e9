"""Writers that are killed at random moments or run out of room, and what they must leave behind.

Run as a program: it loads everything once, and forks for each attempt. ``killing.py FOLDER kill
200`` prints how often each writer was killed, and how often before it was done; ``killing.py
FOLDER fill`` how often it found no room.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import resource
import shutil
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from claude_sessions import Session, text
from eval_runs import one_test, recorded

from pytest_agentv import read_transcripts
from pytest_agentv.cli.main import main
from pytest_agentv.errors import AgentvError
from pytest_agentv.judge.cache import CachedVerdict, Key, VerdictCache
from pytest_agentv.results import baseline
from pytest_agentv.results.reading import read_run, runs_in
from pytest_agentv.search import indexing, vectors
from pytest_agentv.search.schema import open_index
from pytest_agentv.search.settings import VectorSettings

try:
    from pyarrow import parquet
except ImportError:  # an extra
    parquet = None

_STEPS = 100
_ASSERTIONS = 12
_GRADED = 20
_SESSIONS = 3
_OLD = b"old\n"
_FAILED = 3


class Writer:
    """Something that writes into a folder; the folder is new each time it has done so."""

    def prepare(self, folder: Path) -> None:
        """Put what it has to replace into the folder, if anything."""

    def write(self, folder: Path) -> None:
        """Do it; raises if it could not."""
        raise NotImplementedError

    def check(self, folder: Path) -> None:
        """See that what is there is whole, however far the writer got."""
        raise NotImplementedError

    def check_complete(self, folder: Path) -> None:
        """See that all is there; the writer has ended."""
        raise NotImplementedError


def visible(folder: Path) -> set[str]:
    """The names that a pattern finds: what is half-written has a name that begins with a dot."""
    return {path.name for path in folder.iterdir() if not path.name.startswith(".")}


class OneFile(Writer):
    """A command that writes one file, which is the old one or the new one, and never a part."""

    def __init__(self, name: str, *arguments: str) -> None:
        self._name, self._arguments = name, arguments
        self._expected: bytes | None = None

    def prepare(self, folder: Path) -> None:
        (folder / self._name).write_bytes(_OLD)

    def write(self, folder: Path) -> None:
        main([*self._arguments, "-o", str(folder / self._name), "--force"])

    def check(self, folder: Path) -> None:
        assert visible(folder) == {self._name}
        assert (folder / self._name).read_bytes() in (_OLD, self._expected)

    def check_complete(self, folder: Path) -> None:
        content = (folder / self._name).read_bytes()
        assert content.startswith((b"{", b"<!"))
        assert content == (self._expected or content)
        self._expected = content


class ImportAll(Writer):
    """All sessions of a home, each a file."""

    def write(self, folder: Path) -> None:
        main(["import", "claude", "--all", "-o", str(folder), "--force"])

    def check(self, folder: Path) -> None:
        for name in visible(folder):
            (transcript,) = read_transcripts(folder / name)
            assert len(transcript.output) == _STEPS + 1

    def check_complete(self, folder: Path) -> None:
        self.check(folder)
        assert len(visible(folder)) == _SESSIONS


class Cache(Writer):
    """Verdicts of judges."""

    _keys = tuple(Key(f"{number:02}" + "a" * 38, "b" * 16) for number in range(40))

    def write(self, folder: Path) -> None:
        for key in self._keys:
            VerdictCache(folder).put(key, CachedVerdict(model="m", answers=()))

    def check(self, folder: Path) -> None:
        assert VerdictCache(folder).statistics()["unreadable"] == 0

    def check_complete(self, folder: Path) -> None:
        self.check(folder)
        assert VerdictCache(folder).statistics()["verdicts"] == len(self._keys)


class Baseline(Writer):
    """A file that a project commits."""

    def __init__(self) -> None:
        self._outcomes: dict[baseline.Key, Any] = {
            baseline.Key("a.yaml", f"case {number}", "claude-cli", "x"): "failed"
            for number in range(2000)
        }

    def write(self, folder: Path) -> None:
        baseline.write_baseline(folder / "baseline.json", self._outcomes)

    def check(self, folder: Path) -> None:
        assert visible(folder) <= {"baseline.json"}
        if visible(folder):
            assert baseline.read_baseline(folder / "baseline.json") == self._outcomes

    def check_complete(self, folder: Path) -> None:
        self.check(folder)
        assert visible(folder)


class Results(Writer):
    """A run of pytest that is kept."""

    def write(self, folder: Path) -> None:
        os.chdir(folder.parent / "evals")
        # Captured output would be written to files, too.
        options = ["-q", "-s", "-p", "no:cacheprovider", "--transcript=t.jsonl"]
        if pytest.main([*options, f"--agentv-results={folder}"]):
            raise SystemExit(1)

    def check(self, folder: Path) -> None:
        for summary in runs_in(folder)[0]:
            run = read_run(folder / summary.run_id)
            graded = sum(len(row.scores) for row in run.rows)
            assert graded == _ASSERTIONS if summary.complete else graded <= _ASSERTIONS
            assert run.summary.complete == summary.complete

    def check_complete(self, folder: Path) -> None:
        self.check(folder)
        assert any(run.complete for run in runs_in(folder)[0])


class Grading(Writer):
    """Rows of many sessions: all of them, or a part that the next run goes on with."""

    def write(self, folder: Path) -> None:
        os.chdir(folder.parent / "evals")
        rows = folder / "rows.jsonl"
        again = ["--force"] if rows.exists() else []
        given = ["--transcript", "many", "--workers", "1", "-o", str(rows)]
        main(["grade", "a.eval.yaml", *given, *again])

    def check(self, folder: Path) -> None:
        assert visible(folder) <= {"rows.jsonl", "rows.jsonl.part"}
        if "rows.jsonl" in visible(folder):
            lines = (folder / "rows.jsonl").read_text(encoding="utf-8").splitlines()
            sessions = [json.loads(line)["source"]["session_id"] for line in lines]
            assert sessions == [f"session-{number:02}" for number in range(_GRADED)]

    def check_complete(self, folder: Path) -> None:
        self.check(folder)
        assert visible(folder) == {"rows.jsonl"}


class Tables(Writer):
    """Sessions as Parquet: three files, each whole, and that of sessions after the others."""

    _names = frozenset({"sessions.parquet", "messages.parquet", "tool_calls.parquet"})

    def __init__(self, *sessions: str) -> None:
        self._sessions = sessions

    def write(self, folder: Path) -> None:
        options = ["--format", "parquet", "-o", str(folder), "--force"]
        main(["export", *self._sessions, *options])

    def check(self, folder: Path) -> None:
        found = visible(folder)
        assert found == self._names if "sessions.parquet" in found else found <= self._names
        rows = {name: parquet.ParquetFile(folder / name).metadata.num_rows for name in found}
        assert rows.get("sessions.parquet", _SESSIONS) == _SESSIONS
        assert rows.get("messages.parquet", 0) in (0, _SESSIONS * (_STEPS + 1))

    def check_complete(self, folder: Path) -> None:
        self.check(folder)
        assert visible(folder) == self._names


class Index(Writer):
    """The index of all sessions, made anew each time: whole sessions, each once, or none."""

    def __init__(self) -> None:
        # Small portions, so that there are many moments between two transactions.
        indexing._PORTION, vectors._SESSIONS = 10_000, 1
        vectors.encoder(VectorSettings())

    def write(self, folder: Path) -> None:
        os.environ["AGENTV_INDEX_PATH"] = str(folder / "index.db")
        try:
            main(["index", "rebuild"])
        except SystemExit as exc:
            raise SystemExit(1 if exc.code else 0) from exc

    def check(self, folder: Path) -> None:
        self._sessions_in(folder)

    def check_complete(self, folder: Path) -> None:
        assert self._sessions_in(folder) == _SESSIONS

    def _sessions_in(self, folder: Path) -> int:
        if not (folder / "index.db").exists():
            return 0
        with contextlib.closing(open_index(folder / "index.db")) as db:
            assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            db.execute("INSERT INTO words(words) VALUES ('integrity-check')")
            counts = db.execute("SELECT path, documents FROM sources").fetchall()
            (documents,) = db.execute("SELECT count(*) FROM documents").fetchone()
        assert len(dict(counts)) == len(counts)
        assert [count for _, count in counts] == [_STEPS + 1] * len(counts)
        assert documents == len(counts) * (_STEPS + 1)
        return len(counts)


def writers(folder: Path) -> dict[str, Writer]:
    """All of them; what they read is made in a folder."""
    home = folder / "home"
    for number in range(_SESSIONS):
        session = Session(f"{number}0000000-0000-4000-8000-000000000000")
        session.prompt("Go")
        for step in range(_STEPS):
            session.response(f"msg_{step}", text(f"Step {step} " + "x" * 500))
        given = session.write_in(home / ".claude" / "projects" / "-home-dev-shop")
    evals = folder / "evals"
    evals.mkdir()
    claims = ["contains: Done"] * _ASSERTIONS
    (evals / "a.eval.yaml").write_text(one_test(*claims), encoding="utf-8")
    (evals / "t.jsonl").write_text(json.dumps(recorded()) + "\n", encoding="utf-8")
    (evals / "many").mkdir()
    for number in range(_GRADED):
        one = json.dumps(recorded(session_id=f"session-{number:02}")) + "\n"
        (evals / "many" / f"{number:02}.jsonl").write_text(one, encoding="utf-8")
    os.environ.update({"HOME": str(home), "XDG_CONFIG_HOME": str(home)})
    session_file = str(given)
    made: dict[str, Writer] = {
        "import": OneFile("out.jsonl", "import", "claude", "--file", session_file),
        "import-all": ImportAll(),
        "redact": OneFile("out.jsonl", "redact", session_file),
        "export": OneFile("out.jsonl", "export", session_file, "--format", "openai"),
        "page": OneFile("out.html", "export", session_file, "--format", "html"),
        "cache": Cache(),
        "baseline": Baseline(),
        "results": Results(),
        "grade": Grading(),
        "index": Index(),
    }
    if parquet is not None:
        made["tables"] = Tables(*map(str, sorted(given.parent.glob("*.jsonl"))))
    return made


def attempted(
    writer: Writer, folder: Path, *, after: float | None = None, limit: int | None = None
) -> int:
    """Run a writer in a process of its own; how that ended, below 0 if it was killed."""
    folder.mkdir(exist_ok=True)
    writer.prepare(folder)
    child = os.fork()
    if not child:
        _run(writer, folder, limit)
    if after is not None:
        time.sleep(after)
        os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _run(writer: Writer, folder: Path, limit: int | None) -> None:
    """In the child; never returns."""
    code = _FAILED
    with contextlib.suppress(BaseException):
        quiet = os.open(os.devnull, os.O_RDWR)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        try:
            writer.write(folder)
            code = 0
        except SystemExit as exc:
            code = exc.code if isinstance(exc.code, int) else 0
        except AgentvError:
            code = 1
    os._exit(code)


def completed(writer: Writer, folder: Path) -> float:
    """Let a writer end, over what others left; how long it took."""
    start = time.perf_counter()
    assert attempted(writer, folder) == 0
    lasted = time.perf_counter() - start
    writer.check_complete(folder)
    shutil.rmtree(folder)
    return lasted


def killed(name: str, writer: Writer, folder: Path, kills: int) -> dict[str, int]:
    """Kill a writer at random moments; each time what it left must be whole, or nothing."""
    lasts = completed(writer, folder)
    chance = random.Random(name)  # noqa: S311 (moments, no secrets)
    early = 0
    for _ in range(kills):
        early += attempted(writer, folder, after=chance.uniform(0, lasts)) < 0
        writer.check(folder)
    completed(writer, folder)
    return {"kills": kills, "early": early}


def filled(writer: Writer, folder: Path) -> dict[str, int]:
    """Let a writer run out of room: no file may grow beyond some sizes."""
    completed(writer, folder)
    codes = []
    for limit in (0, 4000):
        codes.append(attempted(writer, folder, limit=limit))
        writer.check(folder)
    completed(writer, folder)
    assert not {code for code in codes if code not in (0, 1)}, codes
    return {"refused": codes.count(1)}


def _told(folder: Path, what: str, *times: str) -> dict[str, dict[str, int]]:
    made = writers(folder)
    if what == "fill":
        return {name: filled(one, folder / f"of-{name}") for name, one in made.items()}
    each = -(-int(times[0]) // len(made))
    return {name: killed(name, one, folder / f"of-{name}", each) for name, one in made.items()}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(_told(Path(sys.argv[1]), *sys.argv[2:])))
