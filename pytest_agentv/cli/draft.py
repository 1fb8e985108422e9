"""``agentv draft``: a first eval file from sessions that went well."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pytest_agentv.cli.console import count, put, put_json, say
from pytest_agentv.cli.names import names_given
from pytest_agentv.cli.outputs import eval_file
from pytest_agentv.cli.redacting import redact_option, redactor_of
from pytest_agentv.drafting.draft import draft_test, eval_text
from pytest_agentv.engine.names import unique
from pytest_agentv.errors import SessionUnreadable
from pytest_agentv.evalfile.keys import wrong_with_id
from pytest_agentv.files import atomic_write
from pytest_agentv.held_transcripts import HeldTranscripts
from pytest_agentv.plugins import assertion_types, plugin_manager, registry
from pytest_agentv.sources import sessions_named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_agentv.assertion_types import AssertionTypes
    from pytest_agentv.drafting.draft import DraftedTest
    from pytest_agentv.redact import Redactor
    from pytest_agentv.sources import RecordedSession


@click.command("draft")
@click.argument("session", metavar="SESSION")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, readable=False),
    callback=eval_file,
    metavar="FILE",
    help="Eval file to write, as X.eval.yaml; without it the text is printed.",
)
@click.option("--force", is_flag=True, help="Overwrite an eval file that exists.")
@click.option("--name", metavar="ID", help="The id of the test; else it is made of the prompt.")
@redact_option
@click.option("--json", "as_json", is_flag=True, help="Print path, tests and text as JSON.")
def command(
    session: str,
    *,
    output: Path | None,
    force: bool,
    name: str | None,
    profile: str | None,
    as_json: bool,
) -> None:
    """Draft an eval file from SESSION, which went well.

    SESSION is named as for pytest's --transcript: claude:latest, codex:ID, a session file of any
    client, transcripts; - reads names from standard input, as agentv search --names prints them.
    Each session becomes a test of what it did: checks, files, conduct, budgets. All of it is
    graded before it is written, and holds; comments say what to tighten.
    """
    if force and output is None:
        raise click.UsageError("--force needs -o: it says what to overwrite.")
    names = names_given(session)
    tests = drafted(names, name=name, redactor=redactor_of(profile))
    text = eval_text(tests)
    if output is not None:
        with atomic_write(output, overwrite=force) as file:
            file.write(text.encode())
    if as_json:
        put_json(_as_json(tests, output, text))
    elif output is None:
        put(text.removesuffix("\n"))
    else:
        assertions = count(sum(one.count for one in tests), "assertion")
        put(f"{output}: {count(len(tests), 'test')}, {assertions}")
        given = " ".join(f"--transcript={shlex.quote(one)}" for one in names)
        say(f"grade it: pytest {shlex.quote(str(output))} {given}")
    for test in tests:
        for entry in test.left_out:
            say(f"left out of {test.id}, for it is not sure to hold: {entry}")


def drafted(
    names: Sequence[str], *, name: str | None = None, redactor: Redactor | None = None
) -> list[DraftedTest]:
    """The tests that sessions make, by what somebody calls these."""
    sessions = _sessions(names)
    _check_name(name, sessions)
    return _tests(sessions, name, assertion_types(plugin_manager()), redactor)


def _sessions(names: Sequence[str]) -> list[RecordedSession]:
    folder = Path.cwd()
    return [one for name in names for one in sessions_named(name, registry, folder=folder)]


def _check_name(name: str | None, sessions: Sequence[RecordedSession]) -> None:
    if name is None:
        return
    if len(sessions) > 1:
        raise click.UsageError(f"--name is for one session; these are {len(sessions)}.")
    if problem := wrong_with_id(name):
        raise click.BadParameter(f"{name!r} {problem}.", param_hint="--name")
    written = sessions[0].test_id
    if written not in (None, name):
        raise click.UsageError(
            f"the session says that it is for the test {written!r}; no other can grade it."
        )


def _tests(
    sessions: Sequence[RecordedSession],
    name: str | None,
    types: AssertionTypes,
    redactor: Redactor | None,
) -> list[DraftedTest]:
    """A test for each session; sessions that are for the same test share it."""
    transcripts = HeldTranscripts()
    by_id: dict[str, DraftedTest] = {}
    by_prompt: list[DraftedTest] = []
    tests = []
    for session in sessions:
        transcript = transcripts.get(session)
        # An id that no test can have would not be found in any eval file.
        id_ = session.test_id if session.test_id and not wrong_with_id(session.test_id) else None
        if id_ in by_id:
            by_id[id_].keep(transcript, types)
            continue
        if redactor is None:
            test = draft_test(transcript, types, id_=id_ or name)
        else:
            test = draft_test(redactor.fresh().transcript(transcript), types, id_=id_ or name)
            # What holds for pseudonyms only would fail for the session itself.
            test.keep(transcript, types)
        tests.append(test)
        if id_ is None:
            by_prompt.append(test)
        else:
            by_id[id_] = test
    _name_apart(by_prompt, reserved=[*by_id])
    empty = next((one for one in tests if one.is_empty), None)
    if empty is not None:
        message = f"nothing holds for all sessions of {empty.id!r}: there is nothing to draft"
        raise SessionUnreadable(message, at=sessions[0].at)
    return tests


def _name_apart(tests: list[DraftedTest], *, reserved: Sequence[str]) -> None:
    for test, name in zip(tests, unique((one.id for one in tests), reserved=reserved), strict=True):
        test.id = name


def _as_json(tests: Sequence[DraftedTest], output: Path | None, text: str) -> dict[str, object]:
    return {
        "path": None if output is None else str(output),
        "tests": [
            {"id": one.id, "assertions": one.count, "left_out": one.left_out} for one in tests
        ],
        "text": text,
    }
