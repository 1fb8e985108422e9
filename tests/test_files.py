"""Opening files that may be anything, and writing files whole or not at all."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from pytest_agentv.errors import OutputError, SessionNotFound, SessionUnreadable
from pytest_agentv.files import atomic_write, open_regular, unnamed_file

posix_only = pytest.mark.skipif(os.name != "posix", reason="needs POSIX files")


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_regular_file_is_opened(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"content\r\n\x1a")
    with open_regular(path) as file:
        assert file.read() == b"content\r\n\x1a"


def test_no_more_is_read_at_once_than_was_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b"one\ntwo\nthree\n")
    with open_regular(path, buffer=4) as file:
        assert file.readline() == b"one\n"
        assert os.lseek(file.fileno(), 0, os.SEEK_CUR) == 4


@posix_only
def test_a_link_to_a_file_is_opened(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"content")
    (tmp_path / "link").symlink_to("file")
    with open_regular(tmp_path / "link") as file:
        assert file.read() == b"content"


def test_a_file_that_is_not_there_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(SessionNotFound) as error:
        open_regular(tmp_path / "nothing")
    assert str(error.value) == f"{tmp_path / 'nothing'}: no such file"


def test_a_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SessionUnreadable, match="is a directory, not a regular file"):
        open_regular(tmp_path)


@posix_only
def test_a_named_pipe_is_refused_without_waiting_for_a_writer(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(SessionUnreadable, match="is a named pipe, not a regular file"):
        open_regular(tmp_path / "fifo")


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux's /proc")
def test_a_file_of_the_kernel_is_refused_as_reading_it_may_wait(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/proc/self/status")
    for path in (Path("/proc/self/status"), tmp_path / "link"):
        with pytest.raises(SessionUnreadable, match="made by the kernel, not a regular file"):
            open_regular(path)


@pytest.mark.parametrize("name", ["a\0b", "\0"])
def test_a_name_with_nul_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(SessionUnreadable, match="cannot be opened"):
        open_regular(tmp_path / name)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs Linux's /proc")
def test_what_is_refused_is_closed(tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
    for _ in range(10):
        with pytest.raises(SessionUnreadable):
            open_regular(tmp_path)
        with pytest.raises(SessionUnreadable):
            open_regular(Path("/dev/null"))
    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208


def test_a_file_appears_when_it_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "file"
    with atomic_write(path, overwrite=False) as file:
        file.write(b"content")
        assert not path.exists()
    assert path.read_bytes() == b"content"
    assert _names(path.parent) == ["file"]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, SystemExit, GeneratorExit])
def test_an_error_inside_leaves_what_was_there(tmp_path: Path, error: type[BaseException]) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(error), atomic_write(path, overwrite=True) as file:  # noqa: PT012
        file.write(b"new")
        raise error
    assert path.read_bytes() == b"old"
    assert _names(tmp_path) == ["file"]


def test_an_error_of_the_system_is_said_with_the_path(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with pytest.raises(OutputError) as error, atomic_write(path, overwrite=False):
        raise OSError(28, "No space left on device")
    assert str(error.value) == f"{path}: cannot be written: No space left on device"
    assert _names(tmp_path) == []


@posix_only
@pytest.mark.parametrize("overwrite", [False, True])
def test_a_new_file_is_for_its_owner_only(tmp_path: Path, overwrite: bool) -> None:  # noqa: FBT001
    path = tmp_path / "file"
    if overwrite:
        path.write_bytes(b"old")
        path.chmod(0o644)
    umask = os.umask(0)
    try:
        with atomic_write(path, overwrite=overwrite) as file:
            file.write(b"new")
    finally:
        os.umask(umask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@posix_only
@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600)])
def test_a_file_that_is_not_private_follows_the_umask(
    tmp_path: Path, umask: int, mode: int
) -> None:
    path = tmp_path / "file"
    before = os.umask(umask)
    try:
        with atomic_write(path, overwrite=False, private=False) as file:
            file.write(b"new")
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


def test_what_exists_is_kept_unless_it_may_be_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with (
        pytest.raises(OutputError, match="exists already; --force overwrites it"),
        atomic_write(path, overwrite=False) as file,
    ):
        file.write(b"new")
    assert path.read_bytes() == b"old"
    with atomic_write(path, overwrite=True) as file:
        file.write(b"new")
    assert path.read_bytes() == b"new"
    assert _names(tmp_path) == ["file"]


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_folder_is_no_file_that_could_be_overwritten(tmp_path: Path, *, overwrite: bool) -> None:
    (tmp_path / "folder").mkdir()
    with (
        pytest.raises(OutputError, match="is not a regular file"),
        atomic_write(tmp_path / "folder", overwrite=overwrite),
    ):
        pass


def test_a_file_that_another_wrote_meanwhile_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with (  # noqa: PT012 (both have to write)
        pytest.raises(OutputError, match="exists already; --force overwrites it"),
        atomic_write(path, overwrite=False) as file,
    ):
        file.write(b"mine")
        path.write_bytes(b"theirs")
    assert path.read_bytes() == b"theirs"
    assert _names(tmp_path) == ["file"]


def test_a_folder_is_never_replaced(tmp_path: Path) -> None:
    path = tmp_path / "folder"
    (path / "inside").mkdir(parents=True)
    with pytest.raises(OutputError), atomic_write(path, overwrite=True) as file:
        file.write(b"new")
    assert _names(path) == ["inside"]
    assert _names(tmp_path) == ["folder"]


@posix_only
def test_a_named_pipe_is_never_replaced(tmp_path: Path) -> None:
    path = tmp_path / "fifo"
    os.mkfifo(path)
    with pytest.raises(OutputError), atomic_write(path, overwrite=True) as file:
        file.write(b"new")
    assert stat.S_ISFIFO(path.lstat().st_mode)


@pytest.mark.parametrize("name", ["x" * 300, "a\0b"])
def test_a_name_that_cannot_be_is_refused(tmp_path: Path, name: str) -> None:
    with (
        pytest.raises(OutputError, match="cannot be written"),
        atomic_write(tmp_path / name, overwrite=False) as file,
    ):
        file.write(b"new")
    assert _names(tmp_path) == []


def test_a_long_name_is_no_obstacle(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 250)
    with atomic_write(path, overwrite=False) as file:
        file.write(b"new")
    assert path.read_bytes() == b"new"


_WRITE_AND_READ = """
import sys
from pytest_agentv.files import unnamed_file
with unnamed_file() as file:
    file.write(b"content")
    file.seek(0)
    print(file.read().decode(), "tempfile" in sys.modules)
"""


@pytest.mark.parametrize(("folder", "has_tempfile"), [("here", "False"), ("nowhere", "True")])
@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="needs files without a name")
def test_a_file_without_a_name_is_gone_when_it_is_closed(
    tmp_path: Path, folder: str, has_tempfile: str
) -> None:
    (tmp_path / "here").mkdir()
    environment = {**os.environ, "TMPDIR": str(tmp_path / folder)}
    command = [sys.executable, "-c", _WRITE_AND_READ]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["content", has_tempfile]
    assert _names(tmp_path / "here") == []


def test_a_file_without_a_name_lies_where_temporary_files_are_told_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    with pytest.raises(FileNotFoundError):
        unnamed_file()
