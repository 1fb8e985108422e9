"""--agentv-results: texts out of sessions do no harm."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eval_runs import recorded
from hostile_texts import assert_harmless
from results_of_runs import KEEP, kept

if TYPE_CHECKING:
    from eval_runs import EvalProject


def test_nothing_of_a_session_is_kept_that_could_steer_a_terminal(project: EvalProject) -> None:
    hostile = "\x1b[2J\x9b31m\u202e\ud800 ::error::x ##[error] é 日本"
    session = recorded(f"Done {hostile}", session_id=hostile, model=hostile, input=hostile)
    session["source"].update(title=hostile * 500, cwd=hostile)
    project.assertions("contains: nowhere", "contains: Done")
    project.sessions(session)
    project.grade(KEEP)
    (row,) = kept(project).rows
    assert row.source is not None
    assert row.source.title is not None
    assert len(row.source.title) <= 500
    assert row.source.cwd is not None
    assert row.source.cwd.endswith("é 日本")
    texts = [row.input, row.source.session_id, row.source.model, row.source.title, row.source.cwd]
    texts += [place.excerpt for one in row.scores for place in one.evidence]
    for text in texts:
        assert text is not None
        assert_harmless(text)
    kept(project).path.read_bytes().decode()


def test_long_texts_are_cut(project: EvalProject) -> None:
    project.conftest(
        """\
        import pytest_agentv

        @pytest_agentv.assertion("talks")
        def talks():
            places = [pytest_agentv.Evidence(1, "no number", "x" * 10**6)] * 1000
            return pytest_agentv.Grade(
                "failed", "r" * 10**6, claim="c" * 10**6, details="d" * 10**6,
                evidence=tuple(places),
            )
        """
    )
    project.assertions("type: talks")
    project.sessions(recorded(input="p" * 10**6))
    project.grade(KEEP)
    run = kept(project)
    assert run.path.stat().st_size < 100_000
    (row,) = run.rows
    assert len(row.input or "") == 300
    assert [place.line for place in row.scores[0].evidence] == [None] * 10
