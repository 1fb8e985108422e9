"""``agentv import claude --list``: what is shown, in which order, and what never gets out raw."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from agentv_command import UNPRINTABLE, run_agentv
from claude_sessions import Session

if TYPE_CHECKING:
    from pathlib import Path

    from agentv_command import ClaudeHome, InProcess


def lines(out: str) -> list[str]:
    return [line.rstrip() for line in out.split("\n") if line]


def test_a_list_shows_id_time_size_project_and_prompt_newest_first(
    home: ClaudeHome, work: Path
) -> None:
    home.session("aaaaaaaa", "Add JWT authentication", size=4_200)
    home.session("bbbbbbbb", "Fix the login page", cwd="/home/dev/site", size=1_230_000)
    home.session("cccccccc", "Write a changelog", modified=1_700_000_000, size=54_321)

    listed = run_agentv("import", "claude", "--list", cwd=work, TZ="UTC")

    assert (listed.code, listed.err) == (0, "")
    assert lines(listed.out) == [
        "id        when                  size  project         first prompt",
        "bbbbbbbb  2026-03-20 09:48    1.2 MB  /home/dev/site  Fix the login page",
        "aaaaaaaa  2026-03-20 09:47    4.2 KB  /home/dev/shop  Add JWT authentication",
        "cccccccc  2023-11-14 22:13   54.3 KB  /home/dev/shop  Write a changelog",
    ]


def test_times_are_those_of_the_users_time_zone(home: ClaudeHome, work: Path) -> None:
    home.session("aaaaaaaa", modified=1_774_000_000)

    listed = run_agentv("import", "claude", "--list", cwd=work, TZ="XYZ-5:30")

    assert "aaaaaaaa  2026-03-20 15:16 " in listed.out


def test_a_list_as_json_has_whole_ids_and_times_in_utc(home: ClaudeHome, agentv: InProcess) -> None:
    older = home.session("aaaaaaaa", "Add JWT authentication", modified=1_774_000_000)
    newer = home.session("bbbbbbbb", None, cwd="/home/dev/site", modified=1_774_000_060)

    listed = agentv("import", "claude", "--list", "--json")

    assert (listed.code, listed.err) == (0, "")
    assert json.loads(listed.out) == [
        {
            "id": "bbbbbbbb-0000-4000-8000-000000000000",
            "when": "2026-03-20T09:47:40+00:00",
            "project": "/home/dev/site",
            "first_prompt": None,
            "size": newer.stat().st_size,
            "path": str(newer),
        },
        {
            "id": "aaaaaaaa-0000-4000-8000-000000000000",
            "when": "2026-03-20T09:46:40+00:00",
            "project": "/home/dev/shop",
            "first_prompt": "Add JWT authentication",
            "size": older.stat().st_size,
            "path": str(older),
        },
    ]


def test_sessions_of_the_same_moment_are_listed_by_id(home: ClaudeHome, agentv: InProcess) -> None:
    for beginning in ("cccccccc", "aaaaaaaa", "bbbbbbbb"):
        home.session(beginning, modified=1_774_000_000)

    listed = agentv("import", "claude", "--list")

    assert [line[:8] for line in lines(listed.out)[1:]] == ["aaaaaaaa", "bbbbbbbb", "cccccccc"]


def test_ids_are_shown_as_far_as_it_takes_to_tell_them_apart(
    home: ClaudeHome, agentv: InProcess
) -> None:
    home.session("aaaaaaaa-1234")
    home.session("aaaaaaaa-1244")

    listed = lines(agentv("import", "claude", "--list").out)

    assert [line.split()[0] for line in listed[1:]] == ["aaaaaaaa-124", "aaaaaaaa-123"]
    assert agentv("import", "claude", "--session-id", "aaaaaaaa-124").code == 0


def test_a_session_that_lies_in_two_projects_is_listed_twice(
    home: ClaudeHome, agentv: InProcess
) -> None:
    home.session("aaaaaaaa", cwd="/home/dev/shop")
    home.session("aaaaaaaa", cwd="/home/dev/site")

    listed = json.loads(agentv("import", "claude", "--list", "--json").out)

    assert [one["project"] for one in listed] == ["/home/dev/site", "/home/dev/shop"]


@pytest.mark.parametrize(
    ("size", "shown"),
    [(4_200, "4.2 KB"), (54_321, "54.3 KB"), (999_960, "1.0 MB"), (2_000_000, "2.0 MB")],
)
def test_sizes_are_in_units_people_read(
    home: ClaudeHome, agentv: InProcess, size: int, shown: str
) -> None:
    home.session("aaaaaaaa", "Hello", size=size)

    assert f"  {shown}  /home/dev/shop  Hello" in agentv("import", "claude", "--list").out


def test_a_prompt_of_several_lines_is_one_line_of_the_table(
    home: ClaudeHome, agentv: InProcess
) -> None:
    home.session("aaaaaaaa", "Fix this:\n\n\tpages/login.py   line 3\r\nplease")

    listed = lines(agentv("import", "claude", "--list").out)

    assert len(listed) == 2
    assert listed[1].endswith("  Fix this: pages/login.py line 3 please")


def test_a_pipe_gets_long_prompts_and_projects_whole(home: ClaudeHome, agentv: InProcess) -> None:
    prompt = "Rename the field " + ", then rename it again" * 20
    project = "/home/dev/projects/clients/2026/internal-tools/invoices-and-receipts"
    home.session("aaaaaaaa", prompt, cwd=project)

    listed = agentv("import", "claude", "--list").out

    assert prompt in listed
    assert project in listed


def test_a_prompt_too_long_for_a_list_shows_that_it_was_cut(
    home: ClaudeHome, agentv: InProcess
) -> None:
    prompt = "Rename the field, then rename it again. " * 50
    home.session("aaaaaaaa", prompt)

    (listed,) = json.loads(agentv("import", "claude", "--list", "--json").out)

    shown = listed["first_prompt"]
    assert shown.endswith("…")
    assert prompt.startswith(shown.removesuffix("…"))


def test_lines_of_a_list_end_with_what_they_say(home: ClaudeHome, agentv: InProcess) -> None:
    home.session("aaaaaaaa", "Short")
    home.session("bbbbbbbb", "A prompt that is a good deal longer than the other one")

    listed = agentv("import", "claude", "--list").out

    assert [line for line in listed.split("\n") if line != line.rstrip()] == []


def test_prompts_in_any_script_are_shown_as_they_are(home: ClaudeHome, agentv: InProcess) -> None:
    home.session("aaaaaaaa", "修复登录页面的错误并编写测试 👩‍💻 é")

    assert "修复登录页面的错误并编写测试 👩‍💻 é" in agentv("import", "claude", "--list").out
    listed = json.loads(agentv("import", "claude", "--list", "--json").out)
    assert listed[0]["first_prompt"] == "修复登录页面的错误并编写测试 👩‍💻 é"


HOSTILE = {
    "colour": "\x1b[31mred\x1b[0m",
    "clipboard": "\x1b]52;c;cm0gLXJm\x07",
    "link": "\x1b]8;;https://example.com\x1b\\click\x1b]8;;\x1b\\",
    "C1": "\x9b31m\x9d52;c;cm0gLXJm\x9c",
    "controls": "bell\x07 backspace\x08 delete\x7f nul\x00 shift\x0e",
    "turned-around": "\u202egnp.exe \u2066isolated\u2069 \u200f",
    "markup": "[bold red]x[/] [link=https://example.com]y[/link]",
    "GitHub": "::error::the build is broken",
    "GitHub-after-a-newline": "hello\n  ::set-output name=x::y",
    "Azure": "text ##[error]the build is broken",
}


@pytest.mark.parametrize("prompt", HOSTILE.values(), ids=list(HOSTILE))
def test_nothing_in_a_prompt_steers_a_terminal_or_a_ci_log(
    home: ClaudeHome, agentv: InProcess, prompt: str
) -> None:
    home.session("aaaaaaaa", f"{prompt} end")
    home.session("bbbbbbbb", "other", cwd=f"/home/dev/{prompt.replace('/', '')}")

    listed = agentv("import", "claude", "--list")

    assert listed.code == 0
    assert len(lines(listed.out)) == 3
    assert UNPRINTABLE.findall(listed.out) == []
    assert "##[" not in listed.out
    assert [line for line in listed.out.split("\n") if line.lstrip().startswith("::")] == []


def test_what_is_replaced_in_a_prompt_leaves_the_rest_readable(
    home: ClaudeHome, agentv: InProcess
) -> None:
    home.session("aaaaaaaa", "a \x1b[31mred\x1b[0m ##[error] word [bold]x[/bold]")
    home.session("bbbbbbbb", "::error::boom")

    listed = agentv("import", "claude", "--list").out

    assert r"a \x1b[31mred\x1b[0m # #[error] word [bold]x[/bold]" in listed
    assert ": :error::boom" in listed


@pytest.mark.parametrize("prompt", HOSTILE.values(), ids=list(HOSTILE))
def test_a_list_as_json_is_exact_and_yet_safe_to_print(
    home: ClaudeHome, agentv: InProcess, prompt: str
) -> None:
    home.session("aaaaaaaa", prompt)

    listed = agentv("import", "claude", "--list", "--json")

    assert json.loads(listed.out)[0]["first_prompt"] == prompt.strip()
    assert UNPRINTABLE.findall(listed.out) == []
    assert "##[" not in listed.out


def test_without_sessions_there_is_a_message_and_no_table(
    home: ClaudeHome, agentv: InProcess
) -> None:
    home.projects.mkdir(parents=True)

    listed = agentv("import", "claude", "--list")

    assert (listed.code, listed.out) == (0, "")
    assert listed.err == f"no session of claude was found below {home.projects}\n"


def test_without_sessions_json_is_an_empty_list(agentv: InProcess) -> None:
    listed = agentv("import", "claude", "--list", "--json")

    assert (listed.code, listed.out) == (0, "[]\n")


def test_only_sessions_are_listed(home: ClaudeHome, agentv: InProcess) -> None:
    session = home.session("aaaaaaaa")
    content = session.read_bytes()
    for name in ("agent-1a2b3c4d.jsonl", "notes.jsonl", "sessions-index.json"):
        (session.parent / name).write_bytes(content)
    agents = session.with_suffix("") / "subagents"
    agents.mkdir(parents=True)
    (agents / "agent-1a2b3c4d.jsonl").write_bytes(content)
    (session.parent / "bbbbbbbb-0000-4000-8000-000000000000.jsonl").mkdir()
    (home.path / ".claude" / "history.jsonl").write_bytes(content)

    listed = json.loads(agentv("import", "claude", "--list", "--json").out)

    assert [one["path"] for one in listed] == [str(session)]


def test_a_link_to_a_folder_above_does_not_list_sessions_again(
    home: ClaudeHome, agentv: InProcess
) -> None:
    session = home.session("aaaaaaaa")
    (home.projects / "loop").symlink_to(home.projects, target_is_directory=True)
    (home.projects / "again").symlink_to(session.parent, target_is_directory=True)

    listed = json.loads(agentv("import", "claude", "--list", "--json").out)

    assert [one["path"] for one in listed] == [str(session)]


def test_sessions_that_cannot_be_read_are_listed_without_a_prompt(
    home: ClaudeHome, agentv: InProcess
) -> None:
    good = home.session("aaaaaaaa", "Fix the login page")
    for beginning, content in [
        ("bbbbbbbb", b""),
        ("cccccccc", b"\x89PNG\r\n\x1a\n\x00\xff"),
        ("dddddddd", "{}".encode("utf-16")),
        ("eeeeeeee", b'{"type": "user", "message": {"role": "user", "content": "torn'),
    ]:
        good.with_name(f"{beginning}-0000-4000-8000-000000000000.jsonl").write_bytes(content)

    listed = json.loads(agentv("import", "claude", "--list", "--json").out)

    assert {one["id"][:8]: one["first_prompt"] for one in listed} == {
        "aaaaaaaa": "Fix the login page",
        "bbbbbbbb": None,
        "cccccccc": None,
        "dddddddd": None,
        "eeeeeeee": None,
    }


def test_the_prompt_shown_is_the_first_that_a_person_typed(
    home: ClaudeHome, agentv: InProcess
) -> None:
    session = Session("aaaaaaaa-0000-4000-8000-000000000000")
    session.about("summary", summary="An older session", leafUuid="x")
    session.local_command("clear", "")
    session.user("<ide_opened_file>pages/login.py</ide_opened_file>")
    session.prompt("Fix the login page")
    session.prompt("Now the other one")
    home.add(session)

    listed = json.loads(agentv("import", "claude", "--list", "--json").out)

    assert listed[0]["first_prompt"] == "Fix the login page"


@pytest.mark.parametrize("modified", [0, -86_400, 2**33, 2**38])
def test_a_strange_time_of_change_does_not_stop_the_list(
    home: ClaudeHome, agentv: InProcess, modified: int
) -> None:
    home.session("aaaaaaaa", "Fix the login page", modified=modified)

    for arguments in (["--list"], ["--list", "--json"]):
        listed = agentv("import", "claude", *arguments)
        assert listed.code == 0
        assert "Fix the login page" in listed.out
