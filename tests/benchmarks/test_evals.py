"""The eval files that benchmarks make up: every assertion holds, and plain tests check the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generate_evals import CHECKS, write_evals
from run_evals import Row, table, verdicts

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

ROWS = [
    Row("unused", 0, "without", 0.20, 1.0, 30.0, 0.21),
    Row("unused", 0, "with plugin", 0.22, 1.1, 31.0, 0.23),
    Row("used", 5000, "parametrize", 4.0, 1.0, 60.0, 4.1),
    Row("used", 5000, "eval file", 4.4, 1.1, 90.0, 4.5),
    Row("used", 5000, "with results", 4.7, 1.175, 91.0, 5.4),
    Row("used", 50000, "parametrize", 40.0, 1.0, 300.0, 41.0),
    Row("used", 50000, "eval file", problem="exit 1: no"),
    Row("used", 50000, "with results", 50.0, 1.25, 350.0, 51.0),
]


def test_an_eval_file_and_the_plain_tests_check_the_same(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_evals(pytester.path / "evals", cases=20, seed=3)
    monkeypatch.chdir(pytester.path / "evals")
    # Not in this process: a second run there gets PyYAML anew, but its C half only once, and the
    # classes of the two no longer match.
    plain = pytester.runpytest_subprocess("test_plain.py", "-p", "no:cacheprovider")
    plain.assert_outcomes(passed=20 * CHECKS)
    graded = pytester.runpytest_subprocess(
        "made-up.eval.yaml", "--transcript=sessions.jsonl", "-p", "no:cacheprovider"
    )
    graded.assert_outcomes(passed=20 * CHECKS)


def test_the_same_seed_gives_the_same_files(tmp_path: Path) -> None:
    for name, seed in (("one", 1), ("two", 1), ("other", 2)):
        write_evals(tmp_path / name, cases=3, seed=seed)
    names = ("made-up.eval.yaml", "sessions.jsonl", "test_plain.py")
    one, two, other = (
        [(tmp_path / folder / name).read_bytes() for name in names]
        for folder in ("one", "two", "other")
    )
    assert one == two
    assert one != other


def test_the_table_has_a_line_for_each_program() -> None:
    assert table(ROWS).splitlines() == [
        "what     items  program         CPU s  x plain   wall s  peak MB",
        "unused       0  without          0.20     1.00     0.21       30",
        "unused       0  with plugin      0.22     1.10     0.23       31",
        "used      5000  parametrize      4.00     1.00     4.10       60",
        "used      5000  eval file        4.40     1.10     4.50       90",
        "used      5000  with results     4.70     1.18     5.40       91",
        "used     50000  parametrize     40.00     1.00    41.00      300",
        "used     50000  eval file    not measured: exit 1: no",
        "used     50000  with results    50.00     1.25    51.00      350",
    ]


def test_each_target_is_met_missed_or_not_measured() -> None:
    assert verdicts(ROWS) == [
        "unused, CPU x without              <=  1.05  MISSED (1.10)",
        "5000 items, CPU x parametrize      <=  1.15  met (1.10)",
        "50000 items, CPU x parametrize     <=  1.15  not measured",
        "5000 items, results, CPU           <=   1.1  met (1.07)",
        "5000 items, results, wall          <=   1.1  MISSED (1.20)",
        "50000 items, results, CPU          <=   1.1  not measured",
        "50000 items, results, wall         <=   1.1  not measured",
        "5000 items, peak MB                <=   100  met (90.00)",
        "CPU of an item, 50000 x 5000       <=   1.1  not measured",
    ]
