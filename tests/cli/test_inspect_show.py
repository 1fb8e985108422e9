"""``agentv inspect show``: the cases of a run, chosen and in full."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from agentv_command import UNPRINTABLE
from kept_runs import agentv_4_rows, answer, case_of, session, three_clients
from made_calls import made
from runs import MadeCase, make_run, score

from pytest_agentv import Message
from pytest_agentv.results.model import Figures
from pytest_agentv.results.places import INDEX, ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from agentv_command import InProcess, Outcome


def shown(printed: Outcome) -> list[dict[str, Any]]:
    assert printed.code == 0, printed.err
    cases: list[dict[str, Any]] = json.loads(printed.out)["cases"]
    return cases


def names(printed: Outcome) -> list[str]:
    return [one["case"] for one in shown(printed)]


def test_the_latest_run_is_shown_with_what_does_not_hold(agentv: InProcess, work: Path) -> None:
    make_run(work / ROOT, [MadeCase(test_id="older")])
    run = three_clients(work / ROOT)

    printed = agentv("inspect", "show")

    assert (printed.code, printed.err) == (0, "")
    title, header, *lines, last = printed.out.splitlines()
    assert title == f"Run {run.summary.run_id}"
    assert header.split()[:5] == ["suite", "case", "outcome", "score", "time"]
    assert [line.split()[1:4] for line in lines] == [
        ["adds-jwt[claude-cli]", "error", "-"],
        ["login-limit[claude-cli]", "passed", "1.00"],
        ["login-limit[codex-cli]", "failed", "0.50"],
        ["login-limit[copilot-cli]", "passed", "1.00"],
        ["rotates-keys", "skipped", "-"],
    ]
    assert lines[2].endswith("contains-Retry-After: not found")
    assert lines[0].endswith("own-check: KeyError: 'x'")
    assert lines[4].endswith("no transcript was given")
    assert last == "5 cases: 2 passed, 1 failed, 1 error, 1 skipped"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--status", "error"], ["adds-jwt[claude-cli]"]),
        (["--status", "skipped"], ["rotates-keys"]),
        (["--status", "failed", "--status", "error"],
         ["adds-jwt[claude-cli]", "login-limit[codex-cli]"]),
        (["--test", "login-limit", "--target", "co*"],
         ["login-limit[codex-cli]", "login-limit[copilot-cli]"]),
        (["--test-id", "*-jwt"], ["adds-jwt[claude-cli]"]),
        (["--suite", "tokens"], ["adds-jwt[claude-cli]", "rotates-keys"]),
        (["--case", "login-limit[codex-cli]"], ["login-limit[codex-cli]"]),
        # Kinds of tools, native names, and globs of either.
        (["--tool", "shell", "--test", "login-limit"],
         ["login-limit[claude-cli]", "login-limit[codex-cli]", "login-limit[copilot-cli]"]),
        (["--tool", "Bash", "--test", "login-limit"], ["login-limit[claude-cli]"]),
        (["--tool", "exec_*", "--test", "login-limit"], ["login-limit[codex-cli]"]),
    ],
)  # fmt: skip
def test_cases_can_be_chosen(
    agentv: InProcess, work: Path, options: list[str], expected: list[str]
) -> None:
    three_clients(work / ROOT)

    assert names(agentv("inspect", "show", *options, "--format", "json")) == expected


def test_what_tools_were_called_is_unknown_without_a_transcript(
    agentv: InProcess, work: Path
) -> None:
    none = Figures(tool_calls=0)
    make_run(work / ROOT, [MadeCase(test_id="a"), MadeCase(test_id="b", figures=none)])

    printed = agentv("inspect", "show", "--tool", "Bash")

    assert printed.code == 1
    assert printed.err == "agentv: 1 case left out: what tools they called was not kept\n"


def test_that_no_case_fits_is_said(agentv: InProcess, work: Path) -> None:
    run = three_clients(work / ROOT)

    printed = agentv("inspect", "show", "--test", "nothing", "--status", "failed")

    assert (printed.code, printed.out) == (1, "")
    wanted = "--test nothing --status failed"
    assert printed.err == f"agentv: no case of {run.summary.run_id} fits {wanted}\n"


def test_a_single_case_is_shown_in_full(agentv: InProcess, work: Path) -> None:
    run = three_clients(work / ROOT)

    printed = agentv("inspect", "show", "latest", "--target", "codex-cli")

    facts = dict(line.split(maxsplit=1) for line in printed.out.split("\n\n")[0].splitlines())
    assert facts["case"] == "login-limit[codex-cli]"
    assert facts["test"] == "evals/auth.eval.yaml:3"
    assert facts["outcome"] == "failed"
    assert facts["prompt"].startswith("Add rate limiting")
    assert agentv("read", facts["transcript"]).code == 0
    assert "time 1m14s, tokens in 215k, tokens out 3,537, cost -," in facts["figures"]
    table = [line.split() for line in printed.out.split("\n\n")[1].splitlines()]
    assert table[0] == ["verdict", "assertion", "score", "weight", "found"]
    assert ["pass", "ran-tests", "1.00", "1", "2", "calls"] in table
    assert ["fail", "contains-Retry-After", "0.00", "1", "not", "found"] in table
    # As pytest says it.
    text = printed.out.split("\n\n")[2]
    assert text.startswith(
        "evals/auth.eval.yaml:9: contains-Retry-After does not hold (codex-cli)\n"
        "  expected: the final answer contains 'Retry-After'\n"
        "  found:    not found\n"
    )
    assert "  at message 21, line 40 of the session:\n  | Done." in text
    assert run.summary.run_id in facts["run"]


def test_json_has_the_whole_rows(agentv: InProcess, work: Path) -> None:
    run = three_clients(work / ROOT)
    stored = [json.loads(line) for line in run.path.read_text("utf-8").splitlines()]

    printed = agentv("inspect", "show", "-f", "json")

    assert shown(printed) == stored
    assert json.loads(printed.out)["run"]["run_id"] == run.summary.run_id


@pytest.mark.parametrize("form", ["id", "beginning", "folder", "file"])
def test_a_run_is_named_in_many_ways(agentv: InProcess, work: Path, form: str) -> None:
    run = three_clients(work / ROOT)
    run_id = run.summary.run_id
    forms: dict[str, str | Path] = {
        "id": run_id,
        "beginning": run_id[:4],
        "folder": run.folder,
        "file": run.path,
    }

    assert len(shown(agentv("inspect", "show", forms[form], "-f", "json"))) == 5


def test_a_name_that_fits_several_runs_is_wrong_usage(agentv: InProcess, work: Path) -> None:
    make_run(work / ROOT, [MadeCase()])
    make_run(work / ROOT, [MadeCase()])

    printed = agentv("inspect", "show", "2")

    assert printed.code == 2
    assert printed.err.startswith("agentv: '2' fits 2 runs: ")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("latest", "there is no run in .agentv/results;"),
        ("2030", "no run '2030'"),
        ("x" * 5_000, "no run 'xxx"),
    ],
)
def test_a_run_that_is_not_there_is_one_sentence(
    agentv: InProcess, work: Path, name: str, message: str
) -> None:
    del work
    printed = agentv("inspect", "show", name)

    assert (printed.code, printed.out) == (1, "")
    assert printed.err.startswith(f"agentv: {message}")
    assert printed.err.count("\n") == 1


def test_rows_of_agentv_are_shown_by_the_same_rule(agentv: InProcess, work: Path) -> None:
    path = agentv_4_rows(work / "theirs" / INDEX)

    printed = agentv("inspect", "show", path)
    failed = agentv("inspect", "show", path, "--status", "error", "-f", "json")

    lines = printed.out.splitlines()
    assert [line.split()[:3] for line in lines[2:5]] == [
        ["one[transcript]", "passed", "0.90"],
        ["two[transcript]", "failed", "0.20"],
        ["three[transcript]", "error", "0.00"],
    ]
    assert lines[3].endswith("Mentions JWT: it does not")
    assert lines[4].endswith("the provider timed out")
    assert names(failed) == ["three[transcript]"]


def test_an_expected_failure_is_a_failure_and_says_why_it_is_excused(
    agentv: InProcess, work: Path
) -> None:
    known = score("contains-JWT", "fail", reason="not found", excused="xfail")
    make_run(work / ROOT, [MadeCase(scores=(known,)), MadeCase(test_id="b")])

    printed = agentv("inspect", "show")

    assert "contains-JWT (xfail): not found" in printed.out
    assert printed.out.splitlines()[-1] == "2 cases: 1 passed, 1 failed, 0 errors, 0 skipped"


def test_what_is_soft_does_not_make_a_case_fail(agentv: InProcess, work: Path) -> None:
    scores = (score("a", "soft"), score("score", type="score"))
    make_run(work / ROOT, [MadeCase(scores=scores)])

    (case,) = shown(agentv("inspect", "show", "-f", "json"))
    (listed,) = json.loads(agentv("inspect", "list", "-f", "json").out)["runs"]
    stats = json.loads(agentv("inspect", "stats", "-f", "json").out)["groups"][0]

    assert (case["outcome"], listed["passed"], stats["passed"]) == ("passed", 1, 1)


def test_an_incomplete_run_says_so(agentv: InProcess, work: Path) -> None:
    run = make_run(work / ROOT, [MadeCase()], complete=False)

    printed = agentv("inspect", "show")

    assert printed.code == 0
    assert printed.err == (
        f"agentv: run {run.summary.run_id} is incomplete: it ended before all was graded\n"
    )


def test_a_case_that_its_run_did_not_finish_is_an_error(agentv: InProcess, work: Path) -> None:
    halves = (score("a"), score("b", "soft"))
    run = make_run(
        work / ROOT,
        [MadeCase(), MadeCase(test_id="half", scores=halves, ungraded=1)],
        complete=False,
    )
    why = "the run broke off: 2 of 3 assertions were graded"
    printed = agentv("inspect", "show", run.summary.run_id)
    assert "half[claude-cli]      error" in printed.out
    assert why in " ".join(printed.out.split())
    assert "2 cases: 1 passed, 0 failed, 1 error, 0 skipped" in printed.out
    (case,) = shown(agentv("inspect", "show", "--test", "half", "--format", "json"))
    assert (case["outcome"], case["error"], case["ungraded"]) == ("error", why, 1)


def test_a_thousand_cases_are_shown(agentv: InProcess, work: Path) -> None:
    make_run(work / ROOT, [MadeCase(test_id=f"t{number}") for number in range(1_000)])

    printed = agentv("inspect", "show")

    assert printed.out.splitlines()[-1].startswith("1000 cases: 1000 passed")


HOSTILE = "\x1b]0;owned\x07 ::error::x \u202e ##[group] \x9b31m\r\n::warning::y"


@pytest.mark.parametrize("options", [[], ["--test", "one"], ["--tree"], ["--format", "json"]])
@pytest.mark.parametrize("columns", ["", "40"])
def test_nothing_of_a_session_steers_the_terminal(
    agentv: InProcess,
    work: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: list[str],
    columns: str,
) -> None:
    call = made(f"Bash{HOSTILE}", {"command": HOSTILE}, output=HOSTILE, exit_code=1)
    message = Message(role="assistant", content=HOSTILE, thinking=HOSTILE, tool_calls=(call,))
    agent = Message(role="assistant", content=HOSTILE, agent_id=HOSTILE)
    broken = score(HOSTILE, "fail", reason=HOSTILE, claim=HOSTILE, details=HOSTILE)
    cases = [
        case_of(session(message, agent, input=HOSTILE), test_id="one", scores=(broken,)),
        case_of(answer(HOSTILE, session_id=HOSTILE), test_id=HOSTILE, suite=HOSTILE),
    ]
    make_run(work / ROOT, cases)
    monkeypatch.setenv("COLUMNS", columns)

    printed = agentv("inspect", "show", *options)

    assert printed.code == 0
    assert UNPRINTABLE.findall(printed.out + printed.err) == []
    assert "##[group]" not in printed.out
    assert not any(line.lstrip().startswith("::") for line in printed.out.splitlines())


@pytest.mark.parametrize("path", ["../../secret.jsonl", "/etc/hostname"])
def test_a_foreign_row_cannot_make_it_read_other_files(
    agentv: InProcess, work: Path, path: str
) -> None:
    (work / "secret.jsonl").write_text("{}", encoding="utf-8")
    row = {"test_id": "a", "target": "x", "transcript_path": path, "score": 1}
    (work / "r").mkdir()
    (work / "r" / INDEX).write_text(json.dumps(row), encoding="utf-8")

    printed = agentv("inspect", "show", "r", "--tree")

    assert printed.code == 0
    assert "lies outside of the run" in printed.out


@pytest.mark.parametrize("content", ["", "\n", "no json", "[]", "{}", '{"test_id": 1.5}', "\udcff"])
def test_a_file_that_holds_no_results_is_one_sentence(
    agentv: InProcess, work: Path, content: str
) -> None:
    (work / "odd.jsonl").write_bytes(content.encode("utf-8", "surrogateescape"))

    printed = agentv("inspect", "show", "odd.jsonl")

    assert (printed.code, printed.out) == (1, "")
    assert printed.err.startswith("agentv: odd.jsonl")
    assert printed.err.count("\n") == 1
