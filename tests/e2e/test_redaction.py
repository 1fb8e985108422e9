"""``--agentv-redact``: of the secrets that sessions hold, no output of a run says one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from eval_runs import WORKERS, recorded
from planted_secrets import Planter, planted

from pytest_agentv import read_transcripts

if TYPE_CHECKING:
    from pathlib import Path

    from eval_runs import EvalProject

OWN = """\
import logging
import warnings

import pytest
import pytest_agentv

def said(transcript):
    return transcript.output[0].content

@pytest_agentv.assertion("crashes")
def crashes(transcript): raise RuntimeError(said(transcript))

@pytest_agentv.assertion("fails")
def fails(transcript): pytest.fail(said(transcript))

@pytest_agentv.assertion("asserts")
def asserts(transcript): assert said(transcript) == transcript.output[0].thinking

@pytest_agentv.assertion("skips")
def skips(transcript): pytest.skip(said(transcript))

@pytest_agentv.assertion("refuses")
def refuses(transcript): raise pytest_agentv.NotGradable(said(transcript))

@pytest_agentv.assertion("prints")
def prints(transcript):
    print(transcript)
    logging.getLogger("x").error(said(transcript))
    return pytest_agentv.Grade("failed", said(transcript), claim=said(transcript),
                               details=repr(transcript),
                               evidence=(pytest_agentv.Evidence(excerpt=said(transcript)),))

@pytest_agentv.assertion("warns")
def warns(transcript):
    warnings.warn(UserWarning(said(transcript)))
    return True
"""
PLAIN = """\
import pytest

def test_locals(transcript, record_property, record_testsuite_property):
    call = transcript.output[0].tool_calls[0]
    print(call)
    record_property("call", repr(call))
    record_testsuite_property("call", repr(call))
    assert call.output == transcript.input

def test_repr(transcript):
    assert transcript is None

def test_skip(transcript):
    pytest.skip(transcript.input)

def test_expected(transcript):
    pytest.xfail(transcript.input)
"""
ASSERTIONS = (
    "contains: nothing of the kind",
    "{contains: nothing, in: all}",
    "{contains: nothing, in: transcript}",
    "{contains: nothing, in: tool-output}",
    "{contains: nothing, in: thinking}",
    "equals: something else",
    "{type: equals, value: {a: 1}}",
    "{type: is-json}",
    "{type: regex, value: 'no.hit'}",
    "{type: not-regex, value: '[a-z]+', in: transcript}",
    "{type: command-run, value: 'git push'}",
    "{type: not-command-run, value: '*'}",
    "{type: files-read, value: ['none.py']}",
    "{type: tool-trajectory, mode: exact, expected: [{tool: Read, args: {path: x}}]}",
    "{type: tool-errors, max: 0}",
    "{type: cost, max_usd: 0.000001}",
    *(f"{{type: {one}}}" for one in ("crashes", "fails", "asserts", "skips", "refuses", "prints")),
    "{type: warns}",
)


def outputs_of(folder: Path) -> dict[str, str]:
    return {
        str(one.relative_to(folder)): one.read_text(encoding="utf-8", errors="replace")
        for one in folder.rglob("*")
        if one.is_file() and one.suffix not in (".py", ".pyc") and one.name != "session.jsonl"
    }


@pytest.mark.parametrize("workers", [(), WORKERS], ids=["alone", "workers"])
def test_no_secret_of_a_session_is_in_any_output(
    workers: tuple[str, ...], project: EvalProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    planter = Planter()
    folder = project.sessions(planted(planter), name="session.jsonl").parent
    project.conftest(OWN)
    project.write("test_plain.py", PLAIN)
    project.assertions(*ASSERTIONS, f"contains: {planter.secret()}")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(folder / "summary.md"))

    run = project.run(
        "--transcript=session.jsonl", "--agentv-redact=secrets", "-rA", "-v",
        "--junitxml=junit.xml", "--agentv-results=results", "--agentv-html=page.html",
        "--showlocals", "-W", "default", *workers,
    )  # fmt: skip

    assert run.code == 1, run.text
    assert len(run.outcomes) == len(ASSERTIONS) + 5
    written = {**outputs_of(folder), "terminal": run.text, "errors": run.errors}
    assert {"junit.xml", "page.html", "summary.md", "terminal"} <= written.keys()
    assert any(one.startswith("results/") for one in written)
    del written["a.eval.yaml"]  # holds the one secret that its author wrote
    assert {
        name: planter.leaks(text) for name, text in written.items() if planter.leaks(text)
    } == {}


def told(planter: Planter, *, of: str = "The token is {}, keep it") -> dict[str, Any]:
    """A session whose answer holds a secret."""
    return recorded(of.format(planter.secret()))


def test_no_verdict_depends_on_redaction(project: EvalProject) -> None:
    planter = Planter()
    project.sessions(told(planter))
    project.conftest(OWN)
    (secret,) = planter.secrets
    project.assertions(f"{{contains: {secret}, metric: has-it}}", f"not-contains: {secret[:9]}",
                       "{type: prints}", "{type: word-count, max: 6}")  # fmt: skip

    plain = project.grade()
    redacted = project.grade("--agentv-redact=strict")

    assert list(plain.outcomes.values()) == ["passed", "failed", "failed", "passed"]
    assert list(redacted.outcomes.values()) == list(plain.outcomes.values())
    assert planter.leaks(plain.text) != []
    assert planter.leaks(redacted.text) == []


def test_a_project_can_redact_every_run_and_one_can_take_it_back(project: EvalProject) -> None:
    planter = Planter()
    project.ini("agentv_redact = secrets")
    project.sessions(told(planter))
    project.assertions("contains: nothing")

    by_setting = project.grade()
    taken_back = project.grade("--agentv-redact=none")

    assert "[REDACTED:github-pat]" in by_setting.text
    assert planter.leaks(by_setting.text) == []
    assert planter.leaks(taken_back.text) != []


def test_a_profile_that_is_none_is_wrong_usage(project: EvalProject) -> None:
    project.sessions(recorded())
    project.assertions("contains: Done")

    run = project.grade("--agentv-redact=all")

    assert run.code == pytest.ExitCode.USAGE_ERROR
    assert "there is no profile 'all'; known: none, secrets, research, strict" in run.errors


def test_wrong_settings_are_wrong_usage(project: EvalProject) -> None:
    project.sessions(recorded())
    project.assertions("contains: Done")
    project.write("pyproject.toml", "[tool.agentv.redact]\nprofil = 'x'\n")

    run = project.grade("--agentv-redact=secrets")

    assert run.code == pytest.ExitCode.USAGE_ERROR
    assert "pyproject.toml:2: unknown key 'profil'" in run.errors


def test_a_session_that_is_kept_has_its_receipt(project: EvalProject) -> None:
    planter = Planter()
    project.sessions(told(planter))
    project.assertions("contains: The token is")

    run = project.grade("--agentv-redact=secrets", "--agentv-results=runs")

    assert run.code == 0, run.text
    (path,) = project.path.glob("runs/*/transcripts.jsonl")
    (transcript,) = read_transcripts(path)
    assert (transcript.privacy or {})["rules"] == {"github-pat": 1}


def test_what_breaks_on_a_worker_says_no_secret_either(project: EvalProject) -> None:
    planter = Planter()
    project.sessions(told(planter))
    project.assertions("contains: nothing")
    project.write("test_broken.py", f"raise RuntimeError('{planter.text()}')\n")

    run = project.grade("--agentv-redact=secrets", "--continue-on-collection-errors", *WORKERS)

    assert "RuntimeError" in run.text
    assert planter.leaks(run.text + run.errors) == []


def test_the_traceback_of_a_plugin_that_breaks_says_no_secret(project: EvalProject) -> None:
    planter = Planter()
    project.sessions(told(planter))
    project.assertions("contains: nothing")
    project.conftest(
        "def pytest_runtest_logreport(report):\n"
        f"    raise RuntimeError({planter.secret()[:20]!r} + {planter.secrets[-1][20:]!r})\n"
    )

    run = project.grade("--agentv-redact=secrets")

    assert run.code == pytest.ExitCode.INTERNAL_ERROR
    assert "RuntimeError: [REDACTED:" in run.text + run.errors
    assert planter.leaks(run.text + run.errors) == []


def test_a_gate_says_no_secret_of_its_sessions(project: EvalProject) -> None:
    planter = Planter()
    project.sessions(*(told(planter) for _ in range(3)))
    project.conftest(OWN)
    project.assertions("{type: prints}", test="gate: {pass_rate: 0.8}")

    run = project.grade("--agentv-redact=secrets", "-rA", "--agentv-html=page.html")

    assert run.by_name["gate"] == "failed"
    page = (project.path / "page.html").read_text(encoding="utf-8")
    assert planter.leaks(run.text + page) == []
