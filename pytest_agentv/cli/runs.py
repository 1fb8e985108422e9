"""What the commands on runs share: options, and a run as it was named."""

from __future__ import annotations

from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click
import msgspec
from msgspec.structs import replace

from pytest_agentv.errors import ResultsError
from pytest_agentv.report.outgoing import Outgoing
from pytest_agentv.results.filters import Wanted, select
from pytest_agentv.results.model import Row, Summary
from pytest_agentv.results.places import ROOT
from pytest_agentv.results.reading import LATEST, find_run

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_agentv.redact import Redactor
    from pytest_agentv.results.filters import Selected
    from pytest_agentv.results.reading import Run

_Command = TypeVar("_Command", bound="Callable[..., Any]")

OUTCOMES = ("passed", "failed", "error", "skipped")

run_argument = click.argument("run", metavar="[RUN]", default=LATEST)
runs_argument = click.argument("runs", metavar="[RUN]...", nargs=-1)
dir_option = click.option(
    "-d",
    "--dir",
    "root",
    type=click.Path(path_type=Path),
    default=ROOT,
    metavar="DIR",
    help=f"The folder that holds the runs (default: {ROOT.as_posix()}).",
)


def format_option(*more: str) -> Callable[[_Command], _Command]:
    """How to print something, given to a command as ``format_``: as a table, JSON, or otherwise.

    ``--json`` is short for one of them, as in all other commands.
    """
    forms = click.Choice(["table", "json", *more])

    def decorate(function: _Command) -> _Command:
        @wraps(function)
        def command(*args: Any, format_: str, is_json: bool, **others: Any) -> Any:
            return function(*args, format_="json" if is_json else format_, **others)

        said = "How to print it (default: table)."
        short = click.option("--json", "is_json", is_flag=True, help="The same as --format json.")
        long = click.option("-f", "--format", "format_", type=forms, default="table", help=said)
        return cast("_Command", long(short(command)))

    return decorate


_FILTERS = {
    "tests": ("--test", "--test-id", "ID", "Cases of this test; a glob."),
    "targets": ("--target", "NAME", "Cases on sessions of this client; a glob."),
    "suites": ("--suite", "NAME", "Cases of this eval file, by its name; a glob."),
    "cases": ("--case", "NAME", "Cases of this name, as `show` lists them; a glob."),
    "tools": ("--tool", "NAME", "Cases that called this tool: its name, its kind, a glob."),
}
_STATUS = click.option(
    "--status",
    "statuses",
    multiple=True,
    type=click.Choice(OUTCOMES),
    help="Cases that ended so.",
)


def filters(*names: str) -> Callable[[_Command], _Command]:
    """Options that choose cases, by the names of the fields of ``Wanted``."""

    def decorate(function: _Command) -> _Command:
        for name in reversed(names):
            function = _filter(name)(function)
        return function

    return decorate


def _filter(name: str) -> Callable[[_Command], _Command]:
    if name == "statuses":
        return _STATUS
    *flags, metavar, help_ = _FILTERS[name]
    return click.option(*flags, name, multiple=True, metavar=metavar, help=help_)


def runs_named(names: Sequence[str], *, root: Path) -> list[Run]:
    """Runs by what they are called, each once; the latest if none is."""
    found = {
        run.path.resolve(): run for run in (find_run(one, root=root) for one in names or [LATEST])
    }
    return list(found.values())


def cases_wanted(run: Run, wanted: dict[str, tuple[str, ...]]) -> Selected:
    """The cases of a run that options choose; that there are none is an error."""
    selected = select(run, Wanted(**wanted))
    if not selected.rows and not selected.unsure:
        raise nothing_fits([run], wanted)
    return selected


def nothing_fits(runs: Sequence[Run], wanted: dict[str, tuple[str, ...]]) -> ResultsError:
    """The error that runs have no case that options choose."""
    said = [f"{_flag(name)} {value}" for name, values in wanted.items() for value in values]
    which = ", ".join(run.summary.run_id for run in runs)
    return ResultsError(f"no case of {which} fits {' '.join(said)}")


def redacted_run(run: Run, redactor: Redactor | None) -> Run:
    """A run as it may be shown: what it says of its cases, and their transcripts."""
    if redactor is None:
        return run
    outgoing = Outgoing(redactor.fresh())
    values = plain(run.rows)
    outgoing.learn(values)  # names of cases are cut out of what is said elsewhere
    rows = tuple(msgspec.convert(outgoing.json(one), Row, strict=False) for one in values)
    return replace(
        run,
        summary=msgspec.convert(outgoing.json(plain(run.summary)), Summary, strict=False),
        rows=rows,
        shown=lambda transcript: redactor.fresh().transcript(transcript),
        places={
            new.transcript_path: old.transcript_path
            for new, old in zip(rows, run.rows, strict=True)
            if new.transcript_path is not None and old.transcript_path is not None
        },
    )


def plain(value: Any) -> Any:
    """A struct as JSON has it; what is no number there is null."""
    return msgspec.json.decode(msgspec.json.encode(value))


def _flag(name: str) -> str:
    return "--status" if name == "statuses" else _FILTERS[name][0]
