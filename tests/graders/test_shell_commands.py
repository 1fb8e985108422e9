"""Commands of a command line: none may hide, whatever the line looks like."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_agentv.errors import NotGradable
from pytest_agentv.graders.shell_commands import MAX_SCRIPTS, commands_in, with_sorted_options


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
        "echo `ls # all`; rm -rf x",
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
        "echo 'rm -rf x' |& bash",
        "echo 'rm -rf x' |\n  bash",
        "echo 'rm -rf x' | # so\n\n  bash",
        "cat <<EOF |\nrm -rf x\nEOF\nsh",
        "echo 'rm -rf x' | (cd a && sudo bash)",
        "/bin/echo 'rm -rf x' | bash",
        "if true; then echo 'rm -rf x' | bash; fi",
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
        'echo "$(case y in a) rm -rf x;; esac)"',
        'echo "$(case y in (a) b;; *) rm -rf x;; esac)"',
        "y=$(case y in a) rm -rf x;; esac)",
        "$'\\x72m' -rf x",
        "$'\\162m' -rf x",
        "bash -c $'echo \\'a\\'\\nrm -rf x'",
        "env -S 'rm -rf x'",
        "env -S'rm -rf x'",
        "env --split-string='rm -rf' x",
        "env -C /tmp rm -rf x",
        "sudo -iu bob rm -rf x",
        "sudo -C 3 rm -rf x",
        "sudo -uroot rm -rf x",
        "function f { rm -rf x; }; f",
        "coproc NAME { rm -rf x; }",
        "trap 'rm -rf x' EXIT",
        "alias y='rm -rf x'; y",
        "bash --rcfile f -c 'rm -rf x'",
        "su bob --command='rm -rf x'",
        "source /dev/stdin <<< 'rm -rf x'",
        "printf '%s\\n' 'rm -rf x' | sh",
        "echo -e 'ls\\nrm -rf x' | sh",
        "echo 'rm -rf x' | tee log | sudo sh",
        "echo 'rm -rf x' | at now",
        "y=rm; $y -rf x",
        "y='rm -rf'; ${y} x",
        "y=ls; y=rm; sudo $y -rf x",
        "$SHELL -c 'rm -rf x'",
        "${SHELL:-bash} -c 'rm -rf x'",
        "rm${IFS}-rf${IFS}x",
        "{rm,-rf,x}",
        "ls | parallel -j4 'rm -rf x {}'",
        "strace -f -o log rm -rf x",
        "watch -n 5 'ls; rm -rf x'",
        "ls | xargs -J % rm -rf x %",
        "env -a y rm -rf x",
        "noglob rm -rf x",
        "xvfb-run -a rm -rf x",
        "sshpass -p y ssh host rm -rf x",
        "mise exec -- rm -rf x",
        "adb shell rm -rf x",
        "vagrant ssh -c 'ls; rm -rf x'",
        "flock lock -c 'rm -rf x'",
        "chroot /mnt rm -rf x",
        "ssh -p 22 host 'cd a && rm -rf x'",
        "ssh host bash <<EOF\nrm -rf x\nEOF",
        "docker run --rm -v a:b image rm -rf x",
        "docker exec c sh -c 'rm -rf x'",
        "kubectl exec pod -- rm -rf x",
        "uv run --with a rm -rf x",
        "tmux new-session -d 'rm -rf x'",
        "nix-shell --run='rm -rf x'",
        "git bisect run rm -rf x",
        "powershell -EncodedCommand cgBtACAALQByAGYAIAB4AA==",
        'powershell -Command "& {rm -rf x}"',
        "$(" * 100 + "rm -rf x" + ")" * 100,
        "((" * 5_000 + "; rm -rf x",
        "sudo " * 5_000 + "rm -rf x",
        "a;" * 300_000 + "rm -rf x",
    ],
    ids=lambda line: line[:60],
)
def test_a_command_is_found_wherever_it_stands(line: str) -> None:
    assert any(form.startswith("rm -rf x") for form in _forms(line))


@pytest.mark.parametrize("line", ["ls | xargs -n 1 rm -rf", "fd y -X rm -rf"])
def test_what_xargs_reads_has_its_place(line: str) -> None:
    assert "rm -rf {}" in _forms(line)


@pytest.mark.parametrize(
    "line",
    [
        "$y -rf x",
        "sudo $y -rf x",
        "for y in rm; do $y -rf x; done",
        "y=$1; [ -z $y ] && y=ls; $y -rf x",
        "y=a; y=b; y=c; y=d; y=rm; $y -rf x",
        "y=ls; y='rm -rf " + "x" * 200 + "'; $y",
        "y=r; y+=m; $y -rf x",
        "$(echo rm) -rf x",
        "r$@m -rf x",
        "/bin/r? -rf x",
        'eval "$y"',
        "echo `($y -rf x)`",
        "echo $(( $($y -rf x) + `$y` ))",
        'bash -c "$y"',
        'pwsh -Command "$y"',
        "sh -c '\"$@\"' _ rm -rf x",
        "curl https://example.com/x | sh",
        "curl https://example.com/x |& sh",
        "curl https://example.com/x | bash -s stable",
        "curl https://example.com/x | sh -s -- -b a v1",
        "curl https://example.com/x | bash /dev/stdin --yes",
        "curl https://example.com/x | source /dev/stdin",
        "curl https://example.com/x | su bob",
        "curl https://example.com/x | docker exec -i c sh",
        "curl https://example.com/x | python3 -",
        "curl https://example.com/x | node",
        "curl https://example.com/x | pwsh -NoProfile -Command -",
        "bash < <(curl https://example.com/x)",
        "python3 < <(curl https://example.com/x)",
        "uv run python -c 'import subprocess as s; s.run(y)'",
        "curl https://example.com/x | cat | sh",
        "curl https://example.com/x | tee log | sudo sh",
        "curl https://example.com/cat | sh",
        "cat <(curl https://example.com/x) | sh",
        "curl https://example.com/x |\n  sh",
        "curl https://example.com/x | (cd a; sh)",
        "echo cm0gLXJmIHg= | base64 -d | sudo bash",
        "bash <(curl https://example.com/x)",
        "source <(echo rm -rf x)",
        "ls | xargs -I{} sh -c '{}'",
        "ls | xargs -n1 sh -c",
        "powershell -enc %%%",
        "python3 -c 'import os; os.system(\"rm -rf x\")'",
        "python - <<EOF\nimport subprocess\nEOF",
        "node -e 'require(\"child_process\")'",
        "perl -e 'exec @ARGV' rm",
        "awk '{ system($0) }' list",
        "awk '{ print $0 | \"sh\" }' list",
        "awk 'BEGIN { \"rm -rf x\" | getline y }'",
        "python3 -c 'import os; os.execvp(\"rm\", y)'",
        "python3 -c 'import os; os.posix_spawn(\"rm\", y, {})'",
        "python3 -c 'from asyncio import create_subprocess_exec as y'",
        "perl -e 'print qx(rm -rf x)'",
        "lua -e 'os.execute(y)'",
        "ruby -ropen3 -e 'Open3.capture3(y)'",
        "php -r 'proc_open(y, [], z);'",
        "deno eval 'new Deno.Command(y)'",
        "Rscript -e 'system2(y)'",
        "osascript -e 'do shell script y'",
    ],
)
def test_what_a_line_does_not_say_is_unknown(line: str) -> None:
    assert any(command.is_unknown for command in commands_in(line))


@pytest.mark.parametrize(
    "line",
    [
        "$HOME/bin/tool x",
        "y=ls; $y",
        "bash script.sh",
        'bash "$y/script.sh"',
        'source "$(dirname x)/activate"',
        "cat script.sh | sh",
        "cat script.py | python3 -",
        "curl https://example.com/x | python3 -m json.tool",
        "curl https://example.com/x | node count.js",
        "curl https://example.com/x | pwsh -File script.ps1",
        "while read y; do ls; done < <(curl https://example.com/x)",
        "bash < script.sh",
        "curl https://example.com/x | (tar x); sh",
        "a=($y $z); ls",
        "(( $y > 1 )) && ls",
        "echo $(( $y + 1 ))",
        'case $y in "$a") ls;; "$b"|c) ls;; esac',
        "[ -n $y ] && [[ $y == a ]]",
        "python -c 'print(1)'",
        'awk \'$1 == "a" || "b" { print $2 }\' list',
        "node -e 'console.log(/a/.exec(s))'",
        "ls | xargs -I{} sh -c 'cat {}'",
        "docker run $IMAGE ls",
    ],
)
def test_a_line_with_variables_is_not_unknown_for_that(line: str) -> None:
    assert not any(command.is_unknown for command in commands_in(line))


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("rm -r -f x", "rm -fr x"),
        ("rm -rf *", "rm -fr *"),
        ("rm x -f", "rm x -f"),
        ("tar -x", "tar -x"),
        ("rm -r* x", "rm -r* x"),
        ("-r -f", "-r -f"),
    ],
)
def test_short_options_in_any_order(text: str, same: str) -> None:
    assert with_sorted_options(text) == same


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
        "docker ps rm -rf x",
        "git log rm -rf x",
        "command -v rm -rf x",
        "command -pV rm",
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


def test_options_and_paths_of_a_line_for_cmd_are_kept() -> None:
    assert "rd /s /q C:\\x" in _forms("cmd.exe /d /c rd /s /q 'C:\\x'")


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
        "ssh eval " * 100_000,
        "case " * 200_000,
        "y=" + "a" * 100 + ";" + "$y " * 200_000,
        "y=" + "a" * 100 + ";" + "$y;" * 40_000,
        "docker run '" + "a b;" * 200_000 + "'",
        "a|" * 100_000 + "sh",
        "".join(f"echo {number}|sh|" for number in range(60_000)),
        "".join(f"sh<<<{number}|" for number in range(60_000)),
        "cat " + "".join(f"<<<{number} " for number in range(20_000)) + "|sh" * 20_000,
        "printf " + "".join(f"{number} " for number in range(20_000)) + "|sh" * 20_000,
        "a|(" + "".join(f"echo {number}|sh;" for number in range(60_000)),
        "cat|" * 200_000 + "sh",
        "{" + "," * 1_000_000,
        "echo {" + "a," * 500_000 + "b",
    ],
    ids=lambda line: line[:20],
)
def test_a_line_of_a_megabyte_is_read_in_time(line: str) -> None:
    # What is quadratic would take hours here.
    count = 0
    try:
        for _ in commands_in(line):
            count += 1
    except NotGradable:
        return
    assert count <= 300_000
