"""Runs of pytest on eval files: a project to put them into, sessions, and what became of them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from textwrap import dedent, indent
from typing import TYPE_CHECKING, Any

import pytest

# pytester forgets modules that a run loads, and some that are written in C cannot be loaded twice.
import pytest_agentv.cli.validate
import pytest_agentv.pytest_baseline
import pytest_agentv.pytest_fixtures
import pytest_agentv.pytest_hooks
import pytest_agentv.pytest_reporting
import pytest_agentv.report.github
import pytest_agentv.report.summary  # noqa: F401
from pytest_agentv.graders.catalogue import builtin_graders

builtin_graders()

if TYPE_CHECKING:
    from pathlib import Path

PLUGIN = ("-p", "pytest_agentv.pytest_plugin")
WORKERS = ("-p", "xdist.plugin", "-n", "2")
# A warning is an error, but that our plugin is loaded already: so it is in this process.
_STRICT = ("-W", "error", "-W", "ignore:Module already imported:pytest.PytestAssertRewriteWarning")
SESSION_ID = "0763061e-9c91-4dee-9373-3bd69c817fd4"
# The mildest first.
_OUTCOMES = ("passed", "xpassed", "skipped", "xfailed", "failed", "error")


def recorded(
    answer: str = "Done.",
    *,
    provider: str = "claude-cli",
    session_id: str | None = SESSION_ID,
    test_id: str | None = None,
    model: str = "claude-opus-4-6",
    **fields: Any,
) -> dict[str, Any]:
    """A transcript of one prompt and one answer, as plain JSON."""
    return {
        "schema_version": "1.0",
        "test_id": test_id,
        "source": {"provider": provider, "session_id": session_id, "model": model},
        "input": "Do it",
        "output": [
            {"role": "user", "origin": "human", "content": "Do it", "line": 3},
            {"role": "assistant", "content": answer, "line": 5},
        ],
        **fields,
    }


def one_test(*assertions: str, test: str = "") -> str:
    """An eval file with one test, whose first assertion stands on line 4 if ``test`` is empty."""
    more = indent(f"{test}\n", "    ") if test else ""
    entries = "".join(indent(f"- {one}\n", "      ") for one in assertions)
    return f"tests:\n  - id: one\n{more}    assert:\n{entries}"


@dataclass(eq=False)
class EvalRun:
    """What became of a run; also the plugin that listens to it."""

    code: int = -1
    text: str = ""
    errors: str = ""
    # By node id.
    outcomes: dict[str, str] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    lines: dict[str, int | None] = field(default_factory=dict)
    properties: dict[str, dict[str, Any]] = field(default_factory=dict)
    # Why something could not be collected, by its node id.
    problems: dict[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        outcome = _outcome(report)
        known = self.outcomes.get(report.nodeid, "passed")
        if _OUTCOMES.index(outcome) >= _OUTCOMES.index(known):
            self.outcomes[report.nodeid] = outcome
            self.lines[report.nodeid] = report.location[1]
            self.properties[report.nodeid] = dict(report.user_properties)
            if outcome != "passed":
                self.texts[report.nodeid] = _text(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.problems[report.nodeid] = report.longreprtext

    def pytest_warning_recorded(self, warning_message: Any) -> None:
        self.warnings.append(str(warning_message.message))

    @property
    def by_name(self) -> dict[str, str]:
        """The outcomes by the names of the assertions alone."""
        return {nodeid.rpartition("::")[2]: one for nodeid, one in self.outcomes.items()}

    @property
    def text_of(self) -> dict[str, str]:
        """The texts by the names of the assertions alone."""
        return {nodeid.rpartition("::")[2]: one for nodeid, one in self.texts.items()}


def _outcome(report: pytest.TestReport) -> str:
    if report.failed:
        return "failed" if report.when == "call" else "error"
    if hasattr(report, "wasxfail"):
        return "xfailed" if report.skipped else "xpassed"
    return report.outcome


def _text(report: pytest.TestReport) -> str:
    if hasattr(report, "wasxfail"):
        return str(report.wasxfail).removeprefix("reason: ")  # as pytest 8.0 writes it
    if isinstance(report.longrepr, tuple):
        return str(report.longrepr[2])
    text = report.longreprtext
    # pytest-xdist first says which worker it was.
    return text.partition("\n")[2] if hasattr(report, "node") else text


def _line(session: dict[str, Any]) -> str:
    # Escaped, so that any text can be written, also one that is no Unicode.
    return json.dumps(session, separators=(",", ":")) + "\n"


class EvalProject:
    """A folder with eval files, sessions and conftest.py files, and pytest to run there."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.path = pytester.path
        self._pytester = pytester
        self.ini()

    def ini(self, *lines: str) -> None:
        self.write("pytest.ini", "\n".join(["[pytest]", *lines, ""]))

    def write(self, name: str, content: str | bytes) -> Path:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(dedent(content).encode() if isinstance(content, str) else content)
        return path

    def conftest(self, code: str, *, folder: str = ".") -> None:
        self.write(f"{folder}/conftest.py", code)

    def eval_file(self, content: str, *, name: str = "a.eval.yaml") -> Path:
        return self.write(name, content)

    def assertions(self, *assertions: str, test: str = "", name: str = "a.eval.yaml") -> Path:
        """An eval file with one test."""
        return self.write(name, one_test(*assertions, test=test))

    def sessions(self, *sessions: dict[str, Any], name: str = "t.jsonl") -> Path:
        """A file of transcripts."""
        return self.write(name, "".join(_line(one) for one in sessions).encode())

    def run(self, *arguments: str | Path) -> EvalRun:
        """Run pytest in this process; a warning of ours would be an error."""
        run = EvalRun()
        result = self._pytester.runpytest_inprocess(
            *PLUGIN, *_STRICT, *map(str, arguments), plugins=[run]
        )
        run.code, run.text, run.errors = int(result.ret), result.stdout.str(), result.stderr.str()
        return run

    def run_apart(self, *arguments: str | Path) -> EvalRun:
        """Run pytest in a process of its own; only what it printed is known of it."""
        result = self._pytester.runpytest_subprocess(*PLUGIN, *map(str, arguments))
        return EvalRun(int(result.ret), result.stdout.str(), result.stderr.str())

    def grade(self, *arguments: str | Path) -> EvalRun:
        """Run pytest on the sessions of ``t.jsonl``."""
        return self.run("--transcript=t.jsonl", *arguments)

    def collected(self, *arguments: str | Path) -> list[str]:
        """The node ids that ``--collect-only -q`` lists."""
        run = self.run("--collect-only", "-q", *arguments)
        return [line for line in run.text.splitlines() if "::" in line]
