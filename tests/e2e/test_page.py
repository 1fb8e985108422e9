"""--agentv-html: the page of a run, written by pytest itself."""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING

import pytest
from eval_runs import WORKERS, recorded

if TYPE_CHECKING:
    from pathlib import Path

    from eval_runs import EvalProject

PAGE = "--agentv-html=out/page.html"


@pytest.fixture
def graded(project: EvalProject) -> EvalProject:
    """A project with a test and sessions of two clients."""
    project.eval_file(
        """\
        tests:
          - id: adds-jwt
            assert: [contains: Done, contains: nowhere-to-be-found]
        """
    )
    for provider in ("claude-cli", "codex-cli"):
        project.sessions(recorded("Done.", provider=provider), name=f"runs/{provider}.jsonl")
    return project


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files, of this test alone."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return folder


@pytest.mark.parametrize("workers", [(), WORKERS], ids=["alone", "workers"])
def test_the_page_holds_every_case_and_nothing_else_is_left(
    graded: EvalProject, temporary: Path, workers: tuple[str, ...]
) -> None:
    values = [f"--transcript=runs/{one}.jsonl" for one in ("claude-cli", "codex-cli")]
    run = graded.run(*values, PAGE, *workers)
    assert run.code == 1
    assert "page: out/page.html" in run.text
    assert "results:" not in run.text
    page = (graded.path / "out/page.html").read_text(encoding="utf-8")
    for text in ("adds-jwt", "claude-cli", "codex-cli", "contains-nowhere-to-be-found", "Done."):
        assert text in page
    assert not (graded.path / ".agentv").exists()
    assert not [one for one in temporary.iterdir() if one.name.startswith("agentv-")]


@pytest.mark.parametrize("kept", [True, False])
def test_a_page_names_a_transcript_only_if_it_is_kept(graded: EvalProject, kept: bool) -> None:  # noqa: FBT001
    long = [{"role": "assistant", "content": f"{n:09d} " * 1500} for n in range(400)]
    graded.sessions({**recorded(), "output": long}, name="runs/long.jsonl")
    results = ["--agentv-results=kept"] if kept else []

    graded.run("--transcript=runs/long.jsonl", PAGE, *results)

    page = (graded.path / "out/page.html").read_text(encoding="utf-8")
    assert "of its messages are not shown" in page
    assert ("agentv export" in page) is kept
    assert ("A run that is kept can show more of them" in page) is not kept
    assert tempfile.gettempdir() + "/agentv-" not in page


def test_results_are_kept_beside_a_page(graded: EvalProject) -> None:
    values = [f"--transcript=runs/{one}.jsonl" for one in ("claude-cli", "codex-cli")]
    run = graded.run(*values, PAGE, "--agentv-results=kept")
    assert "results: kept" in run.text
    assert "page: out/page.html" in run.text
    assert len(list((graded.path / "kept").glob("*/index.jsonl"))) == 1


def test_a_setting_names_the_page_for_every_run(graded: EvalProject) -> None:
    (graded.path / "pytest.ini").write_text("[pytest]\nagentv_html = page.html\n", "utf-8")
    graded.run("--transcript=runs/claude-cli.jsonl")
    assert (graded.path / "page.html").is_file()


def test_a_folder_is_no_page(graded: EvalProject) -> None:
    run = graded.run("--transcript=runs/claude-cli.jsonl", "--agentv-html=runs")
    assert run.code == pytest.ExitCode.USAGE_ERROR
    assert "runs is a folder" in run.errors


def test_a_name_that_no_file_can_have_is_refused_before_anything_is_graded(
    graded: EvalProject,
) -> None:
    run = graded.run("--transcript=runs/claude-cli.jsonl", f"--agentv-html={'x' * 300}.html")
    assert run.code == pytest.ExitCode.USAGE_ERROR
    assert "cannot be written: File name too long" in run.errors
    assert "INTERNALERROR" not in run.text


def test_a_page_that_cannot_be_written_is_no_success(graded: EvalProject) -> None:
    (graded.path / "file").write_text("", "utf-8")
    run = graded.run(
        "--transcript=runs/claude-cli.jsonl", "--agentv-html=file/page.html", "-k", "Done"
    )
    assert run.code == pytest.ExitCode.TESTS_FAILED
    assert "results: not written: " in run.text
