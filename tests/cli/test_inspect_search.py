"""``agentv inspect search``: what was said and done in the sessions of runs, as grep would."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from agentv_command import UNPRINTABLE
from kept_runs import answer, case_of, session, three_clients
from made_calls import ran
from runs import MadeCase, damage, make_run

from pytest_agentv import Message
from pytest_agentv.results.places import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from agentv_command import InProcess, Outcome


def found(printed: Outcome) -> list[dict[str, Any]]:
    matches: list[dict[str, Any]] = json.loads(printed.out)["matches"]
    return matches


def test_a_match_says_where_it_is(agentv: InProcess, work: Path) -> None:
    run = three_clients(work / ROOT)

    printed = agentv("inspect", "search", "RATE_LIMIT_MAX", "--role", "user", "-f", "json")

    assert (printed.code, printed.err) == (0, "")
    first = found(printed)[0]
    assert (first["run_id"], first["cases"]) == (run.summary.run_id, ["login-limit[claude-cli]"])
    assert (first["target"], first["message"], first["role"]) == ("claude-cli", 8, "user")
    assert (first["in"], first["tool"], first["agent_id"]) == ("text", None, None)
    assert isinstance(first["line"], int)
    assert "RATE_LIMIT_MAX" in first["excerpt"]
    assert {one["target"] for one in found(printed)} == {"claude-cli", "codex-cli", "copilot-cli"}


def test_a_pipe_gets_a_line_for_each_match(agentv: InProcess, work: Path) -> None:
    make_run(
        work / ROOT,
        [case_of(session(Message(role="assistant", content="one JWT\ntwo JWT", line=7)))],
    )

    printed = agentv("inspect", "search", "JWT")

    assert [line.split() for line in printed.out.splitlines()] == [
        ["case", "message", "line", "where", "excerpt"],
        ["adds-jwt[claude-cli]", "#1", "7", "assistant", "text", "one", "JWT⏎two", "JWT"],
        ["adds-jwt[claude-cli]", "#1", "7", "assistant", "text", "one", "JWT⏎two", "JWT"],
    ]


def test_keys_and_metadata_are_not_searched(agentv: InProcess, work: Path) -> None:
    three_clients(work / ROOT)

    for word in ("file_path", "session_id", "provider", "token_usage", "claude-cli", "toolu_"):
        printed = agentv("inspect", "search", word)
        assert (printed.code, printed.out) == (1, ""), word


def test_what_is_not_found_is_exit_code_1(agentv: InProcess, work: Path) -> None:
    make_run(work / ROOT, [case_of(answer("a"))])

    printed = agentv("inspect", "search", "nothing like it")

    assert (printed.code, printed.out) == (1, "")
    assert printed.err == "agentv: not found in 1 session\n"


@pytest.mark.parametrize(
    ("options", "messages"),
    [
        (["j.t"], []),
        (["J.T", "--regex"], [2]),
        (["j.t", "--regex", "-i"], [2]),
        (["jwt", "--ignore-case"], [2]),
        (["^the", "--regex", "--in", "text"], [2]),
        (["Do", "--role", "assistant"], []),
        (["Do", "--in", "text", "--role", "user"], [1]),
    ],
)
def test_patterns_and_places(
    agentv: InProcess, work: Path, options: list[str], messages: list[int]
) -> None:
    make_run(work / ROOT, [case_of(answer("the JWT works"))])

    printed = agentv("inspect", "search", *options, "-f", "json")

    assert [one["message"] for one in found(printed)] == messages
    assert printed.code == (0 if messages else 1)


def test_cases_that_share_a_session_are_named_together(agentv: InProcess, work: Path) -> None:
    run = make_run(work / ROOT, [case_of(answer("JWT"), test_id="a"), MadeCase(test_id="b")])
    rows = [json.loads(line) for line in run.path.read_text("utf-8").splitlines()]
    rows[1] |= {key: rows[0][key] for key in ("transcript_path", "transcript_line")}
    run.path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")

    printed = agentv("inspect", "search", "JWT", "-f", "json")

    assert [one["cases"] for one in found(printed)] == [["a[claude-cli]", "b[claude-cli]"]]
    assert "a[claude-cli] and 1 other" in agentv("inspect", "search", "JWT").out


def test_runs_can_be_chosen(agentv: InProcess, work: Path) -> None:
    for number in range(3):
        make_run(work / ROOT, [case_of(answer(f"JWT {number}"))])
    newest, middle, oldest = sorted((path.name for path in (work / ROOT).iterdir()), reverse=True)

    def runs(*names: str) -> list[str]:
        return [
            one["run_id"] for one in found(agentv("inspect", "search", "JWT", *names, "-f", "json"))
        ]

    assert runs() == [newest]
    assert runs(oldest, middle) == [oldest, middle]
    assert runs("--all-runs") == [newest, middle, oldest]
    assert newest in agentv("inspect", "search", "JWT", "--all-runs").out


def test_matches_are_limited_and_that_is_said(agentv: InProcess, work: Path) -> None:
    make_run(work / ROOT, [case_of(answer("JWT\n" * 150))])

    usual = agentv("inspect", "search", "JWT")
    few = agentv("inspect", "search", "JWT", "--limit", "2", "-f", "json")
    every = agentv("inspect", "search", "JWT", "--limit", "150", "-f", "json")

    assert len(usual.out.splitlines()) == 101
    assert usual.err == "agentv: there are more than 100 matches; --limit shows more\n"
    assert (len(found(few)), json.loads(few.out)["more"]) == (2, True)
    assert (len(found(every)), json.loads(every.out)["more"]) == (150, False)


def test_sessions_that_cannot_be_searched_are_counted(agentv: InProcess, work: Path) -> None:
    run = make_run(
        work / ROOT,
        [case_of(answer("JWT"), test_id="a"), case_of(answer("b"), test_id="b"), MadeCase()],
    )
    damage(run, next(one for one in run.rows if one.test_id == "b"))

    printed = agentv("inspect", "search", "JWT")

    assert printed.code == 0
    assert printed.err.startswith("agentv: 2 sessions could not be searched, as ")


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        ([""], 2, "there is nothing to search for"),
        (["(", "--regex"], 2, "is no regular expression"),
        (["a", "x", "--all-runs"], 2, "--all-runs and RUN exclude each other"),
        (["a", "nowhere"], 1, "no run 'nowhere'"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(
    agentv: InProcess, work: Path, options: list[str], code: int, message: str
) -> None:
    make_run(work / ROOT, [case_of(answer("a"))])

    printed = agentv("inspect", "search", *options)

    assert (printed.code, printed.out) == (code, "")
    assert message in printed.err
    assert printed.err.count("\n") == 1


@pytest.mark.parametrize("format_", ["table", "json"])
@pytest.mark.parametrize("columns", ["", "50"])
def test_what_is_found_does_not_steer_the_terminal(
    agentv: InProcess, work: Path, monkeypatch: pytest.MonkeyPatch, format_: str, columns: str
) -> None:
    hostile = "JWT \x1b[2J\x9b \u202e ::error::x ##[group]\n::error::JWT"
    call = ran(hostile, output=hostile)
    make_run(work / ROOT, [case_of(session(Message(role="assistant", tool_calls=(call,))))])
    monkeypatch.setenv("COLUMNS", columns)

    printed = agentv("inspect", "search", "JWT", "-f", format_)

    assert printed.code == 0
    assert UNPRINTABLE.findall(printed.out) == []
    assert "##[group]" not in printed.out
    assert not any(line.lstrip().startswith("::") for line in printed.out.splitlines())


def test_a_damaged_run_does_not_hide_what_others_say(agentv: InProcess, work: Path) -> None:
    whole = make_run(work / ROOT, [case_of(answer("JWT"))])
    damaged = make_run(work / ROOT, [case_of(answer("JWT"))])
    damaged.path.write_text("{\n", encoding="utf-8")

    printed = agentv("inspect", "search", "JWT", "--all-runs", "--json")
    told = agentv("inspect", "search", "JWT", "--all-runs")

    assert (printed.code, [one["run_id"] for one in found(printed)]) == (0, [whole.summary.run_id])
    assert "is no row of results" in json.loads(printed.out)["problems"][0]
    assert told.err.startswith("agentv: 1 run could not be searched, as ")


def test_what_was_found_is_told_though_a_pattern_runs_away_later(
    agentv: InProcess, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pytest_agentv.results.searching._SECONDS", 0.2)
    cases = [case_of(answer(text), session=text[0]) for text in ("ab", "c" + "a" * 40, "dab")]
    make_run(work / ROOT, cases)

    printed = agentv("inspect", "search", "(a|a)+$b|ab", "--regex", "--json")

    assert [one["excerpt"] for one in found(printed)][:1] == ["ab"]
    assert "took longer than" in json.loads(printed.out)["problems"][0]
