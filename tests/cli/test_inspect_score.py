"""``agentv inspect score``: kept sessions graded by other assertions, as pytest would."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from agentv_command import run_agentv
from kept_runs import answer, case_of, three_clients
from runs import MadeCase, make_run, score

from pytest_agentv.results.model import Figures
from pytest_agentv.results.places import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from agentv_command import InProcess, Outcome


def verdicts(printed: Outcome) -> dict[str, dict[str, str]]:
    cases: list[dict[str, Any]] = json.loads(printed.out)["cases"]
    return {case["case"]: {one["name"]: one["verdict"] for one in case["scores"]} for case in cases}


def specs(*texts: str) -> list[str]:
    return [part for text in texts for part in ("--assert", text)]


LOGIN = ["--test", "login-limit"]


def test_sessions_are_graded_by_assertions_as_they_are_typed(agentv: InProcess, work: Path) -> None:
    three_clients(work / ROOT)

    printed = agentv(
        "inspect", "score", "latest", *LOGIN, "-f", "json",
        *specs("contains: Retry-After", "not-is-json", "latency: {max_ms: 90000}", "cost: 1"),
    )  # fmt: skip

    assert (printed.code, printed.err) == (1, "")
    assert verdicts(printed)["login-limit[claude-cli]"] == (
        {"contains-Retry-After": "pass", "not-is-json": "pass", "latency": "fail", "cost-1": "skip"}
    )
    assert verdicts(printed)["login-limit[codex-cli]"] == (
        {"contains-Retry-After": "fail", "not-is-json": "pass", "latency": "pass", "cost-1": "skip"}
    )
    case = json.loads(printed.out)["cases"][0]
    assert (case["test_id"], case["target"], case["outcome"]) == (
        "login-limit", "claude-cli", "failed",
    )  # fmt: skip
    assert case["score"] == pytest.approx(2 / 3)


# Every group of types: AgentV's own command knows no tools, no structures, no sets.
EVERY_KIND = [
    "icontains-any: [limit, nothing]",
    "{type: regex, value: 'RATE_\\w+', in: transcript}",
    "{type: tool-trajectory, mode: in_order, expected: [{tool: edit}, {tool: shell}]}",
    "{type: command-run, value: 'npm test*'}",
    "not-command-run: 'git push*'",
    "{type: tool-errors, max: 5}",
    "trajectory:tool-used: shell",
    "{type: execution-metrics, max_tool_calls: 100}",
    "{type: token-usage, max_total: 10000000}",
    "{type: assert-set, assert: [{icontains: limit}, {not-contains: nonsense}]}",
]


def test_every_kind_of_assertion_can_be_used_for_every_client(
    agentv: InProcess, work: Path
) -> None:
    three_clients(work / ROOT)

    printed = agentv("inspect", "score", "latest", *LOGIN, "-f", "json", *specs(*EVERY_KIND))

    found = verdicts(printed)
    assert len(found) == 3
    assert {
        (case, name): verdict
        for case, every in found.items()
        for name, verdict in every.items()
        if verdict != "pass"
    } == {}
    assert printed.code == 0


def test_the_table_says_what_was_found(agentv: InProcess, work: Path) -> None:
    three_clients(work / ROOT)

    printed = agentv("inspect", "score", "latest", *LOGIN, *specs("contains: Retry-After"))

    header, *lines, last = printed.out.splitlines()
    assert header.split() == ["case", "verdict", "assertion", "score", "found"]
    assert [line.split()[:4] for line in lines] == [
        ["login-limit[claude-cli]", "pass", "contains-Retry-After", "1.00"],
        ["login-limit[codex-cli]", "fail", "contains-Retry-After", "0.00"],
        ["login-limit[copilot-cli]", "pass", "contains-Retry-After", "1.00"],
    ]
    assert lines[1].endswith("not found in 159 characters")
    assert last == "3 assertions: 2 passed, 1 failed"


def test_the_tests_of_an_eval_file_grade_the_cases_with_their_ids(
    agentv: InProcess, work: Path
) -> None:
    three_clients(work / ROOT)
    (work / "other.eval.yaml").write_text(
        "tests:\n"
        "  - id: login-limit\n"
        "    threshold: 0.5\n"
        "    assert: [{contains: Retry-After}, {contains: nonsense}]\n"
        "  - id: another\n"
        "    assert: [{contains: a}]\n",
        encoding="utf-8",
    )

    printed = agentv("inspect", "score", "latest", "--file", "other.eval.yaml", "-f", "json")

    assert printed.code == 1
    assert printed.err == "agentv: 2 cases left out: other.eval.yaml has no such test\n"
    assert verdicts(printed)["login-limit[claude-cli]"] == (
        {"contains-Retry-After": "pass", "contains-nonsense": "soft", "score": "pass"}
    )
    assert verdicts(printed)["login-limit[codex-cli]"]["score"] == "fail"


def test_the_judge_that_an_eval_file_names_is_asked(agentv: InProcess, work: Path) -> None:
    three_clients(work / ROOT)
    (work / "other.eval.yaml").write_text(
        "defaults: {grader: openai:judge-1}\n"
        "tests:\n"
        "  - id: login-limit\n"
        "    assert: [It is polite]\n",
        encoding="utf-8",
    )

    arguments = ("--file", "other.eval.yaml", "--judge", "cached", "-f", "json")
    printed = agentv("inspect", "score", "latest", *arguments)

    (score,) = json.loads(printed.out)["cases"][0]["scores"]
    assert score["verdict"] == "skip"
    assert score["reason"].endswith("no verdict in the cache, and only the cache is asked")
    assert "no judge is set up" not in score["reason"]


def test_a_known_failure_of_an_eval_file_is_shown_and_excused(
    agentv: InProcess, work: Path
) -> None:
    make_run(work / ROOT, [case_of(answer("nothing"), test_id="a")])
    (work / "x.eval.yaml").write_text(
        "tests: [{id: a, xfail: a known bug, assert: [{contains: JWT}]}]\n", encoding="utf-8"
    )

    printed = agentv("inspect", "score", "latest", "--file", "x.eval.yaml")

    assert printed.code == 0
    assert "fail (xfail)" in printed.out


def test_a_session_that_was_not_kept_is_an_error(agentv: InProcess, work: Path) -> None:
    make_run(work / ROOT, [MadeCase()])

    printed = agentv("inspect", "score", "latest", *specs("contains: a", "not-contains: a"))

    assert printed.code == 1
    assert printed.out.splitlines()[-1] == "2 assertions: 2 errors"
    assert "its transcript was not kept" in printed.out


def test_a_test_that_is_skipped_needs_no_session_that_was_kept(
    agentv: InProcess, work: Path
) -> None:
    make_run(work / ROOT, [MadeCase(test_id="a"), MadeCase(test_id="b")])
    (work / "x.eval.yaml").write_text(
        "tests:\n"
        "  - {id: a, skip: not yet, assert: [{contains: JWT}]}\n"
        "  - {id: b, threshold: 0.5, assert: [{contains: JWT, weight: 3, required: true}]}\n",
        encoding="utf-8",
    )

    skipped = agentv("inspect", "score", "latest", "--file", "x.eval.yaml", "--test", "a", "--json")
    printed = agentv("inspect", "score", "latest", "--file", "x.eval.yaml", "--json")

    assert (skipped.code, verdicts(skipped)) == (0, {"a[claude-cli]": {"contains-JWT": "skip"}})
    assert printed.code == 1
    assert verdicts(printed)["b[claude-cli]"] == {"contains-JWT": "error", "score": "error"}
    (lost, _) = json.loads(printed.out)["cases"][1]["scores"]
    assert (lost["weight"], lost["required"], lost["line"]) == (3.0, True, 3)


def test_where_there_was_no_session_there_is_nothing_to_grade(
    agentv: InProcess, work: Path
) -> None:
    skipped = MadeCase(test_id="later", target=None, scores=(score("holds", "skip", reason="no"),))
    make_run(work / ROOT, [case_of(answer("a")), skipped])

    printed = agentv("inspect", "score", *specs("contains: a"), "--json")

    assert printed.code == 0
    assert verdicts(printed) == {
        "adds-jwt[claude-cli]": {"contains-a": "pass"},
        "later": {"contains-a": "skip"},
    }


def test_without_a_session_the_score_of_a_test_is_skipped_too(
    agentv: InProcess, work: Path
) -> None:
    make_run(work / ROOT, [MadeCase(test_id="b", target=None, scores=(score("holds", "skip"),))])
    (work / "x.eval.yaml").write_text(
        "tests:\n  - {id: b, threshold: 0.5, assert: [{contains: JWT, weight: 3}]}\n",
        encoding="utf-8",
    )

    printed = agentv("inspect", "score", "latest", "--file", "x.eval.yaml", "--json")

    assert (printed.code, verdicts(printed)) == (
        0,
        {"b": {"contains-JWT": "skip", "score": "skip"}},
    )
    (contains, _) = json.loads(printed.out)["cases"][0]["scores"]
    assert (contains["weight"], contains["line"]) == (3.0, 2)


def test_what_cannot_be_graded_is_an_error_and_not_a_failure(agentv: InProcess, work: Path) -> None:
    make_run(work / ROOT, [case_of(answer("a" * 40))])
    runaway = "{type: not-regex, value: '(a|a)+$b'}"

    printed = agentv("inspect", "score", "latest", *specs(runaway), "-f", "json")

    assert printed.code == 1
    (scores,) = (case["scores"] for case in json.loads(printed.out)["cases"])
    assert (scores[0]["verdict"], scores[0]["score"]) == ("error", None)
    assert "took longer than" in scores[0]["reason"]


def test_what_the_run_knew_of_the_cost_is_known_still(agentv: InProcess, work: Path) -> None:
    make_run(work / ROOT, [case_of(answer("a"), figures=Figures(cost_usd=0.25))])

    printed = agentv("inspect", "score", "latest", *specs("cost: 0.2", "cost: 0.3"), "-f", "json")

    assert verdicts(printed) == {"adds-jwt[claude-cli]": {"cost-0.2": "fail", "cost-0.3": "pass"}}


def test_the_same_assertion_twice_has_two_names(agentv: InProcess, work: Path) -> None:
    make_run(work / ROOT, [case_of(answer("a"))])

    printed = agentv(
        "inspect", "score", "latest", *specs("contains: a", "contains: a"), "-f", "json"
    )

    assert verdicts(printed) == {
        "adds-jwt[claude-cli]": {"contains-a": "pass", "contains-a-2": "pass"}
    }


def test_scripts_can_be_forbidden(agentv: InProcess, work: Path) -> None:
    make_run(work / ROOT, [case_of(answer("a"))])
    script = "{type: script, command: [touch, was-run]}"

    printed = agentv("inspect", "score", "latest", "--no-scripts", *specs(script), "-f", "json")

    assert verdicts(printed) == {"adds-jwt[claude-cli]": {"script-touch-was-run": "skip"}}
    assert not (work / "was-run").exists()


def test_nothing_is_written(agentv: InProcess, work: Path) -> None:
    three_clients(work / ROOT)
    before = {path: path.read_bytes() for path in work.rglob("*") if path.is_file()}

    agentv("inspect", "score", "latest", *specs("contains: a"))

    assert {path: path.read_bytes() for path in work.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        ([], 2, "agentv: give assertions by --assert or by --file."),
        (["--file", "x.eval.yaml", "-a", "is-json"], 2, "agentv: give assertions by"),
        (["-a", "contians: JWT"], 1, "unknown assertion type 'contians'; did you mean"),
        (["-a", "contains: [1]"], 1, "agentv: --assert:1:"),
        (["-a", "{contains: {{ env.HOME }}}"], 1, "agentv: --assert:1:"),
        (["-a", "is-json", "--test", "nothing"], 1, "no case of "),
        (["--file", "missing.eval.yaml"], 1, "missing.eval.yaml"),
        (["--file", "x.eval.yaml"], 1, "none of its tests has a case in run "),
        (["--file", "env.eval.yaml"], 1, "env.eval.yaml:1:"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_a_sentence(
    agentv: InProcess, work: Path, options: list[str], code: int, message: str
) -> None:
    three_clients(work / ROOT)
    other = "tests: [{id: other, assert: [{contains: a}]}]\n"
    (work / "x.eval.yaml").write_text(other, encoding="utf-8")
    (work / "env.eval.yaml").write_text(other.replace(": a}", ": '{{ env.HOME }}'}"), "utf-8")

    printed = agentv("inspect", "score", "latest", *options)

    assert (printed.code, printed.out) == (code, "")
    assert message in printed.err
    assert printed.err.count("\n") == 1


def test_graders_of_plugins_can_be_used(agentv: InProcess, work: Path, tmp_path: Path) -> None:
    del agentv  # for the home
    make_run(work / ROOT, [case_of(answer("short"))])
    site = tmp_path / "site"
    (site / "brief_evals-1.0.dist-info").mkdir(parents=True)
    (site / "brief_evals-1.0.dist-info" / "METADATA").write_text(
        "Name: brief-evals\nVersion: 1.0\n"
    )
    (site / "brief_evals-1.0.dist-info" / "entry_points.txt").write_text(
        "[agentv]\nbrief = brief_evals\n"
    )
    (site / "brief_evals.py").write_text(
        "from pytest_agentv import assertion, hookimpl\n\n\n"
        '@assertion("is-brief")\n'
        "def is_brief(transcript, value=10):\n"
        "    return len(transcript.final_answer) < value\n\n\n"
        "@hookimpl\n"
        "def agentv_graders():\n"
        "    return [is_brief]\n"
    )

    printed = run_agentv(
        "inspect", "score", "latest", *specs("is-brief", "is-brief: 3"), "-f", "json",
        cwd=work, PYTHONPATH=str(site),
    )  # fmt: skip

    assert printed.code == 1, printed.err
    assert verdicts(printed) == {"adds-jwt[claude-cli]": {"is-brief": "pass", "is-brief-3": "fail"}}
