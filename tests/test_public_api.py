"""The public names: what is there, where it comes from, and that users can rely on it."""

from __future__ import annotations

import importlib
import io
import runpy
import subprocess
import sys
import zipfile
from importlib import resources
from pathlib import Path

import pytest

import pytest_agentv
from pytest_agentv import Adapter, Head, Source

ROOT = Path(pytest_agentv.__file__).parent.parent
NAMES = [
    "Adapter",
    "AgentvError",
    "Attachment",
    "CaseFacts",
    "Drift",
    "Evidence",
    "Grade",
    "Grader",
    "Head",
    "Message",
    "NotGradable",
    "ReadOptions",
    "RecordFile",
    "SessionError",
    "SessionRef",
    "SessionStream",
    "SessionSummary",
    "Source",
    "Tail",
    "TokenUsage",
    "ToolCall",
    "Transcript",
    "TranscriptError",
    "Usage",
    "assertion",
    "dumps",
    "hookimpl",
    "load",
    "loads",
    "read_heads",
    "read_transcripts",
    "write_stream",
]


def _python(*arguments: str) -> str:
    process = subprocess.run(
        [sys.executable, *arguments], capture_output=True, check=True, encoding="utf-8"
    )
    return process.stdout


def test_these_are_the_public_names_and_they_are_sorted() -> None:
    assert pytest_agentv.__all__ == NAMES
    assert sorted(NAMES) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_every_public_name_is_there_and_says_what_it_is(name: str) -> None:
    value = getattr(pytest_agentv, name)
    assert getattr(value, "__name__", name) == name
    assert (value.__doc__ or "").strip()


def test_a_star_import_gives_the_public_names() -> None:
    code = (
        "before = set(globals())\n"
        "from pytest_agentv import *\n"
        "print(*sorted(set(globals()) - before - {'before'}))"
    )
    assert _python("-c", code).split() == NAMES


def test_a_name_is_the_same_object_each_time_and_at_its_home() -> None:
    home = importlib.import_module("pytest_agentv.transcript.model")
    assert pytest_agentv.Transcript is home.Transcript
    assert pytest_agentv.Transcript is pytest_agentv.Transcript


def test_dir_lists_every_public_name() -> None:
    listed = dir(pytest_agentv)
    assert set(NAMES) <= set(listed)
    assert listed == sorted(listed)


@pytest.mark.parametrize("name", ["Transkript", "builtin_", "_missing", "assert_nothing"])
def test_an_unknown_name_is_an_attribute_error_that_names_it(name: str) -> None:
    problem = f"module 'pytest_agentv' has no attribute '{name}'"
    with pytest.raises(AttributeError, match=f"^{problem}$"):
        getattr(pytest_agentv, name)
    with pytest.raises(ImportError, match=name):
        exec(f"from pytest_agentv import {name}")  # noqa: S102 (the statement is what is tested)


def test_names_are_loaded_when_somebody_asks_for_them() -> None:
    code = (
        "import sys, pytest_agentv\n"
        "def ours(): return sorted(n for n in sys.modules if n.startswith('pytest_agentv'))\n"
        "print(*ours())\n"
        "pytest_agentv.AgentvError\n"
        "print(*ours())\n"
        "pytest_agentv.hookimpl\n"
        "print('msgspec' in sys.modules)\n"
        "pytest_agentv.Transcript\n"
        "print('msgspec' in sys.modules)\n"
    )
    assert _python("-c", code).splitlines() == [
        "pytest_agentv",
        "pytest_agentv pytest_agentv.errors",
        "False",
        "True",
    ]


def test_type_checkers_are_told_that_the_package_is_typed() -> None:
    assert resources.files("pytest_agentv").joinpath("py.typed").is_file()


def test_a_wheel_holds_the_package_the_mark_of_its_types_and_nothing_else(tmp_path: Path) -> None:
    pytest.importorskip("hatchling", reason="hatchling builds the wheel")
    if not (ROOT / "pyproject.toml").exists():
        pytest.skip("the tests run against an installed package, without its source")
    process = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        check=False,
        encoding="utf-8",
    )
    assert process.returncode == 0, process.stderr
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "pytest_agentv/py.typed" in names
    assert "pytest_agentv/transcript/model.py" in names
    folders = {name.partition("/")[0].partition("-")[0] for name in names}
    assert folders == {"pytest_agentv"}
    (entry_points,) = [name for name in names if name.endswith("entry_points.txt")]
    text = zipfile.ZipFile(wheel).read(entry_points).decode()
    assert "[pytest11]\nagentv = pytest_agentv.pytest_plugin\n" in text
    assert "[console_scripts]\nagentv = pytest_agentv.cli.main:main\n" in text


def test_what_the_types_promise_holds_when_it_runs(tmp_path: Path) -> None:
    user = runpy.run_path(str(Path(__file__).with_name("typing_api.py")))
    session = tmp_path / "session.echo"
    session.write_bytes(b"")
    assert isinstance(user["EchoAdapter"](), Adapter)
    transcript = user["read_one"](session)
    assert user["ask"](transcript) == ["echo", "session.echo"]
    assert user["write"](io.BytesIO(), session) == (2, 1)
    transcripts, heads = user["read_back"](tmp_path / "t.jsonl", transcript)
    assert transcripts == [transcript]
    assert heads == [Head(source=Source(provider="echo-cli"), input="hello")]
    assert user["refuse"](tmp_path / "none.jsonl") == f"{tmp_path / 'none.jsonl'}: no such file"
