"""Codex's database: it says where sessions ran, or it is done without."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from codex_homes import ALL_COLUMNS, FIRST_COLUMNS, CodexHome, full_id, record_opened, write_state
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_agentv.adapters.codex import locate
from pytest_agentv.adapters.codex.state_db import known_threads

if TYPE_CHECKING:
    from collections.abc import Mapping

APP = "/srv/app"
ONE = "11111111"
TWO = "22222222"


@pytest.fixture
def home(tmp_path: Path) -> CodexHome:
    return CodexHome(tmp_path / "codex")


def found(
    home: CodexHome, project: str = APP, environ: Mapping[str, str] | None = None
) -> list[str]:
    refs = locate.sessions(home.root, Path(project), environ or {})
    return sorted(ref.session_id[:8] for ref in refs)


def listing(folder: Path) -> dict[str, tuple[int, int]]:
    paths = [folder, *folder.rglob("*")]
    return {str(path): (path.stat().st_mtime_ns, path.stat().st_size) for path in paths}


def test_the_database_says_where_a_session_ran(home: CodexHome) -> None:
    home.session(ONE, cwd=None)
    home.session(TWO, cwd=None)
    home.state({ONE: APP, TWO: "/srv/other"})
    assert found(home) == [ONE]


def test_a_file_that_the_database_knows_is_not_opened(
    home: CodexHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    known, unknown = home.session(ONE, cwd="/srv/other"), home.session(TWO, cwd="/srv/other")
    home.state({ONE: APP})
    opened = record_opened(monkeypatch)
    assert found(home) == [ONE]
    assert str(known) not in opened
    assert str(unknown) in opened


def test_a_session_the_database_does_not_know_says_itself_where_it_ran(home: CodexHome) -> None:
    home.session(ONE, cwd=APP)
    home.session(TWO, cwd=APP)
    home.state({TWO: APP})
    assert found(home) == [ONE, TWO]


def test_a_row_without_a_file_is_no_session(home: CodexHome) -> None:
    home.session(ONE)
    home.state({ONE: APP, TWO: APP})
    assert found(home) == [ONE]


@pytest.mark.parametrize("columns", [FIRST_COLUMNS, ALL_COLUMNS, ("id", "cwd")])
def test_databases_of_all_ages_are_understood(home: CodexHome, columns: tuple[str, ...]) -> None:
    home.session(ONE, cwd=None)
    rows = [{"id": full_id(ONE), "rollout_path": "x", "cwd": APP}]
    write_state(home.root / "state_5.sqlite", rows, columns=columns)
    assert found(home) == [ONE]


@pytest.mark.parametrize(
    "path",
    [
        "/home/another/.codex/sessions/2026/03/05/{}",
        "C:\\Users\\another\\.codex\\sessions\\2026\\03\\05\\{}",
        "\\\\?\\C:\\Users\\another\\.codex\\archived_sessions\\{}",
        "{}",
    ],
)
def test_a_path_of_another_machine_counts_by_its_file_name(home: CodexHome, path: str) -> None:
    name = home.session(ONE, cwd=None).name
    rows = [{"rollout_path": path.format(name), "cwd": APP}]
    write_state(home.root / "state_5.sqlite", rows)
    assert found(home) == [ONE]


def test_a_path_outside_the_home_is_never_followed(home: CodexHome, tmp_path: Path) -> None:
    outside = CodexHome(tmp_path / "outside")
    path = outside.session(ONE, cwd=APP)
    home.session(TWO, cwd=APP)
    rows = [{"id": full_id(ONE), "rollout_path": str(path), "cwd": APP}]
    write_state(home.root / "state_5.sqlite", rows)
    assert found(home) == [TWO]


def test_the_newest_generation_is_asked(home: CodexHome) -> None:
    home.session(ONE, cwd=None)
    home.state({ONE: "/srv/old"}, name="state_9.sqlite")
    home.state({ONE: APP}, name="state_10.sqlite")
    home.state({ONE: "/srv/none"}, name="state_11.sqlite.bak")
    home.state({ONE: "/srv/none"}, name="state_x.sqlite")
    assert found(home) == [ONE]


def broken_files() -> dict[str, bytes]:
    return {
        "empty": b"",
        "text": b"not a database",
        "cut": b"SQLite format 3\0\x10\x00\x01\x01",
        "garbage": b"SQLite format 3\0" + bytes(range(256)) * 64,
    }


@pytest.mark.parametrize("kind", broken_files())
def test_without_a_good_database_an_older_one_or_the_files_are_asked(
    home: CodexHome, kind: str
) -> None:
    home.session(ONE, cwd=APP)
    (home.root / "state_6.sqlite").write_bytes(broken_files()[kind])
    assert found(home) == [ONE]
    home.session(TWO, cwd=None)
    home.state({TWO: APP})
    assert found(home) == [ONE, TWO]


ENDLESS = """
    CREATE VIEW threads AS WITH RECURSIVE n(id, cwd) AS
    (SELECT 1, '/srv/app' UNION ALL SELECT id + 1, cwd FROM n) SELECT id, cwd FROM n
"""


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE other (id, cwd)",
        "CREATE TABLE threads (id, rollout_path)",
        "CREATE TABLE threads (cwd)",
        "CREATE TABLE threads (id, cwd AS (id || id))",
        ENDLESS,
    ],
    ids=["no-table", "no-cwd", "no-id", "computed", "endless-view"],
)
def test_a_database_of_another_shape_is_done_without(home: CodexHome, statement: str) -> None:
    home.session(ONE, cwd=APP)
    home.session(TWO, cwd="/srv/other")
    with closing(sqlite3.connect(home.root / "state_5.sqlite")) as connection:
        connection.execute(statement)
    assert found(home) == [ONE]


@pytest.mark.parametrize("cwd", [None, "", 7, b"/srv/app", "/" + "x" * 40_000])
def test_a_row_that_does_not_tell_a_folder_leaves_it_to_the_file(
    home: CodexHome, cwd: object
) -> None:
    home.session(ONE, cwd=APP)
    write_state(home.root / "state_5.sqlite", [{"id": full_id(ONE), "cwd": cwd}])
    assert found(home) == [ONE]


def test_rows_that_codex_has_not_yet_moved_out_of_the_wal_are_seen(home: CodexHome) -> None:
    home.session(ONE, cwd=None)
    home.session(TWO, cwd=None)
    path = home.state({ONE: APP})
    with closing(sqlite3.connect(path)) as codex:
        codex.execute("PRAGMA journal_mode = WAL")
        codex.execute("INSERT INTO threads (id, cwd) VALUES (?, ?)", (full_id(TWO), APP))
        codex.commit()
        before = listing(home.root)
        assert found(home) == [ONE, TWO]
        assert listing(home.root) == before


@pytest.mark.parametrize("mode", ["WAL", "DELETE"])
def test_a_database_that_codex_has_locked_is_read_and_left_alone(
    home: CodexHome, mode: str
) -> None:
    home.session(ONE, cwd=None)
    path = home.state({ONE: APP})
    with closing(sqlite3.connect(path, isolation_level=None)) as codex:
        codex.execute(f"PRAGMA journal_mode = {mode}")
        codex.execute("BEGIN EXCLUSIVE")
        codex.execute("UPDATE threads SET cwd = '/srv/other'")
        before = listing(home.root)
        assert found(home) == [ONE]
        assert listing(home.root) == before


def test_nothing_is_created_or_changed_in_a_home(home: CodexHome) -> None:
    home.session(ONE, cwd=APP)
    path = home.state({TWO: APP})
    with closing(sqlite3.connect(path)) as codex:
        codex.execute("PRAGMA journal_mode = WAL")
    before = listing(home.root)
    assert found(home) == [ONE]
    assert listing(home.root) == before


def test_the_database_may_be_kept_elsewhere(home: CodexHome, tmp_path: Path) -> None:
    home.session(ONE, cwd=None)
    home.state({ONE: "/srv/old"})
    elsewhere = CodexHome(tmp_path / "elsewhere")
    elsewhere.state({ONE: APP})
    assert found(home) == []
    assert found(home, environ={"CODEX_SQLITE_HOME": str(elsewhere.root)}) == [ONE]


@pytest.mark.parametrize("written", ["absolute", "state", "~/state"])
def test_the_configuration_says_where_the_database_is(
    home: CodexHome, tmp_path: Path, written: str
) -> None:
    home.session(ONE, cwd=None)
    home.state({ONE: "/srv/old"})
    folder = tmp_path / "state" if written != "state" else home.root / "state"
    CodexHome(folder).state({ONE: APP})
    place = str(folder) if written == "absolute" else written
    (home.root / "config.toml").write_text(f"sqlite_home = '{place}'\n", encoding="utf-8")
    other = {"HOME": str(tmp_path), "CODEX_SQLITE_HOME": str(tmp_path / "nowhere")}
    assert found(home, environ=other) == [ONE]


@pytest.mark.parametrize(
    "config",
    [
        b"sqlite_home = ",
        b"\xff\xfe",
        b"sqlite_home = 7",
        b"sqlite_home = ''",
        b"a = " + b"[" * 9999,
    ],
)
def test_a_broken_configuration_changes_nothing(home: CodexHome, config: bytes) -> None:
    home.session(ONE, cwd=None)
    home.state({ONE: APP})
    (home.root / "config.toml").write_bytes(config)
    assert found(home) == [ONE]


def test_the_folder_that_newer_versions_keep_databases_in_is_asked_first(home: CodexHome) -> None:
    home.session(ONE, cwd=None)
    home.state({ONE: "/srv/old"})
    CodexHome(home.root / "sqlite").state({ONE: APP})
    assert found(home) == [ONE]


def test_a_place_that_cannot_be_a_folder_is_passed_over(home: CodexHome) -> None:
    home.session(ONE, cwd=None)
    home.state({ONE: APP})
    assert found(home, environ={"CODEX_SQLITE_HOME": "a\0b"}) == [ONE]
    assert found(home, environ={"CODEX_SQLITE_HOME": str(home.root / "state_5.sqlite")}) == [ONE]


ANYTHING = st.one_of(
    st.none(), st.integers(-(2**63), 2**63 - 1), st.floats(), st.binary(max_size=9)
)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(st.tuples(*[ANYTHING | TEXTS] * 3), max_size=5))
def test_rows_of_any_values_are_read_without_an_error(
    tmp_path: Path, rows: list[tuple[Any, Any, Any]]
) -> None:
    path = tmp_path / "state_5.sqlite"
    path.unlink(missing_ok=True)
    columns = ("id", "rollout_path", "cwd")
    write_state(path, [dict(zip(columns, row, strict=True)) for row in rows], columns=columns)
    threads = known_threads(tmp_path, {})
    for id_, _, cwd in rows:
        if isinstance(id_, str) and id_ and isinstance(cwd, str) and cwd:
            assert threads.cwd(id_, Path("x")) is not None
