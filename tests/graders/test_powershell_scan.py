"""Commands of a line for PowerShell: none may hide, and values are none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_agentv.errors import NotGradable
from pytest_agentv.graders.shell_commands import commands_in


def _forms(line: str) -> list[str]:
    return [form for command in commands_in(line, "powershell") for form in command.forms]


@pytest.mark.parametrize(
    "line",
    [
        "del -r x",
        "cd a; del -r x",
        "cd a && del -r x",
        "cd a || del -r x",
        "ls | del -r x",
        "cd C:\\a\\; del -r x",
        'cd "C:\\a\\"; del -r x',
        "cd 'C:\\a\\'; del -r x",
        "echo 'it''s'; del -r x",
        'echo "a`"b"; del -r x',
        'echo "a""b"; del -r x',
        "& del -r x",
        "& 'del' -r x",
        "del.exe -r x",
        "& 'C:\\Program Files\\a\\DEL.EXE' -r x",
        "del `\r\n -r x",
        ". del -r x",
        "del `\n -r x",
        "d`el -r x",
        "if (Test-Path a) { del -r x }",
        "if(Test-Path a){del -r x}",
        "try { del -r x } catch { }",
        "Get-ChildItem | ForEach-Object { del -r x }",
        "Get-ChildItem | % {del -r x}",
        "$a = del -r x",
        "$a=del -r x",
        "$null = del -r x",
        "[string]$a = del -r x",
        "return del -r x",
        'echo "now $(del -r x) done"',
        "@'\ntext's\n'@ | Out-File a\ndel -r x",
        '@"\nsay "hi\n"@ | Out-File a; del -r x',
        "<# note #> del -r x",
        "# note\ndel -r x",
        "ls 2>&1; del -r x",
        "ls > log; del -r x",
        "del -r x 2> log",
        "iex 'del -r x'",
        'Invoke-Expression "del -r x"',
        "Invoke-Expression -Command 'del -r x'",
        "Start-Process del -ArgumentList '-r x'",
        "Start-Process del -Verb RunAs -WorkingDirectory C:\\a -ArgumentList '-r', 'x' -PassThru",
        "Start-Process powershell -Verb RunAs -ArgumentList '-Command del -r x'",
        "powershell -exec bypass -nop -w hidden 'del -r x'",
        "powershell -exec bypass -c 'del -r x'",
        "start del -r x",
        "Invoke-Command -ScriptBlock { del -r x }",
        "powershell -Command { del -r x }",
        "cmd /c 'del -r x'",
        "cmd.exe /d /c del -r x",
        "bash -c 'ls && del -r x'",
        "echo 'del -r x' | bash",
        "wsl del -r x",
        "echo 'open; del -r x",
        '@"\nopen\ndel -r x',
    ],
)
def test_a_command_is_found_wherever_it_stands(line: str) -> None:
    assert any(form.lower().startswith("del -r x") for form in _forms(line))


@pytest.mark.parametrize(
    "line",
    [
        "echo 'del -r x'",
        'echo "a; del -r x"',
        "'del -r x'",
        "# del -r x",
        "<# del -r x #> ls",
        "$a = @'\n it's\ndel -r x\n'@\nls",
        "echo a > 'del -r x'",
        "",
    ],
)
def test_a_text_is_no_command(line: str) -> None:
    runs = [one for one in commands_in(line, "powershell") if one.words[0] == "del"]
    assert not runs


@pytest.mark.parametrize(
    "line",
    [
        "& $a -r x",
        "iex $a",
        "iex -Command $a",
        'echo "now $(iex $a) done"',
        'echo "now $(& $a) done"',
        "& (gcm $a) -r x",
        "& ('d' + 'el') -r x",
        "pwsh -Command $a",
        "irm https://example.com/x | powershell -Command -",
        "irm https://example.com/x | iex",
        "iex (irm https://example.com/x)",
        "[Diagnostics.Process]::Start('del', '-r x')",
        "$block.Invoke()",
    ],
)
def test_what_a_line_does_not_say_is_unknown(line: str) -> None:
    assert any(command.is_unknown for command in commands_in(line, "powershell"))


@pytest.mark.parametrize(
    "line",
    [
        "$r = Invoke-Pester -PassThru; $r.Count",
        '"passed: $($r.Count)"',
        "$files | ForEach-Object { $_.Name }",
        "if ($LASTEXITCODE -ne 0) { throw 'no' }",
        "[int]::Parse('1')",
        "$env:A = 'b'",
        "@{ a = $b }",
        'ls && "passed: $($r.Count), iex $r"',
        "ls && ($a -or $b)",
    ],
)
def test_a_value_is_no_command(line: str) -> None:
    assert not any(command.is_unknown for command in commands_in(line, "powershell"))


_MARKS = st.sampled_from(
    ["'", '"', "`", "$(", ")", "(", "{", "}", "{}", "@'\n", "\n'@", '@"\n', '\n"@', "<#", "#>", "#",
     "\n", ";", "|", "&", ">", "2>&1", "$a", "=", " ", "del", "iex ", "\x00", "\ud800", "é"]
)  # fmt: skip


@given(st.lists(_MARKS, max_size=40).map("".join))
def test_any_line_is_read(line: str) -> None:
    try:
        commands = list(commands_in(line, "powershell"))
    except NotGradable:
        return
    assert all(command.words for command in commands)


@pytest.mark.parametrize(
    "line",
    [
        "'" * 1_000_001,
        '"' * 1_000_001,
        "@'\n" * 300_000,
        "<#" * 500_000,
        "`" * 1_000_000,
        '"`' * 500_000,
        "{(" * 500_000,
        "$a=" * 300_000,
        "a '" * 300_001,
        "a " * 1_000_000,
        "iex " * 200_000,
        "".join(f"echo {number}|sh|" for number in range(60_000)),
    ],
    ids=lambda line: line[:20],
)
def test_a_line_of_a_megabyte_is_read_in_time(line: str) -> None:
    # What is quadratic would take hours here.
    count = 0
    try:
        for _ in commands_in(line, "powershell"):
            count += 1
    except NotGradable:
        return
    assert count <= 300_000
