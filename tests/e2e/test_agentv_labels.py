"""AgentV's benchmark of judges against labels of people, without a model: showcase/offline-*.

A panel of three votes on five answers. The page scores the majority and every judge by how often
they agree with people; here each of them is a file for ``agentv judge calibrate``.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from agentv_command import run_agentv

if TYPE_CHECKING:
    from pathlib import Path

LABELS = ("pass", "fail", "pass", "fail", "fail")
# As the page counts them: a vote between both is one for passing.
PANEL = {
    "strict": ("pass", "fail", "pass", "fail", "fail"),
    "kind": ("pass", "pass", "pass", "fail", "pass"),
    "hasty": ("pass", "fail", "pass", "pass", "fail"),
}
MAJORITY = tuple(max(votes, key=votes.count) for votes in zip(*PANEL.values(), strict=True))


@pytest.mark.parametrize(
    ("votes", "accuracy", "kappa"),
    [
        pytest.param(PANEL["strict"], 1.0, 1.0, id="strict"),
        pytest.param(PANEL["kind"], 0.6, 0.285714, id="kind"),
        pytest.param(PANEL["hasty"], 0.8, 0.615385, id="hasty"),
        pytest.param(MAJORITY, 1.0, 1.0, id="majority"),
    ],
)
def test_a_panel_is_scored_by_the_labels_of_people(
    tmp_path: Path, votes: tuple[str, ...], accuracy: float, kappa: float
) -> None:
    rows = [
        {"id": f"sample-{number}", "label": label, "judge": vote}
        for number, (label, vote) in enumerate(zip(LABELS, votes, strict=True))
    ]
    path = tmp_path / "labels.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    printed = run_agentv("judge", "calibrate", path, "--json", cwd=tmp_path)
    found = json.loads(printed.out)
    assert (printed.code, found["rows"], found["accuracy"]) == (0, 5, accuracy)
    assert found["kappa"] == pytest.approx(kappa, abs=1e-6)
