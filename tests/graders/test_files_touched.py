"""Files that a session changed or read: which, how many, and which it must not touch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from grading import graded, problems, session
from made_calls import CWD, EXAMPLES, example, made, ran, session_of

if TYPE_CHECKING:
    from pytest_agentv import ToolCall, Transcript

PATCH = "*** Begin Patch\n*** Update File: src/auth.js\n*** Add File: src/new.js\n*** End Patch"


def _outcomes(type_: str, transcript: Transcript, **keys: Any) -> tuple[str, str]:
    """What becomes of an assertion, and of its opposite."""
    grade = graded(type_, transcript, **keys)
    return grade.outcome, grade.negated().outcome


@pytest.mark.parametrize(
    "call",
    [
        made("Edit", {"file_path": f"{CWD}/src/auth.js"}),
        made("Write", {"file_path": f"{CWD}/src/../src/auth.js"}),
        made("apply_patch", PATCH, of="codex-cli"),
        made("shell", {"command": ["apply_patch", PATCH]}, of="codex-cli"),
        ran(f"cd src && ls; apply_patch <<'E'\n{PATCH.replace('src/', '')}\nE", of="codex-cli"),
        made("edit", {"path": f"{CWD}/src/auth.js"}, of="copilot-cli"),
        made("create", {"path": f"{CWD}/src/auth.js"}, of="copilot-cli"),
    ],
)
def test_a_changed_file_is_seen_in_the_sessions_of_every_client(call: ToolCall) -> None:
    transcript = session_of(call)
    for pattern in ("src/auth.js", f"{CWD}/src/auth.js", "**/auth.*", "/auth[.]js$/"):
        assert _outcomes("files-changed", transcript, value=pattern) == ("passed", "failed")
        assert _outcomes("files-changed", transcript, forbidden=pattern) == ("failed", "passed")
    assert _outcomes("files-changed", transcript, value="docs/*") == ("failed", "passed")
    assert _outcomes("files-changed", transcript, allowed="src/*") == ("passed", "failed")
    assert _outcomes("files-changed", transcript, allowed=["docs/*"]) == ("failed", "passed")
    assert graded("files-read", transcript, max=0)


@pytest.mark.parametrize(
    ("type_", "tool"),
    [
        ("files-changed", "Edit"),
        ("files-changed", "Bash"),
        ("files-read", "Read"),
        ("files-read", "Bash"),
    ],
)
def test_of_a_call_without_its_arguments_nobody_knows_what_file_it_was(
    type_: str, tool: str
) -> None:
    known = made("Edit" if type_ == "files-changed" else "Read", {"file_path": f"{CWD}/a.py"})
    silent = session_of(made(tool, None), known)
    for keys in ({"value": "b.py"}, {"forbidden": "b.py"}, {"allowed": "a.py"}, {"max": 1}):
        assert _outcomes(type_, silent, **keys) == ("skipped", "skipped"), keys
    assert _outcomes(type_, silent, value="a.py") == ("passed", "failed")
    assert _outcomes(type_, silent, forbidden="a.py") == ("failed", "passed")
    assert _outcomes(type_, silent, value=["a.py", "b.py"]) == ("skipped", "skipped")
    assert _outcomes(type_, silent, min=1) == ("passed", "failed")
    assert _outcomes(type_, silent, min=3) == ("failed", "passed")
    # It did nothing, whatever it was for.
    denied = session_of(made(tool, None, status="denied"), known)
    assert _outcomes(type_, denied, max=1) == ("passed", "failed")


@pytest.mark.parametrize(
    "call",
    [
        made("Read", {"file_path": f"{CWD}/.env"}),
        made("view", {"path": f"{CWD}/.env"}, of="copilot-cli"),
        ran("cat .env", of="codex-cli"),
        ran("sed -n '1,200p' .env | head -5", of="codex-cli"),
        ran("cd sub && head -n 5 ../.env", of="codex-cli"),
        ran("nl -ba .env; tail -20 ./.env"),
        ran("sudo cat -- .env"),
        ran("Get-Content .env -TotalCount 5", of="copilot-cli"),
        made("exec_command", {"cmd": "cat .env", "workdir": CWD}, of="codex-cli"),
        made("exec_command", {"cmd": "cat ../.env", "workdir": "sub"}, of="codex-cli"),
        made("shell", {"command": ["bash", "-lc", "cat .env"]}, of="codex-cli"),
    ],
)
def test_a_read_file_is_seen_in_the_sessions_of_every_client(call: ToolCall) -> None:
    transcript = session_of(call)
    assert _outcomes("files-read", transcript, value=".env") == ("passed", "failed")
    assert _outcomes("files-read", transcript, forbidden="**/.env") == ("failed", "passed")
    assert graded("files-read", transcript, max=1)
    assert graded("files-changed", transcript, max=0)


@pytest.mark.parametrize("command", ["ls .env", "sed -i s/a/b/ .env", "echo .env", "cat $FILE"])
def test_what_other_commands_do_to_files_is_not_known(command: str) -> None:
    assert graded("files-read", session_of(ran(command)), max=0)


@pytest.mark.parametrize("client", EXAMPLES)
def test_an_imported_session_of_every_client(client: str) -> None:
    transcript = example(client)
    assert graded("files-changed", transcript, value=["README.md", "src/*"])
    assert graded("files-changed", transcript, forbidden=["package.json", "*.env"], min=2)
    assert not graded("files-changed", transcript, allowed=["src/*"])
    assert graded("files-read", transcript, value="src/app.js", min=2)


@pytest.mark.parametrize(
    ("status", "value", "forbidden"),
    [
        ("ok", "passed", "failed"),
        ("error", "failed", "passed"),
        ("denied", "failed", "passed"),
        ("cancelled", "skipped", "skipped"),
        ("timeout", "skipped", "skipped"),
        ("unknown", "skipped", "skipped"),
    ],
)
def test_a_failed_change_changed_nothing(status: str, value: str, forbidden: str) -> None:
    edit = made("Edit", {"file_path": f"{CWD}/a"}, status=status)
    other = made("Edit", {"file_path": f"{CWD}/b"})
    transcript = session_of(edit, other)
    assert graded("files-changed", transcript, value="a").outcome == value
    assert graded("files-changed", transcript, forbidden="a").outcome == forbidden
    assert graded("files-changed", transcript, value="b", forbidden="c").outcome == "passed"
    read = session_of(made("Read", {"file_path": f"{CWD}/a"}, status=status))
    assert graded("files-read", read, value="a").outcome == value
    both = session_of(edit, made("Write", {"file_path": f"{CWD}/a"}))
    assert graded("files-changed", both, value="a").outcome == "passed"


def test_of_a_longer_line_that_failed_nobody_knows_what_it_read() -> None:
    alone = session_of(ran("cat a", status="error"))
    longer = session_of(ran("cat a && make", status="error"))
    assert graded("files-read", alone, value="a").outcome == "failed"
    assert graded("files-read", longer, value="a").outcome == "skipped"


def test_files_are_counted_once() -> None:
    transcript = session_of(
        made("Edit", {"file_path": f"{CWD}/a"}),
        made("apply_patch", "*** Begin Patch\n*** Update File: a\n*** End Patch", of="codex-cli"),
        made("Write", {"file_path": f"{CWD}/./b"}),
        made("Write", {"file_path": f"{CWD}/c"}, status="unknown"),
    )
    limits: list[dict[str, Any]] = [
        *({"min": number} for number in (2, 3, 4)),
        *({"max": number} for number in (1, 2, 3)),
    ]
    outcomes = [graded("files-changed", transcript, **keys).outcome for keys in limits]
    assert outcomes == ["passed", "skipped", "failed", "failed", "skipped", "passed"]


def test_paths_of_windows_are_seen_from_the_sessions_folder() -> None:
    edit = made("Edit", {"file_path": "C:\\shop\\src\\a.ts"})
    transcript = session_of(edit, ran("type src\\b.ts"), cwd="C:\\shop")
    assert graded("files-changed", transcript, value="src/a.ts")


def test_some_but_not_all_of_several_files_is_no_pass_either_way() -> None:
    transcript = session_of(made("Edit", {"file_path": f"{CWD}/a"}))
    assert _outcomes("files-changed", transcript, value=["a", "b"]) == ("failed", "failed")
    assert _outcomes("files-changed", transcript, value=["c", "b"]) == ("failed", "passed")


def test_a_session_that_touched_nothing_touched_nothing_that_is_forbidden() -> None:
    for type_ in ("files-changed", "files-read"):
        assert _outcomes(type_, session(), value="a") == ("failed", "passed")
        assert _outcomes(type_, session(), forbidden="*") == ("passed", "failed")


def test_what_a_grade_says() -> None:
    transcript = session_of(
        made("Edit", {"file_path": f"{CWD}/a"}, line=5),
        made("Edit", {"file_path": f"{CWD}/b"}, status="unknown"),
    )
    grade = graded("files-changed", transcript, value="x", allowed=["b"], max=1)
    assert grade.claim == ("the session changed 'x', and nothing but 'b', and at most 1 files")
    assert grade.reason == "changed nothing like 'x'; changed 'a'"
    assert [one.line for one in grade.evidence] == [5]
    assert grade.details.splitlines() == [
        "files that the session changed:",
        "  a",
        "  b (perhaps)",
    ]


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ({}, "needs `value`, `allowed`, `forbidden`, `min` or `max`"),
        ({"value": " "}, "must not be blank: nothing is called so"),
        ({"forbidden": ["a", " "]}, "must not be blank: nothing is called so"),
        ({"value": []}, "must not be empty: list at least one text"),
        ({"value": 5}, "must be a text or a list of texts, not 5"),
        ({"allowed": "/(/"}, "is no regular expression: '(': missing ) at position 1"),
        ({"min": 2, "max": 1}, "`min` 2 is more than `max` 1"),
    ],
)
def test_a_wrong_entry_is_told(keys: dict[str, Any], problem: str) -> None:
    ((_, message),) = problems("files-changed", **keys)
    assert message == problem


@pytest.mark.parametrize("type_", ["files-changed", "files-read", "skill-used"])
@pytest.mark.parametrize("tool", ["Edit", "Read", "Skill", "Bash"])
def test_of_many_patterns_a_reason_tells_the_first(type_: str, tool: str) -> None:
    call = made(tool, {"file_path": "a.js", "skill": "review", "command": "ls"})
    grade = graded(
        type_, session_of(call), value=[f"**/nothing{number}.js" for number in range(99)]
    )
    assert grade.outcome == "failed"
    assert len(grade.reason) < 600
    assert grade.reason == "used no skill" or grade.reason.endswith("; and 94 more")
