"""Sessions in a branch of a repository: found there, and read by the adapters of their clients."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from agentv_command import InProcess

from pytest_agentv import ReadOptions, load, read_transcripts
from pytest_agentv.adapters.entire import EntireAdapter, _write_blob
from pytest_agentv.errors import SessionUnreadable
from pytest_agentv.plugins import registry
from pytest_agentv.sources import places_named, sessions_in

if TYPE_CHECKING:
    from pytest_agentv import SessionRef

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")

DATA = Path(__file__).parents[1] / "data"
BRANCH = "entire/checkpoints/v1"
CURSOR = (DATA / "cursor" / "login-limit.jsonl").read_bytes()
DROID = (DATA / "droid" / "login-limit.jsonl").read_bytes()


def git(repository: Path, *arguments: str) -> str:
    user = ("-c", "user.name=dev", "-c", "user.email=dev@devbox.example")
    command = ["git", "-C", str(repository), *user, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def commit(repository: Path, files: dict[str, bytes]) -> None:
    """Commit files to the branch, as Entire does beside the work."""
    git(repository, "checkout", "-q", "--orphan", BRANCH)
    for name, content in files.items():
        path = repository / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "checkpoints")
    git(repository, "checkout", "-q", "--orphan", "main")
    git(repository, "rm", "-rfq", ".")


def note(session_id: str, created: str) -> bytes:
    return json.dumps({"session_id": session_id, "created_at": created, "agent": "x"}).encode()


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("repository")
    git(found, "init", "-q")
    middle = CURSOR.index(b"\n", len(CURSOR) // 2) + 1
    commit(
        found,
        {
            "0a/1b2c3d4e5f/metadata.json": b"{}",
            "0a/1b2c3d4e5f/0/metadata.json": note("one", "2026-07-15T10:00:00Z"),
            "0a/1b2c3d4e5f/0/full.jsonl": CURSOR[:middle],
            "0a/1b2c3d4e5f/0/prompt.txt": b"Add rate limiting",
            "ff/1b2c3d4e5f/0/metadata.json": note("one", "2026-07-15T11:00:00Z"),
            "ff/1b2c3d4e5f/0/full.jsonl": CURSOR[:middle],
            "ff/1b2c3d4e5f/0/full.jsonl.001": CURSOR[middle:],
            "ff/1b2c3d4e5f/1/metadata.json": note("../two", "2026-07-15T12:00:00Z"),
            "ff/1b2c3d4e5f/1/transcript.jsonl": DROID,
            "33/1b2c3d4e5f/full.jsonl": b"nobody knows this\n",
            "notes/full.jsonl": CURSOR,
        },
    )
    return found


def refs(repository: Path) -> dict[str, SessionRef]:
    return {ref.session_id: ref for ref in EntireAdapter().sessions(repository)}


def test_each_session_is_found_once_by_its_newest_copy(repository: Path) -> None:
    found = refs(repository)
    assert {key: ref.row for key, ref in found.items()} == {
        "one": "ff1b2c3d4e5f/0",
        "../two": "ff1b2c3d4e5f/1",
        "331b2c3d4e5f": "331b2c3d4e5f",
    }
    assert found["one"].size == len(CURSOR)
    assert found["one"].modified == 1784113200.0


def test_a_session_is_read_by_the_adapter_of_its_client(repository: Path) -> None:
    found, adapter = refs(repository), EntireAdapter()
    one = load(adapter.read(found["one"], ReadOptions()))
    assert (one.source.provider, one.source.session_id) == ("cursor", "one")
    assert len(one.tool_calls()) == 10
    assert adapter.summarize(found["one"]).first_prompt == one.input
    two = load(adapter.read(found["../two"], ReadOptions()))
    assert two.source.provider == "droid"


def test_a_session_that_no_adapter_knows_is_refused(repository: Path) -> None:
    with pytest.raises(
        SessionUnreadable, match="'331b2c3d4e5f' is claimed by none of the adapters"
    ):
        EntireAdapter().read(refs(repository)["331b2c3d4e5f"], ReadOptions())


def test_a_folder_without_the_branch_has_no_sessions(tmp_path: Path) -> None:
    assert refs(tmp_path) == {}
    git(tmp_path, "init", "-q")
    assert refs(tmp_path) == {}
    with pytest.raises(SessionUnreadable, match="has no branch refs/heads/entire/checkpoints/v1"):
        list(EntireAdapter().sessions_of(tmp_path))


def test_the_command_lists_and_imports_sessions_of_the_repository(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(repository)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    listed = InProcess(capsys)("import", "entire", "--list")
    assert listed.code == 0, listed.err
    assert "one" in listed.out
    target = tmp_path / "out.jsonl"
    done = InProcess(capsys)("import", "entire", "--session-id", "one", "-o", str(target))
    assert done.code == 0, done.err
    (transcript,) = read_transcripts(target)
    assert transcript.source.provider == "cursor"


def test_a_session_can_be_named_for_grading(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository)
    (place,) = places_named("entire:one", registry, folder=repository)
    (session,) = sessions_in(place, registry)
    assert session.session_id == "one"
    assert session.load().source.provider == "cursor"


def test_nothing_that_a_repository_says_is_run(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    commit(tmp_path, {"0a/1b2c3d4e5f/0/full.jsonl": CURSOR})
    (ref,) = refs(tmp_path).values()
    blob = git(tmp_path, "rev-parse", f"{BRANCH}:0a/1b2c3d4e5f/0/full.jsonl")
    (tmp_path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    marker = tmp_path / "ran"
    for name, value in {
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.promisor": "true",
        "remote.origin.url": f"ext::sh -c 'touch% {marker}'",
        "protocol.ext.allow": "always",
        "core.fsmonitor": f"touch {marker}",
    }.items():
        git(tmp_path, "config", name, value)
    with pytest.raises(SessionUnreadable, match="has no checkpoint '0a1b2c3d4e5f/0'"):
        EntireAdapter().read(ref, ReadOptions())
    with (
        pytest.raises(SessionUnreadable, match="git cannot read it"),
        marker.with_name("out").open("wb") as file,
    ):
        _write_blob(tmp_path, blob, file)
    assert not marker.exists()
