"""OpenCode: its database is read from a copy, whatever state it is in; sub-agents and reverts."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing, suppress
from pathlib import Path

import pytest
from adapter_fixtures import fixtures
from corpus import CORPUS

from pytest_agentv import ReadOptions, Transcript, load
from pytest_agentv.adapters.base import refs_of
from pytest_agentv.adapters.discovery import default_name
from pytest_agentv.errors import SessionError, SessionUnreadable
from pytest_agentv.plugins import registry

ADAPTER = registry().adapter("opencode")
DUMP = CORPUS / "opencode" / "openagents_raw"


@pytest.fixture
def database(tmp_path: Path) -> Path:
    (fixture,) = (one for one in fixtures("opencode") if one.path.name == "database.sql")
    return fixture.made(tmp_path)


def read(path: Path, *, include_subagents: bool = False) -> dict[str | None, Transcript]:
    options = ReadOptions(include_subagents=include_subagents)
    found = [load(ADAPTER.read(ref, options)) for ref in refs_of(ADAPTER, path)]
    return {one.source.session_id: one for one in found}


def listing(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_rows_that_only_the_wal_holds_are_read_and_nothing_is_changed(database: Path) -> None:
    message = json.dumps({"role": "user", "time": {"created": 1784102600000}})
    part = json.dumps({"type": "text", "text": "And the logout route?"})
    with closing(sqlite3.connect(database)) as writer:
        writer.execute("INSERT INTO message VALUES ('msg_a9', 'ses_a', 1, 1, ?)", (message,))
        writer.execute("INSERT INTO part VALUES ('prt_9', 'msg_a9', 'ses_a', 1, 1, ?)", (part,))
        writer.execute("UPDATE message SET time_created = 9999999999999 WHERE id = 'msg_a9'")
        writer.commit()
        before = listing(database.parent)
        assert before[f"{database.name}-wal"]
        assert ADAPTER.claims(database)
        assert read(database)["ses_a"].prompts[-1] == "And the logout route?"
        assert listing(database.parent) == before


def test_a_database_that_somebody_writes_to_is_read_as_it_was(database: Path) -> None:
    with closing(sqlite3.connect(database, isolation_level=None)) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        writer.execute("DELETE FROM message")
        assert set(read(database)) == {"ses_a", "ses_b"}


@pytest.mark.parametrize("start", [100, 4096, 9000])
def test_a_corrupt_database_is_refused_or_read_in_part(database: Path, start: int) -> None:
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    content = bytearray(database.read_bytes())
    content[start : start + 3000] = b"\xa5" * 3000
    database.write_bytes(content)
    ADAPTER.claims(database)
    with suppress(SessionError):
        assert all(one.output for one in read(database).values())


def test_columns_that_an_older_version_lacks_are_unknown(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    info = json.dumps({"role": "user", "time": {"created": 1784102400000}})
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE session (id text, time_updated integer)")
        connection.execute("CREATE TABLE message (id text, session_id text, data text)")
        connection.execute("CREATE TABLE part (id text, message_id text, data text)")
        connection.execute("INSERT INTO session VALUES ('ses_old', 5000)")
        connection.execute("INSERT INTO message VALUES ('msg_1', 'ses_old', ?)", (info,))
        text = json.dumps({"type": "text", "text": "Hello"})
        connection.execute("INSERT INTO part VALUES ('prt_1', 'msg_1', ?)", (text,))
        connection.commit()
    (transcript,) = read(path).values()
    assert transcript.input == "Hello"
    assert transcript.source.version is None
    assert transcript.cost_usd is None


@pytest.mark.parametrize("data", ["", "7", "[]", '{"role": 3}', '{"role": "user"', "\x00"])
def test_a_row_that_is_no_message_costs_that_row_and_is_counted(database: Path, data: str) -> None:
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("UPDATE message SET data = ? WHERE id = 'msg_b2'", (data,))
        connection.commit()
    transcript = read(database)["ses_b"]
    assert [one.id for one in transcript.output] == ["msg_b1", "msg_b3"]
    assert sum(transcript.drift.values()) >= 1


def test_a_database_that_would_never_end_is_given_up(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE message (id text, session_id text, data text)")
        connection.execute("CREATE TABLE part (id text, message_id text, data text)")
        connection.execute(f"CREATE VIEW session AS SELECT i AS id FROM ({endless})")  # noqa: S608
        connection.commit()
    with pytest.raises(SessionError):
        read(path)


def test_a_database_without_sessions_says_so(database: Path) -> None:
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("DELETE FROM session")
        connection.commit()
    with pytest.raises(SessionUnreadable, match="holds no session"):
        read(database)


def test_sub_agents_come_after_the_call_that_started_them(database: Path) -> None:
    plain = read(database)["ses_b"]
    whole = read(database, include_subagents=True)["ses_b"]
    assert [one.agent_id for one in whole.output] == [None, None, "ses_c", "ses_c", None]
    assert whole.output[2].origin == "injected"
    assert whole.token_usage == plain.token_usage
    assert whole.cost_usd == plain.cost_usd
    assert plain.messages(agent_id=None) == whole.messages(agent_id=None)


def test_a_part_that_was_taken_back_leaves_the_message_before_it(database: Path) -> None:
    revert = json.dumps({"messageID": "msg_a2", "partID": "prt_a2_3"})
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("UPDATE session SET revert = ? WHERE id = 'ses_a'", (revert,))
        connection.commit()
    transcript = read(database)["ses_a"]
    assert [one.id for one in transcript.output] == ["msg_a1", "msg_a2"]
    assert transcript.final_answer == "Checking."
    assert transcript.tool_calls() == ()


def test_what_was_taken_back_was_paid_for(database: Path) -> None:
    taken_back = read(database)["ses_b"]
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("UPDATE session SET revert = NULL WHERE id = 'ses_b'")
        connection.commit()
    whole = read(database)["ses_b"]
    assert len(whole.output) == len(taken_back.output) + 2
    assert taken_back.token_usage == whole.token_usage
    assert taken_back.cost_usd == whole.cost_usd


def test_a_compaction_of_a_sub_agent_is_the_sub_agents(database: Path) -> None:
    said = {"role": "assistant", "summary": True, "time": {"created": 1784102501300}}
    said |= {"cost": 0.5, "tokens": {"input": 70, "output": 9}}
    with closing(sqlite3.connect(database)) as connection:
        connection.execute(
            "INSERT INTO message VALUES ('msg_c9', 'ses_c', 1784102501300, 1784102501300, ?)",
            (json.dumps(said),),
        )
        connection.commit()
    plain, whole = (read(database, include_subagents=one)["ses_b"] for one in (False, True))
    assert whole.left_out["compaction"] == 1
    assert whole.token_usage == plain.token_usage
    assert whole.cost_usd == plain.cost_usd


def test_ids_that_were_redacted_take_nothing_back(tmp_path: Path) -> None:
    messages = [
        {"info": {"id": id_, "role": role}, "parts": [{"type": "text", "text": role}]}
        for id_, role in (("REDACTED", "user"), ("msg_2", "assistant"), ("REDACTED", "user"))
    ]
    info = {"id": "ses_1", "directory": "/x", "revert": {"messageID": "REDACTED"}}
    path = tmp_path / "export.json"
    path.write_text(json.dumps({"info": info, "messages": messages}), encoding="utf-8")
    assert len(read(path)["ses_1"].output) == 3


def test_sessions_of_another_project_are_not_listed(database: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    database.rename(home / "opencode.db")
    found = list(ADAPTER.sessions(home, project=Path("/home/dev/projects/shop-api")))
    assert {ref.session_id for ref in found} == {"ses_a", "ses_b"}
    assert list(ADAPTER.sessions(home, project=Path("/home/dev/projects/other"))) == []


def test_a_list_copies_a_database_once(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refs = list(ADAPTER.sessions(database))
    assert {ref.size for ref in refs} == {database.stat().st_size}
    monkeypatch.setattr("pytest_agentv.adapters.opencode.adapter.opened_copy", None)
    prompts = [ADAPTER.summarize(ref).first_prompt for ref in refs]
    assert prompts == ["Check @notes.txt and the machine.", "Where is the login route?"]


@pytest.mark.parametrize("workers", ["1", "2"])
def test_an_import_of_all_sessions_leaves_no_copy_behind(
    workers: str, database: Path, tmp_path: Path
) -> None:
    copies = tmp_path / "copies"
    copies.mkdir()
    environ = {**os.environ, "TMPDIR": str(copies), "OPENCODE_DB": str(database)}
    command = [sys.executable, "-m", "pytest_agentv", "import", "opencode", "--all"]
    command += ["-o", str(tmp_path / "out"), "--workers", workers]
    ended = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    assert "2 of 2 sessions imported" in ended.stdout, ended.stderr
    assert list(copies.iterdir()) == []


def test_a_database_is_copied_once_for_all_of_its_sessions(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refs = list(ADAPTER.sessions(database))
    first = load(ADAPTER.read(refs[0], ReadOptions()))
    monkeypatch.setattr("pytest_agentv.adapters.sqlite._copied", None)
    assert load(ADAPTER.read(refs[0], ReadOptions())) == first
    assert load(ADAPTER.read(refs[1], ReadOptions())).source.session_id == refs[1].session_id


def test_a_python_without_sqlite_says_so(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sqlite3", None)
    with pytest.raises(SessionUnreadable, match="built without SQLite"):
        read(database)


def test_a_transcript_is_named_by_an_id_with_underscores(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    assert default_name(ADAPTER, "ses_10326a63effe", path) == "opencode-ses_1032.jsonl"
    assert "/" not in default_name(ADAPTER, "../../x", path)


@pytest.mark.skipif(not DUMP.is_dir(), reason="AGENTV_CORPUS names no folder of real sessions")
def test_a_dump_of_a_real_database_holds_the_messages_the_oracle_counted(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE part (id text, message_id text, data text)")
        for table in ("session", "message", "session_message"):
            rows = json.loads((DUMP / f"{table}s.json").read_text(encoding="utf-8"))
            connection.execute(f"CREATE TABLE {table} ({', '.join(rows[0])})")
            marks = ", ".join("?" * len(rows[0]))
            connection.executemany(
                f"INSERT INTO {table} VALUES ({marks})",  # noqa: S608 (names of a file of ours)
                [list(row.values()) for row in rows],
            )
        connection.commit()
    oracle = {}
    for line in (CORPUS / "expected-others.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["format"] == "opencode-db":
            oracle[row["session"]] = (int(row["user"]), int(row["assistant"]), 0.0)
    actual = {
        id_: (len(one.messages(role="user")), len(one.messages(role="assistant")), one.cost_usd)
        for id_, one in read(path).items()
    }
    assert actual == oracle
    assert {one.source.version for one in read(path).values()} == {"1.17.9"}
