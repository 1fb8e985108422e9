"""``agentv validate``: what pytest would say of eval files before it grades anything."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import pytest

from pytest_agentv.cli.console import count, put, put_json, say
from pytest_agentv.errors import AgentvError, EvalFileError, Location, Problem
from pytest_agentv.pytest_nodes import AssertionItem, EvalModule

if TYPE_CHECKING:
    from collections.abc import Iterator


_OPTIONS = (
    "--collect-only", "-q", "-p", "no:cacheprovider",
    # The project's own options are for running; some would leave files out.
    "-o", "addopts=",
    # We are loaded before pytest is; where warnings are errors, that would be one.
    "-W", "ignore::pytest.PytestAssertRewriteWarning",
)  # fmt: skip


@click.command("validate")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option(
    "--json", "as_json", is_flag=True, help="Print files, tests, assertions and problems as JSON."
)
def command(files: tuple[str, ...], *, as_json: bool) -> None:
    """Check eval files, or all of those in a folder.

    Everything is checked that pytest checks before it runs: keys, types, templates, files that are
    named. Assertions of conftest.py files are known. Exits with 1 if anything is wrong.
    """
    missing = [file for file in files if not Path(file).exists()]
    if missing:
        raise click.BadParameter(f"no such file or folder: {missing[0]}", param_hint="FILE")
    others = [file for file in map(Path, files) if not (file.is_dir() or _is_yaml(file))]
    if others:
        message = f"{others[0]} is no eval file: these end in .yaml or .yml"
        raise click.BadParameter(message, param_hint="FILE")
    found = _Found()
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        code = pytest.main(
            [*_OPTIONS, *files],
            plugins=[found],
        )
    if code in (pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.INTERNAL_ERROR) and not found.problems:
        raise click.ClickException(f"pytest cannot run: {_last_line(printed.getvalue())}")
    _tell(found, as_json=as_json)
    raise click.exceptions.Exit(1 if found.problems or not found.files else 0)


def _is_yaml(file: Path) -> bool:
    return file.suffix.lower() in (".yaml", ".yml")


class _Found:
    """Listens to a collection."""

    def __init__(self) -> None:
        self.files = 0
        self.cases: set[str] = set()
        self.assertions = 0
        self.problems: list[Problem] = []

    def pytest_collectstart(self, collector: pytest.Collector) -> None:
        """Count the eval files."""
        self.files += isinstance(collector, EvalModule)

    def pytest_exception_interact(
        self, node: pytest.Item | pytest.Collector, call: pytest.CallInfo[Any]
    ) -> None:
        """Note why something could not be collected."""
        if call.excinfo is not None:
            self.problems += _problems(node, call.excinfo.value)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Count what was collected."""
        items = [item for item in session.items if isinstance(item, AssertionItem)]
        self.assertions = len(items)
        self.cases = {item.nodeid.rpartition("::")[0] for item in items}


def _problems(node: pytest.Item | pytest.Collector, error: BaseException) -> Iterator[Problem]:
    cause = error.__cause__ or error
    if isinstance(cause, EvalFileError):
        yield from (Problem(_shown(one.at), one.message) for one in cause.problems)
    elif isinstance(cause, AgentvError):
        yield Problem(_shown(cause.at or Location(node.path)), cause.message)
    else:
        yield Problem(_shown(Location(node.path)), " ".join(str(cause).split()) or repr(cause))


def _shown(at: Location) -> Location:
    """Relative to where the command runs, as its arguments are."""
    path = Path(at.path)
    if path.is_relative_to(Path.cwd()):
        path = path.relative_to(Path.cwd())
    return at._replace(path=path)


def _tell(found: _Found, *, as_json: bool) -> None:
    counts = {
        "files": found.files,
        "tests": len(found.cases),
        "assertions": found.assertions,
    }
    if as_json:
        problems = [
            {
                "path": str(one.at.path),
                "line": one.at.line,
                "column": one.at.column,
                "message": one.message,
            }
            for one in found.problems
        ]
        put_json({**counts, "problems": problems})
        return
    for problem in found.problems:
        put(str(problem))
    if not found.files and not found.problems:
        hint = "one is named X.eval.yaml; agentv init writes a first one"
        say(f"agentv: no eval file was found: {hint}")
        return
    said = ", ".join(count(number, name.removesuffix("s")) for name, number in counts.items())
    put(f"{said}: {count(len(found.problems), 'problem')}")


def _last_line(printed: str) -> str:
    lines = [line for line in printed.splitlines() if line.strip()]
    return lines[-1] if lines else "it says nothing"
