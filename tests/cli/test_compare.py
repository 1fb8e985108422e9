"""``agentv compare``: runs, targets of a run and results files against each other."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from agentv_command import UNPRINTABLE, run_agentv
from rich.cells import cell_len
from runs import MadeCase, make_run, score
from terminal import OUR_CODES, on_terminal

from pytest_agentv.results.model import Figures
from pytest_agentv.transcript.model import TokenUsage

if TYPE_CHECKING:
    from pathlib import Path

    from agentv_command import InProcess

    from pytest_agentv.results.reading import Run

_CLAUDE, _CODEX, _COPILOT = "claude-cli", "codex-cli", "copilot-cli"


def _run(folder: Path, scores: dict[tuple[str, str], float], *, complete: bool = True) -> Run:
    """A run of tests by their id and target, with these shares of assertions that hold."""
    cases = [
        MadeCase(
            test_id=test_id,
            target=target,
            scores=tuple(
                score(f"is-{number}", "pass" if number < share * 4 else "fail")
                for number in range(4)
            ),
            figures=Figures(duration_ms=int(1_000 * (1 + share)), tool_calls=3),
        )
        for (test_id, target), share in scores.items()
    ]
    return make_run(folder, cases, complete=complete)


@pytest.fixture
def root(work: Path) -> Path:
    """Where runs are kept by default."""
    return work / ".agentv" / "results"


@pytest.fixture(autouse=True)
def _at_work(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(work)


def test_two_runs_are_compared_and_a_loss_exits_with_1(agentv: InProcess, root: Path) -> None:
    before = _run(root, {("a", _CLAUDE): 1, ("b", _CLAUDE): 0.5})
    after = _run(root, {("a", _CLAUDE): 0.5, ("b", _CLAUDE): 1})
    done = agentv("compare", before.summary.run_id, after.summary.run_id)
    assert done.code == 1
    assert "1 win, 1 loss, 0 ties of 2 tests (threshold 0.1)" in done.out
    lines = [line.split() for line in done.out.splitlines()]
    assert ["a", "1.000", "0.500", "-0.500", "-", "loss"] in lines
    assert ["b", "0.500", "1.000", "+0.500", "+1.000", "win"] in lines
    assert ["time", "1.8s", "1.8s", "+0ms", "1.00x", "2"] in lines


def test_nothing_lost_exits_with_0(agentv: InProcess, root: Path) -> None:
    before = _run(root, {("a", _CLAUDE): 0.5})
    after = _run(root, {("a", _CLAUDE): 1})
    assert agentv("compare", before.summary.run_id, after.summary.run_id).code == 0


def test_the_targets_of_the_latest_run_are_compared_without_a_name(
    agentv: InProcess, root: Path
) -> None:
    _run(root, {("a", _CLAUDE): 1, ("a", _CODEX): 0.25, ("a", _COPILOT): 1})
    done = agentv("compare")
    assert done.code == 1
    assert "codex-cli against claude-cli" in done.out
    assert "copilot-cli against claude-cli" in done.out
    lines = [line.split() for line in done.out.splitlines()]
    assert ["test", _CLAUDE, _CODEX, _COPILOT] in lines
    assert ["a", "1.000", "0.250", "1.000"] in lines


def test_baseline_and_candidate_choose_targets_of_a_run(agentv: InProcess, root: Path) -> None:
    _run(root, {("a", _CLAUDE): 1, ("a", _CODEX): 0.25, ("a", _COPILOT): 1})
    done = agentv("compare", "latest", "-b", "codex", "-c", "claude", "--json")
    assert done.code == 0
    found = json.loads(done.out)
    assert [one["label"] for one in found["sides"]] == [_CODEX, _CLAUDE]
    assert found["comparisons"][0]["wins"] == 1


def test_a_target_of_one_run_is_compared_with_that_of_another(
    agentv: InProcess, root: Path
) -> None:
    before = _run(root, {("a", _CLAUDE): 1, ("a", _CODEX): 0.25})
    after = _run(root, {("a", _CLAUDE): 0, ("a", _CODEX): 1})
    names = [f"{run.summary.run_id}@{_CODEX}" for run in (before, after)]
    done = agentv("compare", *names, "--json")
    assert done.code == 0
    (comparison,) = json.loads(done.out)["comparisons"]
    assert (comparison["mean_baseline"], comparison["mean_candidate"]) == (0.25, 1.0)
    assert comparison["regression"] is False


def test_results_files_of_agentv_are_compared(agentv: InProcess, work: Path) -> None:
    names = []
    for name, points in (("before", 0.9), ("after", 0.4)):
        row = {"timestamp": "2026-01-01T00:00:00Z", "test_id": "a", "suite": "s", "score": points}
        row |= {"target": "transcript", "execution_status": "ok", "scores": [], "experiment": "x"}
        (work / f"{name}.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
        names.append(f"{name}.jsonl")
    done = agentv("compare", *names, "--json")
    assert done.code == 1
    (comparison,) = json.loads(done.out)["comparisons"]
    assert comparison["losses"] == 1
    assert comparison["mean_delta"] == pytest.approx(-0.5)


def test_the_threshold_decides_what_a_loss_is(agentv: InProcess, root: Path) -> None:
    names = [_run(root, {("a", _CLAUDE): share}).summary.run_id for share in (0.75, 0.5)]
    assert agentv("compare", *names, "--threshold", "0.25").code == 1
    assert agentv("compare", *names, "--threshold", "0.3").code == 0


def test_fail_on_says_what_makes_the_command_fail(agentv: InProcess, root: Path) -> None:
    better = {("a", _CLAUDE): 0.75, ("b", _CLAUDE): 0.0}
    names = [
        _run(root, scores).summary.run_id
        for scores in (better, {("a", _CLAUDE): 0.5, ("b", _CLAUDE): 0.75})
    ]
    assert agentv("compare", *names).code == 1
    assert agentv("compare", *names, "--fail-on", "mean").code == 0
    assert agentv("compare", *reversed(names), "--fail-on", "mean").code == 1
    assert agentv("compare", *reversed(names), "--fail-on", "never").code == 0


@pytest.mark.parametrize("fail_on", ["loss", "mean", "never"])
def test_every_form_agrees_with_the_exit_code(agentv: InProcess, root: Path, fail_on: str) -> None:
    names = [
        _run(root, {("a", _CLAUDE): a, ("b", _CLAUDE): b}).summary.run_id
        for a, b in ((0.75, 0.0), (0.5, 0.75))
    ]
    found = agentv("compare", *names, "--fail-on", fail_on, "--json")
    assert [one["regression"] for one in json.loads(found.out)["comparisons"]] == [bool(found.code)]
    markdown = agentv("compare", *names, "--fail-on", fail_on, "-f", "markdown")
    assert ("### ❌" in markdown.out) is bool(found.code) is (fail_on == "loss")


def test_markdown_holds_names_as_code_and_only_what_changed(agentv: InProcess, root: Path) -> None:
    hostile = "a|b`<img src=x>@team"
    before = _run(root, {(hostile, _CLAUDE): 1, ("same", _CLAUDE): 1})
    after = _run(root, {(hostile, _CLAUDE): 0, ("same", _CLAUDE): 1})
    ids = before.summary.run_id, after.summary.run_id
    done = agentv("compare", *ids, "--format", "markdown")
    assert done.code == 1
    assert f"### ❌ `{ids[1]}` against `{ids[0]}`" in done.out
    assert "| ``a¦b`<img src=x>@team`` | 1.000 | 0.000 | -1.000 | - | loss |" in done.out
    assert "same" not in done.out


def test_tests_that_cannot_be_compared_are_listed(agentv: InProcess, root: Path) -> None:
    before = _run(root, {("a", _CLAUDE): 1, ("old", _CLAUDE): 1})
    after = _run(root, {("a", _CLAUDE): 1, ("new", _CLAUDE): 1})
    done = agentv("compare", before.summary.run_id, after.summary.run_id)
    assert done.code == 0
    assert "only in the baseline: old" in done.out
    assert "only in the candidate: new" in done.out


def test_sides_without_a_common_test_are_no_success(agentv: InProcess, root: Path) -> None:
    before = _run(root, {("a", _CLAUDE): 1})
    after = _run(root, {("b", _CLAUDE): 1})
    done = agentv("compare", before.summary.run_id, after.summary.run_id)
    assert done.code == 1
    assert "no graded test in common" in done.err


def test_an_incomplete_run_is_said_to_be_one(agentv: InProcess, root: Path) -> None:
    _run(root, {("a", _CLAUDE): 1, ("a", _CODEX): 1}, complete=False)
    done = agentv("compare")
    assert done.code == 0
    assert "claude-cli is incomplete: it ended before all was graded" in done.err
    # A comment on a pull request is all that its readers see.
    comment = agentv("compare", "--format", "markdown").out
    assert "- `claude-cli` is incomplete: it ended before all was graded" in comment


@pytest.mark.parametrize(("fail_on", "code"), [("loss", 1), ("mean", 1), ("never", 0)])
def test_a_candidate_that_broke_off_is_no_success_against_a_whole_run(
    agentv: InProcess, root: Path, fail_on: str, code: int
) -> None:
    whole = _run(root, {("a", _CLAUDE): 1, ("b", _CLAUDE): 1}).summary.run_id
    broken = _run(root, {("a", _CLAUDE): 1}, complete=False).summary.run_id
    assert agentv("compare", whole, broken, "--fail-on", fail_on).code == code
    printed = agentv("compare", whole, broken, "--fail-on", fail_on, "--json").out
    (found,) = json.loads(printed)["comparisons"]
    assert found["regression"] is bool(code)
    assert agentv("compare", broken, whole, "--fail-on", fail_on).code == 0


def test_of_several_candidates_there_is_one_table_with_a_line_for_each(
    agentv: InProcess, root: Path
) -> None:
    _run(root, {("a", _CLAUDE): 1, ("a", _CODEX): 0.25, ("a", _COPILOT): 1})
    _, overview, _ = agentv("compare", "latest@claude", "latest@codex", "latest@cop").out.split(
        "\n\n", 2
    )
    assert [line.split() for line in overview.splitlines()] == [
        ["against", _CLAUDE],
        ["candidate", "wins", "losses", "ties", "mean", "delta", "95%", "interval"],
        [_CODEX, "0", "1", "0", "0.250", "-0.750", "-"],
        [_COPILOT, "0", "0", "1", "1.000", "+0.000", "-"],
    ]
    assert f"| `{_CODEX}` | 0 | 1 | 0 |" in agentv("compare", "-f", "markdown").out


def test_tests_of_the_same_id_are_told_apart_by_their_files(agentv: InProcess, root: Path) -> None:
    files = ("evals/x.eval.yaml", "evals/y.eval.yaml")
    names = [
        make_run(root, [MadeCase(test_id="a", eval_file=one) for one in files]).summary.run_id
        for _ in range(2)
    ]
    printed = agentv("compare", *names).out
    assert [printed.count(f"{file}::a ") for file in files] == [1, 1]
    assert printed.count("::a ") == 2


def test_a_lower_bound_is_shown_as_one(agentv: InProcess, root: Path) -> None:
    usages = {
        _CLAUDE: TokenUsage(input=10, output=2, output_complete=False),
        _CODEX: TokenUsage(input=10, output=5),
    }
    make_run(
        root,
        [
            MadeCase(target=target, figures=Figures(token_usage=usage))
            for target, usage in usages.items()
        ],
    )
    lines = [line.split() for line in agentv("compare").out.splitlines()]
    assert ["tokens", "out", "≥2", "5", "-", "-", "1"] in lines


def test_a_target_that_fits_several_is_a_wrong_option(agentv: InProcess, root: Path) -> None:
    _run(root, {("a", _CODEX): 1, ("a", _COPILOT): 1})
    done = agentv("compare", "-b", "co")
    assert done.code == 2
    assert "'co' fits codex-cli, copilot-cli; write more of the target" in done.err


@pytest.mark.parametrize(
    ("names", "code", "message"),
    [
        (["nothing"], 1, "no run 'nothing', and no such file or folder; the newest is"),
        (["a" * 5_000 + "@x", "latest"], 1, "no run 'aaa"),
        (["latest@gemini", "latest"], 1, "has no target 'gemini'; there are: claude-cli"),
        (["latest"], 1, "has one target only, claude-cli: name another run to compare it with"),
        (["latest@claude"], 1, "there is nothing to compare 'latest@claude' with; name another"),
        (["latest", "latest", "-b", "x"], 2, "--baseline and --candidate are for the targets of"),
        (["latest@claude", "-c", "x"], 2, "--baseline and --candidate are for the targets of one"),
    ],
)
def test_what_cannot_be_compared_is_one_sentence(
    agentv: InProcess, root: Path, names: list[str], code: int, message: str
) -> None:
    _run(root, {("a", _CLAUDE): 1})
    done = agentv("compare", *names)
    assert done.code == code
    assert message in done.err
    assert done.err.count("\n") == 1
    assert done.out == ""


def test_a_malformed_results_file_is_named_with_its_line(agentv: InProcess, work: Path) -> None:
    path = work / "bad.jsonl"
    path.write_text('{"test_id": "a", "score": 1}\n{"score": 1}\n', encoding="utf-8")
    done = agentv("compare", "bad.jsonl", "bad.jsonl")
    assert done.code == 1
    assert done.err.startswith("agentv: bad.jsonl:2: is no row of results")


def test_many_ties_are_counted_and_shown_with_all(agentv: InProcess, root: Path) -> None:
    scores = {(f"t{number}", _CLAUDE): 1.0 for number in range(60)}
    names = [_run(root, scores).summary.run_id for _ in range(2)]
    assert "60 ties not shown; --all shows them" in agentv("compare", *names).out
    assert "t59 " in agentv("compare", *names, "--all").out


def test_names_out_of_sessions_do_not_steer_the_terminal(work: Path, root: Path) -> None:
    for share in (1, 0):
        _run(root, {("a", "x\x1b]0;y\x07\u202e"): share, ("a", _CLAUDE): share})
    for form in ("table", "markdown", "json"):
        done = run_agentv("compare", "--format", form, cwd=work)
        assert done.code == 0, done.err
        assert not UNPRINTABLE.search(done.out)


def test_names_of_clients_do_not_steer_a_terminal_as_headings(work: Path, root: Path) -> None:
    hostile = "x\x1b]0;y\x07\u202e\r"
    _run(root, {("a", target): 1 for target in (hostile, _CLAUDE, _CODEX)})
    screen = on_terminal(["compare"], cwd=work, columns=100)
    assert screen.code == 0
    assert OUR_CODES.search(screen.raw)
    text = OUR_CODES.sub("", screen.raw).replace("\r\n", "\n")
    assert not UNPRINTABLE.search(text)


def test_everything_but_long_lines_fits_a_terminal(work: Path, root: Path) -> None:
    names = [
        f"{_run(root, {('a', target): 1, ('b', target): 0}).summary.run_id}@{target}"
        for target in (_CLAUDE, _CODEX, _COPILOT)
    ]
    screen = on_terminal(["compare", *names], cwd=work, columns=80)
    overview = screen.lines[: next(n for n, one in enumerate(screen.lines) if "delta" in one)]
    assert max(map(cell_len, overview)) <= 80
    # Folded, not cut off: of long names the ends tell them apart.
    assert "…" not in "".join(overview)
