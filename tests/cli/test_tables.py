"""Tables: aligned in a pipe, within the edge of a screen, and harmless wherever they go."""

from __future__ import annotations

import pytest
from hostile_texts import FOREIGN_TEXTS, assert_harmless
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from pytest_agentv.cli.tables import Column, print_table

COLUMNS = [Column("case"), Column("score", right=True), Column("reason", wrap=True)]


@pytest.fixture(autouse=True)
def _pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)


def test_a_pipe_gets_aligned_lines_as_long_as_they_have_to_be(
    capsys: pytest.CaptureFixture[str],
) -> None:
    long = "why " * 50

    print_table("Cases", COLUMNS, [["a", "1.00", long], ["日本語", "0.5", None]])

    assert capsys.readouterr().out.split("\n") == [
        "Cases",
        "case    score  reason",
        f"a        1.00  {long.rstrip()}",
        "日本語    0.5  -",
        "",
    ]


def test_a_table_without_rows_has_its_header(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(None, COLUMNS, [])

    assert capsys.readouterr().out == "case  score  reason\n"


@pytest.mark.parametrize("columns", [40, 80])
def test_a_table_keeps_within_the_columns_there_are(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    long = " ".join(f"word{number}" for number in range(30))

    print_table("Cases", COLUMNS, [["a-case", "1.00", long], ["日本語", "0.5", "no"]])

    lines = capsys.readouterr().out.rstrip("\n").split("\n")
    assert max(map(cell_len, lines)) <= columns
    assert " ".join(" ".join(lines[2:-1]).split()) == f"a-case 1.00 {long}"
    assert lines[-1] == "日本語    0.5  no"


def test_a_column_that_does_not_wrap_is_cut_off_on_a_screen_only(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = [Column("prompt", width=12)]

    print_table(None, columns, [["Add JWT authentication"]])
    assert capsys.readouterr().out == "prompt\nAdd JWT authentication\n"

    monkeypatch.setenv("COLUMNS", "80")
    print_table(None, columns, [["Add JWT authentication"]])
    assert capsys.readouterr().out == "prompt\nAdd JWT aut…\n"


def test_columns_move_together_before_a_cell_is_cut_off(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = [Column("figure"), Column("target", wrap=True), Column("mean", right=True)]
    rows = [["tokens in", "copilot-cli", "20.8M"], ["tokens out", "copilot-cli", "96.5k"]]
    monkeypatch.setenv("COLUMNS", "28")

    print_table(None, columns, rows)

    assert capsys.readouterr().out.splitlines() == [
        "figure     target       mean",
        "tokens in  copilot-cli 20.8M",
        "tokens out copilot-cli 96.5k",
    ]


def test_a_table_that_nobody_can_read_on_a_screen_is_printed_as_for_a_pipe(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    long = "why " * 50

    print_table(None, COLUMNS, [["a", "1.00", long]] * 5_001)

    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 5_002
    assert lines[-1] == f"a      1.00  {long.rstrip()}"


@pytest.mark.parametrize("columns", ["", "30"])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(title=FOREIGN_TEXTS, cells=st.lists(FOREIGN_TEXTS, min_size=3, max_size=3))
def test_no_cell_steers_a_terminal_or_a_ci_system(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    columns: str,
    title: str,
    cells: list[str],
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    capsys.readouterr()

    print_table(title, COLUMNS, [cells, [None, None, cells[0]]])

    assert_harmless(capsys.readouterr().out)
