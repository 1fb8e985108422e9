"""What can be given as --transcript, and what is wrong usage."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import codex_sessions
import copilot_sessions
import pytest
from claude_sessions import Session, text
from eval_runs import WORKERS, recorded

if TYPE_CHECKING:
    from pathlib import Path

    from eval_runs import EvalProject

FIRST = "11111111-0000-4000-8000-000000000000"
SECOND = "22222222-0000-4000-8000-000000000000"
CODEX_ID = codex_sessions.SESSION_ID
COPILOT_ID = copilot_sessions.SESSION_ID


def claude_session(folder: Path, session_id: str, answer: str) -> Path:
    """A session as Claude Code writes it."""
    session = Session(session_id)
    session.prompt("Do it")
    session.response("msg_1", text(answer))
    return session.write_in(folder)


@pytest.fixture
def claude(project: EvalProject, monkeypatch: pytest.MonkeyPatch) -> EvalProject:
    """A project, and a user of Claude Code who has two sessions; the second is the newest."""
    home = project.path / "claude-home"
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home))
    for minute, session_id in enumerate([FIRST, SECOND]):
        path = claude_session(home / "projects" / "-shop", session_id, f"This is {session_id[:1]}.")
        os.utime(path, (1_774_000_000 + 60 * minute,) * 2)
    project.assertions("contains: This is 2", "contains: This is 1")
    return project


@pytest.fixture
def clients(project: EvalProject, monkeypatch: pytest.MonkeyPatch) -> EvalProject:
    """A project, and somebody who has a session of Codex and one of Copilot."""
    monkeypatch.setenv("CODEX_HOME", str(project.path / "codex-home"))
    monkeypatch.setenv("COPILOT_HOME", str(project.path / "copilot-home"))
    session = codex_sessions.Session()
    session.ask("Do it")
    session.answer("Done.")
    session.write_in(project.path / "codex-home" / "sessions" / "2026" / "03" / "05")
    copilot_sessions.plain().write_in(project.path / "copilot-home", workspace="name: It\n")
    project.assertions("contains: Done")
    return project


@pytest.mark.parametrize("workers", [(), WORKERS])
def test_a_line_of_a_file(project: EvalProject, workers: tuple[str, ...]) -> None:
    project.assertions("contains: Second")
    project.sessions(recorded("First."), recorded("Second."), recorded("Third."))
    assert project.run("--transcript=t.jsonl:2", *workers).by_name == {"contains-Second": "passed"}


def test_a_line_that_a_file_does_not_have_is_wrong_usage(project: EvalProject) -> None:
    project.assertions("contains: Done")
    path = project.sessions(recorded())
    run = project.run("--transcript=t.jsonl:2")
    assert run.code == 4
    assert f"--transcript=t.jsonl:2: {path}: has no session on line 2" in run.errors


def test_a_file(project: EvalProject) -> None:
    project.assertions("contains: Done")
    project.sessions(recorded(), name="deep/x.jsonl")
    assert project.run("--transcript=deep/x.jsonl").by_name == {"contains-Done": "passed"}
    absolute = project.path / "deep" / "x.jsonl"
    assert project.run(f"--transcript={absolute}").by_name == {"contains-Done": "passed"}


def test_the_option_and_its_value_may_be_two_arguments(project: EvalProject) -> None:
    project.assertions("contains: Done")
    project.sessions(recorded())
    assert project.run("--transcript", "t.jsonl").by_name == {"contains-Done": "passed"}


def test_a_folder_is_all_of_its_files_in_sorted_order(project: EvalProject) -> None:
    project.assertions("contains: Done")
    for name in ("c", "a", "deep/b"):
        project.sessions(recorded(session_id=f"{name[-1] * 8}-0"), name=f"runs/{name}.jsonl")
    project.write("runs/notes.txt", "nothing")
    assert [
        one.split("[")[1].split("]")[0] for one in project.run("--transcript=runs").outcomes
    ] == [
        "claude-cli-aaaaaaaa",
        "claude-cli-cccccccc",
        "claude-cli-bbbbbbbb",
    ]


def test_a_glob_is_all_that_fits_in_sorted_order(project: EvalProject) -> None:
    project.assertions("contains: Done")
    for name in ("b-2", "b-1", "c-1"):
        project.sessions(recorded(session_id=f"{name}-session"), name=f"{name}.jsonl")
    outcomes = project.run("--transcript=b-*.jsonl").outcomes
    assert list(outcomes) == [
        "a.eval.yaml::one[claude-cli-b-1-sess]::contains-Done",
        "a.eval.yaml::one[claude-cli-b-2-sess]::contains-Done",
    ]


def test_a_file_whose_name_looks_like_a_glob_is_that_file(project: EvalProject) -> None:
    project.assertions("contains: Done")
    project.sessions(recorded(), name="[x].jsonl")
    assert project.run("--transcript=[x].jsonl").by_name == {"contains-Done": "passed"}


def test_several_values_run_side_by_side(project: EvalProject) -> None:
    project.assertions("contains: Done")
    project.sessions(recorded(), name="a.jsonl")
    project.sessions(recorded("No.", provider="codex-cli"), name="b.jsonl")
    assert project.run("--transcript=a.jsonl", "--transcript=b.jsonl").outcomes == {
        "a.eval.yaml::one[claude-cli]::contains-Done": "passed",
        "a.eval.yaml::one[codex-cli]::contains-Done": "failed",
    }


def test_a_session_as_its_client_wrote_it(project: EvalProject) -> None:
    path = claude_session(project.path, FIRST, "All is done.")
    project.assertions("contains: All is done", "contains: nothing")
    run = project.run(f"--transcript={path.name}")
    assert run.by_name == {"contains-All-is-done": "passed", "contains-nothing": "failed"}
    assert f"  session:  {FIRST} {path.name}\n" in run.text_of["contains-nothing"]
    assert "at message 2, line 2 of the session" in run.text_of["contains-nothing"]


def test_the_latest_session_of_a_client(claude: EvalProject) -> None:
    run = claude.run("--transcript=claude:latest")
    assert run.by_name == {"contains-This-is-2": "passed", "contains-This-is-1": "failed"}


@pytest.mark.parametrize("which", [FIRST, FIRST[:8], FIRST[:3]])
def test_a_session_of_a_client_by_its_id(claude: EvalProject, which: str) -> None:
    run = claude.run(f"--transcript=claude:{which}")
    assert run.by_name == {"contains-This-is-2": "failed", "contains-This-is-1": "passed"}


@pytest.mark.parametrize(
    "what",
    [
        "codex:latest",
        f"codex:{CODEX_ID[:13]}",
        "codex-home",
        "codex-home/sessions/2026/03/05",
        "codex-home/**/rollout-*.jsonl",
    ],
)
def test_a_codex_session_by_all_its_names(clients: EvalProject, what: str) -> None:
    assert clients.run(f"--transcript={what}").outcomes == {
        "a.eval.yaml::one[codex-cli]::contains-Done": "passed",
    }


@pytest.mark.parametrize(
    "what",
    [
        "copilot:latest",
        f"copilot:{COPILOT_ID[:8]}",
        "copilot-home/session-state",
        f"copilot-home/session-state/{COPILOT_ID}",
        f"copilot-home/session-state/{COPILOT_ID}/events.jsonl",
    ],
)
def test_a_copilot_session_by_all_its_names(clients: EvalProject, what: str) -> None:
    assert clients.run(f"--transcript={what}").outcomes == {
        "a.eval.yaml::one[copilot-cli]::contains-Done": "passed",
    }


@pytest.mark.parametrize("what", ["copilot-home", f"copilot-home/session-state/{COPILOT_ID}"])
def test_what_else_lies_in_the_folder_of_a_session_is_no_session(
    clients: EvalProject, what: str
) -> None:
    folder = f"copilot-home/session-state/{COPILOT_ID}"
    for name in ("files/rows.jsonl", "files/events.jsonl", "notes.jsonl"):
        clients.write(f"{folder}/{name}", '{"made": "by the agent"}\n')
    assert clients.run(f"--transcript={what}").outcomes == {
        "a.eval.yaml::one[copilot-cli]::contains-Done": "passed",
    }


def test_a_file_beside_one_that_is_merely_named_like_a_session_counts(
    project: EvalProject,
) -> None:
    project.assertions("contains: Done")
    for name in ("events", "other"):
        project.sessions(recorded(session_id=f"{name[0] * 8}-0"), name=f"runs/{name}.jsonl")
    assert len(project.run("--transcript=runs").outcomes) == 2


def test_sessions_of_two_clients_side_by_side(clients: EvalProject) -> None:
    assert clients.run("--transcript=copilot:latest", "--transcript=codex:latest").outcomes == {
        "a.eval.yaml::one[copilot-cli]::contains-Done": "passed",
        "a.eval.yaml::one[codex-cli]::contains-Done": "passed",
    }


def test_a_file_named_as_a_client_comes_first(claude: EvalProject) -> None:
    claude.sessions(recorded("This is 1 and This is 2"), name="claude:latest")
    assert set(claude.run("--transcript=claude:latest").outcomes.values()) == {"passed"}


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("nothing.jsonl", "nothing.jsonl: no such file, folder, glob or session"),
        ("*.nothing", "*.nothing: no such file, folder, glob or session"),
        ("empty", "empty: the folder holds no .jsonl file"),
        ("nobody:latest", "nobody:latest: no such file, folder, glob or session"),
        ("claud:latest", "glob or session; did you mean claude:latest?"),
        ("claude", "glob or session; did you mean claude:latest?"),
        ('"claude:latest"', "glob or session; did you mean claude:latest?"),
        ("'claude:latest'", "glob or session; did you mean claude:latest?"),
        ("cluade", "glob or session; did you mean claude:latest?"),
        ("nope", "nope: no such file, folder, glob or session\n"),
        ("latest", "glob or session; say whose session it is, as claude:latest"),
        ("0763061e", "glob or session; say whose session it is, as claude:0763061e"),
        ("claude:99999999", "'99999999'; agentv import claude --list shows those there are"),
        ("", ""),
        ("x\x00y", "x"),
    ],
)
def test_a_value_that_names_nothing_is_wrong_usage(
    claude: EvalProject, value: str, said: str
) -> None:
    (claude.path / "empty").mkdir()
    run = claude.run(f"--transcript={value}")
    assert run.code == 4
    assert "--transcript=" in run.errors
    assert said in run.errors
    assert "Traceback" not in run.errors + run.text


def test_an_id_that_fits_several_sessions_is_wrong_usage(claude: EvalProject) -> None:
    claude_session(claude.path / "claude-home" / "projects" / "-shop", FIRST[:-1] + "9", "x")
    run = claude.run("--transcript=claude:1111")
    assert run.code == 4
    assert "1111" in run.errors


def test_a_client_without_sessions_is_wrong_usage(
    project: EvalProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(project.path / "nothing"))
    run = project.run("--transcript=claude:latest")
    assert run.code == 4
    assert "nothing" in run.errors


def test_a_value_that_names_nothing_is_wrong_usage_before_anything_runs(
    project: EvalProject,
) -> None:
    project.write("test_it.py", "def test_it(): print('it ran')\n")
    run = project.run("--transcript=nothing.jsonl", "-s")
    assert (run.code, run.outcomes) == (4, {})


@pytest.mark.parametrize("option", [(), ("--transcript=t.jsonl",)])
def test_a_transcript_among_the_tests_is_wrong_usage_that_names_the_fix(
    project: EvalProject, option: tuple[str, ...]
) -> None:
    project.assertions("contains: Done")
    project.sessions(recorded())
    project.sessions(recorded(), name="runs/u.jsonl")
    run = project.run("a.eval.yaml", *option, "runs/u.jsonl")
    assert run.code == 4
    assert (
        "runs/u.jsonl is no test; give transcripts as --transcript=runs/u.jsonl, and put a glob "
        "in quotes: --transcript='runs/*.jsonl'" in run.errors
    )


def test_an_empty_file_is_an_error(project: EvalProject) -> None:
    project.assertions("contains: Done")
    project.write("t.jsonl", b"")
    run = project.grade()
    assert run.code not in {0, 5}
    assert "t.jsonl" in run.text + run.errors
    assert "INTERNALERROR" not in run.text
    assert "Traceback" not in run.text


@pytest.mark.parametrize(
    "content", [b"hello\n", b"\xff\xfe{\x00}\x00", b"\x00" * 100, b'{"a": 1}\n', b"[" * 100_000]
)
def test_a_file_that_is_no_session_is_an_error_in_a_sentence(
    project: EvalProject, content: bytes
) -> None:
    project.assertions("contains: Done", "not-contains: Done")
    project.write("t.jsonl", content)
    run = project.grade()
    assert run.code in {1, 2, 4}
    assert "passed" not in run.outcomes.values()
    assert "t.jsonl" in run.text + run.errors
    assert "INTERNALERROR" not in run.text
    assert "Traceback" not in run.text


def test_the_header_names_the_sessions_only_if_there_are_any(project: EvalProject) -> None:
    project.assertions("contains: Done")
    project.sessions(recorded())
    assert "\nagentv: --transcript=t.jsonl\n" in project.grade().text
    assert "\nagentv: " not in project.run().text
