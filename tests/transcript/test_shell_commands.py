"""One command line whatever the form of a command, and the patches that scripts apply."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_agentv.transcript.tools import describe

PATCH = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x\n+y\n*** End Patch"


def _shell(command: Any) -> tuple[str, dict[str, Any]]:
    return describe("shell", {"command": command}, "codex-cli")


@pytest.mark.parametrize(
    ("argv", "command"),
    [
        (["bash", "-lc", "npm test"], "npm test"),
        (["bash", "-c", "npm test"], "npm test"),
        (["sh", "-c", "npm test"], "npm test"),
        (["zsh", "-lc", "npm test"], "npm test"),
        (["/bin/bash", "-lc", "npm test"], "npm test"),
        (["/usr/bin/zsh", "-l", "-c", "npm test"], "npm test"),
        (["bash", "--login", "-c", "npm test"], "npm test"),
        (["bash", "-euo", "pipefail", "-c", "npm test"], "npm test"),
        (["bash.exe", "-lc", "npm test"], "npm test"),
        (["C:\\Git\\bin\\bash.exe", "-lc", "npm test"], "npm test"),
        (["powershell", "-Command", "npm test"], "npm test"),
        (["powershell.exe", "-NoProfile", "-Command", "npm test"], "npm test"),
        (["pwsh", "-NoLogo", "-ExecutionPolicy", "Bypass", "-c", "npm", "test"], "npm test"),
        (["cmd", "/c", "npm test"], "npm test"),
        (["cmd.exe", "/C", "npm", "test"], "npm test"),
        (["npm", "test"], "npm test"),
        (["git", "commit", "-m", "two words"], "git commit -m 'two words'"),
        (["ls"], "ls"),
    ],
)
def test_an_argument_list_becomes_the_command_line_it_runs(argv: list[str], command: str) -> None:
    assert _shell(argv) == ("shell", {"command": command})


@pytest.mark.parametrize(
    "argv",
    [
        ["bash", "-lc"],
        ["bash"],
        ["bash", "script.sh"],
        ["bash", "script.sh", "-c", "rm"],
        ["bash", "-c", '"$@"', "x", "rm"],
        ["powershell", "-File", "x.ps1"],
        ["powershell", "-File", "x.ps1", "-c", "y"],
        ["powershell", "x.ps1", "-c", "y"],
        ["powershell", "-Command"],
        ["powershell"],
        ["cmd", "/c"],
        ["cmd", "/k", "dir"],
        ["env", "A=1", "bash", "-lc", "ls"],
    ],
)
def test_a_shell_that_does_more_than_run_a_script_is_shown_whole(argv: list[str]) -> None:
    (kind, args) = _shell(argv)
    assert kind == "shell"
    assert all(part.strip('"$@') in args["command"] for part in argv)
    assert args["command"].startswith(argv[0])


@pytest.mark.parametrize("tool", ["shell", "exec_command", "shell_command"])
@pytest.mark.parametrize("program", ["apply_patch", "applypatch"])
@pytest.mark.parametrize("start", ["<<'EOF'", '<<"EOF"', "<<EOF", " << 'EOF'", "<<-EOF"])
def test_a_script_that_only_patches_is_an_edit(tool: str, program: str, start: str) -> None:
    script = f"{program}{start}\n{PATCH}\nEOF\n"
    assert describe(tool, {"command": script}, "codex-cli") == (
        "edit",
        {"path": "src/a.py", "paths": ["src/a.py"], "command": script, "content": PATCH},
    )


@pytest.mark.parametrize(
    ("start", "path"),
    [
        ("cd sub && ", "sub/src/a.py"),
        ("cd sub/ && ", "sub/src/a.py"),
        ("cd 'my sub' && ", "my sub/src/a.py"),
        ('cd "/w" && ', "/w/src/a.py"),
        ("cd -- sub; ", "sub/src/a.py"),
        ("cd sub\n", "sub/src/a.py"),
        ('cd "$ROOT" && ', "src/a.py"),
    ],
)
def test_paths_of_a_patch_are_in_the_folder_the_script_enters(start: str, path: str) -> None:
    script = f"{start}apply_patch <<'EOF'\n{PATCH}\nEOF"
    (kind, args) = _shell(["bash", "-lc", script])
    assert (kind, args["path"], args["content"]) == ("edit", path, PATCH)


@pytest.mark.parametrize("path", ["/abs/a.py", "~/a.py", "C:\\a.py", "\\\\host\\a.py"])
def test_an_absolute_path_stays_when_a_script_enters_a_folder(path: str) -> None:
    patch = f"*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch"
    assert _shell(f"cd sub && apply_patch <<E\n{patch}\nE")[1]["path"] == path


def test_several_patches_in_one_script_are_one_edit() -> None:
    other = PATCH.replace("src/a.py", "b.py")
    script = f"cd x && apply_patch <<'A'\n{PATCH}\nA\ncd y && apply_patch <<'B'\n{other}\nB\n"
    (kind, args) = _shell(script)
    assert (kind, args["paths"]) == ("edit", ["x/src/a.py", "x/y/b.py"])
    assert args["content"] == f"{PATCH}\n{other}"
    assert "path" not in args


@pytest.mark.parametrize(
    "script",
    [
        f"apply_patch <<'EOF'\n{PATCH}\nEOF\nnpm test",
        f"apply_patch <<'EOF' && npm test\n{PATCH}\nEOF",
        f"npm ci && apply_patch <<'EOF'\n{PATCH}\nEOF",
        f"cat <<'EOF' | apply_patch\n{PATCH}\nEOF",
        f"@'\n{PATCH}\n'@ | apply_patch",
        f"apply_patch '{PATCH}'",
    ],
)
def test_a_patch_among_other_commands_is_a_command_that_names_its_files(script: str) -> None:
    assert _shell(script) == (
        "shell",
        {"path": "src/a.py", "paths": ["src/a.py"], "command": script},
    )


@pytest.mark.parametrize("script", [f"echo '{PATCH}'", "rg '*** Begin Patch' apply_patch.rs"])
def test_a_text_that_looks_like_a_patch_changes_no_file(script: str) -> None:
    assert _shell(script) == ("shell", {"command": script})


def test_a_document_without_an_end_goes_to_the_end_of_the_script() -> None:
    script = f"apply_patch <<'EOF'\n{PATCH}\nEOFX\n"
    assert _shell(script)[0] == "edit"
    assert _shell(script)[1]["content"] == f"{PATCH}\nEOFX\n"


def test_an_argument_list_can_hold_the_patch() -> None:
    (kind, args) = _shell(["apply_patch", PATCH])
    assert (kind, args["paths"], args["content"]) == ("edit", ["src/a.py"], PATCH)
    assert args["command"] == f"apply_patch '{PATCH}'"


def test_a_patch_names_every_file_once_and_in_order() -> None:
    patch = (
        "*** Begin Patch\r\n*** Add File: new file.py\r\n+*** Add File: no.py\r\n"
        "*** Update File: old.py\r\n*** Move to: moved.py\r\n@@\r\n *** Delete File: no.py\r\n"
        "*** Delete File: gone.py\r\n*** Update File: old.py\r\n*** End Patch"
    )
    (kind, args) = describe("apply_patch", patch, "codex-cli")
    assert kind == "edit"
    assert args["paths"] == ["new file.py", "old.py", "moved.py", "gone.py"]
    assert "path" not in args


def test_a_patch_without_files_is_an_edit_of_nothing_known() -> None:
    assert describe("apply_patch", "no patch", "codex-cli") == ("edit", {"content": "no patch"})
    assert describe("apply_patch", {"input": 7}, "codex-cli") == ("edit", {})
    assert describe("apply_patch", None, "codex-cli") == ("edit", {})


def test_a_patch_of_a_million_headers_names_a_bounded_number_of_files() -> None:
    patch = "".join(f"*** Update File: {number}\n" for number in range(1_000_000))
    paths = describe("apply_patch", patch, "codex-cli")[1]["paths"]
    assert len(paths) == 10_000
    assert paths[0] == "0"


def test_a_script_that_patches_without_end_is_a_command() -> None:
    once = "cd a && apply_patch <<E\n*** Begin Patch\n*** Add File: x\nE\n"
    assert _shell(once * 100)[0] == "edit"
    assert _shell(once * 101)[0] == "shell"
    assert _shell(once.replace("cd a", f"cd {'a/' * 3000}"))[0] == "shell"
