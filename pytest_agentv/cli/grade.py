"""``agentv grade``: many sessions by many tests, without pytest, in several processes."""

from __future__ import annotations

import os
from hashlib import sha256
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click
import msgspec

from pytest_agentv.cli.console import count, put, put_json, put_json_line, say
from pytest_agentv.cli.imported import DEFAULT_FOLDER
from pytest_agentv.cli.judging import judge_options
from pytest_agentv.cli.outputs import no_dash
from pytest_agentv.cli.progress import progress
from pytest_agentv.cli.redacting import redact_option
from pytest_agentv.cli.runs import OUTCOMES
from pytest_agentv.cli.workers import workers_of, workers_option
from pytest_agentv.errors import EvalFileError, ProcessLost
from pytest_agentv.grading.keeping import PartFile
from pytest_agentv.grading.portions import portions
from pytest_agentv.grading.suites import load_suite
from pytest_agentv.grading.tally import Tally
from pytest_agentv.grading.working import Task, Worker, begin, done
from pytest_agentv.judge.settings import read_judge_settings
from pytest_agentv.plugins import registry
from pytest_agentv.processes import in_order

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_agentv.errors import Problem
    from pytest_agentv.grading.portions import Portion
    from pytest_agentv.grading.suites import Suite
    from pytest_agentv.grading.working import Done


@click.command("grade")
@click.argument(
    "evals",
    metavar="EVAL...",
    nargs=-1,
    required=True,
    type=click.Path(path_type=Path, readable=False),
)
@click.option(
    "--transcript",
    "names",
    multiple=True,
    metavar="WHAT",
    help="Sessions: a file, folder, glob or claude:latest; may be repeated; default: "
    f"{DEFAULT_FOLDER}.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    callback=no_dash,
    metavar="FILE",
    help="Write rows here, and go on there if it was killed; default: standard output.",
)
@click.option("--force", is_flag=True, help="Begin anew, and overwrite FILE.")
@click.option(
    "--every-test",
    "every",
    is_flag=True,
    help="Grade sessions that name a test by all others, too.",
)
@workers_option
@click.option("--include-subagents", "subagents", is_flag=True, help="Grade sub-agents, too.")
@click.option("--strict", is_flag=True, help="A session that is not all understood is an error.")
@click.option("--no-scripts", is_flag=True, help="Run no program that an assertion names.")
@judge_options
@redact_option
@click.option("--json", "as_json", is_flag=True, help="Print the counts as JSON; needs -o.")
def command(
    evals: tuple[Path, ...],
    *,
    names: tuple[str, ...],
    output: Path | None,
    force: bool,
    every: bool,
    workers: int | None,
    subagents: bool,
    strict: bool,
    no_scripts: bool,
    model: str | None,
    mode: Any,
    max_cost: float | None,
    profile: str | None,
    as_json: bool,
) -> None:
    """Grade every session by EVAL, which is an eval file or a folder of them.

    A session that says which test it was recorded for is graded by that test; any other one by all
    tests. Every pair is a row, as `agentv eval` keeps them. Exits with 1 if something does not hold
    or could not be graded. Assertions of conftest.py files need pytest.
    """
    if as_json and output is None:
        raise click.UsageError("--json needs -o: rows are JSON already.")
    if force and output is None:
        raise click.UsageError("--force needs -o: it says what to overwrite.")
    names = names or (str(DEFAULT_FOLDER),)
    suites = _suites(evals, scripts=not no_scripts, every=every)
    with TemporaryDirectory(prefix="agentv-grade-", ignore_cleanup_errors=True) as shared:
        task = Task(
            suites=suites,
            judging=read_judge_settings(
                Path.cwd(), os.environ, model=model, mode=mode, max_cost=max_cost
            ),
            shared=Path(shared, "limits.sqlite"),
            redact=profile,
            subagents=subagents,
            strict=strict,
        )
        found = portions(names, registry, folder=Path.cwd())
        tally = Tally(suites)
        if output is None:
            for one in _graded(task, found, workers_of(workers)):
                tally.add(one)
                for row in one.rows:
                    put_json_line(msgspec.json.decode(row))
        else:
            part = PartFile(output, _fingerprint(task, names), anew=force)
            try:
                _fill(part, task, found, tally, workers=workers_of(workers))
                part.finish(overwrite=force)
            finally:
                part.close()
    raise click.exceptions.Exit(_tell(tally, output, as_json=as_json))


def _suites(evals: tuple[Path, ...], *, scripts: bool, every: bool) -> tuple[Suite, ...]:
    files: dict[Path, None] = {}
    for one in evals:
        if not one.exists():
            raise click.BadParameter(f"no such file or folder: {one}", param_hint="EVAL")
        found = _below(one) if one.is_dir() else [one]
        if not found:
            raise click.BadParameter(f"no eval file in {one}", param_hint="EVAL")
        files.update(dict.fromkeys(found))
    problems: list[Problem] = []
    suites = []
    for file in files:
        try:
            suites.append(load_suite(file, scripts=scripts, every=every))
        except EvalFileError as exc:  # noqa: PERF203 (all of them are told)
            problems += exc.problems
    if problems:
        raise EvalFileError(problems)
    return tuple(suites)


def _below(folder: Path) -> list[Path]:
    """The eval files in a folder: those that pytest would collect there."""
    from pytest_agentv.pytest_plugin import (  # noqa: PLC0415 (loads pytest, which needs its time)
        EVAL_FILES,
        is_eval_file,
    )

    return sorted(
        file
        for file in folder.rglob("*")
        if is_eval_file(file.absolute(), globs=EVAL_FILES, root=Path.cwd()) and file.is_file()
    )


def _fill(
    part: PartFile, task: Task, found: Iterator[Portion], tally: Tally, *, workers: int
) -> None:
    """Grade what is not in a file yet."""
    rest: Iterable[Portion] = ()
    for portion in found:
        known = part.next(portion.key)
        if known is None:
            rest = chain([portion], found)
            break
        tally.add(known)
    if tally.sessions:
        say(f"agentv: going on after {count(tally.sessions, 'session')}: {part.path}")
    try:
        for one in _graded(task, rest, workers):
            part.add(one)
            tally.add(one)
    except (ProcessLost, KeyboardInterrupt):
        say(f"agentv: {part.path} has what was graded; the same command goes on")
        raise


def _graded(task: Task, found: Iterable[Portion], workers: int) -> Iterator[Done]:
    with progress("grading", None) as one_more:
        if workers == 1:
            worker = Worker(task)
            results: Iterator[Done] = map(worker.done, found)
        else:
            results = in_order(done, found, workers=workers, begin=begin, arguments=(task,))
        for one in results:
            one_more()
            yield one


def _fingerprint(task: Task, names: tuple[str, ...]) -> str:
    """Of all that decides what the rows will be, but for the sessions themselves."""
    parts: list[Any] = [
        [one.eval_file, one.fingerprint, one.prices, one.scripts, one.every] for one in task.suites
    ]
    parts += [names, task.redact, task.subagents, task.strict, task.judging.decisive]
    if task.redact is not None:
        from pytest_agentv.redact import read_redact_settings  # noqa: PLC0415 (many rules)

        parts.append(repr(read_redact_settings(Path.cwd())))
    return sha256(msgspec.json.encode(parts)).hexdigest()


def _tell(tally: Tally, output: Path | None, *, as_json: bool) -> int:
    """Say what it came to; the exit code."""
    gates = list(tally.gates())
    closed = [one for one in gates if one.outcome in ("failed", "error") and not one.excused]
    for failure in tally.failures:
        say(f"agentv: {failure}")
    if tally.failed > len(tally.failures):
        say(f"agentv: and {tally.failed - len(tally.failures)} more")
    if tally.unknown:
        say(f"agentv: no test has the id {', '.join(map(repr, tally.unknown))}")
    for one in closed:
        say(f"agentv: {one.eval_file}: {one.test_id} [{one.target}]: gate: {one.reason}")
    if not tally.sessions and not tally.failed:
        say("agentv: there are no sessions")
    code = 1 if tally.bad or tally.failed or tally.unknown or closed or not tally.rows else 0
    if as_json:
        put_json(
            {
                "output": str(output),
                "sessions": tally.sessions,
                "unreadable": tally.failed,
                "rows": tally.rows,
                **{one: tally.outcomes[one] for one in OUTCOMES},
                "gates": [
                    {
                        "eval_file": one.eval_file,
                        "test_id": one.test_id,
                        "target": one.target,
                        "outcome": one.outcome,
                        "reason": one.reason,
                        "excused": one.excused,
                    }
                    for one in gates
                ],
            }
        )
        return code
    counts = [f"{tally.outcomes[one]} {one}" for one in OUTCOMES if tally.outcomes[one]]
    text = f"{count(tally.sessions, 'session')}, {count(tally.rows, 'row')}"
    (say if output is None else put)(f"{text}: {', '.join(counts)}" if counts else text)
    return code
