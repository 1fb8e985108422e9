"""``agentv export``: one session in another form."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from agentv_command import full_id
from claude_sessions import Session, text
from eval_runs import recorded
from pages import EXAMPLES, read_page

if TYPE_CHECKING:
    from agentv_command import ClaudeHome, InProcess


def _shown(path: Path) -> str:
    return "".join(read_page(path).parts)


def test_the_newest_session_becomes_a_page(home: ClaudeHome, agentv: InProcess) -> None:
    home.session("aaaaaaaa", "Fix the login page")

    printed = agentv("export", "claude:latest", "--format", "html")

    assert (printed.code, printed.out, printed.err) == (0, "claude-cli-aaaaaaaa.html\n", "")
    shown = _shown(Path("claude-cli-aaaaaaaa.html"))
    for said in ("Fix the login page", "make test", "all good", "4 messages, 2 tool calls"):
        assert said in shown


def test_programs_read_what_was_written(home: ClaudeHome, agentv: InProcess) -> None:
    home.session("aaaaaaaa", "Fix the login page")

    printed = agentv("export", "claude:latest", "-f", "html", "--json")

    assert json.loads(printed.out) == {
        "path": "claude-cli-aaaaaaaa.html",
        "sessions": [{"provider": "claude-cli", "session_id": full_id("aaaaaaaa")}],
    }


@pytest.mark.parametrize("client", ["claude", "codex", "copilot"])
def test_transcripts_of_every_client_become_pages(client: str, agentv: InProcess) -> None:
    path = EXAMPLES / "transcripts" / "login-limit" / f"{client}.jsonl"

    printed = agentv("export", path, "--format", "html", "-o", "page.html")

    assert (printed.code, printed.out) == (0, "page.html\n")
    shown = _shown(Path("page.html"))
    assert f"{client}-cli" in shown
    assert "+| `RATE_LIMIT_MAX` | `5` | login attempts per minute and client address |" in shown


@pytest.mark.parametrize("asked", [True, False])
def test_sub_agents_of_a_session_are_shown_on_request(asked: bool, agentv: InProcess) -> None:  # noqa: FBT001
    [session] = (EXAMPLES / "claude-home" / "projects").glob("*/*.jsonl")
    options = ["--include-subagents"] if asked else []

    printed = agentv("export", session, "--format", "html", "-o", "page.html", *options)

    assert (printed.code, printed.err) == (0, "")
    shown = _shown(Path("page.html"))
    assert ("Sub-agent" in shown, "4 messages, 2 tool calls" in shown) == (asked, asked)


def test_a_file_that_exists_is_overwritten_only_by_force(
    home: ClaudeHome, agentv: InProcess
) -> None:
    session = home.session("aaaaaaaa")
    path = Path("claude-cli-aaaaaaaa.html")
    path.write_text("mine", encoding="utf-8")

    refused = agentv("export", session, "--format", "html")

    assert (refused.code, refused.out) == (1, "")
    assert "exists already; --force overwrites it" in refused.err
    assert path.read_text(encoding="utf-8") == "mine"
    assert agentv("export", session, "--format", "html", "--force").code == 0
    assert "Fix the login page" in _shown(path)


def test_several_sessions_are_a_usage_error(agentv: InProcess, work: Path) -> None:
    lines = [json.dumps(recorded()), json.dumps(recorded())]
    (work / "t.jsonl").write_text("\n".join(lines), encoding="utf-8")

    printed = agentv("export", "t.jsonl", "--format", "html")

    assert (printed.code, printed.out) == (2, "")
    assert printed.err == "agentv: 't.jsonl' names 2 sessions; name one of them, as FILE:1 does\n"


def test_one_of_several_sessions_is_named_by_its_line(agentv: InProcess, work: Path) -> None:
    lines = [json.dumps(recorded(one)) for one in ("First answer.", "Second answer.")]
    (work / "t.jsonl").write_text("\n".join(lines), encoding="utf-8")

    assert agentv("export", "t.jsonl:2", "--format", "html", "-o", "page.html").code == 0

    shown = _shown(work / "page.html")
    assert "Second answer." in shown
    assert "First answer." not in shown


@pytest.mark.parametrize("what", ["nowhere.jsonl", "claude:latest", ""])
def test_a_session_that_is_not_there_is_one_sentence(what: str, agentv: InProcess) -> None:
    printed = agentv("export", what, "--format", "html")

    assert (printed.code, printed.out) == (1, "")
    assert printed.err.startswith("agentv: ")
    assert printed.err.count("\n") == 1


@pytest.mark.parametrize("arguments", [["--format", "docx"], []])
def test_a_form_that_nobody_writes_is_a_usage_error(
    arguments: list[str], agentv: InProcess
) -> None:
    printed = agentv("export", "claude:latest", *arguments)

    assert (printed.code, printed.out) == (2, "")
    assert "--format" in printed.err
    assert "html" in printed.err


def test_what_a_session_calls_itself_never_becomes_a_path(
    home: ClaudeHome, agentv: InProcess, work: Path
) -> None:
    session = recorded()
    session["source"] = {"provider": "../../evil", "session_id": "/etc/passwd"}
    (work / "t.jsonl").write_text(json.dumps(session), encoding="utf-8")
    del home

    printed = agentv("export", "t.jsonl", "--format", "html")

    assert (printed.code, printed.out) == (0, "evil--etc-pas.html\n")
    assert Path("evil--etc-pas.html").is_file()


def test_a_session_cannot_get_out_of_its_page(home: ClaudeHome, agentv: InProcess) -> None:
    session = Session(full_id("aaaaaaaa"), cwd="/home/dev/shop")
    session.prompt("</title><script>alert(1)</script>")
    session.response("msg_1", text("\x1b[31m\u202e<img src=x onerror=alert(2)>"))
    path = home.add(session)

    agentv("export", path, "--format", "html", "-o", "page.html")

    page = read_page(Path("page.html"))
    assert ("img", "") not in page.structure
    shown = "".join(page.parts)
    assert "</title><script>alert(1)</script>" in shown
    assert "\\x1b[31m\\u202e<img src=x onerror=alert(2)>" in shown
