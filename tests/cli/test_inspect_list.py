"""``agentv inspect list``: runs newest first, counted as everywhere, and what is no run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from agentv_command import UNPRINTABLE
from kept_runs import agentv_4_rows, three_clients
from runs import MadeCase, make_run, score

from pytest_agentv.results.places import INDEX, JOURNAL, ROOT, SUMMARY

if TYPE_CHECKING:
    from pathlib import Path

    from agentv_command import InProcess


def test_runs_are_listed_with_what_became_of_their_cases(agentv: InProcess, work: Path) -> None:
    run = three_clients(work / ROOT)

    printed = agentv("inspect", "list")

    assert (printed.code, printed.err) == (0, "")
    header, line = printed.out.splitlines()
    assert header.split() == (
        ["run", "when", "cases", "pass", "fail", "err", "skip", "score", "by", "target"]
    )
    assert line.split()[0] == run.summary.run_id
    assert line.split()[3:8] == ["5", "2", "1", "1", "1"]
    assert line.endswith("claude-cli 1.00, codex-cli 0.50, copilot-cli 1.00, no session -")


def test_the_newest_comes_first_and_the_rest_is_counted(agentv: InProcess, work: Path) -> None:
    ids = [make_run(work / ROOT, [MadeCase()]).summary.run_id for _ in range(3)]

    printed = agentv("inspect", "list", "-n", "2")

    assert [line.split()[0] for line in printed.out.splitlines()[1:]] == ids[:0:-1]
    assert printed.err == "agentv: 1 older run not shown\n"


def test_json_has_the_counts_and_the_targets(agentv: InProcess, work: Path) -> None:
    run = three_clients(work / ROOT)

    printed = agentv("inspect", "list", "--format", "json")

    (found,) = json.loads(printed.out)["runs"]
    assert found["run_id"] == run.summary.run_id
    assert found["path"] == str(ROOT / run.summary.run_id)
    assert found["complete"] is True
    assert {name: found[name] for name in ("cases", "passed", "failed", "errors", "skipped")} == (
        {"cases": 5, "passed": 2, "failed": 1, "errors": 1, "skipped": 1}
    )
    assert [one["target"] for one in found["targets"]] == (
        ["claude-cli", "codex-cli", "copilot-cli", None]
    )
    assert found["targets"][-1]["mean_score"] is None
    assert json.loads(printed.out)["unreadable"] == []


def test_a_run_that_was_broken_off_says_so(agentv: InProcess, work: Path) -> None:
    run = make_run(work / ROOT, [MadeCase()], complete=False)

    printed = agentv("inspect", "list")

    assert printed.out.splitlines()[1].split()[0] == run.summary.run_id
    assert "incomplete; claude-cli 1.00" in printed.out


def test_a_run_that_never_ended_is_listed_by_its_journal(agentv: InProcess, work: Path) -> None:
    run = make_run(work / ROOT, [MadeCase()])
    rows = (run.folder / INDEX).read_text("utf-8")
    begun = {"run_id": run.summary.run_id, "started_at": "2026-03-29T21:10:11.969Z"}
    note = {
        "about": {"test_id": "a", "case": "a[x]", "target": "x"},
        "score": {"name": "n", "type": "contains", "verdict": "pass", "score": 1.0},
    }
    lines = [json.dumps(begun), json.dumps(note), rows[:20]]
    (run.folder / JOURNAL).write_text("\n".join(lines), encoding="utf-8")
    (run.folder / INDEX).unlink()
    (run.folder / SUMMARY).unlink()

    (found,) = json.loads(agentv("inspect", "list", "-f", "json").out)["runs"]

    assert (found["complete"], found["cases"], found["passed"]) == (False, 1, 1)


def test_folders_that_are_no_runs_are_counted(agentv: InProcess, work: Path) -> None:
    make_run(work / ROOT, [MadeCase()])
    (work / ROOT / "empty").mkdir()
    (work / ROOT / "odd").mkdir()
    (work / ROOT / "odd" / INDEX).write_text("{}\n", encoding="utf-8")

    printed = agentv("inspect", "list")
    unreadable = json.loads(agentv("inspect", "list", "-f", "json").out)["unreadable"]

    assert printed.code == 0
    assert len(printed.out.splitlines()) == 2
    assert printed.err.startswith("agentv: 2 folders could not be read, as ")
    assert [one["path"] for one in unreadable] == ([str(ROOT / "empty"), str(ROOT / "odd" / INDEX)])


def test_a_folder_is_the_name_of_its_run_whatever_its_files_say(
    agentv: InProcess, work: Path
) -> None:
    run = three_clients(work / ROOT)
    run.folder.rename(work / ROOT / "before-the-change")
    text = (work / ROOT / "before-the-change" / SUMMARY).read_text("utf-8")
    (work / ROOT / "before-the-change" / SUMMARY).write_text(
        text.replace(run.summary.run_id, "../../elsewhere"), encoding="utf-8"
    )

    assert "before-the-change" in agentv("inspect", "list").out
    assert "5 cases" in agentv("inspect", "show", "before").out


@pytest.mark.parametrize("format_", ["table", "json"])
def test_without_runs_it_says_where_it_looked(agentv: InProcess, work: Path, format_: str) -> None:
    del work
    printed = agentv("inspect", "list", "--dir", "nowhere", "--format", format_)

    assert printed.code == 0
    if format_ == "json":
        assert json.loads(printed.out) == {"runs": [], "unreadable": []}
    else:
        assert printed.out == ""
        assert printed.err.startswith("agentv: there is no run in nowhere;")


def test_runs_of_agentv_are_listed_by_the_same_rule(agentv: InProcess, work: Path) -> None:
    agentv_4_rows(work / ROOT / "theirs" / INDEX)

    (found,) = json.loads(agentv("inspect", "list", "-f", "json").out)["runs"]

    assert {name: found[name] for name in ("cases", "passed", "failed", "errors")} == (
        {"cases": 3, "passed": 1, "failed": 1, "errors": 1}
    )


def test_nothing_that_a_run_says_steers_the_terminal(agentv: InProcess, work: Path) -> None:
    make_run(work / ROOT, [MadeCase(target="\x1b[2J::error::\u202e", scores=(score("a"),))])

    printed = agentv("inspect", "list")

    assert UNPRINTABLE.findall(printed.out) == []
    assert r"\x1b[2J" in printed.out
