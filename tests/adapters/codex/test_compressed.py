"""Compressed sessions are unpacked as far as they can be, and never at any price."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import msgspec
import pytest
import zstandard
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from pytest_agentv import Drift, RecordFile
from pytest_agentv.adapters.codex import compressed
from pytest_agentv.adapters.codex.compressed import open_session
from pytest_agentv.errors import OutputError, SessionUnreadable

_laws = settings(
    max_examples=80,
    deadline=None,
    derandomize=True,
    database=None,
    # Which library is installed does not change between examples.
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)

_LIBRARIES = ("compression.zstd", "backports.zstd", "zstandard")
_NEWEST = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"

_LINES = b"".join(b'{"number":%d,"words":"line %d of a session"}\n' % (n, n) for n in range(20_000))
_CUT = "compressed data cut off"
_DAMAGED = "compressed data damaged"

_MAGIC = b"\x28\xb5\x2f\xfd"
_SKIPPABLE = b"\x50\x2a\x4d\x18" + (5).to_bytes(4, "little") + b"notes"
# A block of 128 KiB that are all the same byte takes four bytes.
_ZEROS = (1 << 17 << 3 | 1 << 1).to_bytes(3, "little") + b"\0"


class Line(msgspec.Struct):
    """A record of the sessions here."""

    number: int | None = None


@pytest.fixture(params=[_NEWEST, "zstandard"], autouse=True)
def library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Each library, as if it were the only one that is installed."""
    installed: str = request.param
    for name in _LIBRARIES:
        if name != installed:
            monkeypatch.setitem(sys.modules, name, None)
    return installed


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "rollout.jsonl.zst"


def packed(content: bytes, *, checksum: bool = False) -> bytes:
    return zstandard.ZstdCompressor(level=3, write_checksum=checksum).compress(content)


def frame(*blocks: bytes, window_log: int = 17) -> bytes:
    """A frame of ready-made blocks, without the last."""
    return _MAGIC + b"\0" + bytes([window_log - 10 << 3]) + b"".join(blocks)


def unpacked(path: Path, content: bytes, *, limit: int | None = None) -> tuple[bytes, Drift]:
    path.write_bytes(content)
    drift = Drift()
    with open_session(path, limit=limit, drift=drift) as file:
        assert file.tell() == 0
        return file.read(), drift


def refusal(path: Path, content: bytes) -> str:
    with pytest.raises(SessionUnreadable) as error:
        unpacked(path, content)
    assert str(error.value) == f"{path}: {error.value.message}"
    assert "\n" not in error.value.message
    return error.value.message


def test_a_plain_session_is_opened_as_it_is(tmp_path: Path) -> None:
    got, drift = unpacked(tmp_path / "rollout.jsonl", _LINES)
    assert got == _LINES
    assert not drift.counts


@pytest.mark.parametrize("name", ["rollout.jsonl.zst", "rollout.jsonl", "download"])
def test_a_compressed_session_is_unpacked_whatever_its_name_is(tmp_path: Path, name: str) -> None:
    got, drift = unpacked(tmp_path / name, packed(_LINES))
    assert got == _LINES
    assert not drift.counts


def test_records_of_a_compressed_session_are_read_by_their_place(path: Path) -> None:
    path.write_bytes(packed(_LINES))
    drift = Drift()
    with RecordFile(path, Line, drift, file=open_session(path, drift=drift)) as file:
        found = list(file.records())
        some = [place for place, _ in found[19_990::-500]]
        again = file.records_at(some)
    assert [record.number for _, record in found] == list(range(20_000))
    assert [record.number for _, record in again] == list(range(19_990, -1, -500))
    assert not drift.counts


@_laws
@given(
    contents=st.lists(st.binary(max_size=3000) | st.just(_LINES[:200_000]), max_size=4),
    checksum=st.booleans(),
    notes=st.booleans(),
)
def test_any_frames_are_unpacked_one_after_another(
    contents: list[bytes], *, checksum: bool, notes: bool
) -> None:
    between = _SKIPPABLE if notes else b""
    content = between + b"".join(packed(one, checksum=checksum) + between for one in contents)
    with tempfile.TemporaryDirectory() as folder:
        got, drift = unpacked(Path(folder, "a.jsonl.zst"), content)
    assert got == b"".join(contents)
    assert not drift.counts


@_laws
@given(data=st.data())
def test_what_a_cut_off_file_still_holds_is_kept(data: st.DataObject) -> None:
    whole = packed(_LINES)
    cut = whole[: data.draw(st.integers(1, len(whole) - 1))]
    first_block = len(packed(_LINES[: 1 << 17]))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.jsonl.zst")
        if len(cut) < first_block - 100:
            assert refusal(path, cut) == f"cannot be unpacked: {_CUT}"
            return
        assume(len(cut) > first_block + 100)
        got, drift = unpacked(path, cut)
    assert got
    assert _LINES.startswith(got)
    assert drift.counts == {_CUT: 1}
    assert drift.first_line == {_CUT: got.count(b"\n") + 1}


@_laws
@given(place=st.integers(0, 10**6), value=st.integers(0, 255), checksum=st.booleans())
def test_a_damaged_byte_is_never_more_than_one_sentence(
    place: int, value: int, *, checksum: bool
) -> None:
    content = bytearray(packed(_LINES, checksum=checksum))
    content[place % len(content)] = value
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.jsonl.zst")
        try:
            got, drift = unpacked(path, bytes(content))
        except SessionUnreadable:
            return
    if checksum:
        assert got == _LINES or drift.counts


def test_damage_costs_what_comes_after_it(path: Path) -> None:
    first, second = _LINES[:400_000], _LINES[400_000:]
    bad = bytearray(packed(second))
    bad[len(_MAGIC)] |= 0x08  # a bit that is reserved
    got, drift = unpacked(path, packed(first) + bytes(bad))
    assert got == first
    assert drift.counts == {_DAMAGED: 1}
    assert drift.first_line == {_DAMAGED: first.count(b"\n") + 1}


@pytest.mark.parametrize("garbage", [b"\0" * 10_000, b'{"plain":"record"}\n', b"\xff" * 4])
def test_bytes_after_a_session_are_noted_and_cost_nothing(path: Path, garbage: bytes) -> None:
    got, drift = unpacked(path, packed(_LINES) + garbage)
    assert got == _LINES
    assert drift.counts == {_DAMAGED: 1}
    assert drift.first_line == {_DAMAGED: 20_001}


@pytest.mark.parametrize("content", [b"", packed(b""), _SKIPPABLE], ids=["file", "frame", "notes"])
def test_an_empty_session_is_empty_and_not_damaged(path: Path, content: bytes) -> None:
    got, drift = unpacked(path, content)
    assert got == b""
    assert not drift.counts


@pytest.mark.parametrize("content", [_LINES, b"x", b"\0" * 5000])
def test_a_file_that_is_compressed_by_name_only_is_one_sentence(path: Path, content: bytes) -> None:
    assert refusal(path, content).startswith("cannot be unpacked: ")


def test_a_window_that_would_fill_the_memory_is_refused(path: Path) -> None:
    message = refusal(path, frame(_ZEROS, window_log=31))
    assert message.startswith("cannot be unpacked: ")
    assert "too much memory" in message


def test_a_size_that_a_frame_merely_claims_is_not_believed(path: Path) -> None:
    claims_an_exbibyte = _MAGIC + b"\xc0\x38" + (1 << 60).to_bytes(8, "little")
    got, drift = unpacked(path, claims_an_exbibyte + _ZEROS)
    assert got == b"\0" * (1 << 17)
    assert drift.counts == {_CUT: 1}


def test_a_small_file_that_unpacks_to_hundreds_of_megabytes_is_refused(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert refusal(path, frame(_ZEROS * 2049)) == (
        "unpacks to more than 256 MiB, too much for a compressed session; "
        "if it is one, unpack it with 'zstd -d' and import the result"
    )
    assert os.listdir(tmp_path) == [path.name]  # noqa: PTH208 (names, not paths)


def test_a_session_that_shrank_well_is_no_bomb(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compressed, "_ALWAYS_ALLOWED", 0)
    got, _ = unpacked(path, packed(_LINES))
    assert got == _LINES


def test_a_compressed_file_beyond_all_sizes_is_not_even_begun(path: Path) -> None:
    path.write_bytes(packed(_LINES))
    os.truncate(path, (4 << 30) + 1)
    with pytest.raises(SessionUnreadable, match="is more than 4096 MiB, too much for"):
        open_session(path)


def test_frames_without_end_are_given_up(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compressed, "_MAX_FRAMES", 10)
    got, drift = unpacked(path, packed(b"line\n") * 11)
    assert got == b"line\n" * 10
    assert drift.counts == {"more than 10 compressed frames": 1}


@pytest.mark.parametrize("limit", [0, 1, 1000, 1 << 17, 500_000])
def test_a_look_at_the_beginning_unpacks_no_more_than_that(path: Path, limit: int) -> None:
    got, drift = unpacked(path, packed(_LINES), limit=limit)
    assert got == _LINES[:limit]
    assert not drift.counts


def test_a_look_at_the_beginning_of_a_short_session_shows_it_whole(path: Path) -> None:
    assert unpacked(path, packed(b"line\n"), limit=1000)[0] == b"line\n"


def test_a_look_at_the_beginning_does_not_depend_on_how_well_it_shrank(path: Path) -> None:
    noise = random.Random(1).randbytes(1 << 20)  # noqa: S311 (no secret)
    assert unpacked(path, packed(noise), limit=10)[0] == noise[:10]
    assert unpacked(path, packed(noise), limit=700_000)[0] == noise[:700_000]


def test_a_look_at_the_beginning_minds_no_bomb_and_needs_no_temporary_folder(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    assert unpacked(path, frame(_ZEROS * 100_000), limit=5)[0] == b"\0" * 5


def test_a_look_at_the_beginning_does_not_read_through_padding(path: Path) -> None:
    padding = b"\x50\x2a\x4d\x18" + (1 << 30).to_bytes(4, "little")
    path.write_bytes(padding)
    os.truncate(path, 1 << 30)
    with pytest.raises(SessionUnreadable, match=f"cannot be unpacked: {_CUT}"):
        open_session(path, limit=1000)


def test_no_temporary_folder_is_one_sentence(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    path.write_bytes(packed(_LINES))
    with pytest.raises(OutputError) as error:
        open_session(path)
    assert str(error.value) == (
        f"{path}: cannot be unpacked into the temporary folder: No such file or directory"
    )


_OPEN = """
import sys
from pathlib import Path
from pytest_agentv.adapters.codex.compressed import open_session
from pytest_agentv.errors import AgentvError
try:
    with open_session(Path(sys.argv[1])) as file:
        print(len(file.read()))
except AgentvError as exc:
    print(type(exc).__name__, exc)
"""

_FULL_DISK = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
"""

_NOTHING_INSTALLED = """
import sys
class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name in ("compression.zstd", "backports.zstd", "zstandard"):
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Blocker())
"""


def printed(code: str, path: Path) -> str:
    """What a fresh interpreter prints that runs some code and opens a session."""
    # Nothing else may write: no compiled modules, no figures of coverage.
    without = {"COVERAGE_PROCESS_START", "COVERAGE_PROCESS_CONFIG"}
    environ = {name: value for name, value in os.environ.items() if name not in without}
    ended = subprocess.run(
        [sys.executable, "-B", "-W", "error", "-c", code + _OPEN, str(path)],
        env=environ,
        capture_output=True,
        check=True,
        encoding="utf-8",
    )
    assert ended.stderr == ""
    return ended.stdout


@pytest.mark.skipif(os.name != "posix", reason="needs a limit on the size of files")
def test_a_full_disk_is_one_sentence(path: Path) -> None:
    path.write_bytes(packed(_LINES))
    assert printed(_FULL_DISK, path) == (
        f"OutputError {path}: cannot be unpacked into the temporary folder: File too large\n"
    )


def test_without_any_library_the_sentence_says_what_to_install(path: Path) -> None:
    path.write_bytes(packed(_LINES))
    assert printed(_NOTHING_INSTALLED, path) == (
        f"SessionUnreadable {path}: is compressed with Zstandard, and nothing is installed that "
        "could unpack it: pip install 'pytest-agentv[zstd]'\n"
    )


def test_without_any_library_plain_sessions_are_read(tmp_path: Path) -> None:
    path = tmp_path / "rollout.jsonl"
    path.write_bytes(_LINES)
    assert printed(_NOTHING_INSTALLED, path) == f"{len(_LINES)}\n"
