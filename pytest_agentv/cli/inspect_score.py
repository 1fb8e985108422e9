"""``agentv inspect score``: the sessions of a run graded anew, by other assertions."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace as with_changes
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from msgspec.structs import replace

from pytest_agentv.cli.console import count, put, put_json, say
from pytest_agentv.cli.judging import asked_judge, judge_options
from pytest_agentv.cli.redacting import redact_option, redactor_of
from pytest_agentv.cli.runs import (
    cases_wanted,
    dir_option,
    filters,
    format_option,
    plain,
    redacted_run,
    run_argument,
)
from pytest_agentv.cli.tables import Column, print_table
from pytest_agentv.cli.verdicts import VERDICT_STYLES, shown_verdict
from pytest_agentv.config.project import read_prices
from pytest_agentv.engine.compiling import CompiledCase, compile_entry
from pytest_agentv.engine.names import unique
from pytest_agentv.engine.regrading import graded_case, skipped_case, ungraded_case
from pytest_agentv.errors import AgentvError, Location, ResultsError
from pytest_agentv.evalfile.given import typed_entry
from pytest_agentv.evalfile.model import Case
from pytest_agentv.grading.contexts import context_of
from pytest_agentv.grading.suites import Suite, load_suite
from pytest_agentv.plugins import assertion_types, plugin_manager
from pytest_agentv.report.figures import points
from pytest_agentv.report.outgoing import Outgoing
from pytest_agentv.results.filters import name_of
from pytest_agentv.results.kept import KeptTranscripts
from pytest_agentv.results.outcomes import SCORE, mean_score, outcome_of, outcome_of_row
from pytest_agentv.results.reading import find_run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_agentv.graders.base import CaseFacts
    from pytest_agentv.graders.judging import Judge
    from pytest_agentv.results.model import Row, Score

_OPTION = "--assert"
# The id of the case of assertions that were typed; no test has it.
_TYPED = ""
_WORDS = {
    "pass": "passed",
    "fail": "failed",
    "error": "error",
    "skip": "skipped",
    "soft": "soft",
}


class _Graded(NamedTuple):
    """A case of a run, and what became of the other assertions on its session."""

    row: Row
    scores: tuple[Score, ...]


@click.command("score")
@run_argument
@click.option(
    "-a",
    "--assert",
    "specs",
    multiple=True,
    metavar="SPEC",
    help="An assertion as in an eval file: 'contains: JWT'; may be repeated.",
)
@click.option(
    "--file",
    type=click.Path(path_type=Path, readable=False),
    metavar="FILE",
    help="An eval file; its tests grade the cases with the same ids.",
)
@click.option("--no-scripts", is_flag=True, help="Run no program that an assertion names.")
@judge_options
@filters("tests", "targets", "suites", "cases", "statuses")
@redact_option
@dir_option
@format_option()
def command(
    run: str,
    *,
    specs: tuple[str, ...],
    file: Path | None,
    no_scripts: bool,
    model: str | None,
    mode: str | None,
    max_cost: float | None,
    profile: str | None,
    root: Path,
    format_: str,
    **wanted: tuple[str, ...],
) -> None:
    """Grade the sessions of RUN, the latest by default, by other assertions.

    Nothing is run again or written. Every assertion type of every installed package can be used;
    those of conftest.py files need pytest. Exits with 1 if an assertion does not hold or could not
    be graded.
    """
    if bool(specs) == (file is not None):
        raise click.UsageError("give assertions by --assert or by --file.")
    suite = (
        _typed(specs, scripts=not no_scripts)
        if file is None
        else load_suite(file, scripts=not no_scripts)
    )
    found = find_run(run, root=root)
    redactor = redactor_of(profile)
    outgoing = None if redactor is None else Outgoing(redactor)
    shown = redacted_run(found, redactor)
    rows = cases_wanted(shown, wanted).rows
    tests = {one.case.id: one for one in suite.cases}
    paired = [(row, tests.get(_TYPED if file is None else row.test_id)) for row in rows]
    redact = None if outgoing is None else outgoing.name
    with asked_judge(model=model, mode=mode, max_cost=max_cost, redact=redact) as judge:
        # Graded is the session as it is; what is said of it is redacted.
        kept = KeptTranscripts(replace(shown, shown=None))
        grader = _Regrader(suite, kept, judge, outgoing)
        graded = [_Graded(row, grader.scores(row, one)) for row, one in paired if one is not None]
    if not graded:
        message = f"none of its tests has a case in run {found.summary.run_id}"
        raise ResultsError(message, at=Location(file or _OPTION))
    if len(graded) < len(rows):
        say(f"agentv: {count(len(rows) - len(graded), 'case')} left out: {file} has no such test")
    if format_ == "json":
        put_json({"run_id": found.summary.run_id, "cases": [_as_json(one) for one in graded]})
    else:
        _put_table(graded)
    verdicts = Counter(one.verdict for case in graded for one in case.scores if not one.excused)
    raise click.exceptions.Exit(1 if verdicts["fail"] + verdicts["error"] else 0)


class _Regrader:
    """Grades cases of a run anew."""

    def __init__(
        self,
        suite: Suite,
        transcripts: KeptTranscripts,
        judge: Judge,
        outgoing: Outgoing | None,
    ) -> None:
        self._suite = suite
        self._transcripts = transcripts
        self._judge = judge
        self._outgoing = outgoing

    def scores(self, row: Row, compiled: CompiledCase) -> tuple[Score, ...]:
        """What becomes of a case; one whose transcript cannot be had is an error.

        Where there was no session, there is nothing to grade now either.
        """
        if row.target is None and outcome_of_row(row) == "skipped":
            return skipped_case(compiled, row.error or "there was no session")
        try:
            transcript = self._transcripts.of(row)
        except AgentvError as exc:
            return ungraded_case(compiled, exc)
        if self._outgoing is not None:
            self._outgoing.learn(transcript)
        scores = graded_case(compiled, context_of(transcript, self._facts(row, compiled.case)))
        return scores if self._outgoing is None else tuple(map(self._outgoing.score, scores))

    def _facts(self, row: Row, case: Case) -> CaseFacts:
        facts = self._suite.facts(case, self._judge)
        # What the run knew is known still.
        cost = row.cost_usd if facts.cost_usd is None else facts.cost_usd
        return with_changes(facts, id=facts.id or row.test_id, cost_usd=cost)


def _typed(specs: Sequence[str], *, scripts: bool) -> Suite:
    """Assertions as they were typed, as those of a case without a test."""
    types = assertion_types(plugin_manager())
    entries = [typed_entry(one, types=types, option=_OPTION) for one in specs]
    made = [compile_entry(one, types) for one in entries]
    names = unique(one.name for one in made)
    assertions = tuple(replace(one, name=name) for one, name in zip(made, names, strict=True))
    case = Case(id=_TYPED, at=Location(_OPTION), entries=())
    return Suite(
        eval_file=_OPTION,
        name=_OPTION,
        category=None,
        cases=(CompiledCase(case, assertions),),
        folder=Path.cwd(),
        prices=read_prices(Path.cwd()),
        scripts=scripts,
    )


def _as_json(graded: _Graded) -> dict[str, Any]:
    row, scores = graded
    return {
        "case": name_of(row),
        "test_id": row.test_id,
        "target": row.target,
        "outcome": outcome_of(one.verdict for one in scores),
        "score": mean_score([one for one in scores if one.type != SCORE]),
        "scores": plain(scores),
    }


def _put_table(graded: Sequence[_Graded]) -> None:
    columns = [
        Column("case", wrap=True, width=44, least=24),
        Column("verdict", style=lambda cell: VERDICT_STYLES.get(cell.partition(" ")[0])),
        Column("assertion", wrap=True, least=20),
        Column("score", right=True),
        Column("found", wrap=True),
    ]
    cells = [
        [
            name_of(row),
            shown_verdict(one),
            one.name,
            points(one.score),
            one.reason or one.claim or None,
        ]
        for row, scores in graded
        for one in scores
    ]
    print_table(None, columns, cells)
    verdicts = Counter(one.verdict for case in graded for one in case.scores)
    said = [
        count(verdicts[one], "error") if one == "error" else f"{verdicts[one]} {word}"
        for one, word in _WORDS.items()
        if verdicts[one]
    ]
    put(f"{count(sum(verdicts.values()), 'assertion')}: {', '.join(said)}")
