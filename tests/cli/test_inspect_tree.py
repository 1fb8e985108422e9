"""``agentv inspect show --tree``: a session as a tree, each call with its own figures."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from kept_runs import case_of, session
from made_calls import made, ran
from runs import MadeCase, make_run, score

from pytest_agentv import Message, Usage
from pytest_agentv.results.model import Place
from pytest_agentv.results.places import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from agentv_command import InProcess

    from pytest_agentv import Transcript

TASK = made("Task", {"prompt": "Look at the routes"}, id="t1", duration_ms=61_000)
AUDIT = session(
    Message(role="user", origin="human", content="Audit\nthe routes", line=1),
    Message(
        role="assistant",
        content="I ask others.",
        line=2,
        usage=Usage(input=15_000, output=310),
        tool_calls=(
            TASK,
            ran("npm test", exit_code=1, status="error", duration_ms=900),
            ran("npm start", status="unknown"),
        ),
    ),
    Message(role="user", origin="injected", content="Look at the routes", agent_id="t1"),
    Message(
        role="assistant",
        content="Found.",
        agent_id="t1",
        tool_calls=(made("Read", {"file_path": "/src/a.ts"}, duration_ms=45),),
    ),
    Message(role="assistant", content="Done.", line=9, usage=Usage(output=5)),
    duration_ms=120_000,
)


def keep(work: Path, transcript: Transcript) -> None:
    where = (Place(message=2, line=2),)
    scores = (score("ran-tests"), score("quick", "fail", reason="too long", evidence=where))
    make_run(work / ROOT, [case_of(transcript, test_id="audit", scores=scores)])


def test_a_session_is_shown_as_a_tree(agentv: InProcess, work: Path) -> None:
    keep(work, AUDIT)

    printed = agentv("inspect", "show", "--test", "audit", "--tree")

    assert (printed.code, printed.err) == (0, "")
    head, *lines = printed.out.splitlines()
    assert head.startswith("audit[claude-cli]  failed  score 0.50, time 2m00s, tokens in -, ")
    assert lines == [
        "├── #1 user  Audit the routes",
        "├── #2 assistant  15.0k in, 310 out  I ask others.",
        "│   ├── Task  ok  1m01s  Look at the routes",
        "│   │   └── agent t1",
        "│   │       ├── #3 user (injected)  Look at the routes",
        "│   │       └── #4 assistant  - in, - out  Found.",
        "│   │           └── Read  ok  45ms  /src/a.ts",
        "│   ├── Bash  error, exit 1  900ms  npm test",
        "│   └── Bash  unknown  -  npm start",
        "├── #5 assistant  - in, 5 out  Done.",
        "└── scores: 0.50",
        "    ├── pass  1.00  ran-tests",
        "    └── fail  0.00  quick: too long (at #2)",
    ]


def test_the_tree_as_json(agentv: InProcess, work: Path) -> None:
    keep(work, AUDIT)

    printed = agentv("inspect", "show", "--tree", "--format", "json")

    (case,) = json.loads(printed.out)["cases"]
    first, second, last = case["tree"]
    assert (first["message"], first["role"], first["usage"]) == (1, "user", None)
    task, failing, unknown = second["calls"]
    assert (task["duration_ms"], failing["duration_ms"], unknown["duration_ms"]) == (
        61_000,
        900,
        None,
    )
    assert (failing["status"], failing["exit_code"]) == ("error", 1)
    (agent,) = task["agents"]
    assert agent["agent_id"] == "t1"
    assert [one["message"] for one in agent["messages"]] == [3, 4]
    assert (last["message"], last["usage"]) == (5, {"output": 5})


def long_session(calls: int) -> Transcript:
    steps = (
        Message(role="assistant", content=f"step {number}", tool_calls=(ran(f"make {number}"),))
        for number in range(calls)
    )
    return session(Message(role="user", origin="human", content="Go"), *steps)


def test_of_a_long_session_both_ends_are_shown(agentv: InProcess, work: Path) -> None:
    keep(work, long_session(10_000))

    printed = agentv("inspect", "show", "--tree")

    lines = printed.out.splitlines()
    assert len(lines) < 400
    assert "  step 0" in printed.out
    assert "  step 9999" in printed.out
    assert "├── … 9851 messages left out; --all shows them" in lines


def test_all_of_a_long_session_can_be_had(agentv: InProcess, work: Path) -> None:
    keep(work, long_session(500))

    printed = agentv("inspect", "show", "--tree", "--all")

    assert "left out" not in printed.out
    assert [f"  step {number}" in printed.out for number in range(500)] == [True] * 500


def test_of_many_calls_of_one_message_the_first_are_shown(agentv: InProcess, work: Path) -> None:
    calls = tuple(ran(f"make {number}") for number in range(60))
    keep(work, session(Message(role="assistant", content="All at once", tool_calls=calls)))

    printed = agentv("inspect", "show", "--tree")

    assert "make 49" in printed.out
    assert "make 50" not in printed.out
    assert "└── … 10 calls left out; --all shows them" in printed.out


def test_long_texts_are_on_one_line_and_cut_off(agentv: InProcess, work: Path) -> None:
    keep(work, session(Message(role="assistant", content="line\n" * 10_000)))

    lines = agentv("inspect", "show", "--tree").out.splitlines()

    assert max(map(len, lines)) < 400
    assert "line line line" in lines[1]
    assert lines[1].endswith("…")


@pytest.mark.parametrize("columns", [40, 80])
def test_lines_keep_within_the_screen(
    agentv: InProcess, work: Path, monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    keep(work, session(Message(role="assistant", content="word " * 100, tool_calls=(TASK,))))
    monkeypatch.setenv("COLUMNS", str(columns))

    lines = agentv("inspect", "show", "--tree").out.splitlines()

    assert max(map(len, lines)) <= columns
    assert any(line.startswith("├── #1 assistant  - in, - out  word") for line in lines)


def test_a_session_that_was_not_kept_is_said_in_its_tree(agentv: InProcess, work: Path) -> None:
    make_run(work / ROOT, [MadeCase()])

    printed = agentv("inspect", "show", "--tree")
    as_json = json.loads(agentv("inspect", "show", "--tree", "-f", "json").out)

    assert printed.code == 0
    assert "├── adds-jwt[claude-cli]: its transcript was not kept" in printed.out
    assert as_json["cases"][0]["tree"] is None


def test_trees_of_many_cases_are_limited(agentv: InProcess, work: Path) -> None:
    make_run(work / ROOT, [MadeCase(test_id=f"t{number}") for number in range(25)])

    some = agentv("inspect", "show", "--tree")
    every = agentv("inspect", "show", "--tree", "--all")

    assert some.out.count("scores: 1.00") == 20
    assert some.err == "agentv: 5 more cases not shown; --all shows them\n"
    assert (every.out.count("scores: 1.00"), every.err) == (25, "")
