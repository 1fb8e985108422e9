"""What a hostile session says reaches terminal, XML and other processes in a harmless form only."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest
from eval_runs import WORKERS, one_test, recorded

if TYPE_CHECKING:
    from eval_runs import EvalProject

HOSTILE = (
    "\x1b]52;c;aGk=\x07\x1b[2J\x9b31m\x00\x07\x7f\x85 \ud800 \udfff ]]> <b>&amp; \u202e "
    "\ufffe\uffff\r\n::error file=a::b\n  ::add-mask::x\n##[group]x\n"
    "##vso[task.complete]\n##teamcity[x]"
)
# Everything but newline and tab that steers a terminal.
STEERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
COMMANDS = re.compile(r"^\s*::\w|##[A-Za-z]*\[", re.MULTILINE)

OWN = f"""\
import pytest
import pytest_agentv

HOSTILE = {HOSTILE!a}

@pytest_agentv.assertion("crashes")
def crashes(): raise RuntimeError(HOSTILE)

@pytest_agentv.assertion("fails")
def fails(): pytest.fail(HOSTILE)

@pytest_agentv.assertion("asserts")
def asserts(transcript): assert transcript.output[-1].content == ""

@pytest_agentv.assertion("skips")
def skips(): pytest.skip(HOSTILE)

@pytest_agentv.assertion("refuses")
def refuses(): raise pytest_agentv.NotGradable(HOSTILE)

@pytest_agentv.assertion("prints")
def prints():
    print(HOSTILE.encode("utf-8", "replace").decode())
    return False
"""


def hostile_session(**fields: Any) -> dict[str, Any]:
    """A session with hostile text everywhere."""
    session = recorded(
        HOSTILE,
        provider=HOSTILE,
        session_id=HOSTILE,
        model=HOSTILE,
        drift={HOSTILE: 1},
        input=HOSTILE,
        **fields,
    )
    call = {"tool": HOSTILE, "kind": HOSTILE, "input": {HOSTILE: HOSTILE}, "output": HOSTILE}
    session["output"][1]["tool_calls"] = [call]
    return session


@pytest.fixture
def hostile(project: EvalProject) -> EvalProject:
    """A project with a hostile session, and assertions that repeat what it says."""
    project.conftest(OWN)
    project.sessions(hostile_session())
    own = ("crashes", "fails", "asserts", "skips", "refuses", "prints")
    project.assertions(
        "contains: nowhere",
        "equals: nowhere",
        "{type: is-json}",
        "{type: cost, max_usd: 1}",
        *[f"{{type: {name}}}" for name in own],
    )
    return project


OUTCOMES = {
    "contains-nowhere": "failed",
    "equals-nowhere": "failed",
    "is-json": "failed",
    "cost": "skipped",
    "crashes": "error",
    "fails": "failed",
    "asserts": "failed",
    "skips": "skipped",
    "refuses": "error",
    "prints": "failed",
}


def assert_harmless(text: str) -> None:
    """Check what was printed; pytest's own line ends stay."""
    assert STEERS.findall(text) == []
    assert COMMANDS.findall(text) == []


def test_the_terminal(hostile: EvalProject) -> None:
    run = hostile.grade("-rA", "-v", "--tb=long")
    assert run.by_name == OUTCOMES
    assert_harmless(run.text)
    assert "\\x1b" in run.text


@pytest.mark.parametrize("style", ["short", "line", "native", "no"])
def test_the_terminal_in_other_styles(hostile: EvalProject, style: str) -> None:
    run = hostile.grade("-rA", f"--tb={style}")
    assert run.by_name == OUTCOMES
    assert_harmless(run.text)


def test_soft_failures_and_strict_sessions(hostile: EvalProject) -> None:
    hostile.assertions("contains: nowhere", "equals: x", test="threshold: 0.5")
    assert_harmless(hostile.grade("-rA").text)
    assert_harmless(hostile.grade("-rA", "--agentv-strict").text)


@pytest.mark.parametrize("family", ["xunit1", "xunit2"])
def test_junit_files(hostile: EvalProject, family: str) -> None:
    hostile.ini(f"junit_family = {family}", "junit_logging = all")
    run = hostile.grade("--junitxml=r.xml")
    assert run.by_name == OUTCOMES
    content = (hostile.path / "r.xml").read_bytes().decode("utf-8")
    assert_harmless(content)
    root = ET.fromstring(content)  # noqa: S314 (made just here)
    assert len(list(root.iter("testcase"))) == len(OUTCOMES)


def test_the_reports_of_workers(hostile: EvalProject) -> None:
    run = hostile.grade("-rA", "--junitxml=r.xml", *WORKERS)
    assert run.by_name == OUTCOMES
    assert run.code == 1
    assert_harmless(run.text)
    root = ET.fromstring((hostile.path / "r.xml").read_bytes())  # noqa: S314 (made just here)
    assert len(list(root.iter("testcase"))) == len(OUTCOMES)


PROPERTIES = f"""\
import pathlib
import warnings
import pytest_agentv

HOSTILE = {HOSTILE!a}

@pytest_agentv.assertion("records")
def records(request):
    request.node.user_properties += [(HOSTILE, HOSTILE), ("path", pathlib.Path("x")), ("n", 1.5)]
    return False

@pytest_agentv.assertion("warns")
def warns():
    warnings.warn(HOSTILE)
    return False
"""


@pytest.mark.parametrize("workers", [(), WORKERS], ids=["alone", "workers"])
def test_properties_and_warnings_of_own_assertions(
    project: EvalProject, workers: tuple[str, ...]
) -> None:
    project.conftest(PROPERTIES)
    project.sessions(recorded())
    project.assertions("{type: records}", "{type: warns}")
    run = project.run_apart("--transcript=t.jsonl", "--junitxml=r.xml", "-rA", *workers)
    assert run.code == 1
    assert "2 failed" in run.text
    assert "INTERNALERROR" not in run.text
    assert_harmless(run.text)
    content = (project.path / "r.xml").read_text(encoding="utf-8")
    assert_harmless(content)
    found = [one.attrib for one in ET.fromstring(content).iter("property")]  # noqa: S314 (our own)
    assert {"name": "path", "value": "x"} in found
    assert {"name": "n", "value": "1.5"} in found


ORDINARY = """\
import warnings
import pytest

def test_asserts(transcript):
    assert False, transcript.output[-1].content

def test_fails(transcripts):
    pytest.fail(transcripts[0].output[-1].content)

def test_skips(transcript):
    pytest.skip(transcript.output[-1].content)

def test_xfails(transcript):
    pytest.xfail(transcript.output[-1].content)

def test_crashes_late(transcript, request):
    request.addfinalizer(lambda: pytest.fail(transcript.output[-1].content))

def test_records(transcript, record_property):
    record_property(transcript.output[-1].content, transcript.output[-1].content)

def test_warns(transcript):
    warnings.warn(transcript.output[-1].content)

def test_prints(transcript):
    print(transcript.output[-1].content)
    assert 0

def test_grades(agentv_grade):
    grade = agentv_grade({"not-trajectory:tool-used": "*"})
    assert not grade.evidence, grade.evidence[0].text

def test_colours():
    assert [1] == [2]
"""


@pytest.mark.parametrize("workers", [(), WORKERS], ids=["alone", "workers"])
def test_ordinary_tests_of_sessions(project: EvalProject, workers: tuple[str, ...]) -> None:
    project.write("test_ordinary.py", ORDINARY)
    project.ini("junit_family = xunit1", "junit_logging = all")
    project.sessions(hostile_session())
    run = project.run_apart("--transcript=t.jsonl", "--junitxml=r.xml", "-rA", *workers)
    assert run.code == 1
    assert "5 failed, 3 passed, 1 skipped, 1 xfailed, 1 warning, 1 error" in run.text
    assert_harmless(run.text)
    content = (project.path / "r.xml").read_text(encoding="utf-8")
    assert_harmless(content)
    ET.fromstring(content)  # noqa: S314 (made just here)


FIXTURES = """\
import pytest

@pytest.fixture(autouse=True)
def judged_first(transcript, request):
    said = transcript.output[-1].content
    (pytest.xfail if "xfail" in request.node.name else pytest.skip)(said)
"""


@pytest.mark.parametrize("workers", [(), WORKERS], ids=["alone", "workers"])
def test_fixtures_that_say_why_an_assertion_is_not_graded(
    project: EvalProject, workers: tuple[str, ...]
) -> None:
    project.conftest(FIXTURES)
    project.sessions(hostile_session())
    project.assertions("{contains: x, metric: skip}", "{contains: x, metric: xfail}")
    run = project.run_apart("--transcript=t.jsonl", "--junitxml=r.xml", "-rA", "-vv", *workers)
    assert "1 skipped, 1 xfailed" in run.text
    assert_harmless(run.text)
    content = (project.path / "r.xml").read_text(encoding="utf-8")
    assert_harmless(content)
    ET.fromstring(content)  # noqa: S314 (made just here)


# Wherever a line is broken anew, a command follows a blank or stands in the middle of a word.
WRAPPED = "do ::error::a so :::notice::b " * 20 + "x" * 29 + "y::warning::c" * 40


@pytest.mark.parametrize("columns", ["80", "40", "101"])
def test_reasons_that_pytest_wraps_begin_no_line_with_a_command(
    project: EvalProject, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    project.conftest(f"""\
import pytest_agentv

@pytest_agentv.assertion("fails")
def fails(): assert False, {WRAPPED!r}
""")
    project.write("test_ordinary.py", ORDINARY)
    project.sessions(recorded(WRAPPED))
    project.eval_file(f"""\
tests:
  - id: soft
    transcript: t.jsonl
    threshold: 0.5
    assert: [{{type: fails}}]
  - {{id: skipped, transcript: t.jsonl, skip: "{WRAPPED}", assert: [contains: x]}}
  - {{id: known, transcript: t.jsonl, xfail: "{WRAPPED}", assert: [contains: x]}}
""")
    assert_harmless(project.run("a.eval.yaml", "-vv").text)
    assert_harmless(project.run("test_ordinary.py", "--transcript=t.jsonl", "-vv", "-s").text)


def test_a_single_failure_with_a_lone_surrogate_fails_under_workers(project: EvalProject) -> None:
    project.assertions("contains: nowhere")
    project.sessions(recorded("\ud800", provider="\udfff", session_id="\udc00", model="\ud900"))
    run = project.run_apart("--transcript=t.jsonl", *WORKERS)
    assert run.code == 1
    assert "1 failed" in run.text


def test_texts_without_end_are_capped(project: EvalProject) -> None:
    project.conftest(OWN.replace(ascii(HOSTILE), "'x' * 1_000_000"))
    project.sessions(recorded("y " * 1_000_000, session_id="z" * 1_000_000, model="m" * 1_000_000))
    project.assertions(
        "contains: nowhere", "equals: nowhere", "{type: crashes}", "{type: fails}", "{type: skips}"
    )
    run = project.grade("--junitxml=r.xml", "-rA", "-v")
    assert run.code == 1
    assert all(len(text.encode()) <= 64 * 1024 for text in run.texts.values())
    assert all(len(one) < 200 for one in run.outcomes)
    assert (project.path / "r.xml").stat().st_size < 1_000_000
    assert len(run.text) < 1_000_000


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such names")
@pytest.mark.parametrize(
    "name",
    ["a\x1b[31m\x01b.eval.yaml", "a\nb/a.eval.yaml", "::error::x.eval.yaml", "##[x].eval.yaml"],
    ids=["escape", "folder", "github", "azure"],
)
@pytest.mark.parametrize("workers", [(), WORKERS], ids=["alone", "workers"])
def test_an_eval_file_whose_name_steers_its_reader_is_an_error_of_the_collection(
    project: EvalProject, name: str, workers: tuple[str, ...]
) -> None:
    project.assertions("contains: Done", name=name)
    project.sessions(recorded())
    run = project.run_apart("--transcript=t.jsonl", "--junitxml=r.xml", *workers)
    assert run.code in {1, 2}
    assert "the name of an eval file must be printable text" in run.text
    assert_harmless(run.text)
    ET.parse(project.path / "r.xml")  # noqa: S314 (made just here)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such names")
def test_names_of_sessions_in_an_error_of_usage_are_harmless(project: EvalProject) -> None:
    project.assertions("contains: Done")
    run = project.run("--transcript=a\x1b[2J\n::error::b.jsonl")
    assert run.code == pytest.ExitCode.USAGE_ERROR
    assert "no such file" in run.errors
    assert_harmless(run.text + run.errors)
    project.sessions(recorded(), name="a\x1b[2J\n::error::b.jsonl")
    run = project.run("--transcript=a\x1b[2J\n::error::b.jsonl")
    assert run.code == pytest.ExitCode.OK
    assert_harmless(run.text + run.errors)


def test_hostile_keys_and_values_of_an_eval_file_are_told_in_a_harmless_form(
    project: EvalProject,
) -> None:
    project.write("a.eval.yaml", b'tests:\n  - id: one\n    "\\e[2J\\x9b::error": 1\n')
    run = project.run()
    assert run.code == 2
    assert_harmless(run.text)


def test_hostile_ids_of_sessions_in_an_error_of_pairing_are_harmless(project: EvalProject) -> None:
    project.assertions("contains: Done")
    project.sessions(recorded(test_id=HOSTILE))
    run = project.grade()
    assert run.code != 0
    assert_harmless(run.text)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
@pytest.mark.parametrize("workers", [(), WORKERS])
def test_an_eval_file_whose_name_is_no_text_is_an_error_of_the_collection(
    project: EvalProject, workers: tuple[str, ...]
) -> None:
    name = os.fsdecode(b"a\xff.eval.yaml")
    (project.path / name).write_text(one_test("contains: Done"), encoding="utf-8")
    project.sessions(recorded())
    run = project.run_apart("--transcript=t.jsonl", *workers)
    assert run.code in {1, 2}
    assert "the name of an eval file must be UTF-8 text" in run.text
    assert "INTERNALERROR" not in run.text
