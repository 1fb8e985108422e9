"""Commands of a command line: none may hide, whatever the line looks like."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_agentv.errors import NotGradable
from pytest_agentv.graders.shell_commands import MAX_SCRIPTS, commands_in


def _forms(line: str) -> list[str]:
    return [form for command in commands_in(line) for form in command.forms]


@pytest.mark.parametrize(
    "line",
    [
        "rm -rf x",
        "cd a && rm -rf x",
        "false || rm -rf x",
        "ls; rm -rf x",
        "ls;rm -rf x;ls",
        "sleep 1 & rm -rf x",
        "yes | rm -rf x",
        "yes |& rm -rf x",
        "ls\nrm -rf x\nls",
        "ls # don't\nrm -rf x",
        "(cd a; (rm -rf x))",
        "{ rm -rf x; }",
        "f() { rm -rf x; }; f",
        "if true; then rm -rf x; fi",
        "for f in *; do rm -rf x; done",
        "while ! rm -rf x; do :; done",
        "case $y in a) rm -rf x;; esac",
        "echo $(rm -rf x)",
        'echo "now $(rm -rf x) done"',
        'echo "$(echo "$(rm -rf x)")"',
        "echo `rm -rf x`",
        'echo "`rm -rf x`"',
        "echo `echo \\`rm -rf x\\``",
        "diff <(rm -rf x) b",
        "cat <<EOF\n$(rm -rf x)\nEOF",
        "cat <<EOF\ntext\nEOF\nrm -rf x",
        "cat <<EOF | sh\nrm -rf x\nEOF",
        "bash <<'EOF'\nrm -rf x\nEOF\n",
        "bash <<-EOF\n\trm -rf x\n\tEOF\n",
        "bash <<< 'rm -rf x'",
        "cat <<EOF\nrm -rf x",
        "echo $((1<<3))\nrm -rf x\n3",
        "echo 'rm -rf x' | bash",
        "A=1 B='2 3' rm -rf x",
        "sudo rm -rf x",
        "sudo -u bob -E rm -rf x",
        "sudo --user bob -- rm -rf x",
        "env -i A=1 rm -rf x",
        "time nice -n 10 nohup rm -rf x",
        "timeout -s KILL 5 rm -rf x",
        "exec rm -rf x",
        "find . -name y -exec rm -rf x {} \\;",
        "find . -exec sudo rm -rf x +",
        "find . -exec sh -c 'rm -rf x' \\;",
        "bash -c 'rm -rf x'",
        "bash -lc 'cd a && rm -rf x'",
        "bash -o pipefail -c 'rm -rf x'",
        "sudo bash -c \"sh -c 'rm -rf x'\"",
        "su - bob -c 'rm -rf x'",
        "eval rm -rf x",
        "eval \"eval 'rm -rf x'\"",
        "powershell -NoProfile -ExecutionPolicy Bypass -Command rm -rf x",
        "cmd /c rm -rf x",
        "/bin/rm -rf x",
        "'rm' -rf \"x\"",
        "r\\m  -rf \t x",
        "rm \\\n  -rf x",
        "$'rm' -rf x",
        ">/dev/null 2>&1 rm -rf x",
        "rm -rf x > log 2>&1",
        "rm -rf x &> log",
        "echo it's; rm -rf x",
        'echo "open; rm -rf x',
        "echo $'open; rm -rf x",
        "echo $(open; rm -rf x",
        "\x00; rm -rf x",
        "$(" * 100 + "rm -rf x" + ")" * 100,
        "((" * 5_000 + "; rm -rf x",
        "sudo " * 5_000 + "rm -rf x",
        "a;" * 300_000 + "rm -rf x",
    ],
    ids=lambda line: line[:60],
)
def test_a_command_is_found_wherever_it_stands(line: str) -> None:
    assert any(form.startswith("rm -rf x") for form in _forms(line))


def test_what_xargs_reads_has_its_place() -> None:
    assert "rm -rf {}" in _forms("ls | xargs -n 1 rm -rf")


@pytest.mark.parametrize(
    "line",
    [
        "echo 'rm -rf x'",
        'echo "a; rm -rf x"',
        "git commit -m 'no more; rm -rf x'",
        "# rm -rf x",
        "ls # && rm -rf x",
        "cat > clean.sh <<'EOF'\nrm -rf x\nEOF",
        "cat > clean.sh <<-EOF\n\trm -rf x\n\tEOF\nls",
        "cat <<A <<B\nrm -rf x\nA\nrm -rf x\nB\nls",
        "cat <<'EOF'\n$(rm -rf x)\nEOF",
        "echo a\\;rm -rf x",
        "grep -r x rm -rf x",
        "bash clean.sh rm -rf x",
        "",
        "   \n\t",
    ],
)
def test_a_text_is_no_command(line: str) -> None:
    assert not any(form.startswith("rm") for form in _forms(line))


def test_a_command_is_known_by_how_it_is_written_and_without_its_quotes() -> None:
    assert _forms('cd a && sudo /usr/bin/npm test -- -t "a b" 2>&1 | tail') == [
        "cd a",
        'sudo /usr/bin/npm test -- -t "a b" 2>&1',
        "sudo /usr/bin/npm test -- -t a b",
        '/usr/bin/npm test -- -t "a b" 2>&1',
        "/usr/bin/npm test -- -t a b",
        "npm test -- -t a b",
        "tail",
    ]


def test_paths_of_windows_keep_their_backslashes() -> None:
    assert "Remove-Item -Recurse C:\\x" in _forms(
        'pwsh -Command "Get-Item a; Remove-Item -Recurse C:\\x"'
    )


def test_scripts_in_scripts_without_end_are_an_error() -> None:
    assert "rm x" in _forms("eval " * (MAX_SCRIPTS - 1) + "rm x")
    with pytest.raises(NotGradable, match="scripts in scripts"):
        _forms("eval " * MAX_SCRIPTS + "rm x")


_MARKS = st.sampled_from(
    ["'", '"', "\\", "`", "$(", ")", "(", "<<E", "\nE\n", "\n", ";", "|", "&", ">", "<", "#", "$'",
     " ", "rm", "sudo ", "bash -c ", "eval ", "find -exec ", "=", "\x00", "\ud800", "é"]
)  # fmt: skip


@given(st.lists(_MARKS, max_size=40).map("".join))
def test_any_line_is_read(line: str) -> None:
    try:
        commands = list(commands_in(line))
    except NotGradable:
        return
    for command in commands:
        assert command.words
        assert all(isinstance(form, str) for form in command.forms)


@given(st.lists(_MARKS, max_size=20).map("".join))
def test_nothing_before_a_plain_line_that_is_whole_hides_it(line: str) -> None:
    # A line break ends whatever is not open, and what is open is looked into.
    text = f"echo '{line.replace(chr(39), '')}'\nrm -rf x\n"
    assert "rm -rf x" in _forms(text)


@pytest.mark.parametrize(
    "line",
    [
        '"' * 1_000_000,
        "'a" * 500_000,
        "$(" * 500_000,
        "`a" * 500_000,
        '"$(' * 300_000,
        "".join(f"<<a{number}\n" for number in range(100_000)),
        "<<a\na\n" * 150_000,
        "cat <<E" + "|sh" * 60_000 + "\n" + "x y;" * 100_000 + "\nE\n",
        "sudo " * 200_000,
        "bash -c " * 120_000,
        "find " + "-exec a + " * 100_000,
        "a b " * 2_000_000,
    ],
    ids=lambda line: line[:20],
)
def test_a_line_of_a_megabyte_is_read_in_time(line: str) -> None:
    # What is quadratic would take hours here.
    assert sum(1 for _ in commands_in(line)) <= 300_000
