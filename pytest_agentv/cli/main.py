"""The command itself: subcommands found when they are called, errors as one sentence."""

from __future__ import annotations

import gc
import os
import sys
from typing import Any, NoReturn

import click

from pytest_agentv.cli.console import open_missing_streams, say, tolerate_few_characters
from pytest_agentv.cli.groups import LazyGroup
from pytest_agentv.errors import (
    AgentvError,
    AmbiguousRun,
    AmbiguousSession,
    SearchError,
    UnknownName,
)

_COMMANDS = {
    "browse": ("browse", "Look through the sessions of all clients, and import some."),
    "cache": ("cache", "Look at the verdicts of judges that are kept, or take them away."),
    "compare": ("compare", "Compare runs, or the targets of a run, test by test."),
    "config": ("config", "Show what is configured, and who says so."),
    "draft": ("draft", "Draft an eval file from a session that went well."),
    "eval": ("eval", "Grade sessions with pytest, and keep the results."),
    "export": ("export", "Write sessions in other forms: events, ATIF, HTML, …"),
    "grade": ("grade", "Grade many sessions without pytest: rows out, several processes."),
    "import": ("import_", "Turn recorded sessions into transcripts."),
    "index": ("index", "Look after the index that search uses."),
    "init": ("init", "Set up eval files in this folder."),
    "inspect": ("inspect", "Look into runs that were kept: cases, figures, sessions."),
    "judge": ("judge", "Find out how far judges can be trusted."),
    "read": ("read", "Show what was said and done in a session, also while it grows."),
    "redact": ("redact", "Write sessions without secrets; check what is left."),
    "report": ("report", "Write the page of a run."),
    "schema": ("schema", "Print the JSON Schema of a file format."),
    "search": ("search", "Find sessions of all agents by what was said and done."),
    "trace": ("trace", "Deprecated: the same as inspect."),
    "validate": ("validate", "Check eval files."),
}
_COLLECT_RARELY = 100_000
_KEPT = 16 << 20
_USAGE_ERRORS = (AmbiguousRun, AmbiguousSession, SearchError, UnknownName)


class _Commands(LazyGroup):
    modules = _COMMANDS
    unlisted = frozenset({"trace"})


@click.command(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="pytest-agentv", prog_name="agentv")
def agentv() -> None:
    """Import recorded AI coding sessions and check eval files; pytest grades them."""


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command; an error is one sentence and an exit code: 1 findings, 2 usage."""
    is_program = arguments is None  # else a process of somebody's calls, and goes on
    if is_program:
        # A command makes modules, and reading makes millions of lists and dicts; none of these
        # are garbage in cycles.
        gc.set_threshold(_COLLECT_RARELY)
        _keep_memory()
        open_missing_streams()
    tolerate_few_characters()
    try:
        code: Any = agentv.main(arguments, prog_name="agentv", standalone_mode=False)
    except click.exceptions.Exit as exc:
        code = exc.exit_code
    except click.ClickException as exc:
        say(_usage_help(exc) or _sentence(exc))
        code = exc.exit_code
    except click.Abort:
        say("agentv: interrupted")
        code = 130
    except AgentvError as exc:
        say(f"agentv: {exc}")
        code = 2 if isinstance(exc, _USAGE_ERRORS) else 1
    except OSError as exc:  # mostly standard output: of sessions there are errors of ours
        say(f"agentv: {exc.filename or 'output'}: {exc.strerror or exc}")
        _drop_output()
        code = 1
    if is_program:
        gc.freeze()  # the end of the process frees everything: it need not be looked through
    sys.exit(code if isinstance(code, int) else 0)


def _usage_help(exc: click.ClickException) -> str:
    """What click says to a group without a command: the help of the group, from click 8.2 on."""
    kind = getattr(click.exceptions, "NoArgsIsHelpError", None)
    return exc.format_message() if kind is not None and isinstance(exc, kind) else ""


def _sentence(exc: click.ClickException) -> str:
    context = exc.ctx if isinstance(exc, click.UsageError) else None
    hint = f" (see: {context.command_path} --help)" if context is not None else ""
    message = exc.format_message()
    if isinstance(exc, click.MissingParameter):
        message = message.replace("\n\t", " ")  # its choices, each on a line
    return f"agentv: {message}{hint}"


def _keep_memory() -> None:
    """Let the C library keep memory that becomes free, instead of giving it back again and again.

    Reading takes and frees the same few megabytes for every portion of a session, and the system
    clears each page of them anew. The GNU library keeps as much as the largest block that was ever
    given back; this one is never filled, so it costs nothing. Others do as they like.
    """
    bytes(_KEPT)


def _drop_output() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
