"""``agentv judge calibrate`` and ``agentv cache``, with a real server as judge."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from judge_server import MODEL, JudgeServer, met
from terminal import on_terminal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from agentv_command import InProcess

ROWS = [
    {"id": "a", "label": "pass", "criteria": "It is polite", "output": "Thanks"},
    {"id": "b", "label": "fail", "criteria": "It is polite", "output": "No"},
    {"id": "c", "label": "fail", "criteria": "It is polite", "output": "Go away"},
    {"id": "d", "label": "pass", "judge": "pass"},
]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[JudgeServer]:
    server = JudgeServer()
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    for name in ("AGENTV_MODEL", "AGENTV_JUDGE_CACHE"):
        monkeypatch.delenv(name, raising=False)
    yield server
    server.stop()


@pytest.fixture
def labels(work: Path) -> Path:
    path = work / "labels.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    return path


def test_agreement_is_shown_and_every_difference(
    agentv: InProcess, server: JudgeServer, labels: Path
) -> None:
    # All polite by the judge's word, so b and c are different.
    printed = agentv("judge", "calibrate", labels, "--model", MODEL)
    assert printed.code == 0
    assert "4 rows: accuracy 50.0%, Cohen's kappa 0.000" in printed.out
    assert "line 2 (b): people say fail, the judge pass" in printed.out
    assert len(server.requests) == 3
    again = agentv("judge", "calibrate", labels, "--model", MODEL, "--json")
    assert json.loads(again.out)["only_judge"] == 2
    assert len(server.requests) == 3


def test_too_little_agreement_is_a_finding(
    agentv: InProcess, server: JudgeServer, labels: Path
) -> None:
    server.script = [met(1)]
    arguments = ("judge", "calibrate", labels, "--model", MODEL)
    assert agentv(*arguments, "--min-kappa", "0.2").code == 1
    assert agentv(*arguments, "--min-kappa", "0").code == 0


def test_progress_is_shown_where_somebody_watches(
    server: JudgeServer, labels: Path, work: Path
) -> None:
    arguments = ["judge", "calibrate", str(labels), "--model", MODEL]
    screen = on_terminal(arguments, cwd=work, pipe_output=True)
    assert len(server.requests) == 3
    assert screen.code == 0
    assert "judging" in screen.raw
    assert "100%" in screen.raw
    assert "pydantic" not in screen.raw, "libraries say nothing on their own"
    assert "judging" not in screen.out
    assert "4 rows: accuracy" in screen.out


def test_what_cannot_be_judged_is_said_and_counted(
    agentv: InProcess, server: JudgeServer, labels: Path
) -> None:
    printed = agentv("judge", "calibrate", labels, "--judge", "cached", "--json")
    assert printed.code == 1
    found = json.loads(printed.out)
    assert (found["rows"], [one["id"] for one in found["not_judged"]]) == (1, ["a", "b", "c"])
    assert "labels.jsonl:1: not judged: no judge is set up" in printed.err
    assert "(by --model if pytest does not run)" in printed.err
    assert "3 rows of 4 could not be judged" in printed.err
    assert server.requests == []


@pytest.mark.parametrize("amount", ["nan", "inf", "-1"])
def test_a_budget_is_an_amount(agentv: InProcess, labels: Path, amount: str) -> None:
    printed = agentv("judge", "calibrate", labels, "--max-cost", amount)
    assert printed.code == 2
    assert "--max-cost" in printed.err


def test_a_wrong_file_is_one_sentence(agentv: InProcess, work: Path) -> None:
    printed = agentv("judge", "calibrate", work / "no.csv")
    assert (printed.code, printed.out) == (1, "")
    assert printed.err.endswith("no.csv: cannot be read: no such file\n")


def test_the_cache_is_counted_and_cleared(
    agentv: InProcess, server: JudgeServer, labels: Path
) -> None:
    assert agentv("cache", "stats").out.startswith(f"{labels.parent}/.agentv/cache/judge: 0 verd")
    agentv("judge", "calibrate", labels, "--model", MODEL)
    found = json.loads(agentv("cache", "stats", "--json").out)
    assert (found["verdicts"], found["models"]) == (3, {MODEL: 3})
    assert "3 verdicts" in agentv("cache", "stats").out
    assert agentv("cache", "clear", "--older-than", "1").out == "0 verdicts removed\n"
    assert json.loads(agentv("cache", "clear", "--json").out) == {"removed": 3}
    agentv("judge", "calibrate", labels, "--model", MODEL)
    assert len(server.requests) == 6
