"""Choosing sessions: by project, by time, one way at a time; and what a wrong call is told."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import pytest
from agentv_command import full_id

if TYPE_CHECKING:
    from pathlib import Path

    from agentv_command import ClaudeHome, InProcess


def listed_ids(agentv: InProcess, *arguments: str | Path) -> list[str]:
    listed = agentv("import", "claude", "--list", "--json", *arguments)
    assert (listed.code, listed.err) == (0, "")
    return [one["id"][:8] for one in json.loads(listed.out)]


def test_a_project_path_chooses_the_sessions_of_one_project(
    home: ClaudeHome, agentv: InProcess, work: Path
) -> None:
    home.session("aaaaaaaa", cwd=work / "app")
    home.session("bbbbbbbb", cwd=work / "app2")
    home.session("cccccccc", cwd=work / "app" / "docs")
    (work / "app").mkdir()

    assert listed_ids(agentv, "--project-path", work / "app") == ["aaaaaaaa"]
    assert listed_ids(agentv, "--project-path", "app") == ["aaaaaaaa"]
    assert listed_ids(agentv, "--project-path", "app/../app2/.") == ["bbbbbbbb"]


def test_the_folder_one_works_in_is_a_project_path(
    home: ClaudeHome, agentv: InProcess, work: Path
) -> None:
    home.session("aaaaaaaa", cwd=work)
    home.session("bbbbbbbb", cwd=work.parent)

    assert listed_ids(agentv, "--project-path", ".") == ["aaaaaaaa"]
    assert listed_ids(agentv, "--project-path", "..") == ["bbbbbbbb"]


def test_a_project_that_has_no_session_gives_an_empty_list(
    home: ClaudeHome, agentv: InProcess
) -> None:
    home.session("aaaaaaaa")

    assert listed_ids(agentv, "--project-path", "/no/such/project") == []


@pytest.mark.parametrize("way", [["--discover", "latest"], ["--all"]])
def test_a_project_that_has_no_session_has_none_to_import(
    home: ClaudeHome, agentv: InProcess, way: list[str]
) -> None:
    home.session("aaaaaaaa")

    imported = agentv("import", "claude", *way, "--project-path", "/no/such/project")

    assert (imported.code, imported.out) == (1, "")
    assert imported.err == (
        f"agentv: no session of claude was found below {home.projects}"
        " for the project /no/such/project\n"
    )


def test_latest_of_a_project_is_not_the_latest_of_all(
    home: ClaudeHome, agentv: InProcess, work: Path
) -> None:
    home.session("aaaaaaaa", cwd=work / "app")
    home.session("bbbbbbbb", cwd=work / "site")

    imported = agentv("import", "claude", "--discover", "latest", "--project-path", "app", "--json")

    assert json.loads(imported.out)["session_id"] == full_id("aaaaaaaa")


@pytest.mark.parametrize(
    ("since", "found"),
    [
        ("2026-03-28", ["dddddddd", "cccccccc", "bbbbbbbb"]),
        ("2026-03-28T00:00+14:00", ["dddddddd", "cccccccc", "bbbbbbbb"]),
        ("2026-03-30T12:00:00Z", ["dddddddd", "cccccccc"]),
        ("2026-03-30T12:00:00z", ["dddddddd", "cccccccc"]),
        ("2026-03-30T12:00:01Z", ["dddddddd"]),
        ("2026-03-30T14:00:00+02:00", ["dddddddd", "cccccccc"]),
        ("2026-03-30 11:59:59.500+00:00", ["dddddddd", "cccccccc"]),
        ("1970-01-02", ["dddddddd", "cccccccc", "bbbbbbbb", "aaaaaaaa"]),
        ("2100-01-01", []),
    ],
)
def test_since_takes_dates_and_times(
    home: ClaudeHome, agentv: InProcess, since: str, found: list[str]
) -> None:
    for beginning, modified in [
        ("aaaaaaaa", 1_774_440_000),  # 2026-03-25T12:00:00Z
        ("bbbbbbbb", 1_774_785_600),  # 2026-03-29T12:00:00Z
        ("cccccccc", 1_774_872_000),  # 2026-03-30T12:00:00Z
        ("dddddddd", 1_775_044_800),  # 2026-04-01T12:00:00Z
    ]:
        home.session(beginning, modified=modified)

    assert listed_ids(agentv, "--since", since) == found


@pytest.mark.parametrize(
    ("since", "found"),
    [
        ("10m", []),
        ("30m", ["aaaaaaaa"]),
        ("12h", ["aaaaaaaa", "bbbbbbbb"]),
        ("7d", ["aaaaaaaa", "bbbbbbbb", "cccccccc"]),
        ("2w", ["aaaaaaaa", "bbbbbbbb", "cccccccc", "dddddddd"]),
        ("15d", ["aaaaaaaa", "bbbbbbbb", "cccccccc", "dddddddd"]),
        ("52w", ["aaaaaaaa", "bbbbbbbb", "cccccccc", "dddddddd", "eeeeeeee"]),
    ],
)
def test_since_takes_how_long_ago(
    home: ClaudeHome, agentv: InProcess, since: str, found: list[str]
) -> None:
    now = time.time()
    home.session("aaaaaaaa", modified=now - 20 * 60)
    home.session("bbbbbbbb", modified=now - 11 * 3600)
    home.session("cccccccc", modified=now - 6 * 86_400)
    home.session("dddddddd", modified=now - 13 * 86_400)
    home.session("eeeeeeee", modified=now - 60 * 86_400)

    assert listed_ids(agentv, "--since", since) == found


@pytest.mark.parametrize(
    "since",
    ["yesterday", "7", "7y", "d", "-7d", "7 d", "2026-13-01", "2026-02-30", "", "999999w", "1e3d"],
)
def test_a_time_that_is_none_is_a_usage_error_with_examples(
    home: ClaudeHome, agentv: InProcess, since: str
) -> None:
    home.session("aaaaaaaa")

    listed = agentv("import", "claude", "--list", "--since", since)

    assert (listed.code, listed.out) == (2, "")
    assert f"{since!r} is no time; right are 2026-03-29, 2026-03-29T21:10, 30m, 12h, 7d, 2w" in (
        listed.err
    )


@pytest.mark.parametrize("way", [["--discover", "latest"], ["--session-id", "aaaa"], ["--all"]])
def test_since_also_limits_what_is_imported(
    home: ClaudeHome, agentv: InProcess, work: Path, way: list[str]
) -> None:
    home.session("aaaaaaaa")

    imported = agentv("import", "claude", *way, "--since", "2100-01-01")

    assert (imported.code, imported.out) == (1, "")
    assert imported.err.startswith("agentv: no session ")
    assert list(work.iterdir()) == []


def test_no_way_to_choose_a_session_is_a_usage_error(agentv: InProcess) -> None:
    imported = agentv("import", "claude")

    assert (imported.code, imported.out) == (2, "")
    assert (
        "say which session with one of --list, --session-id, --discover, --file, --all."
    ) in imported.err


@pytest.mark.parametrize(
    ("ways", "named"),
    [
        (["--list", "--all"], "--list and --all are too many"),
        (["--session-id", "a", "--discover", "latest"], "--session-id and --discover are too many"),
        (["--file", "x", "--discover", "latest"], "--discover and --file are too many"),
        (["--file", "x", "--all"], "--file and --all are too many"),
        (["--list", "--file", "x", "--all"], "--list and --file and --all are too many"),
    ],
)
def test_two_ways_to_choose_a_session_are_a_usage_error(
    agentv: InProcess, ways: list[str], named: str
) -> None:
    imported = agentv("import", "claude", *ways)

    assert (imported.code, imported.out) == (2, "")
    assert named in imported.err


@pytest.mark.parametrize("choice", [["--since", "7d"], ["--project-path", "."]])
def test_a_file_leaves_nothing_to_choose(
    home: ClaudeHome, agentv: InProcess, work: Path, choice: list[str]
) -> None:
    path = home.session("aaaaaaaa")

    imported = agentv("import", "claude", "--file", path, *choice)

    assert (imported.code, imported.out) == (2, "")
    assert "--project-path and --since choose among sessions; --file is one." in imported.err
    assert list(work.iterdir()) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["import", "claude", "--discover", "oldest"],
        ["import", "claude", "--discover"],
        ["import", "claude", "--list", "--no-such-option"],
        ["import", "claude", "--list", "extra"],
        ["import", "auto"],
        ["import", "auto", "--list"],
        ["no-such-command"],
        ["--no-such-option"],
    ],
)
def test_a_wrong_call_is_a_usage_error_without_a_traceback(
    home: ClaudeHome, agentv: InProcess, arguments: list[str]
) -> None:
    home.session("aaaaaaaa")

    called = agentv(*arguments)

    assert (called.code, called.out) == (2, "")
    assert "Traceback" not in called.err


def test_an_unknown_client_is_a_usage_error_that_names_the_known_ones(agentv: InProcess) -> None:
    imported = agentv("import", "cluade", "--list")

    assert (imported.code, imported.out) == (2, "")
    assert "cluade" in imported.err
    assert "known: auto, " in imported.err
    assert ", claude, " in imported.err


def test_what_was_typed_cannot_steer_a_ci_log(agentv: InProcess) -> None:
    """A branch name or a file name may end up as an argument in CI."""
    imported = agentv("import", "claude", "--list", "--since", "x\n::error::boom\x1b[31m ##[y]")

    assert imported.code == 2
    assert "\x1b" not in imported.err
    assert "\n::" not in imported.err
    assert "##[" not in imported.err


@pytest.mark.parametrize(
    "option", [["-o", "x"], ["--force"], ["--test-id", "a"], ["--strict"], ["--include-subagents"]]
)
def test_a_list_takes_no_option_that_is_for_writing(
    home: ClaudeHome, agentv: InProcess, option: list[str]
) -> None:
    home.session("aaaaaaaa")

    listed = agentv("import", "claude", "--list", *option)

    assert (listed.code, listed.out) == (2, "")
    assert "--list writes nothing" in listed.err


def test_a_time_without_sessions_is_named(home: ClaudeHome, agentv: InProcess) -> None:
    home.session("aaaaaaaa")

    imported = agentv("import", "claude", "--discover", "latest", "--since", "2099-01-01")

    assert (imported.code, imported.out) == (1, "")
    assert imported.err.endswith(f"below {home.projects} since 2099-01-01 00:00\n")
