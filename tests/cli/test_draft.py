"""``agentv draft``: sessions as users name them, files as they ask for them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from agentv_command import UNPRINTABLE, full_id
from claude_sessions import Session, text
from eval_runs import recorded

from pytest_agentv.evalfile.loader import load_eval_file

if TYPE_CHECKING:
    from agentv_command import ClaudeHome, InProcess

    from pytest_agentv.evalfile.model import Case


def _cases(path: Path) -> tuple[Case, ...]:
    return load_eval_file(path, root=path.parent).cases


def _transcripts(path: Path, *sessions: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in sessions), encoding="utf-8")
    return path


def test_the_newest_session_becomes_an_eval_file(home: ClaudeHome, agentv: InProcess) -> None:
    home.session("aaaaaaaa", "Fix the login page")

    printed = agentv("draft", "claude:latest", "-o", "evals/login.eval.yaml")

    [case] = _cases(Path("evals/login.eval.yaml"))
    said = f"evals/login.eval.yaml: 1 test, {len(case.entries)} assertions\n"
    assert (printed.code, printed.out) == (0, said)
    assert printed.err == "grade it: pytest evals/login.eval.yaml --transcript=claude:latest\n"
    assert (case.id, case.input) == ("fix-the-login-page", "Fix the login page")
    assert {"type": "command-run", "value": "make test*", "status": "ok"} in [
        {"type": one.type, **one.keys} for one in case.entries
    ]


def test_without_a_file_the_text_is_printed_as_it_would_be_written(
    home: ClaudeHome, agentv: InProcess
) -> None:
    path = home.session("aaaaaaaa")

    printed = agentv("draft", path)
    agentv("draft", path, "-o", "a.eval.yaml")

    assert (printed.code, printed.err) == (0, "")
    assert printed.out == Path("a.eval.yaml").read_text(encoding="utf-8")


def test_the_same_session_gives_the_same_bytes(home: ClaudeHome, agentv: InProcess) -> None:
    path = home.session("aaaaaaaa")

    first = agentv("draft", path).out

    assert first.startswith("# A first eval file")
    assert agentv("draft", path).out == first


def test_a_file_that_exists_is_overwritten_only_by_force(
    home: ClaudeHome, agentv: InProcess
) -> None:
    path = home.session("aaaaaaaa")
    file = Path("a.eval.yaml")
    file.write_text("mine", encoding="utf-8")

    refused = agentv("draft", path, "-o", file)

    assert (refused.code, refused.out) == (1, "")
    assert "exists already; --force overwrites it" in refused.err
    assert file.read_text(encoding="utf-8") == "mine"
    assert agentv("draft", path, "-o", file, "--force").code == 0
    assert len(_cases(file)) == 1


def test_each_session_of_a_file_becomes_a_test_with_a_name_of_its_own(
    agentv: InProcess, work: Path
) -> None:
    _transcripts(work / "t.jsonl", recorded(), recorded(), recorded(input="Else"))

    agentv("draft", "t.jsonl", "-o", "a.eval.yaml")

    assert [case.id for case in _cases(Path("a.eval.yaml"))] == ["do-it", "do-it-2", "else"]


def test_sessions_of_the_same_test_share_one_that_holds_for_all(
    agentv: InProcess, work: Path
) -> None:
    slow = recorded(test_id="login", duration_ms=90_000)
    quick = recorded(test_id="login", duration_ms=1_000)
    other = recorded(test_id="do-it", duration_ms=1_000)
    _transcripts(work / "t.jsonl", quick, other, slow)

    printed = agentv("draft", "t.jsonl", "-o", "a.eval.yaml")

    login, do_it = _cases(Path("a.eval.yaml"))
    assert (login.id, do_it.id) == ("login", "do-it")
    assert "latency" not in {one.type for one in login.entries}
    assert "latency" in {one.type for one in do_it.entries}
    assert "left out of login, for it is not sure to hold: type: latency," in printed.err


def test_sessions_of_one_test_that_have_nothing_in_common_are_one_sentence(
    agentv: InProcess, work: Path
) -> None:
    hidden = {"tool": "Bash", "kind": "shell", "args": {}, "status": "unknown"}
    other = recorded(test_id="login")
    other["output"][1]["tool_calls"] = [hidden]
    _transcripts(work / "t.jsonl", recorded(test_id="login"), other)

    printed = agentv("draft", "t.jsonl", "-o", "a.eval.yaml")

    assert (printed.code, printed.out) == (1, "")
    assert "nothing holds for all sessions of 'login'" in printed.err
    assert not Path("a.eval.yaml").exists()


def test_a_name_is_the_id_of_the_test(home: ClaudeHome, agentv: InProcess) -> None:
    path = home.session("aaaaaaaa")

    agentv("draft", path, "--name", "login-page", "-o", "a.eval.yaml")

    assert [case.id for case in _cases(Path("a.eval.yaml"))] == ["login-page"]


@pytest.mark.parametrize(
    ("sessions", "name", "said"),
    [
        ([recorded()], "two words", "has spaces"),
        ([recorded()], "", "is empty"),
        ([recorded(), recorded()], "x", "--name is for one session; these are 2"),
        ([recorded(test_id="y")], "x", "is for the test 'y'"),
    ],
)
def test_a_name_that_cannot_be_is_a_usage_error(
    sessions: list[dict[str, Any]], name: str, said: str, agentv: InProcess, work: Path
) -> None:
    _transcripts(work / "t.jsonl", *sessions)

    printed = agentv("draft", "t.jsonl", "--name", name, "-o", "a.eval.yaml")

    assert (printed.code, printed.out) == (2, "")
    assert said in printed.err
    assert not Path("a.eval.yaml").exists()


def test_what_was_done_can_be_had_as_json(home: ClaudeHome, agentv: InProcess) -> None:
    path = home.session("aaaaaaaa")

    written = json.loads(agentv("draft", path, "-o", "a.eval.yaml", "--json").out)
    printed = json.loads(agentv("draft", path, "--json").out)

    assert written["path"] == "a.eval.yaml"
    assert written["text"] == Path("a.eval.yaml").read_text(encoding="utf-8")
    assert printed == {**written, "path": None}
    [test] = written["tests"]
    assert test["id"] == "fix-the-login-page"
    assert test["assertions"] == len(_cases(Path("a.eval.yaml"))[0].entries)
    assert test["left_out"] == []


def test_a_session_cannot_steer_a_terminal_or_leave_its_place(
    home: ClaudeHome, agentv: InProcess
) -> None:
    evil = "\x1b[2J\r\n::error::x\n##vso[x]\u202e\"\n    - id: evil\n{{ env.HOME }} # 'x"
    session = Session(full_id("aaaaaaaa"), cwd="/home/dev/shop")
    session.prompt(evil)
    session.call("toolu_1", "Bash", {"command": f"npm test {evil}"}, "good")
    session.call("toolu_2", "Edit", {"file_path": f"/home/dev/shop/{evil}"}, "good")
    session.response("msg_1", text(f"`{evil}`"))
    path = home.add(session)

    printed = agentv("draft", path)
    agentv("draft", path, "-o", "a.eval.yaml")

    assert printed.code == 0
    assert not UNPRINTABLE.search(printed.out + printed.err)
    assert printed.out == Path("a.eval.yaml").read_text(encoding="utf-8")
    [case] = _cases(Path("a.eval.yaml"))
    assert "{{ env.HOME }}" in case.input


@pytest.mark.parametrize("what", ["nowhere.jsonl", "claude:latest", "claude:0000", ""])
def test_a_session_that_is_not_there_is_one_sentence(what: str, agentv: InProcess) -> None:
    printed = agentv("draft", what)

    assert (printed.code, printed.out) == (1, "")
    assert printed.err.startswith("agentv: ")
    assert printed.err.count("\n") == 1


def test_a_file_that_is_no_session_is_one_sentence(agentv: InProcess, work: Path) -> None:
    (work / "x.jsonl").write_text("hello\n", encoding="utf-8")

    printed = agentv("draft", "x.jsonl")

    assert (printed.code, printed.out) == (1, "")
    assert "is no session that an adapter knows" in printed.err


def test_a_redacted_draft_says_no_name_and_holds_for_the_session_itself(
    home: ClaudeHome, agentv: InProcess, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("AGENTV_REDACT_KEY_FILE", str(tmp_path / "key"))
    home.session(
        "aaaaaaaa", "Ask rosalind@shop.example, whose notes are in " + "/home" + "/rosalind/notes"
    )

    printed = agentv("draft", "claude:latest", "--redact", "research", "-o", "a.eval.yaml")

    assert printed.code == 0, printed.err
    drafted = Path("a.eval.yaml").read_text(encoding="utf-8")
    assert "rosalind" not in drafted + printed.out + printed.err
    assert "email-" in drafted
    [case] = _cases(Path("a.eval.yaml"))
    assert case.entries
    assert "rosalind" in agentv("draft", "claude:latest").out
