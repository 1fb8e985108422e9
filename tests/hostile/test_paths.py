"""Paths that are no session files: one sentence each, never a hang, never a change."""

from __future__ import annotations

import json
import os
import socket
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hostile_sessions import agentv, lines
from hostile_vendors import CLAUDE, VENDORS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hostile_vendors import Vendor

posix_only = pytest.mark.skipif(os.name != "posix", reason="needs POSIX files")


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """Every kind of file that is none to read."""
    (tmp_path / "directory").mkdir()
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "to directory").symlink_to("directory")
    os.mkfifo(tmp_path / "fifo")
    with socket.socket(socket.AF_UNIX) as one:
        # Relative, because the address of a socket must be short.
        here = Path.cwd()
        os.chdir(tmp_path)
        try:
            one.bind("socket")
        finally:
            os.chdir(here)
        yield tmp_path


@posix_only
@pytest.mark.parametrize("name_of_vendor", [*map(str, VENDORS), "auto"])
@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("nothing", "no such file"),
        ("nothing/below", "no such file"),
        ("directory", "is a directory, not a regular file"),
        ("to directory", "is a directory, not a regular file"),
        ("fifo", "is a named pipe, not a regular file"),
        ("dangling", "no such file"),
        ("loop", "cannot be opened: Too many levels of symbolic links"),
        ("socket", "cannot be opened: No such device or address"),
        ("fifo/below", "cannot be opened: Not a directory"),
        ("/dev/null", "is a device, not a regular file"),
        ("/dev/zero", "is a device, not a regular file"),
        ("x" * 300, "cannot be opened: File name too long"),
    ],
)
def test_what_is_no_file_is_said_in_one_sentence(
    folder: Path, name_of_vendor: str, name: str, sentence: str
) -> None:
    ended = agentv("import", name_of_vendor, "--file", name, "-o", "out.jsonl", cwd=folder)
    assert (ended.code, ended.out) == (1, "")
    assert ended.sentence == f"agentv: {name}: {sentence}"
    assert not (folder / "out.jsonl").exists()


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs Linux's /proc")
@pytest.mark.parametrize("name_of_vendor", [*map(str, VENDORS), "auto"])
@pytest.mark.parametrize("name", ["/proc/self/mem", "/proc/self/status", "/proc/self/maps"])
def test_a_file_that_is_regular_in_name_only_is_one_sentence(
    tmp_path: Path, name_of_vendor: str, name: str
) -> None:
    ended = agentv("import", name_of_vendor, "--file", name, "-o", "out.jsonl", cwd=tmp_path)
    assert (ended.code, ended.out) == (1, "")
    assert ended.sentence.startswith(f"agentv: {name}: ")
    assert not (tmp_path / "out.jsonl").exists()


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="nothing is forbidden to root")
def test_a_file_that_may_not_be_read_is_one_sentence(vendor: Vendor, tmp_path: Path) -> None:
    session = tmp_path / "secret.jsonl"
    session.write_bytes(lines(vendor.conversation()))
    session.chmod(0)
    ended = agentv("import", vendor.name, "--file", "secret.jsonl", "-o", "out.jsonl", cwd=tmp_path)
    assert (ended.code, ended.out) == (1, "")
    assert ended.sentence == "agentv: secret.jsonl: cannot be opened: Permission denied"


@posix_only
@pytest.mark.parametrize(
    ("name", "shown"),
    [
        pytest.param(b"two\n::error::lines.jsonl", "two", id="newline and CI command"),
        pytest.param(b"\x1b[31mred.jsonl", r"\x1b[31mred.jsonl", id="escape"),
        pytest.param(b"-o.jsonl", "-o.jsonl", id="option"),
        pytest.param("\u202egnp.jsonl".encode(), r"\u202egnp.jsonl", id="bidi"),
    ],
)
def test_a_strange_name_is_read_and_shown_harmlessly_on_one_line(
    vendor: Vendor, tmp_path: Path, name: bytes, shown: str
) -> None:
    path = os.path.join(os.fsencode(tmp_path), name)  # noqa: PTH118 (pathlib takes no bytes)
    with open(path, "wb") as file:  # noqa: PTH123
        file.write(lines(vendor.conversation()) + b"garbage\n")
    ended = agentv("import", vendor.name, "--file", path, "-o", "out.jsonl", cwd=tmp_path)
    assert ended.code == 0
    assert shown in ended.sentence
    assert ended.sentence.endswith("unreadable line: 1 (first: line 5)")
    missing = agentv("import", vendor.name, "--file", path + b"x", "-o", "o.jsonl", cwd=tmp_path)
    assert missing.code == 1
    assert missing.sentence.endswith(": no such file")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
@pytest.mark.parametrize("extra", [(), ("--json",)], ids=["text", "json"])
@pytest.mark.parametrize("output", [("-o", b"\xff.out.jsonl"), ()], ids=["named", "default"])
def test_a_name_that_is_no_text_is_no_obstacle(
    vendor: Vendor, tmp_path: Path, output: tuple[str | bytes, ...], extra: tuple[str, ...]
) -> None:
    path = os.path.join(os.fsencode(tmp_path), b"\xff\xfe.jsonl")  # noqa: PTH118
    records = vendor.conversation()
    for record in records:
        record.pop("sessionId", None)
    with open(path, "wb") as file:  # noqa: PTH123
        file.write(lines(records))
    ended = agentv("import", vendor.name, "--file", path, *output, *extra, cwd=tmp_path)
    assert (ended.code, ended.err) == (0, "")
    if extra:
        assert json.loads(ended.out)["messages"] == 3
    folder = tmp_path if output else tmp_path / ".agentv" / "transcripts"
    written = [one for one in folder.iterdir() if one.suffix == ".jsonl"]
    assert any(one.read_bytes().startswith(b'{"schema_version"') for one in written)


@posix_only
def test_reading_changes_neither_the_file_nor_its_folder(vendor: Vendor, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    session = home / "session.jsonl"
    session.write_bytes(lines(vendor.conversation()) + b'{"torn')
    session.chmod(0o444)
    home.chmod(0o555)
    before = (session.stat(), home.stat())
    ended = agentv("import", vendor.name, "--file", session, "-o", "out.jsonl", cwd=tmp_path)
    home.chmod(0o755)
    assert ended.code == 0
    after = (session.stat(), home.stat())
    assert [(one.st_size, one.st_mtime_ns, one.st_ino) for one in before] == [
        (one.st_size, one.st_mtime_ns, one.st_ino) for one in after
    ]
    assert stat.S_IMODE(session.stat().st_mode) == 0o444


@posix_only
@pytest.mark.parametrize("kind", ["fifo", "directory", "loop"])
def test_a_sub_agents_file_that_is_none_is_counted(tmp_path: Path, kind: str) -> None:
    session = tmp_path / "5e550000-0000-4000-8000-000000000001.jsonl"
    session.write_bytes(lines(CLAUDE.conversation()))
    agents = tmp_path / session.stem / "subagents"
    agents.mkdir(parents=True)
    path = agents / "agent-abc.jsonl"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "directory":
        path.mkdir()
    else:
        path.symlink_to(path.name)
    ended = agentv(
        "import", "claude", "--file", session, "-o", "out.jsonl", "--include-subagents",
        cwd=tmp_path,
    )  # fmt: skip
    assert ended.code == 0
    assert ended.sentence == (
        f"warning: {session}: not all of it is understood: "
        "sub-agent file that cannot be read: 1 (first: line 1)"
    )
