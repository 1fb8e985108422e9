"""``agentv init``: the first eval file of a project, and what it needs around it."""

from __future__ import annotations

import contextlib
import os
import re
from importlib.resources import files
from pathlib import Path

import click

from pytest_agentv.cli.console import put, put_json, say
from pytest_agentv.errors import AgentvError
from pytest_agentv.files import atomic_write, read_small

_EVALS = Path("evals")
_FIRST = "first.eval.yaml"
# Whose sessions are looked for to name one.
_CLIENTS = ("claude", "codex", "copilot")
_IGNORE = Path(".gitignore")
_IGNORED = ".agentv/"
_CI = {
    "github": ("github.yaml", Path(".github/workflows/evals.yaml")),
    "gitlab": ("gitlab.yaml", Path(".gitlab-ci.yml")),
}
# Lines of a .gitignore that leave `.agentv` out, whatever their slashes.
_ALREADY = re.compile(rb"(?m)^/?\.agentv(?:/\**)?[ \t]*\r?$")


@click.command("init")
@click.argument("session", metavar="[SESSION]", required=False)
@click.option("--ci", type=click.Choice([*_CI]), help="Also write a job for this CI.")
@click.option("--json", "as_json", is_flag=True, help="Print what was written and kept as JSON.")
def command(session: str | None, *, ci: str | None, as_json: bool) -> None:
    """Set up eval files in this folder: evals/, and a line in .gitignore.

    With SESSION, which went well, the eval file is drafted from it; else it is a short one with
    comments, unless there are eval files already. SESSION is named as for pytest's --transcript:
    claude:latest, codex:ID, a file. What exists is left as it is.
    """
    made: list[str] = []
    kept: list[str] = []
    wanted: list[tuple[Path, str]] = []
    if session is None and _has_others():
        # Nobody has a session for one more test, which the job for CI would ask for.
        kept.append(str(_EVALS))
    else:
        wanted.append(_eval_file(session))
    if ci is not None:
        starter, path = _CI[ci]
        wanted.append((path, _starter(starter)))
    for path, text in wanted:
        (made if _write_new(path, text) else kept).append(str(path))
    (made if _ignore() else kept).append(str(_IGNORE))
    if as_json:
        put_json({"written": made, "kept": kept})
        return
    for one in made:
        put(f"{one}: {f'{_IGNORED} added' if one == str(_IGNORE) else 'written'}")
    for one in kept:
        put(f"{one}: left as it is")
    say(f"next: pytest {_EVALS} --transcript={session or f'{_client()}:latest'}")


def _client() -> str:
    """The client that was used last; Claude Code if none was."""
    from pytest_agentv.adapters.discovery import find_sessions  # noqa: PLC0415 (for this alone)
    from pytest_agentv.plugins import registry  # noqa: PLC0415

    adapters = registry()
    newest: dict[float, str] = {}
    for name in _CLIENTS:
        with contextlib.suppress(AgentvError):
            for ref in find_sessions(adapters.adapter(name), os.environ)[:1]:
                newest.setdefault(ref.modified, name)
    return newest[max(newest)] if newest else _CLIENTS[0]


def _has_others() -> bool:
    """Whether there are eval files already, and the first of ours is none of them."""
    found = any(_EVALS.rglob("*.y*ml"))
    return found and not os.path.lexists(_EVALS / _FIRST)


def _eval_file(session: str | None) -> tuple[Path, str]:
    if session is None:
        return _EVALS / _FIRST, _starter(_FIRST)
    from pytest_agentv.cli.draft import drafted  # noqa: PLC0415 (reads sessions)
    from pytest_agentv.drafting.draft import eval_text  # noqa: PLC0415

    tests = drafted([session])
    return _EVALS / f"{_file_name(tests[0].id)}.eval.yaml", eval_text(tests)


def _file_name(test_id: str) -> str:
    """A test's id as the name of a file, on any system."""
    return re.sub(r"[^\w.-]+", "-", test_id).strip("-.") or "first"


def _starter(name: str) -> str:
    return (files("pytest_agentv.cli") / "starters" / name).read_text(encoding="utf-8")


def _write_new(path: Path, text: str) -> bool:
    """Write a file unless something is there; whether it was written."""
    if os.path.lexists(path):
        return False
    with atomic_write(path, overwrite=False, private=False) as file:
        file.write(text.encode())
    return True


def _ignore() -> bool:
    """Have transcripts and results ignored by git; whether that had to be said."""
    known = read_small(_IGNORE) if _IGNORE.exists() else b""
    if _ALREADY.search(known):
        return False
    separator = b"" if not known or known.endswith(b"\n") else b"\n"
    with atomic_write(_IGNORE, overwrite=True, private=False) as file:
        file.write(known + separator + _IGNORED.encode() + b"\n")
    return True
