"""Writing a transcript: whole or not at all, whatever happens on the way."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from agentv_command import environ, transcript_of
from claude_sessions import Session, text
from hostile_sessions import SAFETY_NET, agentv, lines
from hostile_vendors import CLAUDE
from third_party import publish

if TYPE_CHECKING:
    from pathlib import Path

    from hostile_vendors import Vendor

posix_only = pytest.mark.skipif(os.name != "posix", reason="needs POSIX")

# An adapter whose sessions do something in the middle of being read.
_MIDWAY = """
import os, signal, sys
from pytest_agentv import hookimpl
from pytest_agentv.adapters.claude.adapter import ClaudeAdapter


def midway():
    what = os.environ["MIDWAY"]
    if what == "wait":
        print("ready", flush=True)
        sys.stdin.readline()
    else:
        os.kill(os.getpid(), getattr(signal, what))


class Session:
    def __init__(self, stream):
        self._stream = stream
        self.head = stream.head

    def messages(self):
        for number, message in enumerate(self._stream.messages()):
            yield message
            if number == 500:
                midway()

    @property
    def tail(self):
        return self._stream.tail


class MidwayAdapter(ClaudeAdapter):
    name = "midway"

    def claims(self, path):
        return True

    def read(self, ref, options):
        return Session(super().read(ref, options))


@hookimpl
def agentv_adapters():
    return [MidwayAdapter()]
"""


@pytest.fixture
def session(session_file: Path) -> Path:
    session_file.write_bytes(lines(CLAUDE.conversation()))
    return session_file


@pytest.fixture
def long_session(session_file: Path) -> Path:
    """A session of a thousand messages, some megabytes in all."""
    made = Session()
    made.prompt("Go")
    for number in range(1000):
        made.response(f"msg_{number}", text(f"Step {number} " + "x" * 3000))
    return made.write(session_file)


@pytest.fixture
def midway(tmp_path: Path) -> dict[str, str | None]:
    """The environment in which the adapter ``midway`` is installed."""
    site = tmp_path / "site"
    publish(site, "agentv-midway", _MIDWAY)
    path = os.pathsep.join(filter(None, [str(site), os.environ.get("PYTHONPATH")]))
    return {"PYTHONPATH": path}


def _names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@posix_only
def test_a_transcript_is_for_its_owner_only(session: Path, output: Path) -> None:
    session.chmod(0o644)
    umask = os.umask(0)
    try:
        ended = agentv("import", "claude", "--file", session, "-o", output, cwd=output.parent)
    finally:
        os.umask(umask)
    assert (ended.code, ended.err) == (0, "")
    assert stat.S_IMODE(output.stat().st_mode) == 0o600
    output.chmod(0o644)
    agentv("import", "claude", "--file", session, "-o", output, "--force", cwd=output.parent)
    assert stat.S_IMODE(output.stat().st_mode) == 0o600


def test_folders_that_are_missing_are_made(session: Path, tmp_path: Path) -> None:
    output = tmp_path / "a" / "b" / "c.jsonl"
    ended = agentv("import", "claude", "--file", session, "-o", output, cwd=tmp_path)
    assert (ended.code, ended.err) == (0, "")
    assert transcript_of(output)["input"] == "Build the shop"


def test_what_exists_is_not_overwritten_unasked(session: Path, output: Path) -> None:
    output.write_text("old", encoding="utf-8")
    ended = agentv("import", "claude", "--file", session, "-o", output, cwd=output.parent)
    assert (ended.code, ended.out) == (1, "")
    assert ended.sentence == f"agentv: {output}: exists already; --force overwrites it"
    assert output.read_text(encoding="utf-8") == "old"


@posix_only
def test_a_link_to_nowhere_is_not_overwritten_unasked(session: Path, output: Path) -> None:
    output.symlink_to("nowhere")
    ended = agentv("import", "claude", "--file", session, "-o", output, cwd=output.parent)
    assert ended.code == 1
    assert ended.sentence == f"agentv: {output}: exists already; --force overwrites it"
    assert output.is_symlink()


@pytest.mark.parametrize("force", [(), ("--force",)], ids=["", "force"])
def test_the_session_itself_is_never_overwritten(session: Path, force: tuple[str, ...]) -> None:
    before = session.read_bytes()
    ended = agentv("import", "claude", "--file", session, "-o", session, *force, cwd=session.parent)
    assert ended.code == 1
    assert str(session) in ended.sentence
    assert session.read_bytes() == before


@posix_only
def test_a_named_pipe_is_never_replaced_by_a_file(session: Path, output: Path) -> None:
    os.mkfifo(output)
    ended = agentv(
        "import", "claude", "--file", session, "-o", output, "--force", cwd=output.parent
    )
    assert ended.code == 1
    assert ended.sentence.startswith(f"agentv: {output}: ")
    assert stat.S_ISFIFO(output.lstat().st_mode)


def test_a_folder_that_is_a_file_is_one_sentence(session: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old", encoding="utf-8")
    output = tmp_path / "file" / "out.jsonl"
    ended = agentv("import", "claude", "--file", session, "-o", output, cwd=tmp_path)
    assert (ended.code, ended.out) == (1, "")
    assert ended.sentence.startswith(f"agentv: {output}: cannot be written: ")
    assert (tmp_path / "file").read_text(encoding="utf-8") == "old"


def test_a_default_folder_that_is_a_file_is_one_sentence(session: Path, tmp_path: Path) -> None:
    (tmp_path / ".agentv").write_text("old", encoding="utf-8")
    ended = agentv("import", "claude", "--file", session, cwd=tmp_path)
    assert (ended.code, ended.out) == (1, "")
    assert ended.sentence.startswith("agentv: .agentv")


def test_a_name_that_is_too_long_is_one_sentence(session: Path, tmp_path: Path) -> None:
    output = tmp_path / ("x" * 300)
    ended = agentv("import", "claude", "--file", session, "-o", output, cwd=tmp_path)
    assert (ended.code, ended.out) == (1, "")
    assert ended.sentence.startswith(f"agentv: {output}: ")
    assert ended.sentence.endswith("File name too long")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="nothing is forbidden to root")
def test_a_folder_that_may_not_be_written_is_one_sentence(session: Path, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir(mode=0o555)
    output = folder / "out.jsonl"
    ended = agentv("import", "claude", "--file", session, "-o", output, cwd=tmp_path)
    assert (ended.code, ended.out) == (1, "")
    assert ended.sentence == f"agentv: {output}: cannot be written: Permission denied"


_LIMITED = (
    "import resource, runpy, sys;"
    "resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv.pop(1)),) * 2);"
    "runpy.run_module('pytest_agentv', run_name='__main__', alter_sys=True)"
)


@posix_only
@pytest.mark.parametrize("limit", [0, 1, 4096, 500_000, 2_900_000])
def test_a_full_disk_leaves_the_old_file_and_nothing_else(
    vendor: Vendor, session_file: Path, output: Path, limit: int
) -> None:
    steps = (vendor.step(f"Step {number} " + "x" * 3000, number) for number in range(1000))
    session_file.write_bytes(lines([*vendor.conversation(), *steps]))
    output.write_text("old", encoding="utf-8")
    before = _names(output.parent)
    ended = agentv(
        "import", vendor.name, "--file", session_file, "-o", output, "--force",
        cwd=output.parent,
        command=(sys.executable, "-c", _LIMITED, str(limit)),
        # Nothing but the command may write: no compiled modules, no figures of coverage.
        environment={
            "PYTHONDONTWRITEBYTECODE": "1",
            "COVERAGE_PROCESS_START": None,
            "COVERAGE_PROCESS_CONFIG": None,
        },
    )  # fmt: skip
    assert (ended.code, ended.out) == (1, "")
    assert ended.sentence == f"agentv: {output}: cannot be written: File too large"
    assert output.read_text(encoding="utf-8") == "old"
    assert _names(output.parent) == before


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")  # noqa: PTH110
@pytest.mark.parametrize("extra", [(), ("--json",)], ids=["text", "json"])
def test_a_full_standard_output_is_one_sentence(
    session: Path, output: Path, extra: tuple[str, ...]
) -> None:
    with open("/dev/full", "wb") as full:  # noqa: PTH123
        ended = agentv(
            "import", "claude", "--file", session, "-o", output, *extra,
            cwd=output.parent, stdout=full,
        )  # fmt: skip
    assert ended.code == 1
    assert "No space left on device" in ended.sentence
    assert transcript_of(output)["input"] == "Build the shop"


@posix_only
@pytest.mark.parametrize("old", [None, "old"])
@pytest.mark.parametrize(
    "kill", [("SIGKILL", 137), ("SIGINT", 130), ("SIGTERM", 143)], ids=lambda kill: kill[0]
)
def test_an_import_that_is_killed_leaves_no_half_transcript(
    long_session: Path,
    output: Path,
    midway: dict[str, str | None],
    kill: tuple[str, int],
    old: str | None,
) -> None:
    name, code = kill
    if old is not None:
        output.write_text(old, encoding="utf-8")
    before = _names(output.parent)
    ended = agentv(
        "import", "midway", "--file", long_session, "-o", output, "--force",
        cwd=output.parent, environment={**midway, "MIDWAY": name},
    )  # fmt: skip
    assert (ended.code, ended.out) == (code, "")
    assert "Traceback" not in ended.err
    assert (output.read_text(encoding="utf-8") if output.exists() else None) == old
    assert not [name for name in _names(output.parent) - before if name.endswith(".jsonl")]
    if name == "SIGINT":
        assert ended.err.strip() == "agentv: interrupted"
        assert _names(output.parent) == before
    again = agentv(
        "import", "claude", "--file", long_session, "-o", output, "--force", cwd=output.parent
    )
    assert (again.code, again.err) == (0, "")
    assert len(transcript_of(output)["output"]) == 1001


@posix_only
def test_of_two_imports_at_once_exactly_one_wins(
    long_session: Path, tmp_path: Path, output: Path, midway: dict[str, str | None]
) -> None:
    running = [
        subprocess.Popen(
            [
                sys.executable, "-m", "pytest_agentv", "import", "midway",
                "--file", long_session, "-o", output, "--test-id", name,
            ],
            cwd=tmp_path,
            env=environ({**midway, "MIDWAY": "wait"}),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for name in ("one", "two")
    ]  # fmt: skip
    for process in running:  # both are in the middle, and neither has seen the other's file
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
    ended = [process.communicate(b"go\n", timeout=SAFETY_NET) for process in running]
    codes = [process.returncode for process in running]
    assert sorted(codes) == [0, 1]
    _, complaint = ended[codes.index(1)]
    assert complaint.decode() == f"agentv: {output}: exists already; --force overwrites it\n"
    transcript = transcript_of(output)
    assert transcript["test_id"] == ("one", "two")[codes.index(0)]
    assert len(transcript["output"]) == 1001
    assert [name for name in _names(tmp_path) if name.startswith(".")] == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("import", "claude"),
        ("import", "claude", "--file"),
        ("import", "claude", "--file", "a", "--all"),
        ("import", "claude", "--file", "a", "--since", "1d"),
        ("import", "nobody", "--file", "a"),
        ("import", "auto"),
        ("import", "claude", "--unheard-of"),
    ],
)
def test_wrong_usage_is_exit_code_2_and_writes_nothing(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    ended = agentv(*arguments, cwd=tmp_path)
    assert (ended.code, ended.out) == (2, "")
    assert ended.sentence.startswith("agentv: ")
    assert _names(tmp_path) == set()
