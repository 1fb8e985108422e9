"""--agentv-results: the sessions that were graded are kept, alone and by workers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from eval_runs import WORKERS, recorded
from results_of_runs import KEEP, kept

if TYPE_CHECKING:
    from eval_runs import EvalProject

    from pytest_agentv.results.reading import Run


def test_the_transcript_that_was_graded_is_there(graded: EvalProject) -> None:
    graded.run("--transcript=runs", KEEP)
    run = kept(graded)
    for row in run.rows:
        transcript = run.transcript(row)
        assert transcript.source.provider == row.target
        assert transcript.test_id == row.test_id
        assert transcript.final_answer == "Done."


def test_a_transcript_that_a_fixture_changed_is_kept_as_it_was_graded(project: EvalProject) -> None:
    project.conftest(
        """\
        import msgspec, pytest

        @pytest.fixture
        def transcript(transcript):
            return msgspec.structs.replace(transcript, output=transcript.output[1:])
        """,
        folder="short",
    )
    project.assertions("contains: Done", name="short/a.eval.yaml")
    project.assertions("contains: Done", name="b.eval.yaml")
    project.sessions(recorded())
    project.grade(KEEP)
    run = kept(project)
    lengths = {row.eval_file: len(run.transcript(row).output) for row in run.rows}
    assert lengths == {"b.eval.yaml": 2, "short/a.eval.yaml": 1}
    assert [row.messages for row in run.rows] == [2, 1]


def test_a_transcript_that_cannot_be_kept_fails_nothing(graded: EvalProject) -> None:
    graded.conftest(
        """\
        from pathlib import Path

        def pytest_collection_finish():
            for folder in Path("out").iterdir():
                (folder / "transcripts.jsonl").write_text("in the way")
        """
    )
    run = graded.run("--transcript=runs", KEEP, "-k", "contains-Done")
    assert run.code == 0
    assert "results: of 4 of 4 cases the transcript could not be kept" in run.text
    assert {row.transcript_path for row in kept(graded).rows} == {None}


def test_a_session_that_several_cases_grade_is_kept_once(project: EvalProject) -> None:
    for name in ("a", "b", "c"):
        project.assertions("contains: Done", "contains: one", name=f"{name}.eval.yaml")
    project.sessions(recorded())
    for workers in ((), WORKERS):
        project.grade(KEEP, *workers)
        run = kept(project)
        assert {row.transcript for row in run.rows} == {"transcripts.jsonl:1"}
        assert len((run.folder / "transcripts.jsonl").read_text("utf-8").splitlines()) == 1
        names = sorted(one.name for one in run.folder.iterdir())
        assert names == ["index.jsonl", "summary.json", "transcripts.jsonl"]


def _comparable(run: Run) -> list[dict[str, Any]]:
    """Rows without times."""
    lines = run.path.read_text(encoding="utf-8").splitlines()
    rows: list[dict[str, Any]] = list(map(json.loads, lines))
    for row in rows:
        del row["timestamp"]
        for score in row["scores"]:
            del score["duration_ms"]
    return rows


def test_workers_keep_the_same_rows(graded: EvalProject) -> None:
    graded.run("--transcript=runs", KEEP)
    alone = kept(graded)
    graded.run("--transcript=runs", KEEP, *WORKERS)
    together = kept(graded)
    assert together.path != alone.path
    assert _comparable(together) == _comparable(alone)
    assert together.summary.complete
    assert [together.transcript(one) for one in together.rows] == [
        alone.transcript(one) for one in alone.rows
    ]
