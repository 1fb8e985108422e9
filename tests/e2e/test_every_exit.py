"""A hostile session in every text that leaves us: by pytest, by every command, and as files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest
from agentv_command import InProcess
from eval_runs import WORKERS, recorded
from hostile_texts import assert_harmless

if TYPE_CHECKING:
    from eval_runs import EvalProject

HOSTILE = (
    "\x1b]52;c;aGk=\x07\x1b[2J\x9b31m\x00\x7f\x85 \ud800 ]]> <script>alert(1)</script> \u202e\r\n"
    "::error file=a::b\n  ::add-mask::x\n##[group]x\n##vso[task.complete]\n##teamcity[x]\n"
    "../../../escaped needle"
)
_RUN = ("--agentv-results=runs", "--agentv-html=page.html", "--junitxml=junit.xml", "-rA", "-v")

# What the commands print, in every form that they have; ``t.jsonl`` is the hostile session.
COMMANDS = [
    "inspect list",
    "inspect list --json",
    "inspect show",
    "inspect show --json",
    "inspect show --tree --all",
    "inspect show --tree --json",
    "inspect show --case *",
    "inspect stats",
    "inspect stats --group-by model",
    "inspect stats --group-by target --json",
    "inspect search needle",
    "inspect search needle --json",
    "inspect score -a contains:nowhere",
    "inspect score -a contains:nowhere --json",
    "compare --fail-on never --all",
    "compare --fail-on never --json",
    "compare --fail-on never --format markdown",
    "report -o report.html --force --json",
    "read t.jsonl:1",
    "read t.jsonl:1 --full",
    "read t.jsonl:1 --format markdown",
    "read t.jsonl:1 --format json",
    "draft t.jsonl:1",
    "draft t.jsonl:1 --json",
    "redact t.jsonl -o redacted.jsonl --json",
    "redact t.jsonl --check",
    "export t.jsonl --format markdown -o out.md --json",
    "import auto --file t.jsonl",
    "grade a.eval.yaml --transcript t.jsonl",
    "grade a.eval.yaml --transcript t.jsonl -o rows.jsonl --json",
    "config show",
    "validate hostile.yaml",
    "validate hostile.yaml --json",
]
_IN_RUNS = ("inspect", "compare", "report")


def _session(provider: str) -> dict[str, Any]:
    session = recorded(
        HOSTILE, provider=provider, session_id=HOSTILE, model=HOSTILE, drift={HOSTILE: 1},
        left_out={HOSTILE: 2}, input=HOSTILE,
    )  # fmt: skip
    session["source"].update(title=HOSTILE, cwd=HOSTILE, git_branch=HOSTILE, version=HOSTILE)
    call = {"tool": HOSTILE, "kind": HOSTILE, "input": {HOSTILE: HOSTILE}, "output": HOSTILE}
    session["output"][1].update(
        tool_calls=[call], thinking=HOSTILE, model=HOSTILE, id=HOSTILE,
        attachments=[{"kind": HOSTILE, "name": HOSTILE}], agent_id=None,
    )  # fmt: skip
    return session


@pytest.fixture
def hostile(project: EvalProject, monkeypatch: pytest.MonkeyPatch) -> EvalProject:
    """A project whose two sessions are hostile, and what its eval file claims of them is false."""
    project.assertions("contains: nowhere", "contains: needle", "tool-order: [one, two]")
    project.sessions(_session(HOSTILE), _session("codex-cli"))
    project.write("hostile.yaml", b'tests:\n  - id: "\\e[2J\\n::error::x ##[group]"\n    nope: 1\n')
    monkeypatch.setenv("HOME", str(project.path))
    return project


def _beside(folder: Path) -> set[Path]:
    """Files beside a folder, where a name with two dots leads; other tests have folders."""
    return {path for path in folder.parent.iterdir() if path.is_file()}


def test_every_command_prints_what_is_harmless(
    hostile: EvalProject, capsys: pytest.CaptureFixture[str]
) -> None:
    hostile.grade(*_RUN)
    agentv = InProcess(capsys)
    for line in COMMANDS:
        words = line.split()
        printed = agentv(*words, *(("--dir", "runs") if words[0] in _IN_RUNS else ()))
        assert printed.code in (0, 1), (line, printed)
        assert "Traceback" not in printed.err
        assert_harmless(printed.out + printed.err)


@pytest.mark.parametrize("workers", [(), WORKERS], ids=["", "workers"])
def test_a_run_prints_and_writes_what_is_harmless(
    hostile: EvalProject, workers: tuple[str, ...]
) -> None:
    outside = _beside(hostile.path)
    run = hostile.grade(*_RUN, *workers)
    assert run.code == 1
    assert_harmless(run.text)
    root = ET.fromstring((hostile.path / "junit.xml").read_bytes())  # noqa: S314 (made just here)
    assert len(list(root.iter("failure"))) == 4
    page = (hostile.path / "page.html").read_text(encoding="utf-8")
    assert "<script>alert" not in page
    assert 'content="default-src ' in page
    # Names out of sessions lead nowhere.
    assert _beside(hostile.path) == outside
    assert not list(hostile.path.rglob("*escaped*"))


def test_a_run_by_github_gives_it_no_commands_but_ours_and_a_harmless_summary(
    hostile: EvalProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    summary = hostile.path / "summary.md"
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    lines = hostile.grade(*_RUN).text.split("\n")
    ours = [line for line in lines if line.startswith("::error file=a.eval.yaml,line=")]
    assert len(ours) == 4
    assert_harmless("\n".join(line for line in lines if line not in ours))
    assert_harmless("".join(line.removeprefix("::") for line in ours))
    written = summary.read_text(encoding="utf-8")
    assert written.count("- **failed** `a.eval.yaml:") == 4
    assert_harmless(written)
    # What a session says is code, and so no markup.
    assert "<" not in re.sub(r"```.*?```|`[^`\n]*`", "", written, flags=re.DOTALL)


def test_files_named_by_a_session_stay_where_they_belong(
    hostile: EvalProject, capsys: pytest.CaptureFixture[str]
) -> None:
    outside = _beside(hostile.path)
    agentv = InProcess(capsys)
    for form in ("markdown", "html", "atif", "entries", "events", "openai", "otlp", "states"):
        printed = agentv("export", "t.jsonl:1", "--format", form)
        assert printed.code == 0, printed
        name = printed.out.strip()
        assert_harmless(name)
        path = Path(name)
        assert path.parent == Path()
        assert re.fullmatch(r"[\w.-]{1,120}", path.name)
        path.read_bytes().decode("utf-8")
    assert _beside(hostile.path) == outside
