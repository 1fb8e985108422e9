"""Who watches a run is told which judge is waited for, and nobody else is."""

from __future__ import annotations

import re
import sys
import threading
from typing import TYPE_CHECKING

import pytest
from eval_runs import PLUGIN, WORKERS
from judge_runs import ASKED
from judge_server import Until, met
from planted_secrets import Planter
from screens import screen_after
from terminal import COMMAND, on_terminal

if TYPE_CHECKING:
    from eval_runs import EvalProject
    from judge_server import JudgeServer

PYTEST = (sys.executable, "-m", "pytest", *PLUGIN)
EVAL = (*COMMAND, "eval", *PLUGIN)
GRADE = ("--transcript=t.jsonl", ASKED)
WAITING = "waiting for openai:judge-1 ("


@pytest.fixture
def slow(judged: EvalProject, server: JudgeServer) -> EvalProject:
    """A project whose second judge answers when somebody was told to wait; soon, if nobody is."""
    judged.write(
        "pyproject.toml",
        """\
        [tool.agentv.judge]
        concurrency = 1
        [tool.agentv.prices]
        judge-1 = {input = 100, output = 1000}
        """,
    )
    # A moment is enough of waiting here.
    judged.conftest("import pytest_agentv.judge.waiting as it\n\nit._PATIENCE = 0.01\n")
    judged.assertions("contains: done", "llm-rubric: First", "llm-rubric: Second", "contains: you")
    server.asked_for = {"Second": Until(threading.Event(), met(1), seconds=0.3)}
    return judged


@pytest.mark.parametrize(
    ("command", "options"),
    [
        pytest.param(PYTEST, (), id="pytest"),
        pytest.param(PYTEST, ("-v",), id="verbose"),
        pytest.param(PYTEST, ("-s",), id="not-captured"),
        pytest.param(EVAL, (), id="agentv-eval"),
    ],
)
def test_a_terminal_shows_what_is_waited_for_until_it_is_there(
    slow: EvalProject, server: JudgeServer, command: tuple[str, ...], options: tuple[str, ...]
) -> None:
    told = threading.Event()
    server.asked_for = {"Second": Until(told, met(1))}

    def watch(written: bytes) -> None:
        if b"1 of 2 answered, 0.2000 USD): Second" in written:
            told.set()

    screen = on_terminal([*GRADE, *options], cwd=slow.path, command=command, watch=watch)

    assert screen.code == 0
    assert told.is_set()
    assert WAITING in screen.raw
    lines = screen_after(screen.raw)
    assert [line for line in lines if "waiting" in line] == [], "it is wiped away"
    assert any("4 passed" in line for line in lines)
    if options == ("-v",):
        outcomes = [line.split() for line in lines if line.startswith("a.eval.yaml::")]
        assert [(one[1], one[2:]) for one in outcomes] == [
            ("PASSED", ["[", f"{share}%]"]) for share in (25, 50, 75)
        ] + [("PASSED", ["[100%]"])]
    else:
        dots = next(line for line in lines if line.startswith("a.eval.yaml"))
        # pytest shows no share of what is not captured.
        share = "" if options == ("-s",) else " " * 57 + "[100%]"
        assert dots == f"a.eval.yaml ....{share}"


@pytest.mark.parametrize(
    ("options", "ci", "term"),
    [
        pytest.param(["-qq"], "", "xterm", id="quiet"),
        pytest.param([], "true", "xterm", id="CI"),
        pytest.param([], "", "dumb", id="dumb"),
        pytest.param([*WORKERS], "", "xterm", id="workers"),
    ],
)
def test_nothing_is_shown_where_nobody_wants_it(
    slow: EvalProject, options: list[str], ci: str, term: str
) -> None:
    screen = on_terminal([*GRADE, *options], cwd=slow.path, command=PYTEST, CI=ci, TERM=term)
    assert (screen.code, "waiting" in screen.raw, "\x1b7" in screen.raw) == (0, False, False)


def test_nothing_is_shown_to_a_pipe(slow: EvalProject) -> None:
    screen = on_terminal(GRADE, cwd=slow.path, command=PYTEST, pipe_output=True)
    assert (screen.code, screen.raw, "waiting" in screen.out) == (0, "", False)


def test_what_is_waited_for_is_cut_redacted_and_steers_nothing(
    slow: EvalProject, server: JudgeServer
) -> None:
    planter = Planter()
    text = f"Says {planter.secret()} \\x1b[2J " + "修复登录页面" * 20
    slow.assertions(f'llm-rubric: "{text}"')
    told = threading.Event()
    server.asked_for = {"Says": Until(told, met(1))}

    def watch(written: bytes) -> None:
        if WAITING.encode() in written:
            told.set()

    screen = on_terminal(
        [*GRADE, "--agentv-redact=secrets", "-q"],
        cwd=slow.path,
        columns=100,
        command=PYTEST,
        watch=watch,
    )

    assert screen.code == 0
    lines = [one.partition("\x1b[K")[0] for one in screen.raw.split("\r") if WAITING in one]
    (line,) = {re.sub(r"\d+ s", "N s", one) for one in lines}
    said = r"0 of 1 answered): Says [REDACTED:github-pat] \x1b[2J 修复登录页面…"
    assert line == f"{WAITING}N s, {said}"
    assert planter.leaks(screen.raw) == []
