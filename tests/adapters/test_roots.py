"""Sessions are found where somebody says that they are, whatever they call the place."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from adapter_fixtures import fixtures, places
from agentv_command import InProcess, new_home

from pytest_agentv.adapters.discovery import find_sessions
from pytest_agentv.adapters.roots import base_of
from pytest_agentv.errors import SettingsError
from pytest_agentv.plugins import registry

if TYPE_CHECKING:
    from agentv_command import ClaudeHome

REGISTRY = registry()
EXAMPLES = Path(__file__).parents[2] / "examples"
PLACES = [(name, one) for name, one in places() if not one.get("env")]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ClaudeHome:
    (tmp_path / "work").mkdir()
    return new_home(tmp_path, monkeypatch)


def _ids(name: str) -> list[str]:
    return sorted(ref.session_id for ref in find_sessions(REGISTRY.adapter(name), os.environ))


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("depth", [0, 1, 2])
@pytest.mark.parametrize(
    ("name", "place"), PLACES, ids=[f"{name}-{one['place']}" for name, one in PLACES]
)
def test_a_session_that_was_copied_is_found_by_its_path_and_by_folders_above_it(
    name: str, place: dict[str, Any], depth: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (fixture,) = (one for one in fixtures(name) if one.path.name == place["fixture"])
    source, target = fixture.made(tmp_path), tmp_path / "backup" / place["place"]
    target.parent.mkdir(parents=True)
    shutil.copytree(source, target) if source.is_dir() else shutil.copy(source, target)
    variable = f"AGENTV_{name.upper().replace('-', '_')}_PATH"
    monkeypatch.setenv(variable, str([target, *target.parents][depth]))
    refs = find_sessions(REGISTRY.adapter(name), os.environ)
    assert len(refs) == len(place["ids"])
    assert all(ref.modified > 0 and ref.size > 0 for ref in refs)
    for ref in refs:
        assert REGISTRY.adapter(name).summarize(ref).first_prompt


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("claude", "claude-home"),
        ("claude", "claude-home/projects"),
        ("claude", "claude-home/projects/-home-dev-projects-shop-api"),
        ("claude", "claude-home/projects/*/*.jsonl"),
        ("claude", "claude-*"),
        ("codex", "codex-home"),
        ("codex", "codex-home/sessions"),
        ("codex", "codex-home/**/rollout-*.jsonl"),
        ("copilot", "copilot-home"),
        ("copilot", "copilot-home/session-state"),
    ],
)
def test_a_place_is_what_a_person_calls_it(
    name: str, place: str, home: ClaudeHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.session("aaaaaaaa")  # what is configured takes the place of the client's own
    variable = {"claude": "CLAUDE_CONFIG_DIR", "codex": "CODEX_HOME", "copilot": "COPILOT_HOME"}
    monkeypatch.setenv(variable[name], str(EXAMPLES / f"{name}-home"))
    usual = _ids(name)
    assert usual
    monkeypatch.delenv(variable[name])
    monkeypatch.setenv(f"AGENTV_{name.upper()}_PATH", str(EXAMPLES / place))
    assert _ids(name) == usual


def test_several_places_are_searched_and_each_session_is_there_once(
    home: ClaudeHome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = home.session("aaaaaaaa")
    shutil.copytree(home.path, tmp_path / "copy")
    second = tmp_path / "copy" / first.relative_to(home.path)
    second = second.rename(second.with_name(first.name.replace("aaaaaaaa", "bbbbbbbb")))
    paths = [home.projects, tmp_path / "copy", first, tmp_path / "gone"]
    monkeypatch.setenv("AGENTV_CLAUDE_PATH", os.pathsep.join(map(str, paths)))
    assert [one[:8] for one in _ids("claude")] == ["aaaaaaaa", "bbbbbbbb"]


def test_a_glob_begins_at_the_folder_before_its_stars(tmp_path: Path) -> None:
    assert base_of(f"{tmp_path}/*/x-[ab]/*.jsonl") == tmp_path
    assert base_of(f"{tmp_path}/gone.jsonl") == tmp_path / "gone.jsonl"
    (tmp_path / "a[1]").mkdir()
    assert base_of(f"{tmp_path}/a[1]") == tmp_path / "a[1]"


def test_a_client_without_a_place_gets_one(
    home: ClaudeHome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.session("aaaaaaaa")  # of another client
    (tmp_path / "chats").mkdir()
    chat = (
        '{"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "?"}]}'
    )
    (tmp_path / "chats" / "one.jsonl").write_text(f"{chat}\n{chat}\n")
    (tmp_path / "chats" / "package.json").write_text("{}")
    monkeypatch.setenv("AGENTV_OPENAI_PATH", str(tmp_path))
    assert len(_ids("openai")) == 2


def test_projects_and_names_work_at_other_places(
    home: ClaudeHome,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    home.session("aaaaaaaa", "First", cwd="/home/dev/shop")
    home.session("bbbbbbbb", "Second", cwd="/home/dev/blog")
    flat = tmp_path / "flat"
    flat.mkdir()
    for path in home.projects.glob("*/*.jsonl"):
        shutil.copy2(path, flat)
    shutil.rmtree(home.projects)
    monkeypatch.setenv("AGENTV_CLAUDE_PATH", str(flat))
    agentv = InProcess(capsys)
    listed = agentv("import", "claude", "--list", "--project-path", "/home/dev/shop")
    assert "aaaaaaaa" in listed.out
    assert "bbbbbbbb" not in listed.out
    assert "Second" in agentv("read", "claude:latest").out
    assert "First" in agentv("read", "aaaaaaaa").out
    nothing = agentv("import", "claude", "--all", "--project-path", "/home/dev/other")
    assert (nothing.code, nothing.err) == (
        1,
        f"agentv: no session of claude was found at {flat} for the project /home/dev/other\n",
    )


def test_a_wrong_setting_is_said_and_not_overlooked(home: ClaudeHome) -> None:
    home.session("aaaaaaaa")
    Path("pyproject.toml").write_text("[tool.agentv.storge]\n")
    with pytest.raises(SettingsError, match=r"pyproject.toml:1: unknown key `tool.agentv.storge`"):
        _ids("claude")


def test_a_run_of_pytest_goes_by_its_root_directory(
    home: ClaudeHome, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    home.session("aaaaaaaa", "Say hi")
    moved = home.projects.rename(tmp_path / "moved")
    monkeypatch.chdir(pytester.path)
    pytester.makepyprojecttoml(
        "[tool.agentv.storage]\nindex_path = 'index.db'\n"
        f"[tool.agentv.storage.sources]\nclaude = '{moved}'\n[tool.pytest.ini_options]\n"
    )
    pytester.makefile(
        ".eval.yaml",
        hi="tests:\n- id: a\n  assertions:\n  - {type: contains, value: Done}\n",
    )
    below = pytester.mkdir("below")
    monkeypatch.chdir(below)
    result = pytester.runpytest("--rootdir=..", "..", "--transcript=claude:latest")
    result.assert_outcomes(passed=1)
