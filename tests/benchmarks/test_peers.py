"""The benchmark with peers: what becomes of figures, and that ours is measured from outside."""

from __future__ import annotations

import json
import os
import shutil
import sys
from typing import TYPE_CHECKING

import peer_install
import pytest
from comparisons import COLD, FLOOR, GRADE, IMPORT, LIST, WARM, Bench, Sizes, checks_of, size_of
from figures import Figure, figures, markdown_table, plain_table
from generate_evals import write_evals
from generate_many import write_many
from kept_figures import BEGIN, END, Occasion, append_history, history_line, write_page
from measuring import Cost, Program, last_line, measured
from peer_evals import OURS, PARAMETRIZE, grading_programs, peer_program
from peer_install import AGENTV_PEER, DEEPEVAL, NODE, PEERS, PROMPTFOO, Peer, Peers, install
from peers import main, measure
from targets import verdict_lines, verdicts

if TYPE_CHECKING:
    from pathlib import Path

SIZES = Sizes()
SIZE, LARGE = size_of(100), size_of(1000)
FEW, MANY = checks_of(1000), checks_of(10_000)
FOUND = [
    Figure(IMPORT, SIZE, FLOOR, 0.3, 0.3, 16.0),
    Figure(IMPORT, SIZE, OURS, 0.5, 0.5, 32.0, 1.0, share=1.0),
    Figure(IMPORT, SIZE, AGENTV_PEER.name, 2.0, 2.1, 640.0, 4.0),
    Figure(IMPORT, LARGE, OURS, problem="exit 1: no space"),
    Figure(LIST, "10,000 sessions", COLD, 3.0, 4.0, 50.0, 1.0),
    Figure(LIST, "10,000 sessions", WARM, 0.8, 1.2, 50.0, 0.3),
    Figure(GRADE, FEW, OURS, 2.2, 2.3, 86.0, 1.0),
    Figure(GRADE, FEW, PARAMETRIZE, 2.0, 2.1, 62.0, 0.9),
    Figure(GRADE, FEW, DEEPEVAL.name, 58.0, 60.0, 300.0, 26.4, stopped=True),
    Figure(GRADE, MANY, OURS, 22.0, 23.0, 400.0, 1.0),
]
WHEN = Occasion("v1.2.0", "0123456789ab", "2026-03-02", "Linux x86_64, 2 cores, Python 3.11.7", 3)


def test_every_target_is_met_missed_or_not_measured() -> None:
    assert verdict_lines(verdicts(FOUND, SIZES)) == [
        "import of 100 MB: CPU, times decoding every line         ≤     2  met (1.667)",
        "import of 100 MB: times faster than agentv 4.42.4 (CPU)  ≥     5  MISSED (4.000)",
        "import of 100 MB: times less memory than agentv 4.42.4   ≥     8  met (20.0)",
        "import of 100 MB: share of tool calls kept               =     1  met (1.000)",
        "import of 1000 MB: peak MB                               <   100  not measured",
        "list 10,000 sessions: seconds, first time                <     6  met (4.000)",
        "list 10,000 sessions: seconds, again                     <     1  MISSED (1.200)",
        "1,000 tests x 5: CPU, times parametrize                  ≤  1.15  met (1.100)",
        "10,000 tests x 5: CPU of a test, times that of 1,000     ≤   1.1  met (1.000)",
        "1,000 tests x 5: peak MB                                 <   100  met (86.0)",
        "empty folder: CPU, times pytest without it               ≤  1.05  not measured",
    ]


def test_a_target_is_not_measured_by_a_program_that_was_stopped() -> None:
    stopped = Figure(IMPORT, SIZE, AGENTV_PEER.name, 60.0, 60.0, 640.0, 4.0, stopped=True)
    reached = verdicts([*FOUND, stopped], SIZES)
    assert [one.outcome for one in reached[1:3]] == ["not measured", "not measured"]


def test_a_row_says_what_is_missing_and_what_was_stopped() -> None:
    rows = plain_table(FOUND).splitlines()
    assert rows[4].split(maxsplit=4) == [
        *("import,", "1000", "MB", "ours"),
        "not measured: exit 1: no space",
    ]
    assert rows[9].endswith("deepeval 4.3.1       > 58.00  > 60.00      300     > 26.40  stopped")


def test_a_published_row_does_not_say_where_it_was_measured() -> None:
    reason = "npm error 404 https://registry.example/x from /home/dev/peers/x"
    table = markdown_table([Figure("grade", "", "promptfoo", problem=reason)])
    assert table.splitlines()[-1] == (
        "| grade | promptfoo |  |  |  |  | not measured: npm error 404 … from … |"
    )


def test_why_a_program_failed_is_told_without_colours() -> None:
    assert last_line(b"\x1b[31mNode is too old.\n\x1b[1mInstall it.\x1b[0m\n") == "Install it."


def test_figures_are_divided_by_ours() -> None:
    one, two, three = figures(
        "page",
        "1 MB",
        {"ours": Cost(0.5, 40, 0.6), "a": Cost(2.0, 80, 2.0), "b": "no"},
        ours="ours",
    )
    assert (one.times_ours, two.times_ours) == (1.0, 4.0)
    assert three.problem == "no"


def test_a_page_keeps_all_that_stands_outside_of_its_markers(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"# One\n\n{BEGIN}\nold\n{END}\n\nafter\n", encoding="utf-8")
    write_page(page, "new")
    write_page(page, "newer")
    written = page.read_text(encoding="utf-8")
    assert written == f"# One\n\n{BEGIN}\n\nnewer\n\n{END}\n\nafter\n"


def test_a_page_without_markers_is_refused_before_anything_is_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"{END} {BEGIN}", encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        main(["--skip-peers", "--page", str(page)])
    assert ended.value.code == 2
    assert f"is no page with {BEGIN} and then {END}" in capsys.readouterr().err
    assert page.read_text(encoding="utf-8") == f"{END} {BEGIN}"


def test_a_task_that_cannot_be_prepared_is_a_row_with_the_reason(tmp_path: Path) -> None:
    bench = Bench(SIZES, Peers({}), tmp_path / "missing", repeat=1, limit=1)
    (row,) = measure(["collect"], bench)
    assert (row.program, row.cpu_seconds) == ("all", None)
    assert row.problem is not None
    assert "No such file or directory" in row.problem


def test_the_history_gets_a_line_for_each_run(tmp_path: Path) -> None:
    history = tmp_path / "history.jsonl"
    line = history_line(WHEN, SIZES, FOUND, verdicts(FOUND, SIZES))
    append_history(history, line)
    append_history(history, line)
    first, second = map(json.loads, history.read_text(encoding="utf-8").splitlines())
    assert first == second
    assert first["commit"] == "0123456789ab"
    assert first["sizes"]["sessions"] == 10_000
    assert first["targets"][4] == {
        "target": "import of 1000 MB: peak MB",
        "value": None,
        "outcome": "not measured",
    }
    assert len(first["figures"]) == len(FOUND) - 1
    assert first["figures"][7]["stopped"] is True


def test_a_program_that_takes_too_long_is_stopped_with_what_it_started(tmp_path: Path) -> None:
    nested = "import subprocess, sys; subprocess.run([sys.executable, '-c', sys.argv[1]])"
    sleep = "import time; time.sleep(60)"
    slow = Program("slow", [sys.executable, "-c", nested, sleep])
    result = measured([slow], repeat=3, home=tmp_path, limit=0.5)["slow"]
    assert isinstance(result, Cost)
    assert result.stopped
    assert result.wall_seconds < 30


def test_a_peer_that_cannot_be_installed_says_why(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    peer = Peer("no-such-package", "1.0", "python")
    reason = install(tmp_path / "file", (peer,)).program(peer)
    assert isinstance(reason, str)
    assert reason.startswith("cannot be installed: ")


def test_a_peer_that_is_there_is_not_installed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peer_install, "machine_node", lambda: (22, 23, 3))
    program = tmp_path / "promptfoo-0.123.1" / "node_modules" / ".bin" / "promptfoo"
    program.parent.mkdir(parents=True)
    program.touch()
    (tmp_path / "promptfoo-0.123.1" / "installed").touch()
    assert install(tmp_path, (PROMPTFOO,)).program(PROMPTFOO) == program


def test_node_is_installed_beside_a_peer_that_the_machines_own_is_too_old_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packages = []

    def npm(command: list[str], folder: Path, path: str) -> None:
        packages.append(command[2])
        programs = folder / "node_modules" / ".bin"
        programs.mkdir(parents=True, exist_ok=True)
        (programs / command[2].partition("@")[0]).touch()
        assert path.partition(os.pathsep)[0] == str(programs)

    monkeypatch.setattr(peer_install, "_run", npm)
    monkeypatch.setattr(shutil, "which", lambda name: name)
    monkeypatch.setattr(peer_install, "machine_node", lambda: (20, 20, 2))
    first = install(tmp_path, (AGENTV_PEER, PROMPTFOO)).program(PROMPTFOO)
    assert install(tmp_path, (AGENTV_PEER, PROMPTFOO)).program(PROMPTFOO) == first
    assert packages == [AGENTV_PEER.requirement, NODE, PROMPTFOO.requirement]


def test_a_peer_runs_with_what_is_installed_beside_it(tmp_path: Path) -> None:
    program = peer_program("peer", tmp_path, [str(tmp_path / "bin" / "peer")])
    assert program.environment["PATH"].partition(os.pathsep)[0] == str(tmp_path / "bin")


def test_each_peer_gets_every_answer_and_five_checks(tmp_path: Path) -> None:
    folder = tmp_path / "evals"
    write_evals(folder, cases=3, seed=1)
    found, absent = grading_programs(folder, Peers(dict.fromkeys(PEERS, tmp_path / "program")))
    assert absent == {}
    assert len(found) == 7
    promptfoo = json.loads((folder / "promptfoo.json").read_text(encoding="utf-8"))
    agentv = json.loads((folder / "agentv.yaml").read_text(encoding="utf-8"))
    assert [len(test["assert"]) for test in promptfoo["tests"]] == [5, 5, 5]
    assert [len(test["assertions"]) for test in agentv["tests"]] == [5, 5, 5]
    rows = (folder / "agentv.jsonl").read_text(encoding="utf-8").splitlines()
    answers = [json.loads(row)["content"] for row in rows[1::2]]
    assert answers == [test["vars"]["answer"] for test in promptfoo["tests"]]


def test_many_sessions_have_ids_of_their_own(tmp_path: Path) -> None:
    size = write_many(tmp_path, sessions=20, seed=1)
    paths = sorted(tmp_path.glob("*/*.jsonl"))
    assert len({path.stem for path in paths}) == 20
    assert sum(path.stat().st_size for path in paths) == size
    for path in paths:
        content = path.read_bytes()
        assert content.count(f'"sessionId":"{path.stem}"'.encode()) == content.count(b'"sessionId"')


def test_one_command_measures_and_keeps_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page, history = tmp_path / "page.md", tmp_path / "history.jsonl"
    page.write_text(f"{BEGIN}{END}", encoding="utf-8")
    main(
        [
            *("--skip-peers", "--repeat", "1", "--task", "page", "--page-megabytes", "0.1"),
            *("--page", str(page), "--history", str(history)),
        ]
    )
    said = capsys.readouterr().out
    assert "claude-code-log 1.7.0" in said
    assert "not measured: left out (--skip-peers)" in said
    (line,) = history.read_text(encoding="utf-8").splitlines()
    (ours,) = json.loads(line)["figures"]
    assert (ours["what"], ours["program"], ours["times_ours"]) == ("page, 0.1 MB", "ours", 1.0)
    assert "| page, 0.1 MB | ours |" in page.read_text(encoding="utf-8")
