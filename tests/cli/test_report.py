"""``agentv report``: the page of a run, by whatever people call the run."""

from __future__ import annotations

import json
import os
import shutil
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from agentv_command import run_agentv
from pages import example_run, read_page
from runs import MadeCase, make_run

from pytest_agentv.results.places import ROOT

if TYPE_CHECKING:
    from agentv_command import InProcess

    from pytest_agentv.results.reading import Run


@pytest.fixture
def run(work: Path) -> Run:
    """A run that was kept where the command looks for it."""
    return make_run(work / ROOT, [MadeCase()])


def _shown(path: Path) -> str:
    return "".join(read_page(path).parts)


def test_the_page_of_the_newest_run_is_written_into_its_folder(agentv: InProcess, run: Run) -> None:
    printed = agentv("report")

    path = ROOT / run.summary.run_id / "report.html"
    assert (printed.code, printed.out, printed.err) == (0, f"{path}\n", "")
    assert run.summary.run_id in _shown(path)


@pytest.mark.parametrize("name", ["id", "beginning", "folder", "file"])
def test_a_run_is_found_by_its_id_and_by_its_path(name: str, agentv: InProcess, run: Run) -> None:
    names = {
        "id": run.summary.run_id,
        "beginning": run.summary.run_id[:12],
        "folder": str(run.folder),
        "file": str(run.path),
    }

    printed = agentv("report", names[name], "-o", "page.html")

    assert (printed.code, printed.out) == (0, "page.html\n")
    assert run.summary.run_id in _shown(Path("page.html"))


def test_runs_may_be_elsewhere_and_programs_read_what_was_done(
    agentv: InProcess, work: Path
) -> None:
    run = make_run(work / "elsewhere", [MadeCase()])

    printed = agentv("report", "latest", "--dir", "elsewhere", "--json")

    path = Path("elsewhere") / run.summary.run_id / "report.html"
    assert json.loads(printed.out) == {"run_id": run.summary.run_id, "path": str(path)}
    assert run.summary.run_id in _shown(path)


def test_the_page_in_the_folder_of_a_run_is_written_anew(agentv: InProcess, run: Run) -> None:
    path = run.folder / "report.html"
    path.write_text("old", encoding="utf-8")

    assert agentv("report").code == 0
    assert "adds-jwt" in _shown(path)


def test_a_page_beside_a_results_file_that_lies_anywhere_may_be_somebody_elses(
    agentv: InProcess, run: Run, work: Path
) -> None:
    shutil.copy(run.path, work / "kept.jsonl")
    (work / "report.html").write_text("mine", encoding="utf-8")

    refused = agentv("report", "kept.jsonl")

    assert (refused.code, refused.out) == (1, "")
    assert (work / "report.html").read_text(encoding="utf-8") == "mine"


@pytest.mark.usefixtures("run")
def test_a_file_that_exists_is_overwritten_only_by_force(agentv: InProcess) -> None:
    path = Path("page.html")
    path.write_text("mine", encoding="utf-8")

    refused = agentv("report", "-o", path)

    assert (refused.code, refused.out) == (1, "")
    assert refused.err == "agentv: page.html: exists already; --force overwrites it\n"
    assert path.read_text(encoding="utf-8") == "mine"
    assert agentv("report", "-o", path, "--force").code == 0
    assert "adds-jwt" in _shown(path)


@pytest.mark.parametrize("name", ["latest", "2020", "nowhere.jsonl", "a\0b"])
def test_a_run_that_is_not_there_is_one_sentence(name: str, agentv: InProcess) -> None:
    printed = agentv("report", name)

    assert (printed.code, printed.out) == (1, "")
    assert "there is no run in .agentv/results; agentv eval and pytest" in printed.err
    assert printed.err.startswith("agentv: there is " if name == "latest" else "agentv: no run ")
    assert printed.err.count("\n") == 1


def test_a_file_that_holds_no_results_is_one_sentence(agentv: InProcess, work: Path) -> None:
    (work / "x.jsonl").write_text("hello\n", encoding="utf-8")

    printed = agentv("report", "x.jsonl")

    assert (printed.code, printed.out) == (1, "")
    assert "x.jsonl:1: is no row of results" in printed.err
    assert not Path("report.html").exists()


def test_a_run_that_was_broken_off_has_a_page(agentv: InProcess, work: Path) -> None:
    run = example_run(work / ROOT, complete=False)

    printed = agentv("report")

    assert printed.code == 0
    assert "This run is incomplete." in _shown(run.folder / "report.html")


def test_runs_can_lie_in_another_folder(agentv: InProcess, work: Path) -> None:
    run = make_run(work / "elsewhere", [MadeCase()])

    printed = agentv("report", "--dir", "elsewhere")

    assert (printed.code, printed.err) == (0, "")
    assert "adds-jwt" in _shown(run.folder / "report.html")


@pytest.mark.skipif(sys.platform == "win32", reason="files have no such modes there")
def test_a_page_beside_the_results_is_private_and_any_other_follows_the_umask(
    agentv: InProcess, run: Run, work: Path
) -> None:
    umask = os.umask(0o022)
    try:
        agentv("report")
        agentv("report", "-o", "page.html")
    finally:
        os.umask(umask)

    assert stat.S_IMODE((run.folder / "report.html").stat().st_mode) == 0o600
    assert stat.S_IMODE((work / "page.html").stat().st_mode) == 0o644


@pytest.mark.skipif(sys.platform == "win32", reason="a browser there is no program by a name")
def test_the_page_is_shown_in_the_browser_that_is_set_up(work: Path, run: Run) -> None:
    browser = work / "browser"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > {work}/shown\n', encoding="utf-8")
    browser.chmod(0o755)
    environ = {"BROWSER": str(browser), "DISPLAY": ":0", "PATH": os.environ.get("PATH", "")}

    printed = run_agentv("report", "--open", cwd=work, **environ)

    assert (printed.code, printed.err) == (0, "")
    shown = (work / "shown").read_text(encoding="utf-8")
    assert shown == (run.folder / "report.html").as_uri()
