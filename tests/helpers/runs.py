"""Runs that were kept, made without pytest: one row for each case that is given."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from pytest_agentv.results.journal import Graded
from pytest_agentv.results.model import Figures, Row, Score
from pytest_agentv.results.transcripts import TranscriptKeeper
from pytest_agentv.results.writing import RunWriter, now
from pytest_agentv.transcript.model import Source

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pytest_agentv.results.reading import Run
    from pytest_agentv.transcript.model import Transcript


class MadeCase(msgspec.Struct, kw_only=True):
    """A case on one session, with what its assertions came to."""

    test_id: str = "adds-jwt"
    target: str | None = "claude-cli"
    # Tells repeats apart.
    session: str = ""
    suite: str = "auth"
    eval_file: str = "evals/auth.eval.yaml"
    line: int = 3
    scores: tuple[Score, ...] = (Score(name="holds", type="contains", verdict="pass", score=1.0),)
    # Assertions that were to be graded besides these, in a run that broke off.
    ungraded: int = 0
    figures: Figures = Figures()
    transcript: Transcript | None = None


def score(
    name: str, verdict: str = "pass", *, points: float | None = None, **more: object
) -> Score:
    """What an assertion came to; its score follows from the verdict if none is given."""
    usual = {"pass": 1.0, "fail": 0.0, "soft": 0.0}.get(verdict)
    known = {"name": name, "type": "contains", "verdict": verdict, "score": points or usual}
    return msgspec.convert({**known, **more}, Score)


def make_run(
    root: Path, cases: Sequence[MadeCase], *, complete: bool = True, arguments: Sequence[str] = ()
) -> Run:
    """Keep a run of these cases below a folder."""
    writer = RunWriter(root, agentv_version="0.0.0", pytest_version="9.0.0", arguments=arguments)
    transcripts = TranscriptKeeper(writer.folder)
    for case in cases:
        about = _about(case, transcripts)
        for one in case.scores:
            planned = len(case.scores) + case.ungraded
            writer.note(Graded(about=about, score=one, planned=planned))
    transcripts.close()
    broken = any(one.verdict in ("fail", "error") for case in cases for one in case.scores)
    return writer.finish(complete=complete, exit_status=1 if broken else 0)


def damage(run: Run, row: Row) -> None:
    """Make the transcript of a row unreadable, and no other one."""
    path = run.folder / str(row.transcript_path)
    lines = path.read_bytes().splitlines(keepends=True)
    lines[(row.transcript_line or 1) - 1] = b"no transcript\n"
    path.write_bytes(b"".join(lines))


def _about(case: MadeCase, transcripts: TranscriptKeeper) -> Row:
    bracket = "-".join(one for one in (case.target, case.session) if one)
    row = Row(
        timestamp=now(),
        test_id=case.test_id,
        suite=case.suite,
        eval_file=case.eval_file,
        line=case.line,
        case=f"{case.test_id}[{bracket}]" if bracket else case.test_id,
        target=case.target,
    )
    if case.target is None:
        return row
    figures = msgspec.structs.asdict(case.figures)
    if case.transcript is None:
        source = Source(provider=case.target, session_id=case.session or None)
        return msgspec.structs.replace(row, source=source, **figures)
    return msgspec.structs.replace(
        row,
        source=case.transcript.source,
        input=case.transcript.input,
        transcript_path=transcripts.name,
        transcript_line=transcripts.keep(case.transcript, key=row.case),
        **figures,
    )
