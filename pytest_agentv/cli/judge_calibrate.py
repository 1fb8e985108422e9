"""``agentv judge calibrate``: how far a judge agrees with people."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pytest_agentv.cli.amounts import Amount
from pytest_agentv.cli.console import count, put, put_json, say
from pytest_agentv.cli.judging import asked_judge, judge_options
from pytest_agentv.cli.progress import progress
from pytest_agentv.cli.tables import Column, print_table
from pytest_agentv.errors import AgentvError
from pytest_agentv.graders.judging import NotJudged
from pytest_agentv.judge.calibration import LabelledRow, agreement, read_labelled

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_agentv.graders.judging import Judge
    from pytest_agentv.judge.calibration import Agreement

_AHEAD = 16
_SHOWN = 20


@click.command("calibrate")
@click.argument("file", type=click.Path(path_type=Path, readable=False))
@judge_options
@click.option(
    "--min-kappa",
    type=Amount(-1, 1),
    metavar="K",
    help="Exit with 1 if Cohen's kappa is less.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    file: Path,
    *,
    model: str | None,
    mode: str | None,
    max_cost: float | None,
    min_kappa: float | None,
    as_json: bool,
) -> None:
    """Let a judge decide what people decided in FILE, and show how far both agree.

    FILE is CSV or JSONL, with a `label` (pass or fail), `criteria` and `output` in each row, and
    maybe `input`, `expected_output` and `id`. A row with a column `judge` holds what a judge said
    earlier, and nobody is asked. Exits with 1 if a row could not be judged.
    """
    rows = read_labelled(file)
    said = []
    with (
        asked_judge(model=model, mode=mode, max_cost=max_cost) as judge,
        progress("judging", len(rows)) as one_more,
    ):
        for one in _judged(rows, judge):
            said.append(one)
            one_more()
    judged = [(row, one) for row, one in said if isinstance(one, bool)]
    unjudged = [(row, one) for row, one in said if isinstance(one, str)]
    found = agreement((row.label, one) for row, one in judged)
    if as_json:
        put_json(_as_json(found, judged, unjudged))
    else:
        _show(found, judged)
    for row, reason in unjudged[:_SHOWN]:
        say(f"agentv: {file}:{row.line}: not judged: {reason}")
    if unjudged:
        say(f"agentv: {count(len(unjudged), 'row')} of {len(rows)} could not be judged")
    weak = min_kappa is not None and (found.kappa is None or found.kappa < min_kappa)
    raise click.exceptions.Exit(1 if unjudged or weak else 0)


def _judged(rows: Sequence[LabelledRow], judge: Judge) -> Iterator[tuple[LabelledRow, bool | str]]:
    """What the judge says of each row, or why it says nothing."""
    for number, row in enumerate(rows):
        if number % _AHEAD == 0:
            for one in rows[number : number + _AHEAD]:
                if one.judge is None:
                    judge.begin(one.question, one.transcript)
        yield row, _verdict(row, judge)


def _verdict(row: LabelledRow, judge: Judge) -> bool | str:
    if row.judge is not None:
        return row.judge
    try:
        verdict = judge.answer(row.question, row.transcript)
    except AgentvError as exc:
        return str(exc)
    return verdict.reason if isinstance(verdict, NotJudged) else verdict.answers[0].met


def _show(found: Agreement, judged: Sequence[tuple[LabelledRow, bool]]) -> None:
    columns = [Column(""), Column("judge: pass", right=True), Column("judge: fail", right=True)]
    cells: list[list[str | None]] = [
        ["people: pass", str(found.both_pass), str(found.only_people)],
        ["people: fail", str(found.only_judge), str(found.both_fail)],
    ]
    print_table(None, columns, cells)
    kappa = (
        "undefined: one of both always says the same" if found.kappa is None else _3(found.kappa)
    )
    accuracy = "-" if found.accuracy is None else f"{found.accuracy:.1%}"
    put(f"{count(found.count, 'row')}: accuracy {accuracy}, Cohen's kappa {kappa}")
    for row, one in judged:
        if one != row.label:
            name = f" ({row.id})" if row.id else ""
            put(f"line {row.line}{name}: people say {_word(row.label)}, the judge {_word(one)}")


def _as_json(
    found: Agreement,
    judged: Sequence[tuple[LabelledRow, bool]],
    unjudged: Sequence[tuple[LabelledRow, str]],
) -> dict[str, Any]:
    return {
        "rows": found.count,
        "accuracy": found.accuracy,
        "kappa": found.kappa,
        "both_pass": found.both_pass,
        "only_judge": found.only_judge,
        "only_people": found.only_people,
        "both_fail": found.both_fail,
        "disagreements": [
            {"line": row.line, "id": row.id, "label": row.label, "judge": one}
            for row, one in judged
            if one != row.label
        ],
        "not_judged": [{"line": row.line, "id": row.id, "reason": one} for row, one in unjudged],
    }


def _word(passed: bool) -> str:  # noqa: FBT001 (a label)
    return "pass" if passed else "fail"


def _3(value: float) -> str:
    return f"{value:.3f}"
