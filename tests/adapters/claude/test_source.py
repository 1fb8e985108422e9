"""What a session says of itself: ids, title, version, time, cost, and what nobody understood."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from claude_sessions import Session, said, text

from pytest_agentv import ReadOptions, SessionRef, Source, load
from pytest_agentv.errors import SessionUnreadable

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from claude_sessions import Read

    from pytest_agentv.adapters.claude.adapter import ClaudeAdapter


def plain_session(version: str = "2.1.62") -> Session:
    session = Session(version=version)
    session.prompt("Go")
    session.response("msg_1", text("Done."))
    return session


def test_the_source_says_where_a_session_comes_from(read: Read) -> None:
    assert read(plain_session()).source == Source(
        provider="claude-cli",
        session_id="5e550000-0000-4000-8000-000000000001",
        model="claude-opus-4-6",
        version="2.1.62",
        title=None,
        timestamp="2026-03-02T09:00:00.000Z",
        ended_at="2026-03-02T09:00:01.000Z",
        git_branch="main",
        cwd="/home/dev/shop",
    )


def test_folder_and_branch_are_the_first_and_the_version_is_the_last(read: Read) -> None:
    session = plain_session()
    session.cwd, session.git_branch, session.version = "/home/dev/shop/api", "fix", "2.1.63"
    session.prompt("Go on")
    source = read(session).source
    assert (source.cwd, source.git_branch, source.version) == ("/home/dev/shop", "main", "2.1.63")


def test_outside_a_repository_there_is_no_branch(read: Read) -> None:
    session = Session(git_branch="")
    session.prompt("Go")
    assert read(session).source.git_branch is None


def title_of(read: Read, *records: tuple[str, dict[str, Any]]) -> str | None:
    session = plain_session()
    for type_, fields in records:
        session.about(type_, **fields)
    return read(session).source.title


def test_a_title_that_a_person_gave_beats_the_models_and_the_last_one_wins(read: Read) -> None:
    custom, ai = "custom-title", "ai-title"
    assert title_of(read, (ai, {"aiTitle": "Model's"})) == "Model's"
    assert title_of(read, (ai, {"aiTitle": "One"}), (ai, {"aiTitle": "Two"})) == "Two"
    assert title_of(read, (custom, {"customTitle": "Mine"}), (ai, {"aiTitle": "Model's"})) == "Mine"
    assert title_of(read, (custom, {"customTitle": ""}), (ai, {"aiTitle": "Model's"})) == "Model's"


@pytest.mark.parametrize("first", [True, False])
def test_a_summary_is_a_title_only_if_it_names_a_record_of_this_file(
    read: Read,
    first: bool,  # noqa: FBT001
) -> None:
    session = plain_session()
    own = {"type": "summary", "summary": "Going", "leafUuid": session.last}
    foreign = {"type": "summary", "summary": "Other", "leafUuid": "0" * 36}
    session.records.insert(0 if first else len(session.records), own)
    session.records.append(foreign)
    transcript = read(session)
    assert transcript.source.title == "Going"
    assert transcript.drift == {}


def test_a_summary_of_another_session_is_no_title(read: Read) -> None:
    assert title_of(read, ("summary", {"summary": "Other", "leafUuid": "0" * 36})) is None


@pytest.mark.parametrize("version", ["2.1.223", "2.2.0", "3.0", "10.0.0"])
def test_a_version_newer_than_the_tested_ones_is_drift_and_is_read(
    read: Read, version: str
) -> None:
    transcript = read(plain_session(version))
    assert said(transcript) == [("human", "Go"), ("assistant", "Done.")]
    assert transcript.drift == {f"version {version} is newer than 2.1.222": 1}


@pytest.mark.parametrize("version", ["1.0.17", "2.1.9", "2.1.222"])
def test_a_tested_version_is_no_drift(read: Read, version: str) -> None:
    assert read(plain_session(version)).drift == {}


@pytest.mark.parametrize("version", ["unknown", "", "9" * 5000])
def test_a_version_that_is_no_number_is_taken_as_it_is(read: Read, version: str) -> None:
    session = plain_session()
    for number in range(2):
        session.record(number)["version"] = version
    transcript = read(session)
    assert transcript.source.version == version
    assert transcript.final_answer == "Done."


def test_an_unknown_record_type_is_counted_and_skipped(read: Read) -> None:
    session = plain_session()
    session.about("novelty", anything={"deep": [1, 2]})
    session.about("novelty")
    session.records.append({"no": "type"})
    transcript = read(session)
    assert said(transcript) == [("human", "Go"), ("assistant", "Done.")]
    assert transcript.drift == {"record type 'None'": 1, "record type 'novelty'": 2}


@pytest.mark.parametrize(
    "type_",
    [
        "mode", "permission-mode", "last-prompt", "bridge-session", "frame-link", "pr-link", "tag",
        "file-history-snapshot", "file-history-delta", "continued-in", "relocated",
        "worktree-state", "agent-name", "api-request", "attribution-snapshot", "observer-ref",
    ],
)  # fmt: skip
def test_a_known_record_about_the_session_is_left_out_and_no_drift(read: Read, type_: str) -> None:
    session = plain_session()
    session.about(type_)
    transcript = read(session)
    assert transcript.drift == {}
    assert transcript.left_out == {f"{type_} record": 1}


def test_system_records_and_attachments_are_left_out_by_kind(read: Read) -> None:
    session = plain_session("2.1.120")
    session.system("turn_duration", durationMs=1200)
    session.system("api_error", retryAttempt=1)
    session.attachment("hook_success", hookName="Stop")
    session.attachment("hook_success", hookName="Stop")
    transcript = read(session)
    assert said(transcript) == [("human", "Go"), ("assistant", "Done.")]
    assert transcript.left_out == {
        "attachment 'hook_success'": 2,
        "system record 'api_error'": 1,
        "system record 'turn_duration'": 1,
    }


def test_unknown_kinds_of_attachments_and_system_records_are_drift(read: Read) -> None:
    session = plain_session("2.1.120")
    session.system("novelty")
    session.attachment("novelty")
    transcript = read(session)
    assert said(transcript) == [("human", "Go"), ("assistant", "Done.")]
    assert transcript.drift == {"attachment 'novelty'": 1, "system record 'novelty'": 1}


def test_a_hostile_file_of_many_types_gives_a_short_drift(read: Read) -> None:
    session = plain_session()
    for number in range(500):
        session.about(f"novelty-{number}-{'x' * 100}")
    drift = read(session).drift
    assert sum(drift.values()) == 500
    assert len(drift) <= 51
    assert all(len(reason) < 80 for reason in drift)


def test_the_duration_is_from_the_earliest_to_the_latest_record(read: Read) -> None:
    session = Session()
    session.wait(100)
    session.prompt("Go")
    session.wait(-50)
    session.response("msg_1", text("Written late, made early."))
    session.wait(500)
    session.prompt("More")
    session.wait(-200)
    session.response("msg_2", text("Done."))
    transcript = read(session)
    assert transcript.source.timestamp == "2026-03-02T09:00:51.000Z"
    assert transcript.source.ended_at == "2026-03-02T09:09:12.000Z"
    assert transcript.duration_ms == 501_000


def test_times_outside_the_conversation_do_not_count(read: Read) -> None:
    session = plain_session("2.1.120")
    session.wait(9000)
    session.attachment("hook_success", hookName="Stop")
    session.queue("enqueue", "later")
    session.about("pr-link", timestamp=session.time())
    assert read(session).duration_ms == 1000


def test_a_session_without_times_has_no_duration(read: Read) -> None:
    session = plain_session()
    for number in range(2):
        session.record(number)["timestamp"] = None
    transcript = read(session)
    assert transcript.duration_ms is None
    assert transcript.source.timestamp is None


@pytest.mark.parametrize(
    "bad", [1772442000, "yesterday", "2026-03-02T09:00:00", "12026-03-02T09:00:00Z", True]
)
def test_a_time_that_is_none_is_lost_and_counted(read: Read, bad: object) -> None:
    session = plain_session()
    session.record(0)["timestamp"] = bad
    transcript = read(session)
    assert said(transcript) == [("human", "Go"), ("assistant", "Done.")]
    assert transcript.output[0].timestamp is None
    assert transcript.duration_ms == 0
    assert transcript.drift == {"unusable field 'timestamp'": 1}


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        ("2026-03-02T09:00:00Z", "2026-03-02T09:00:00.000Z"),
        ("2026-03-02T09:00:00.123456Z", "2026-03-02T09:00:00.123Z"),
        ("2026-03-02T11:00:00.500+02:00", "2026-03-02T09:00:00.500Z"),
    ],
)
def test_times_are_written_in_utc_to_the_millisecond(
    read: Read, written: str, read_as: str
) -> None:
    session = Session()
    session.prompt("Go", timestamp=written)
    assert read(session).output[0].timestamp == read_as


def test_the_last_cost_state_is_the_cost(read: Read) -> None:
    session = plain_session()
    session.about("cost-state", totalCostUSD=0.25)
    session.about("cost-state", totalCostUSD=0.75, hasUnknownModelCost=False)
    assert read(session).cost_usd == 0.75


def test_a_cost_with_an_unknown_part_is_unknown(read: Read) -> None:
    session = plain_session()
    session.about("cost-state", totalCostUSD=0.25, hasUnknownModelCost=True)
    assert read(session).cost_usd is None


def test_without_a_cost_state_the_cost_is_unknown(read: Read) -> None:
    assert read(plain_session()).cost_usd is None


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b'{"type":"mode","mode":"normal","sessionId":"x"}\n', "holds no message at all"),
        (b"not a session\n", "holds no record of a Claude Code session"),
        (b"\xff\xfe{\x00}\x00", "is UTF-16 text"),
    ],
)
def test_a_file_without_any_message_is_an_error_that_says_why(
    read: Read, tmp_path: Path, content: bytes, message: str
) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(content)
    with pytest.raises(SessionUnreadable, match=message) as error:
        read(path)
    assert str(path) in str(error.value)


def test_what_is_written_after_reading_began_is_not_read(
    adapter: ClaudeAdapter, tmp_path: Path
) -> None:
    session = plain_session()
    path = session.write_in(tmp_path)
    stream = adapter.read(SessionRef(path.stem, path), ReadOptions())
    session.prompt("Later")
    session.write_in(tmp_path)
    assert said(load(stream)) == [("human", "Go"), ("assistant", "Done.")]
