"""``agentv grade``: sessions by tests without pytest, in several processes, resumed when killed."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from agentv_command import environ, run_agentv
from kept_runs import answer
from msgspec.structs import replace

from pytest_agentv import Transcript, dumps

if TYPE_CHECKING:
    from agentv_command import ClaudeHome, InProcess

# Put together here: no file may hold a text that looks like a credential.
AWS_KEY = "AKIA" + "QX7Z2PLM5RT6WVN3"

EVALS = """\
tests:
  - id: polite
    assert:
      - contains: please
  - id: brief
    assert:
      - {type: regex, value: "^.{1,40}$"}
      - not-contains: sorry
"""


def write(path: Path, *transcripts: Transcript) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(dumps(one) for one in transcripts))
    return path


def said(text: str, number: int = 0, **fields: Any) -> Transcript:
    made = answer(text, **fields)
    return replace(made, source=replace(made.source, session_id=f"{number:08d}-0000"))


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def timeless(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**row, "timestamp": None} for row in rows]


@pytest.fixture
def evals(work: Path) -> Path:
    file = work / "talk.eval.yaml"
    file.write_text(EVALS, encoding="utf-8")
    return file


def test_a_folder_stands_for_the_eval_files_that_pytest_collects_there(
    agentv: InProcess, work: Path
) -> None:
    holds = "tests: [{id: polite, assert: [{contains: please}]}]"
    for name in ("EVAL.yaml", "a.eval.yml", "auth.yaml", "deep/Shop.Eval.YAML"):
        path = work / "evals" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(holds, "utf-8")
    (work / "evals" / "data.yaml").write_text("prices: {}", "utf-8")
    (work / "evals" / "tests.md").write_text("tests: none", "utf-8")
    write(work / "t.jsonl", said("please"))
    printed = agentv("grade", "evals", "--transcript=t.jsonl")
    rows = [json.loads(line) for line in printed.out.splitlines()]
    assert [row["eval_file"] for row in rows] == [
        "evals/EVAL.yaml",
        "evals/a.eval.yml",
        "evals/auth.yaml",
        "evals/deep/Shop.Eval.YAML",
    ]
    assert printed.code == 0


def test_a_session_is_graded_by_its_test_and_one_without_by_all(
    agentv: InProcess, evals: Path, work: Path
) -> None:
    write(work / ".agentv/transcripts/a.jsonl", said("yes please", test_id="polite"))
    write(work / ".agentv/transcripts/b.jsonl", said("sorry", 7))

    graded = agentv("grade", evals, "--workers", "1", "-o", "rows.jsonl")

    assert (graded.code, graded.out) == (1, "2 sessions, 3 rows: 1 passed, 2 failed\n")
    rows = rows_of(work / "rows.jsonl")
    assert [(row["case"], row["outcome"]) for row in rows] == [
        ("polite[claude-cli-00000000]", "passed"),
        ("polite[claude-cli-00000007]", "failed"),
        ("brief[claude-cli-00000007]", "failed"),
    ]
    assert {row["eval_file"] for row in rows} == {"talk.eval.yaml"}
    assert [one["verdict"] for one in rows[2]["scores"]] == ["pass", "fail"]
    assert not (work / "rows.jsonl.part").exists()


def test_rows_go_to_standard_output_unless_a_file_is_named(
    agentv: InProcess, evals: Path, work: Path
) -> None:
    file = write(work / "a.jsonl", said("yes please"))

    graded = agentv("grade", evals, "--workers", "1", "--transcript", file)

    assert graded.code == 0
    assert [json.loads(line)["test_id"] for line in graded.out.splitlines()] == ["polite", "brief"]
    assert graded.err == "1 session, 2 rows: 2 passed\n"


def test_rows_say_what_a_run_of_pytest_says(evals: Path, work: Path) -> None:
    made = [said("yes please", 1, test_id="polite"), said("x" * 50, 2, test_id="brief")]
    file = write(work / "a.jsonl", *made)
    ran = run_agentv("eval", "-q", evals, f"--transcript={file}", cwd=work)
    assert ran.code == 1, ran.out
    (index,) = (work / ".agentv/results").glob("*/index.jsonl")

    run_agentv("grade", evals, "--transcript", file, "-o", "rows.jsonl", cwd=work)

    # What differs by its nature: when it was, where the run keeps the session, how cases are named.
    apart = {"timestamp", "transcript_path", "transcript_line", "case"}
    ours, theirs = rows_of(work / "rows.jsonl"), rows_of(index)
    for row in (*ours, *theirs):
        for score in row["scores"]:
            score["duration_ms"] = None
    strip = [
        [{k: v for k, v in row.items() if k not in apart} for row in x] for x in (ours, theirs)
    ]
    assert strip[0] == strip[1]


def test_any_number_of_processes_gives_the_same_rows(evals: Path, work: Path) -> None:
    write(work / "many.jsonl", *(said("please" if n % 3 else "no", n) for n in range(100)))

    for workers in (1, 3):
        done = run_agentv(
            "grade", evals, "--transcript=many.jsonl", "--workers", str(workers),
            "-o", f"{workers}.jsonl", cwd=work,
        )  # fmt: skip
        assert done.out == "100 sessions, 200 rows: 166 passed, 34 failed\n"

    assert timeless(rows_of(work / "1.jsonl")) == timeless(rows_of(work / "3.jsonl"))


def test_a_test_that_no_file_has_is_told_and_fails(
    agentv: InProcess, evals: Path, work: Path
) -> None:
    file = write(work / "a.jsonl", said("yes please", test_id="polit"))

    graded = agentv("grade", evals, "--workers", "1", "--transcript", file, "-o", "rows.jsonl")

    assert graded.code == 1
    assert graded.err == "agentv: no test has the id 'polit'\n"
    assert graded.out == "1 session, 0 rows\n"


def test_tests_can_grade_every_session_whatever_it_was_recorded_for(
    agentv: InProcess, evals: Path, work: Path
) -> None:
    file = write(work / "a.jsonl", said("yes please", test_id="something-else"))

    graded = agentv("grade", evals, "--every-test", "--workers=1", "--transcript", file)

    assert (graded.code, graded.err) == (0, "1 session, 2 rows: 2 passed\n")


def test_what_cannot_be_read_is_an_error_and_stops_nothing(
    agentv: InProcess, home: ClaudeHome, evals: Path, work: Path
) -> None:
    del home
    write(work / "in/a.jsonl", said("yes please"))
    (work / "in/b.jsonl").write_text("no session at all\n", encoding="utf-8")
    write(work / "in/c.jsonl", replace(said("", 3), output=()))

    graded = agentv("grade", evals, "--workers", "1", "--transcript=in", "-o", "rows.jsonl")

    assert graded.code == 1
    assert graded.out == "2 sessions, 4 rows: 2 passed, 2 error\n"
    assert len(graded.err.splitlines()) == 1
    assert graded.err.startswith("agentv: ")
    assert "b.jsonl" in graded.err
    broken = [row for row in rows_of(work / "rows.jsonl") if row["outcome"] == "error"]
    assert {row["case"] for row in broken} == {
        "polite[claude-cli-00000003]",
        "brief[claude-cli-00000003]",
    }
    assert "has no messages" in broken[0]["error"]
    assert broken[0]["score"] is None


def test_of_a_session_that_cannot_be_read_rows_say_what_a_run_of_pytest_says(
    evals: Path, work: Path
) -> None:
    evals.write_text(
        "tests:\n"
        "  - {id: skipped, skip: not yet, threshold: 0.5, assert: [{contains: please}]}\n"
        "  - id: scored\n"
        "    threshold: 0.5\n"
        "    assert: [{contains: please, weight: 2}, {not-contains: sorry, required: true}]\n",
        encoding="utf-8",
    )
    silent = [replace(said("", 1, test_id=one), output=()) for one in ("skipped", "scored")]
    file = write(work / "a.jsonl", *silent, said("please", 2, test_id="scored"))
    run_agentv("eval", "-q", evals, f"--transcript={file}", cwd=work)
    (index,) = (work / ".agentv/results").glob("*/index.jsonl")

    run_agentv("grade", evals, "--transcript", file, "-o", "rows.jsonl", cwd=work)

    fields = ("name", "type", "verdict", "score", "weight", "required", "negated", "line")
    ours, theirs = (
        [(row["outcome"], [[one[key] for key in fields] for one in row["scores"]]) for row in rows]
        for rows in (rows_of(work / "rows.jsonl"), rows_of(index))
    )
    assert [outcome for outcome, _ in ours] == ["skipped", "error", "passed"]
    assert ours == theirs


@pytest.mark.parametrize(("required", "code"), [("false", 0), ("true", 1)])
def test_a_gate_excuses_nothing_that_is_required(
    agentv: InProcess, evals: Path, work: Path, required: str, code: int
) -> None:
    evals.write_text(
        "tests:\n  - id: polite\n    gate: 0.5\n"
        f"    assert: [{{contains: please, required: {required}}}]\n",
        encoding="utf-8",
    )
    write(work / "a.jsonl", said("please", 1), said("no", 2))

    graded = agentv("grade", evals, "--workers=1", "--transcript=a.jsonl")

    assert graded.code == code, graded.err


def test_a_gate_excuses_no_pass_that_was_expected_to_fail(
    agentv: InProcess, evals: Path, work: Path
) -> None:
    evals.write_text(
        "tests:\n  - id: polite\n    gate: 0.5\n    xfail: {reason: bug 12, strict: true}\n"
        "    assert: [{contains: please}, {contains: sorry}]\n",
        encoding="utf-8",
    )
    write(work / "a.jsonl", said("please", 1))

    graded = agentv(
        "grade", evals, "--workers=1", "--transcript=a.jsonl", "-o", "rows.jsonl", "--json"
    )

    # It fails for the assertion that does not hold, as it is expected to.
    (gate,) = json.loads(graded.out)["gates"]
    assert (gate["outcome"], gate["excused"]) == ("failed", "xfail")
    (row,) = rows_of(work / "rows.jsonl")
    # As pytest says it; the gate comes before the reason of the test.
    assert [(one["verdict"], one["reason"], one["excused"]) for one in row["scores"]] == [
        ("fail", "[XPASS(strict)] bug 12", None),
        ("fail", "not found in 6 characters", "gate"),
    ]
    assert graded.code == 1


@pytest.mark.parametrize(
    ("test", "word", "told"),
    [
        ("gate: 0.5, strict: true", "FAILED", ("failed", None, 1)),
        ("gate: 0.9, strict: true", "XFAIL", ("failed", "xfail", 1)),
        ("gate: 0.5, strict: false", "XPASS", ("passed", None, 0)),
        ("gate: 0.9, strict: false", "XFAIL", ("failed", "xfail", 0)),
    ],
)
def test_a_gate_counts_sessions_that_pass_though_they_are_expected_to_fail(
    agentv: InProcess, evals: Path, work: Path, test: str, *, word: str, told: tuple[object, ...]
) -> None:
    gate_key, _, strict = test.partition(", ")
    evals.write_text(
        f"tests:\n  - id: polite\n    {gate_key}\n"
        f"    xfail: {{reason: bug 12, {strict}}}\n    assert: [{{contains: please}}]\n",
        encoding="utf-8",
    )
    file = write(work / "a.jsonl", said("please", 1), said("no", 2))
    ran = run_agentv("eval", "-q", "-rA", evals, f"--transcript={file}", "-k", "gate", cwd=work)

    graded = agentv(
        "grade", evals, "--workers=1", f"--transcript={file}", "-o", "rows.jsonl", "--json"
    )

    (gate,) = json.loads(graded.out)["gates"]
    assert f"{word} " in ran.out
    assert (gate["outcome"], gate["excused"], graded.code) == told
    said_of_it = "[XPASS(strict)] bug 12" if word == "FAILED" else "1 of 2 sessions passed"
    assert gate["reason"].startswith(said_of_it)


@pytest.mark.parametrize("strict", ["true", "false"])
def test_a_gate_that_is_expected_to_fail_may(
    agentv: InProcess, evals: Path, work: Path, strict: str
) -> None:
    evals.write_text(
        f"tests:\n  - id: polite\n    gate: 0.9\n    xfail: {{reason: bug 12, strict: {strict}}}\n"
        "    assert: [{contains: please}]\n",
        encoding="utf-8",
    )
    file = write(work / "a.jsonl", said("no", 1), said("never", 2))
    ran = run_agentv("eval", "-q", evals, f"--transcript={file}", cwd=work)

    graded = agentv(
        "grade", evals, "--workers=1", f"--transcript={file}", "-o", "rows.jsonl", "--json"
    )

    (gate,) = json.loads(graded.out)["gates"]
    assert (gate["outcome"], gate["excused"]) == ("failed", "xfail")
    assert (ran.code, graded.code, graded.err) == (0, 0, "")


def test_a_gate_decides_over_all_sessions_of_a_provider(
    agentv: InProcess, evals: Path, work: Path
) -> None:
    evals.write_text(
        "tests:\n  - id: polite\n    gate: {pass_rate: 0.7}\n    assert: [{contains: please}]\n",
        encoding="utf-8",
    )
    good = [said("please", n) for n in range(3)]
    for bad, code in ((1, 0), (2, 1)):
        write(work / "a.jsonl", *good, *(said("no", 10 + n) for n in range(bad)))

        graded = agentv(
            "grade", evals, "--workers=1", "--transcript=a.jsonl", "-o", f"{bad}.jsonl", "--json"
        )

        assert graded.code == code
        (gate,) = json.loads(graded.out)["gates"]
        assert gate["outcome"] == ("failed" if code else "passed")
        assert gate["reason"].startswith(f"3 of {3 + bad} sessions passed")
        excused = [row["scores"][0]["excused"] for row in rows_of(work / f"{bad}.jsonl")]
        assert excused == [None] * 3 + ["gate"] * bad
    assert "polite [claude-cli]: gate: 3 of 5 sessions passed" in graded.err


def test_a_session_that_cannot_be_graded_makes_an_error_of_its_gate(
    agentv: InProcess, evals: Path, work: Path
) -> None:
    evals.write_text(
        "tests: [{id: polite, gate: 0.5, assert: [{contains: please}]}]\n", encoding="utf-8"
    )
    silent = replace(said("", 3), output=())
    write(work / "a.jsonl", said("please", 1), said("please", 2), silent)

    command = ("grade", evals, "--workers=1", "--transcript=a.jsonl", "-o")
    graded = agentv(*command, "rows.jsonl", "--json")
    told = agentv(*command, "again.jsonl")

    (gate,) = json.loads(graded.out)["gates"]
    assert (graded.code, gate["outcome"]) == (1, "error")
    assert gate["reason"] == "1 of 3 sessions could not be graded"
    assert told.err.endswith("polite [claude-cli]: gate: 1 of 3 sessions could not be graded\n")


def test_rows_can_be_redacted(agentv: InProcess, evals: Path, work: Path) -> None:
    write(work / "a.jsonl", said("please", input=f"Use {AWS_KEY} here"))

    plain = agentv("grade", evals, "--workers=1", "--transcript=a.jsonl")
    graded = agentv("grade", evals, "--workers=1", "--transcript=a.jsonl", "--redact=secrets")

    assert AWS_KEY in plain.out
    assert AWS_KEY not in graded.out
    assert plain.code == graded.code


def test_the_problems_of_all_eval_files_are_told_before_anything_is_graded(
    agentv: InProcess, work: Path
) -> None:
    for name in ("a", "b"):
        text = f"tests:\n  - id: x\n    assert: [{{no-such-{name}: 1}}]\n"
        (work / f"{name}.eval.yaml").write_text(text, encoding="utf-8")

    graded = agentv("grade", ".", "-o", "rows.jsonl")

    assert graded.code == 1
    assert graded.err.startswith("agentv: a.eval.yaml:3:")
    assert "no-such-a" in graded.err
    assert "no-such-b" in graded.err
    assert sorted(one.name for one in work.iterdir()) == ["a.eval.yaml", "b.eval.yaml"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nowhere.yaml"], "no such file or folder: nowhere.yaml"),
        (["empty"], "no eval file in empty"),
        (["talk.eval.yaml", "--json"], "--json needs -o"),
    ],
)
def test_what_is_asked_wrongly(
    agentv: InProcess, evals: Path, work: Path, arguments: list[str], sentence: str
) -> None:
    del evals
    (work / "empty").mkdir()

    graded = agentv("grade", *arguments)

    assert graded.code == 2
    assert sentence in graded.err


def test_rows_that_are_there_are_not_overwritten_unless_forced(
    agentv: InProcess, evals: Path, work: Path
) -> None:
    write(work / "a.jsonl", said("please"))
    (work / "rows.jsonl").write_text("mine\n", encoding="utf-8")
    command = ["grade", str(evals), "--workers=1", "--transcript=a.jsonl", "-o", "rows.jsonl"]

    refused = agentv(*command)
    assert (refused.code, refused.err) == (
        1,
        "agentv: rows.jsonl: exists already; --force overwrites it\n",
    )
    assert (work / "rows.jsonl").read_text("utf-8") == "mine\n"
    assert agentv(*command, "--force").code == 0
    assert len(rows_of(work / "rows.jsonl")) == 2


def test_what_another_grading_began_is_not_mixed_with_this_one(
    agentv: InProcess, evals: Path, work: Path
) -> None:
    write(work / "a.jsonl", said("please"))
    (work / "rows.jsonl.part").write_text('{"grading":"another"}\n', encoding="utf-8")
    command = ["grade", str(evals), "--workers=1", "--transcript=a.jsonl", "-o", "rows.jsonl"]

    refused = agentv(*command)

    assert refused.code == 1
    assert refused.err == (
        "agentv: rows.jsonl.part: is of another grading: other eval files, prices, sessions or "
        "options; --force begins anew\n"
    )
    assert agentv(*command, "--force").code == 0


def test_a_run_that_is_killed_again_and_again_loses_nothing(evals: Path, work: Path) -> None:
    # A program for each session, so that there is time to kill what runs them.
    entry = f"      - script: [{sys.executable}, -c, pass]\n"
    evals.write_text(EVALS.replace("      - contains: please\n", entry), encoding="utf-8")
    for number in range(40):
        write(work / f"in/{number:02d}.jsonl", said("please", number))
    command = [sys.executable, "-m", "pytest_agentv", "grade", str(evals), "--transcript=in"]
    command += ["--workers=2", "-o"]
    subprocess.run([*command, "whole.jsonl"], cwd=work, check=True, capture_output=True)
    kills = 0
    for seed in range(int(os.environ.get("AGENTV_KILLS", "4"))):
        process = subprocess.Popen(
            [*command, "killed.jsonl"], cwd=work, env=environ({"PYTHONHASHSEED": str(seed)}),
            start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        before = lines_in(work / "killed.jsonl.part")
        while process.poll() is None and lines_in(work / "killed.jsonl.part") < before + 3:
            time.sleep(0.002)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            kills += process.wait() == -signal.SIGKILL

    if not (work / "killed.jsonl").exists():
        subprocess.run([*command, "killed.jsonl"], cwd=work, check=True, capture_output=True)

    assert kills
    assert timeless(rows_of(work / "killed.jsonl")) == timeless(rows_of(work / "whole.jsonl"))


def lines_in(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


def test_a_run_goes_on_where_its_last_whole_line_ends(
    agentv: InProcess, evals: Path, work: Path
) -> None:
    for number in range(3):
        write(work / f"in/{number}.jsonl", said("please", number))
    command = ["grade", str(evals), "--workers=1", "--transcript=in", "-o"]
    assert agentv(*command, "whole.jsonl").code == 0
    # The second part file is that of a run which was killed in the middle of a line.
    (work / "in/2.jsonl").rename(work / "2.jsonl")
    (work / "rows.jsonl").mkdir()  # so that it cannot be put in place
    assert agentv(*command, "rows.jsonl").code == 1
    (work / "rows.jsonl").rmdir()
    (work / "2.jsonl").rename(work / "in/2.jsonl")
    part = work / "rows.jsonl.part"
    part.write_bytes(part.read_bytes()[:-10])

    graded = agentv(*command, "rows.jsonl")

    assert graded.err == "agentv: going on after 1 session: rows.jsonl.part\n"
    assert graded.out == "3 sessions, 6 rows: 6 passed\n"
    assert timeless(rows_of(work / "rows.jsonl")) == timeless(rows_of(work / "whole.jsonl"))


def test_a_session_that_changed_meanwhile_is_graded_anew(
    agentv: InProcess, evals: Path, work: Path
) -> None:
    for number in range(2):
        write(work / f"in/{number}.jsonl", said("please", number))
    command = ["grade", str(evals), "--workers=1", "--transcript=in", "-o", "rows.jsonl"]
    (work / "rows.jsonl").mkdir()
    assert agentv(*command).code == 1
    (work / "rows.jsonl").rmdir()
    write(work / "in/1.jsonl", said("no, not at all", 1))

    graded = agentv(*command)

    assert graded.err == "agentv: going on after 1 session: rows.jsonl.part\n"
    assert [row["outcome"] for row in rows_of(work / "rows.jsonl")] == [
        "passed", "passed", "failed", "passed",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "settings",
    [
        "[tool.agentv.prices]\n'*' = {input = 1000, output = 1000}\n",
        "[tool.agentv.judge]\ntemperature = 0.5\n",
        "[tool.agentv.judge]\nbase_url = 'http://127.0.0.1:9/v1'\n",
        "[[tool.agentv.redact.rules]]\nid = 'ticket'\nregex = 'TICKET-[0-9]+'\n",
    ],
    ids=["prices", "temperature", "server", "rules"],
)
def test_what_was_graded_by_other_settings_is_not_gone_on_with(
    agentv: InProcess, evals: Path, work: Path, settings: str
) -> None:
    evals.write_text("tests: [{id: cheap, assert: [{cost: 1}]}]\n", encoding="utf-8")
    write(work / "a.jsonl", said("please"))
    command = ["grade", str(evals), "--workers=1", "--transcript=a.jsonl", "-o", "rows.jsonl"]
    command.append("--redact=secrets")
    (work / "rows.jsonl").mkdir()  # so that it cannot be put in place
    assert agentv(*command).code == 1
    (work / "rows.jsonl").rmdir()
    (work / "pyproject.toml").write_text(settings, encoding="utf-8")

    refused = agentv(*command)

    assert refused.code == 1
    assert refused.err.startswith("agentv: rows.jsonl.part: is of another grading: ")


@pytest.mark.skipif(sys.platform == "win32", reason="files are not locked on Windows")
def test_two_gradings_do_not_write_to_one_file(agentv: InProcess, evals: Path, work: Path) -> None:
    write(work / "a.jsonl", said("please"))
    hold = (
        "import fcntl, sys; file = open('rows.jsonl.part', 'wb');"
        "fcntl.lockf(file, fcntl.LOCK_EX); print(flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", hold], cwd=work, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        other.stdout.readline()

        graded = agentv("grade", evals, "--workers=1", "--transcript=a.jsonl", "-o", "rows.jsonl")

        other.communicate()
    assert graded.code == 1
    assert graded.err == "agentv: rows.jsonl.part: another grading is writing to it\n"


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_processes_end_when_the_command_is_killed(evals: Path, work: Path) -> None:
    slow = "import time; time.sleep(0.4)"
    evals.write_text(
        f"tests:\n  - id: slow\n    assert: [{{script: [{sys.executable}, -c, {slow!r}]}}]\n",
        encoding="utf-8",
    )
    write(work / "a.jsonl", *(said("please", n) for n in range(200)))
    command = [sys.executable, "-m", "pytest_agentv", "grade", str(evals), "--transcript=a.jsonl"]
    with subprocess.Popen(
        [*command, "--workers=2"], cwd=work, start_new_session=True, stdout=subprocess.DEVNULL
    ) as process:
        deadline = time.monotonic() + 60
        while len(group(process.pid)) < 3:
            assert time.monotonic() < deadline, "nobody began to grade"
            time.sleep(0.05)
        process.kill()
    while group(process.pid) and time.monotonic() < deadline:
        time.sleep(0.05)

    assert not group(process.pid)


def group(number: int) -> list[Path]:
    """The processes of a group, but for those that are dead already."""
    found = []
    for file in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # gone meanwhile
            state, _, pgid, *_ = file.read_text("utf-8").rpartition(") ")[2].split()
            if pgid == str(number) and state != "Z":
                found.append(file)
    return found
