"""Runs that were kept, made without pytest: one row for each case that is given."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from pytest_agentv.errors import Location
from pytest_agentv.results.journal import CaseNote, Graded, SessionNote
from pytest_agentv.results.model import Figures, Score
from pytest_agentv.results.places import transcript_path
from pytest_agentv.results.writing import RunWriter, keep_transcript, now
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
    for case in cases:
        for note in _notes(case, writer.folder):
            writer.note(msgspec.json.encode(note))
    broken = any(one.verdict in ("fail", "error") for case in cases for one in case.scores)
    return writer.finish(complete=complete, exit_status=1 if broken else 0)


def _notes(case: MadeCase, folder: Path) -> list[Graded]:
    bracket = "-".join(one for one in (case.target, case.session) if one)
    about = CaseNote(
        test_id=case.test_id,
        suite=case.suite,
        eval_file=case.eval_file,
        line=case.line,
        case=f"{case.test_id}[{bracket}]" if bracket else case.test_id,
        target=case.target,
    )
    session = _session(case, folder)
    return [Graded(timestamp=now(), case=about, session=session, score=one) for one in case.scores]


def _session(case: MadeCase, folder: Path) -> SessionNote | None:
    if case.target is None:
        return None
    if case.transcript is None:
        source = Source(provider=case.target, session_id=case.session or None)
        return SessionNote(source=source, figures=case.figures)
    source = case.transcript.source
    name = transcript_path(case.target, source.session_id, Location(case.test_id + case.session))
    keep_transcript(folder, name, case.transcript)
    return SessionNote(
        source=source,
        input=case.transcript.input,
        transcript_path=name,
        figures=case.figures,
    )
