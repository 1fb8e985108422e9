"""What must hold for every adapter, on every session below ``tests/data`` that it has.

An adapter gets all of this by putting its sessions into a folder there.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from adapter_fixtures import DATA, NAMES, OLD, Fixture, fixtures, places
from agentv_command import InProcess

from pytest_agentv import ReadOptions, Transcript, load, read_transcripts
from pytest_agentv.adapters.base import provider_of, refs_of
from pytest_agentv.adapters.discovery import find_sessions
from pytest_agentv.errors import SessionError
from pytest_agentv.plugins import registry
from pytest_agentv.transcript.tools import describe

if TYPE_CHECKING:
    from pytest_agentv.testing import AdapterCheck

FIXTURES = fixtures()
EVERY_FIXTURE = FIXTURES + [one for one in fixtures(*OLD) if one.path.is_file()]
REGISTRY = registry()
# Files that are nobody's, however much they look like a session.
FOREIGN = {
    "empty.json": b"",
    "object.json": b"{}",
    "list.json": b"[]",
    "number.json": b"7",
    "null.json": b"null",
    "package.json": b'{"name": "shop", "version": "1.0.0", "messages": 3, "info": {}}',
    "settings.json": b'{"version": 1, "agent": {"name": "x"}, "history": {}, "trajectory": 1}',
    "rows.jsonl": b'{"id": 1, "text": "a"}\n{"id": 2, "text": "b"}\n',
    "list-of-lists.json": b"[[[]], [[]]]",
    "texts.json": b'["a", "b"]',
    "notes.md": b"# Notes\n\n> nothing\n\n#### also nothing\n",
    "log.txt": b"user: hello\nassistant: hi\n",
    "deep.json": b"[" * 100_000,
    "deep-objects.json": b'{"messages":' * 20_000,
    "binary": bytes(range(256)) * 8,
    "torn.json": b'{"messages": [{"role": "us',
    "archive.zip": b"PK\x03\x04" + bytes(60),
    "table.parquet": b"PAR1" + bytes(40) + b"PAR1",
    "database.db": b"SQLite format 3\0" + bytes(84),
    "traces.jsonl": b'{"type": "trace", "span": {"name": "x"}}\n',
    "translations.json": b'{"messages": [{"key": "a", "role": 7}], "info": "x"}',
}  # fmt: skip


def _read(name: str, path: Path) -> list[Transcript]:
    adapter = REGISTRY.adapter(name)
    return [load(adapter.read(ref, ReadOptions())) for ref in refs_of(adapter, path)]


def _ids(values: list[Fixture]) -> list[str]:
    return [one.id for one in values]


@pytest.mark.parametrize("fixture", FIXTURES, ids=_ids(FIXTURES))
def test_a_session_becomes_its_transcript_and_survives_being_broken(
    agentv_check_adapter: AdapterCheck, fixture: Fixture, tmp_path: Path
) -> None:
    session = fixture.made(tmp_path)
    agentv_check_adapter(REGISTRY.adapter(fixture.adapter), session, golden=fixture.golden)


def test_every_transcript_has_its_session_and_every_adapter_has_sessions() -> None:
    goldens = {path for name in NAMES for path in (DATA / name).glob("*.transcript.json")}
    assert goldens == {fixture.golden for fixture in FIXTURES}
    assert {fixture.adapter for fixture in FIXTURES} == set(NAMES)


@pytest.mark.parametrize("fixture", EVERY_FIXTURE, ids=_ids(EVERY_FIXTURE))
def test_exactly_one_adapter_claims_a_session(fixture: Fixture, tmp_path: Path) -> None:
    found = REGISTRY.claims(fixture.made(tmp_path))
    assert [adapter.name for adapter in found] == [fixture.adapter]


@pytest.mark.parametrize("name", FOREIGN)
def test_nobody_claims_a_file_that_is_no_session(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(FOREIGN[name])
    assert [adapter.name for adapter in REGISTRY.claims(path)] == []


def test_nobody_claims_a_folder_that_is_no_session(tmp_path: Path) -> None:
    (tmp_path / "events").mkdir()
    (tmp_path / "events" / "notes.json").write_text("{}", encoding="utf-8")
    assert REGISTRY.claims(tmp_path) == []
    assert REGISTRY.claims(tmp_path / "events") == []


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("foreign", FOREIGN)
def test_a_file_that_is_no_session_is_refused_with_an_error_of_ours(
    name: str, foreign: str, tmp_path: Path
) -> None:
    path = tmp_path / foreign
    path.write_bytes(FOREIGN[foreign])
    with pytest.raises(SessionError):
        _read(name, path)


@pytest.mark.parametrize("name", NAMES)
def test_the_table_of_tools_is_found_by_the_provider(name: str) -> None:
    adapter = REGISTRY.adapter(name)
    tools = sys.modules[type(adapter).__module__].TOOLS
    for tool, entry in tools.items():
        assert describe(tool, {}, adapter.provider) == entry.described({})


def _keep(
    name: str, place: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """Put a session where its client keeps it, and be in a project of that user's."""
    home = tmp_path / "home"
    (fixture,) = (one for one in fixtures(name) if one.path.name == place["fixture"])
    source = fixture.made(tmp_path)
    target = home / str(place["place"])
    target.parent.mkdir(parents=True)
    if source.is_dir():
        shutil.copytree(source, target)
    else:
        shutil.copy(source, target)
    for variable in [*os.environ]:
        if variable.startswith("XDG_") or variable in ("LOCALAPPDATA", "USERPROFILE"):
            monkeypatch.delenv(variable)
    monkeypatch.setenv("HOME", str(home))
    work = tmp_path / "project"
    work.mkdir(exist_ok=True)
    monkeypatch.chdir(work)
    for variable, value in place.get("env", {}).items():
        monkeypatch.setenv(variable, value.format(home=home))
    return target


EVERY_PLACE = pytest.mark.parametrize(
    ("name", "place"), places(), ids=[f"{name}-{one['place']}" for name, one in places()]
)


@EVERY_PLACE
def test_sessions_are_found_where_the_client_keeps_them(
    name: str, place: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    _keep(name, place, tmp_path, monkeypatch)
    adapter = REGISTRY.adapter(name)
    refs = find_sessions(adapter, os.environ)
    assert sorted(ref.session_id for ref in refs) == sorted(place["ids"])
    assert all(ref.modified > 0 for ref in refs)
    imported = InProcess(capsys)("import", name, "--discover", "latest", "-o", "out.jsonl")
    assert imported.code == 0, imported.err
    (transcript,) = read_transcripts(Path("out.jsonl"))
    assert transcript.source.session_id in place["ids"]
    assert transcript.source.provider in {provider_of(adapter, ref) for ref in refs}
    for ref in refs:
        assert adapter.summarize(ref).first_prompt == load(adapter.read(ref, ReadOptions())).input


@EVERY_PLACE
def test_a_session_that_cannot_be_read_hides_no_other_of_a_project(
    name: str, place: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = _keep(name, place, tmp_path, monkeypatch)
    for path in [kept, *kept.rglob("*")]:
        if path.is_file():
            path.write_bytes(b"\x00\xff no session")
    assert find_sessions(REGISTRY.adapter(name), os.environ, project=tmp_path / "project") == []


def test_every_adapter_is_tested_for_where_its_sessions_lie() -> None:
    placeless = {name for name in NAMES if REGISTRY.adapter(name).home({"HOME": "/"}) is None}
    assert {name for name, _ in places()} == set(NAMES) - placeless


@pytest.mark.parametrize("name", NAMES)
def test_a_home_without_sessions_has_none(name: str, tmp_path: Path) -> None:
    adapter = REGISTRY.adapter(name)
    home = adapter.home({"HOME": str(tmp_path)})
    assert home is None or list(adapter.sessions(home)) == []
    assert adapter.home({}) is None or isinstance(adapter.home({}), Path)


def test_no_adapter_is_imported_to_know_their_names() -> None:
    code = (
        "import sys; from pytest_agentv.plugins import registry; registry().names;"
        "print([n for n in sys.modules if n.startswith('pytest_agentv.adapters.')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout.strip() == "['pytest_agentv.adapters.base']"
