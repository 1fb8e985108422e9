"""The command's own help: every command and option has one; names, versions, entry points."""

from __future__ import annotations

import subprocess
import sysconfig
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest
from agentv_command import environ, run_agentv

from pytest_agentv.cli.main import agentv as command

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentv_command import ClaudeHome, InProcess


def commands(
    one: click.Command = command, name: str = "agentv"
) -> Iterator[tuple[str, click.Command]]:
    yield name, one
    if isinstance(one, click.Group):
        context = click.Context(one)
        for child in one.list_commands(context):
            found = one.get_command(context, child)
            assert found is not None, f"{name} lists {child} but does not have it"
            yield from commands(found, f"{name} {child}")


ALL = dict(commands())


def test_these_are_the_commands() -> None:
    names = (
        "browse cache compare config draft eval export grade import index init inspect judge read "
        "redact report schema search validate"
    )
    assert [name for name in ALL if name.count(" ") == 1] == [
        f"agentv {one}" for one in names.split()
    ]
    assert {"agentv import auto", "agentv import claude"} <= set(ALL)


def test_import_has_the_options_it_promises() -> None:
    options = {name for one in ALL["agentv import claude"].params for name in one.opts}

    assert {
        "--list",
        "--session-id",
        "--discover",
        "--project-path",
        "--file",
        "--all",
        "-o",
        "--force",
        "--test-id",
        "--include-subagents",
        "--since",
        "--strict",
        "--json",
    } <= options


@pytest.mark.parametrize("name", ALL)
def test_every_command_and_every_option_has_a_help_text(name: str) -> None:
    one = ALL[name]

    assert one.get_short_help_str(200)
    assert (one.help or "").strip().endswith(".")
    for parameter in one.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, f"{name} {parameter.opts[0]} has no help text"


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_help_is_printed_within_80_columns(agentv: InProcess, name: str, flag: str) -> None:
    printed = agentv(*name.split()[1:], flag)

    assert (printed.code, printed.err) == (0, "")
    assert printed.out.startswith(f"Usage: {name} ")
    assert max(len(line) for line in printed.out.splitlines()) <= 80


def test_help_of_a_group_says_what_each_command_does(agentv: InProcess) -> None:
    printed = agentv("import", "--help")

    lines = [" ".join(line.split()) for line in printed.out.splitlines()]
    assert any(line.startswith("claude Sessions of Claude Code") for line in lines)
    assert "auto Import a session file of whichever client wrote it." in lines


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["imprt"], "No such command 'imprt'; did you mean 'import'?"),
        (["inspect", "sho"], "No such command 'sho'; did you mean 'show'?"),
        (["import", "cluade"], "unknown client 'cluade'; did you mean 'claude'?"),
        (["import", "xyzzy"], "unknown client 'xyzzy'; known: auto, "),
        (["xyzzy"], "No such command 'xyzzy'."),
    ],
)
def test_a_misspelt_command_is_suggested(
    agentv: InProcess, arguments: list[str], said: str
) -> None:
    printed = agentv(*arguments)

    assert printed.code == 2
    assert said in printed.err


@pytest.mark.parametrize("arguments", [[], ["import"], ["index"]])
def test_a_group_alone_shows_its_help(agentv: InProcess, arguments: list[str]) -> None:
    printed = agentv(*arguments)

    # Newer versions of click take it for an error.
    assert printed.code in (0, 2)
    # As it is: no sentence goes on at its end.
    assert printed.out + printed.err == agentv(*arguments, "--help").out


def test_what_is_missing_is_said_on_one_line(agentv: InProcess) -> None:
    printed = agentv("schema")

    assert printed.code == 2
    assert printed.err == (
        "agentv: Missing argument 'FORMAT'. Choose from: eval, events, transcript "
        "(see: agentv schema --help)\n"
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["grade", "a.eval.yaml", "--force"], "--force needs -o: it says what to overwrite."),
        (["draft", "claude:latest", "--force"], "--force needs -o: it says what to overwrite."),
        (
            ["export", "a", "-f", "html", "--include-subagents", "--skip-subagents"],
            "--include-subagents and --skip-subagents exclude each other.",
        ),
        (["inspect", "show", "--all"], "--all goes with --tree."),
        (["compare", "--all", "--json"], "--all is for tables: JSON has all tests"),
        (["compare", "--all", "-f", "markdown"], "--all is for tables: JSON has all tests"),
    ],
)
def test_an_option_that_would_do_nothing_is_wrong_usage(
    agentv: InProcess, arguments: list[str], said: str
) -> None:
    printed = agentv(*arguments)

    assert (printed.code, printed.out) == (2, "")
    assert printed.err.startswith(f"agentv: {said}")


def test_the_version_is_that_of_the_package(home: ClaudeHome, work: Path) -> None:
    del home
    printed = run_agentv("--version", cwd=work)

    assert (printed.code, printed.err) == (0, "")
    assert printed.out == f"agentv, version {version('pytest-agentv')}\n"


@pytest.mark.parametrize("number", ["nan", "inf", "-inf"])
@pytest.mark.parametrize(
    "arguments",
    [
        ("compare", "a", "b", "--threshold"),
        ("cache", "clear", "--older-than"),
        ("judge", "calibrate", "labels.csv", "--min-kappa"),
        ("grade", "evals", "--max-cost"),
    ],
)
def test_what_is_no_number_is_wrong_usage(
    agentv: InProcess, arguments: tuple[str, ...], number: str
) -> None:
    printed = agentv(*arguments, number)

    assert printed.code == 2
    assert arguments[-1] in printed.err


def test_the_console_script_is_the_same_command(home: ClaudeHome, work: Path) -> None:
    home.session("0763061e")
    script = Path(sysconfig.get_path("scripts")) / "agentv"

    done = subprocess.run(
        [script, "import", "claude", "--discover", "latest"],
        cwd=work,
        env=environ({}),
        capture_output=True,
        check=False,
        text=True,
        timeout=60,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == ".agentv/transcripts/claude-0763061e.jsonl: 4 messages, 2 tool calls\n"


def test_the_console_script_passes_exit_codes_on(home: ClaudeHome, work: Path) -> None:
    del home
    script = Path(sysconfig.get_path("scripts")) / "agentv"

    for arguments, code in [
        (["import", "claude", "--discover", "latest"], 1),
        (["import", "claude"], 2),
    ]:
        done = subprocess.run(
            [script, *arguments], cwd=work, env=environ({}), capture_output=True, check=False
        )
        assert done.returncode == code


def test_help_loads_no_table_engine_and_no_adapter(work: Path) -> None:
    """Start-up time is what people feel at every call."""
    done = run_agentv("--help", cwd=work, PYTHONPROFILEIMPORTTIME="1")

    assert done.code == 0
    loaded = {line.rpartition("|")[2].strip() for line in done.err.splitlines()}
    assert "pytest_agentv.cli.main" in loaded
    assert loaded & {"rich", "msgspec", "pluggy", "pytest", "pytest_agentv.adapters"} == set()


def test_importing_a_file_that_is_named_loads_no_configuration_and_no_other_client(
    home: ClaudeHome, work: Path
) -> None:
    session = str(home.session("0763061e"))
    to_file = ["import", "claude", "--file", session, "-o", "out.jsonl"]
    done = run_agentv(*to_file, cwd=work, PYTHONPROFILEIMPORTTIME="1")

    assert done.code == 0
    loaded = {line.rpartition("|")[2].strip() for line in done.err.splitlines()}
    assert "pytest_agentv.adapters.claude.session" in loaded
    assert loaded & {"tomllib", "tomli", "dataclasses", "pytest_agentv.config"} == set()
    tables = "pytest_agentv.transcript.tools"
    assert loaded & {f"{tables}.codex", f"{tables}.copilot", f"{tables}.patches"} == set()
