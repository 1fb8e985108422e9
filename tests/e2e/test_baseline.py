"""A baseline: known failures are excused, what changed is told, and a run can be blessed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from eval_runs import WORKERS, recorded

if TYPE_CHECKING:
    from eval_runs import EvalProject, EvalRun

BASELINE = "--agentv-baseline=b.json"
BLESS = (BASELINE, "--agentv-bless")
OWN = """\
import pytest_agentv

@pytest_agentv.assertion("crashes")
def crashes(transcript):
    return 1 / 0
"""


@pytest.fixture
def known(project: EvalProject) -> EvalProject:
    """A project with a failure."""
    project.conftest(OWN)
    project.assertions("contains: JWT", "contains: OAuth")
    project.sessions(recorded("I use JWT now."))
    return project


def _entries(project: EvalProject) -> dict[str, str]:
    """The outcomes in the baseline, by what pytest calls them."""
    data: dict[str, Any] = json.loads((project.path / "b.json").read_bytes())
    return {
        f"{one['file']}::{one['test']}[{one['provider']}]::{one['assertion']}": one["outcome"]
        for one in data["outcomes"]
    }


def _said(run: EvalRun) -> list[str]:
    """What is told of the baseline."""
    lines = run.text.splitlines()
    starts = [number for number, line in enumerate(lines) if " agentv baseline " in line]
    if not starts:
        return []
    after = lines[starts[0] + 1 :]
    return after[: next(number for number, line in enumerate(after) if line.startswith("="))]


HELD, FAILING = (
    "a.eval.yaml::one[claude-cli]::contains-JWT",
    "a.eval.yaml::one[claude-cli]::contains-OAuth",
)


def test_a_run_is_blessed_and_then_excused(known: EvalProject) -> None:
    run = known.grade(*BLESS)
    assert run.outcomes == {HELD: "passed", FAILING: "xfailed"}
    assert run.texts[FAILING].startswith("baseline: blessed now: expected: ")
    assert (run.code, _said(run)) == (0, ["b.json: blessed: 2 entries changed of 2"])
    assert _entries(known) == {HELD: "passed", FAILING: "failed"}
    run = known.grade(BASELINE)
    assert run.outcomes == {HELD: "passed", FAILING: "xfailed"}
    assert run.texts[FAILING].startswith("baseline: expected: the final answer contains 'OAuth'")
    assert (run.code, _said(run)) == (0, ["b.json: nothing changed"])


def test_a_tilde_is_the_home_directory(known: EvalProject, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(known.path / "home"))
    monkeypatch.setenv("USERPROFILE", str(known.path / "home"))
    (known.path / "home").mkdir()
    assert known.grade("--agentv-baseline=~/b.json", "--agentv-bless").code == 0
    assert (known.path / "home" / "b.json").is_file()
    assert not (known.path / "~").exists()


def test_new_failures_fail_and_fixes_and_lost_coverage_are_told(known: EvalProject) -> None:
    known.assertions("contains: JWT", "contains: OAuth", "contains: now", "contains: use")
    known.grade(*BLESS)
    known.sessions(recorded("I use OAuth now."))
    known.assertions("contains: JWT", "contains: OAuth", "contains: use")
    run = known.grade(BASELINE)
    assert run.outcomes[HELD] == "failed"
    assert run.code == 1
    assert _said(run) == [
        "b.json: new failures: 1, fixed: 1, lost coverage: 1",
        "new failures:",
        f"- {HELD}",
        "fixed, bless to keep:",
        f"- {FAILING}",
        "lost coverage, passed before:",
        "- a.eval.yaml::one[claude-cli]::contains-now",
    ]


def test_what_is_skipped_now_and_passed_before_is_lost(known: EvalProject) -> None:
    known.assertions("{type: cost, max_usd: 1}")
    known.sessions(recorded(cost_usd=0.5))
    known.grade(*BLESS)
    known.sessions(recorded())
    assert "- a.eval.yaml::one[claude-cli]::cost" in _said(known.grade(BASELINE))


@pytest.mark.parametrize("selection", [("-k", "OAuth"), (FAILING,), ("--deselect", HELD)])
def test_a_part_of_the_tests_loses_no_coverage(
    known: EvalProject, selection: tuple[str, ...]
) -> None:
    known.grade(*BLESS)
    run = known.grade(BASELINE, *selection)
    assert run.outcomes == {FAILING: "xfailed"}
    assert _said(run) == ["b.json: nothing changed"]


def test_other_eval_files_are_not_lost_when_one_is_run(known: EvalProject) -> None:
    known.assertions("contains: JWT", name="evals/b.eval.yaml")
    known.grade(*BLESS)
    assert _said(known.grade(BASELINE, "evals")) == ["b.json: nothing changed"]
    assert _said(known.grade(BASELINE, "a.eval.yaml")) == ["b.json: nothing changed"]
    (known.path / "evals/b.eval.yaml").unlink()
    for given in ((), ("a.eval.yaml", "evals"), ("evals", "a.eval.yaml")):
        said = _said(known.grade(BASELINE, *given))
        assert said[-1] == "- evals/b.eval.yaml::one[claude-cli]::contains-JWT"


def test_an_error_is_never_excused(known: EvalProject) -> None:
    crash = "a.eval.yaml::one[claude-cli]::crashes"
    known.assertions("{type: crashes}")
    run = known.grade(*BLESS)
    assert (run.outcomes, run.code) == ({crash: "error"}, 1)
    assert _entries(known) == {crash: "error"}
    assert known.grade(BASELINE).outcomes == {crash: "error"}
    # Nor does it excuse a failure of the same name.
    # Of another length: bytecode is known by the size of its source, and by the second.
    known.conftest(OWN.replace("1 / 0", "bool(0)"))
    run = known.grade(BASELINE)
    assert (run.outcomes, run.code) == ({crash: "failed"}, 1)
    # And a known failure does not excuse an error.
    known.grade(*BLESS)
    known.conftest(OWN)
    assert known.grade(BASELINE).outcomes == {crash: "error"}


def test_scores_and_gates_are_known_as_well(known: EvalProject) -> None:
    known.assertions("contains: JWT", "contains: OAuth", test="threshold: 0.9\ngate: 0.9")
    sessions = [recorded("I use JWT now.", session_id=f"{one}-session") for one in range(2)]
    known.sessions(*sessions)
    assert known.grade().code == 1
    assert known.grade(*BLESS).code == 0
    assert {key.rpartition("::")[2]: one for key, one in _entries(known).items()} == {
        "contains-JWT": "passed",
        "contains-OAuth": "soft",
        "gate": "failed",
        "score": "failed",
    }
    run = known.grade(BASELINE)
    assert run.outcomes["a.eval.yaml::one[claude-cli]::gate"] == "xfailed"
    assert run.code == 0


def test_the_worst_of_the_repeats_is_kept_and_no_session(known: EvalProject) -> None:
    known.sessions(
        recorded("JWT", session_id="11111111-a"), recorded("OAuth", session_id="22222222-b")
    )
    known.grade(*BLESS)
    assert _entries(known) == {HELD: "failed", FAILING: "failed"}
    assert b"1111" not in (known.path / "b.json").read_bytes()
    assert known.grade(BASELINE).code == 0


def test_the_file_is_the_same_with_any_number_of_workers(known: EvalProject) -> None:
    known.eval_file(
        "tests:\n"
        + "".join(
            f"  - {{id: t{one}, assert: [contains: JWT, contains: OAuth]}}\n" for one in range(4)
        )
    )
    known.sessions(*(recorded("JWT", test_id=f"t{one}") for one in range(4)))
    path = known.path / "b.json"
    assert known.grade(*BLESS).code == 0
    alone = path.read_bytes()
    path.unlink()
    assert known.grade(*BLESS, *WORKERS).code == 0
    assert path.read_bytes() == alone
    run = known.grade(BASELINE, *WORKERS)
    assert (run.code, _said(run)) == (0, ["b.json: nothing changed"])


def test_a_part_is_merged_and_the_whole_replaces(known: EvalProject) -> None:
    known.grade(*BLESS)
    known.sessions(recorded("I use OAuth now."))
    run = known.grade(*BLESS, "-k", "OAuth")
    assert _said(run) == ["b.json: blessed: 1 entry changed of 2"]
    assert _entries(known) == {HELD: "passed", FAILING: "passed"}
    known.assertions("contains: OAuth")
    assert _said(known.grade(*BLESS)) == ["b.json: blessed: 1 entry changed of 1"]
    assert _entries(known) == {FAILING: "passed"}
    before = (known.path / "b.json").read_bytes()
    assert _said(known.grade(*BLESS)) == ["b.json: blessed: 0 entries changed of 1"]
    assert (known.path / "b.json").read_bytes() == before


INTERRUPTED = """
import pytest

@pytest_agentv.assertion("interrupts")
def interrupts(transcript):
    raise KeyboardInterrupt
"""


@pytest.mark.parametrize("workers", [(), WORKERS])
def test_a_run_that_stops_early_writes_nothing_and_says_so(
    known: EvalProject, workers: tuple[str, ...]
) -> None:
    known.assertions("{type: crashes}", "contains: JWT", "contains: JWT", "contains: JWT")
    run = known.grade(*BLESS, "-x", *workers)
    assert run.code != 0
    assert not (known.path / "b.json").exists()
    [said] = _said(run)
    assert said.startswith("b.json: not written: the run was ")


def test_an_interrupted_run_writes_nothing_and_says_so(known: EvalProject) -> None:
    known.conftest(OWN + INTERRUPTED)
    known.assertions("contains: JWT", "{type: interrupts}")
    run = known.run_apart("--transcript=t.jsonl", *BLESS)
    assert run.code == 2
    assert "b.json: not written: the run was interrupted" in run.text
    assert not (known.path / "b.json").exists()


def test_a_broken_eval_file_blesses_nothing(known: EvalProject) -> None:
    known.write("broken.eval.yaml", "tests: []\n")
    run = known.grade(*BLESS, "--continue-on-collection-errors")
    assert "b.json: not written: not everything could be collected" in run.text
    assert not (known.path / "b.json").exists()


def test_a_crashed_worker_blesses_nothing(known: EvalProject) -> None:
    known.conftest(OWN.replace("return 1 / 0", "import os; os._exit(1)"))
    known.assertions("contains: JWT", "{type: crashes}", "contains: JWT")
    run = known.run_apart("--transcript=t.jsonl", *BLESS, *WORKERS)
    assert run.code != 0
    assert "b.json: not written: a worker crashed" in run.text
    assert not (known.path / "b.json").exists()


def test_a_run_that_graded_nothing_blesses_nothing(known: EvalProject) -> None:
    known.write("test_it.py", "def test_it(): pass\n")
    run = known.grade(*BLESS, "test_it.py")
    assert run.code == 1
    assert "b.json: not written: nothing was graded" in run.text


def test_a_file_that_cannot_be_written_fails_the_run(known: EvalProject) -> None:
    known.conftest(OWN.replace("return 1 / 0", 'return open("taken", "w").close() is None'))
    known.assertions("{type: crashes}")
    run = known.grade("--agentv-baseline=taken/b.json", "--agentv-bless")
    assert set(run.outcomes.values()) == {"passed"}
    assert run.code == 1
    [said] = _said(run)
    assert said.startswith("taken/b.json: not written: cannot be written: ")


def test_blessing_needs_a_file(known: EvalProject) -> None:
    run = known.grade("--agentv-bless")
    assert run.code == 4
    assert "--agentv-bless needs a file to write to: give --agentv-baseline=FILE" in run.errors


def test_a_missing_file_is_wrong_usage_that_names_the_fix(known: EvalProject) -> None:
    run = known.grade(BASELINE)
    assert run.code == 4
    assert "b.json: no such baseline; --agentv-bless writes it" in run.errors


@pytest.mark.parametrize("bless", [(), ("--agentv-bless",)])
def test_a_malformed_file_is_wrong_usage_with_its_line(
    known: EvalProject, bless: tuple[str, ...]
) -> None:
    known.write("b.json", '{"outcomes": [\n<<<<<<< HEAD\n')
    run = known.grade(BASELINE, *bless)
    assert run.code == 4
    assert "b.json:2: is no JSON" in run.errors
    assert "HEAD" in (known.path / "b.json").read_text("utf-8")


def test_the_setting_names_a_file_beside_the_settings(
    known: EvalProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    known.ini("agentv_baseline = b.json")
    assert known.grade("--agentv-bless").code == 0
    assert known.grade().code == 0
    monkeypatch.chdir(known.write("below/x.txt", "").parent)
    assert known.run("--transcript=../t.jsonl", "../a.eval.yaml").code == 0
    # The option without a value turns it off.
    assert known.run("--transcript=../t.jsonl", "../a.eval.yaml", "--agentv-baseline=").code == 1


def test_an_eval_file_outside_of_the_root_has_no_absolute_path(
    known: EvalProject,
) -> None:
    known.assertions("contains: OAuth", name="outside/x.eval.yaml")
    known.write("root/pytest.ini", "[pytest]\n")
    run = known.grade(*BLESS, "--rootdir=root", "-c", "root/pytest.ini", "outside/x.eval.yaml")
    assert run.code == 0
    assert _entries(known) == {"../outside/x.eval.yaml::one[claude-cli]::contains-OAuth": "failed"}


def test_a_case_that_is_expected_to_fail_keeps_its_own_reason(known: EvalProject) -> None:
    known.assertions("contains: OAuth", test="xfail: ours")
    assert known.grade(*BLESS).texts[FAILING] == "ours"
    assert _entries(known) == {FAILING: "failed"}
    assert known.grade(BASELINE).texts[FAILING] == "ours"


def test_what_is_expected_to_fail_is_no_new_failure(known: EvalProject) -> None:
    known.grade(*BLESS)
    known.assertions("contains: cookies", "contains: OAuth", test="xfail: ours")
    known.grade(*BLESS)
    known.assertions("contains: cookies", "contains: OAuth", "contains: gone", test="xfail: ours")
    run = known.grade(BASELINE)
    assert (run.code, set(run.outcomes.values())) == (0, {"xfailed"})
    assert _said(run) == ["b.json: nothing changed"]


def test_an_error_is_no_new_failure_but_what_passed_before_is_lost(known: EvalProject) -> None:
    known.assertions("{type: crashes}", "contains: JWT")
    known.conftest(OWN.replace("1 / 0", "bool(1)"))
    known.grade(*BLESS)
    known.conftest(OWN)
    run = known.grade(BASELINE)
    assert run.by_name == {"crashes": "error", "contains-JWT": "passed"}
    assert run.code == 1
    stopped = known.grade(BASELINE, "-x")
    assert stopped.by_name == {"crashes": "error"}
    # Of what was not run any more nothing is said.
    assert (
        _said(stopped)
        == _said(run)
        == [
            "b.json: lost coverage: 1",
            "lost coverage, passed before:",
            "- a.eval.yaml::one[claude-cli]::crashes",
        ]
    )


def test_plain_tests_beside_it_are_their_own_business(known: EvalProject) -> None:
    known.write("test_it.py", "def test_good(): pass\ndef test_bad(): assert 0\n")
    run = known.grade(*BLESS)
    assert (run.outcomes["test_it.py::test_bad"], run.code) == ("failed", 1)
    assert _entries(known) == {HELD: "passed", FAILING: "failed"}
    run = known.grade(BASELINE)
    assert run.outcomes["test_it.py::test_good"] == "passed"
    assert run.outcomes["test_it.py::test_bad"] == "failed"
    assert (run.code, _said(run)) == (1, ["b.json: nothing changed"])


def test_only_the_first_are_named(known: EvalProject) -> None:
    known.grade(*BLESS)
    known.assertions(*(f"contains: missing{one:02}" for one in range(25)))
    said = _said(known.grade(BASELINE))
    assert said[0] == "b.json: new failures: 25, lost coverage: 1"
    assert said[2].endswith("contains-missing00")
    assert said[22] == "- and 5 more"
