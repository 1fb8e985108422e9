"""One case of a run in full: its session, its figures, all assertions, and why some fail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_agentv.cli.console import put
from pytest_agentv.cli.tables import UNKNOWN, Column, print_table
from pytest_agentv.cli.verdicts import VERDICT_STYLES, shown_verdict
from pytest_agentv.errors import Location
from pytest_agentv.graders.grade import Evidence, Grade
from pytest_agentv.report.clean import one_line
from pytest_agentv.report.failure import failure_text
from pytest_agentv.report.figures import amount, duration, moment, money, points
from pytest_agentv.results.filters import name_of
from pytest_agentv.results.outcomes import outcome_of_row
from pytest_agentv.results.statistics import input_tokens, output_tokens

if TYPE_CHECKING:
    from pytest_agentv.results.model import Row, Score
    from pytest_agentv.results.reading import Run

_PROMPT_LENGTH = 300


def put_case(run: Run, row: Row) -> None:
    """Print a case."""
    put("\n".join(_facts(run, row)))
    put("")
    columns = [
        Column("verdict", style=lambda cell: VERDICT_STYLES.get(cell.partition(" ")[0])),
        Column("assertion", wrap=True, least=20),
        Column("score", right=True),
        Column("weight", right=True),
        Column("found", wrap=True),
    ]
    print_table(None, columns, [_cells(one) for one in row.scores])
    for score in row.scores:
        if score.verdict == "fail":
            put("")
            put(_failure(run, row, score))


def figures_of(row: Row) -> str:
    """What a session took; unknown figures are shown as such."""
    bound = row.token_usage is not None and row.token_usage.output_complete is False
    written = amount(output_tokens(row))
    known = {
        "time": duration(row.duration_ms),
        "tokens in": amount(input_tokens(row)),
        "tokens out": f"≥{written}" if written and bound else written,
        "cost": money(row.cost_usd),
        "llm calls": amount(row.llm_calls),
        "tool calls": amount(row.tool_calls),
        "tool errors": amount(row.tool_errors),
    }
    return ", ".join(f"{name} {one or UNKNOWN}" for name, one in known.items())


def _facts(run: Run, row: Row) -> list[str]:
    source = row.source
    session = [] if source is None else [source.provider, source.model, source.session_id]
    place = str(Location(row.eval_file, row.line)) if row.eval_file else None
    facts = {
        "run": run.summary.run_id,
        "case": name_of(row),
        "test": place,
        "outcome": outcome_of_row(row),
        "score": points(row.score),
        "threshold": points(row.threshold),
        "error": row.error,
        "session": " ".join(one for one in session if one) or row.target,
        "began": None if source is None else moment(source.timestamp),
        "prompt": None if row.input is None else one_line(row.input, limit=_PROMPT_LENGTH),
        "transcript": None if row.transcript is None else str(run.folder / row.transcript),
        "figures": figures_of(row),
    }
    return [f"{name:<10}  {one_line(one)}" for name, one in facts.items() if one]


def _cells(score: Score) -> list[str | None]:
    said = score.reason or score.claim
    return [
        shown_verdict(score),
        score.name,
        points(score.score),
        f"{score.weight:g}",
        said or None,
    ]


def _failure(run: Run, row: Row, score: Score) -> str:
    """The same text as pytest prints."""
    grade = Grade(
        "failed",
        score.reason,
        claim=score.claim,
        details=score.details,
        evidence=tuple(Evidence(one.message, one.line, one.excerpt) for one in score.evidence),
    )
    source = row.source
    kept = row.transcript
    return failure_text(
        grade,
        at=Location(row.eval_file or run.path, score.line),
        assertion=score.name,
        provider=row.target,
        session_id=None if source is None else source.session_id,
        session_path=None if kept is None else run.folder / kept,
    )
