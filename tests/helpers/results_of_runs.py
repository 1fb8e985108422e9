"""What a run of pytest kept, found in the folder that it was told of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_agentv.results.reading import find_run

if TYPE_CHECKING:
    from eval_runs import EvalProject

    from pytest_agentv.results.model import Row, Score
    from pytest_agentv.results.reading import Run

KEEP = "--agentv-results=out"


def kept(project: EvalProject) -> Run:
    return find_run("latest", root=project.path / "out")


def scores(row: Row) -> dict[str, Score]:
    return {one.name: one for one in row.scores}


def verdicts(row: Row) -> dict[str, str]:
    return {one.name: one.verdict for one in row.scores}


def folders(project: EvalProject) -> list[str]:
    out = project.path / "out"
    return sorted(one.name for one in out.iterdir()) if out.exists() else []
