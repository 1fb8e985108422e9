"""Wherever and however the command runs, it writes the same bytes and loads nobody else's code."""

from __future__ import annotations

import os
import sys
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hostile_sessions import agentv, line, lines

if TYPE_CHECKING:
    from hostile_vendors import Vendor

_COMMAND = Path(sysconfig.get_path("scripts")) / ("agentv.exe" if os.name == "nt" else "agentv")

_HOSTILE = "raise SystemExit('code of this folder was run')\n"
_MODULES = (
    "msgspec", "click", "rich", "pluggy", "json", "typing", "pytest_agentv", "pytest",
    "sitecustomize", "usercustomize", "encodings", "tempfile", "conftest",
)  # fmt: skip


@pytest.fixture
def session(vendor: Vendor, session_file: Path) -> Path:
    """A session with words, times and odd records of all kinds."""
    records = vendor.conversation("Na\u00efve r\u00e9sum\u00e9 \U0001f600", "\u00fc" * 10)
    records[0]["timestamp"] = "2026-03-02T09:00:00+05:30"
    call = vendor.call_line(b'{"command":"make \xe2\x80\xa8","b":1,"a":1.5}')
    unknown = [{**records[0], "type": name} for name in ("unheard-of", "another")]
    content = lines(records) + call + lines(unknown) + b"garbage\n\xff\n"
    session_file.write_bytes(content + line(records[0])[:20])
    return session_file


def _written(
    vendor: Vendor, session: Path, folder: Path, *flags: str, **environment: str | None
) -> bytes:
    folder.mkdir(exist_ok=True)
    output = folder / "out.jsonl"
    output.unlink(missing_ok=True)
    ended = agentv(
        "import", vendor.name, "--file", session, "-o", output,
        cwd=folder, command=(sys.executable, *flags, "-m", "pytest_agentv"),
        environment=environment,
    )  # fmt: skip
    assert ended.code == 0, ended.err
    assert ended.sentence == (
        f"warning: {session}: not all of it is understood: record type 'another': 1 "
        "(first: line 7), record type 'unheard-of': 1 (first: line 6), unfinished last line: 1 "
        "(first: line 10), unreadable line: 2 (first: line 8)"
    )
    return output.read_bytes()


@pytest.mark.parametrize(
    ("flags", "environment"),
    [
        pytest.param((), {"LC_ALL": "C", "LANG": None}, id="C locale"),
        pytest.param(
            (), {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, id="ASCII"
        ),
        pytest.param((), {"PYTHONIOENCODING": "ascii:strict"}, id="ASCII pipes"),
        pytest.param((), {"LC_ALL": "xx_YY.nonsense"}, id="no such locale"),
        pytest.param((), {"HOME": None, "USERPROFILE": None, "XDG_CACHE_HOME": None}, id="no HOME"),
        pytest.param((), {"HOME": "/nonexistent"}, id="HOME nowhere"),
        pytest.param((), {"TZ": "Asia/Kathmandu"}, id="Kathmandu"),
        pytest.param((), {"TZ": "nonsense+99"}, id="no such zone"),
        pytest.param((), {"PYTHONHASHSEED": "0"}, id="hash seed 0"),
        pytest.param((), {"PYTHONHASHSEED": "4294967295"}, id="another hash seed"),
        pytest.param((), {"TMPDIR": "/nonexistent"}, id="TMPDIR nowhere"),
        pytest.param((), {"COLUMNS": "1", "TERM": "dumb"}, id="narrow terminal"),
        pytest.param((), {"PYTHONWARNINGS": "error", "PYTHONDEVMODE": "1"}, id="development mode"),
        pytest.param(("-O",), {}, id="-O"),
        pytest.param(("-OO",), {}, id="-OO"),
        pytest.param(("-B", "-s", "-P") if sys.version_info >= (3, 11) else ("-B",), {}, id="-P"),
    ],
)
def test_every_environment_gives_the_same_bytes(
    vendor: Vendor,
    session: Path,
    tmp_path: Path,
    flags: tuple[str, ...],
    environment: dict[str, str | None],
) -> None:
    usual = _written(vendor, session, tmp_path / "usual")
    assert _written(vendor, session, tmp_path / "other", *flags, **environment) == usual


@pytest.mark.skipif(not _COMMAND.exists(), reason="the command is not installed")
def test_modules_of_the_folder_it_runs_in_are_not_loaded(
    vendor: Vendor, session: Path, tmp_path: Path
) -> None:
    usual = _written(vendor, session, tmp_path / "usual")
    hostile = tmp_path / "hostile"
    hostile.mkdir()
    for name in _MODULES:
        (hostile / f"{name}.py").write_text(_HOSTILE, encoding="utf-8")
    ended = agentv(
        "import", vendor.name, "--file", session, "-o", "out.jsonl",
        cwd=hostile, command=(str(_COMMAND),),
    )  # fmt: skip
    assert ended.code == 0, ended.err
    assert (hostile / "out.jsonl").read_bytes() == usual


def test_names_that_cannot_be_printed_in_an_ascii_terminal_are_no_obstacle(
    vendor: Vendor, session: Path, tmp_path: Path
) -> None:
    odd = tmp_path / "\u5e97"
    odd.mkdir()
    session = session.rename(odd / "s\u00e9ance.jsonl")
    ascii_only: dict[str, str | None] = {
        "LC_ALL": "C",
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
    }
    for extra in ((), ("--json",)):
        ended = agentv(
            "import", vendor.name, "--file", session, "-o", odd / "\u00fc.jsonl", "--force", *extra,
            cwd=tmp_path, environment=ascii_only,
        )  # fmt: skip
        assert ended.code == 0, ended.err
        assert "unreadable line: 2" in ended.sentence
