"""What a list remembers of sessions between calls: it saves time, and is never needed."""

from __future__ import annotations

import json
import os
import stat
import sys
from typing import TYPE_CHECKING

import pytest
from agentv_command import ClaudeHome, InProcess, full_id, new_home

if TYPE_CHECKING:
    from pathlib import Path

CACHE_OF_HOME = {
    "darwin": "Library/Caches/agentv/sessions-claude.json",
    "linux": ".cache/agentv/sessions-claude.json",
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ClaudeHome:
    """A user without any session yet."""
    return new_home(tmp_path, monkeypatch)


@pytest.fixture
def cache(home: ClaudeHome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file that summaries are kept in."""
    del home
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "agentv" / "sessions-claude.json"


@pytest.fixture
def agentv(home: ClaudeHome, capsys: pytest.CaptureFixture[str]) -> InProcess:
    """The command, run in this process."""
    del home
    return InProcess(capsys)


def prompts(agentv: InProcess, *arguments: str | Path) -> dict[str, str | None]:
    """What is listed: the first prompt by the beginning of the id."""
    listed = agentv("import", "claude", "--list", "--json", *arguments)
    assert (listed.code, listed.err) == (0, "")
    return {one["id"][:8]: one["first_prompt"] for one in json.loads(listed.out)}


def change(path: Path, old: bytes, new: bytes, *, later: float = 0) -> None:
    """Change a session's content; its time of change is as before, or some seconds later."""
    modified = path.stat().st_mtime + later
    content = path.read_bytes()
    assert old in content
    path.write_bytes(content.replace(old, new))
    os.utime(path, (modified, modified))


def test_a_session_that_has_not_changed_is_not_read_again(
    home: ClaudeHome, agentv: InProcess, cache: Path
) -> None:
    path = home.session("aaaaaaaa", "Fix the login page", modified=1_774_000_000.123456)
    assert prompts(agentv) == {"aaaaaaaa": "Fix the login page"}
    assert cache.is_file()

    # Nobody could change a file so; it shows that what was remembered is used.
    change(path, b"Fix the", b"Mix the")

    assert prompts(agentv) == {"aaaaaaaa": "Fix the login page"}


def test_a_session_of_another_size_is_read_again(
    home: ClaudeHome, agentv: InProcess, cache: Path
) -> None:
    path = home.session("aaaaaaaa", "Fix the login page")
    prompts(agentv)

    change(path, b"Fix the", b"Improve the")

    assert cache.is_file()
    assert prompts(agentv) == {"aaaaaaaa": "Improve the login page"}


@pytest.mark.parametrize("later", [1, -1, 0.001])
def test_a_session_of_another_time_is_read_again(
    home: ClaudeHome, agentv: InProcess, cache: Path, later: float
) -> None:
    path = home.session("aaaaaaaa", "Fix the login page")
    prompts(agentv)

    change(path, b"Fix the", b"Mix the", later=later)

    assert cache.is_file()
    assert prompts(agentv) == {"aaaaaaaa": "Mix the login page"}


def test_what_was_read_again_is_remembered_again(
    home: ClaudeHome, agentv: InProcess, cache: Path
) -> None:
    path = home.session("aaaaaaaa", "Fix the login page")
    prompts(agentv)
    change(path, b"Fix the", b"Mix the", later=1)
    prompts(agentv)

    change(path, b"Mix the", b"Wax the")

    assert cache.is_file()
    assert prompts(agentv) == {"aaaaaaaa": "Mix the login page"}


def test_new_sessions_are_listed_beside_remembered_ones(
    home: ClaudeHome, agentv: InProcess, cache: Path
) -> None:
    home.session("aaaaaaaa", "One")
    prompts(agentv)
    home.session("bbbbbbbb", "Two")

    assert cache.is_file()
    assert prompts(agentv) == {"aaaaaaaa": "One", "bbbbbbbb": "Two"}


def test_sessions_that_are_gone_are_not_listed(
    home: ClaudeHome, agentv: InProcess, cache: Path
) -> None:
    home.session("aaaaaaaa", "One")
    home.session("bbbbbbbb", "Two").unlink()
    prompts(agentv)

    home.session("aaaaaaaa", "One").unlink()

    assert cache.is_file()
    assert prompts(agentv) == {}


def test_a_list_of_one_project_forgets_nothing_of_the_others(
    home: ClaudeHome, agentv: InProcess, cache: Path, tmp_path: Path
) -> None:
    shop = home.session("aaaaaaaa", "Fix the shop", cwd=tmp_path.resolve() / "shop")
    home.session("bbbbbbbb", "Fix the site", cwd=tmp_path.resolve() / "site")
    prompts(agentv)
    home.session("cccccccc", "Fix it again", cwd=tmp_path.resolve() / "site")
    assert len(prompts(agentv, "--project-path", tmp_path / "site")) == 2

    change(shop, b"Fix the shop", b"Mix the shop")

    assert cache.is_file()
    assert prompts(agentv)["aaaaaaaa"] == "Fix the shop"


@pytest.mark.parametrize(
    "prompt", ["Fix it", "日本 é 👩‍💻", "\x1b[31m \x9b ##[x] ::error::", "word " * 300, "a\nb\tc"]
)
def test_a_remembered_session_looks_as_it_did_at_first(
    home: ClaudeHome, agentv: InProcess, cache: Path, prompt: str
) -> None:
    home.session("aaaaaaaa", prompt)
    home.session("bbbbbbbb", None)
    calls = [["--list"], ["--list", "--json"]]
    first = []
    for call in calls:
        cache.unlink(missing_ok=True)
        first.append(agentv("import", "claude", *call))

    again = [agentv("import", "claude", *call) for call in calls]

    assert again == first


def test_a_session_without_a_prompt_is_remembered_as_such(
    home: ClaudeHome, agentv: InProcess, cache: Path
) -> None:
    path = home.session("aaaaaaaa", None)
    assert prompts(agentv) == {"aaaaaaaa": None}

    change(path, b'"type":"assistant"', b'"type":"user"     ')

    assert cache.is_file()
    assert prompts(agentv) == {"aaaaaaaa": None}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b"{}",
        b"\x00\xff\xfe",
        b'{"version": 1}',
        b'{"version": 1, "entries": []}',
        b'{"version": 1, "entries": {"x": [1]}}',
        b'{"version": 1, "entries": {"x": [1, 2.0, "yesterday", null, null]}}',
        b'{"version": "one", "entries": {}}',
        b'{"version": 99, "entries": {"from": "the future"}}',
        b"[" * 100_000,
    ],
)
def test_a_broken_cache_changes_nothing_and_is_made_anew(
    home: ClaudeHome, agentv: InProcess, cache: Path, content: bytes
) -> None:
    path = home.session("aaaaaaaa", "Fix the login page")
    cache.parent.mkdir(parents=True)
    cache.write_bytes(content)

    assert prompts(agentv) == {"aaaaaaaa": "Fix the login page"}
    change(path, b"Fix the", b"Mix the")
    assert prompts(agentv) == {"aaaaaaaa": "Fix the login page"}


@pytest.mark.parametrize("version", [0, 2, 10**6])
def test_what_another_version_remembered_is_not_believed(
    home: ClaudeHome, agentv: InProcess, cache: Path, version: int
) -> None:
    path = home.session("aaaaaaaa", "Fix the login page")
    prompts(agentv)
    content = json.loads(cache.read_bytes())
    assert content["version"] != version
    cache.write_text(json.dumps({**content, "version": version}), encoding="utf-8")

    change(path, b"Fix the", b"Mix the")

    assert prompts(agentv) == {"aaaaaaaa": "Mix the login page"}


def test_a_cache_that_cannot_be_written_changes_nothing(
    home: ClaudeHome, agentv: InProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.session("aaaaaaaa", "Fix the login page")
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))

    assert prompts(agentv) == {"aaaaaaaa": "Fix the login page"}
    assert (tmp_path / "file").read_bytes() == b""


def test_a_folder_in_place_of_the_cache_changes_nothing(
    home: ClaudeHome, agentv: InProcess, cache: Path
) -> None:
    home.session("aaaaaaaa", "Fix the login page")
    cache.mkdir(parents=True)

    assert prompts(agentv) == {"aaaaaaaa": "Fix the login page"}
    assert [path.name for path in cache.parent.iterdir()] == [cache.name]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write all")
def test_a_folder_that_may_not_be_written_to_changes_nothing(
    home: ClaudeHome, agentv: InProcess, cache: Path
) -> None:
    home.session("aaaaaaaa", "Fix the login page")
    cache.parent.mkdir(parents=True)
    cache.parent.chmod(0o500)

    assert prompts(agentv) == {"aaaaaaaa": "Fix the login page"}
    cache.parent.chmod(0o700)
    assert list(cache.parent.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_named_pipe_in_place_of_the_cache_is_not_waited_for(
    home: ClaudeHome, agentv: InProcess, cache: Path
) -> None:
    home.session("aaaaaaaa", "Fix the login page")
    cache.parent.mkdir(parents=True)
    os.mkfifo(cache)

    assert prompts(agentv) == {"aaaaaaaa": "Fix the login page"}


@pytest.mark.skipif(sys.platform not in CACHE_OF_HOME, reason="no rule for this system here")
def test_without_another_wish_the_cache_is_where_the_system_has_such_things(
    home: ClaudeHome, agentv: InProcess
) -> None:
    home.session("aaaaaaaa")
    prompts(agentv)

    made = {path for path in home.path.rglob("*") if path.is_file() and ".claude" not in path.parts}
    assert made == {home.path / CACHE_OF_HOME[sys.platform]}


def test_the_cache_is_where_xdg_says_and_nowhere_else(
    home: ClaudeHome, agentv: InProcess, cache: Path
) -> None:
    home.session("aaaaaaaa")
    prompts(agentv)

    assert list(cache.parent.iterdir()) == [cache]
    assert [path.name for path in home.path.iterdir()] == [".claude"]


@pytest.mark.parametrize("value", [None, ""])
def test_without_a_home_nothing_is_remembered(
    home: ClaudeHome,
    agentv: InProcess,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    value: str | None,
) -> None:
    path = home.session("aaaaaaaa", "Fix the login page")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home.path / ".claude"))
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.delenv(name) if value is None else monkeypatch.setenv(name, value)
    before = set(tmp_path.rglob("*"))

    assert prompts(agentv) == {"aaaaaaaa": "Fix the login page"}
    assert set(tmp_path.rglob("*")) == before
    change(path, b"Fix the", b"Mix the")
    assert prompts(agentv) == {"aaaaaaaa": "Mix the login page"}


@pytest.mark.skipif(sys.platform == "win32", reason="no such modes")
def test_only_its_owner_may_read_the_cache(
    home: ClaudeHome, agentv: InProcess, cache: Path
) -> None:
    home.session("aaaaaaaa", "Use the password hunter2")
    prompts(agentv)

    assert stat.S_IMODE(cache.stat().st_mode) == 0o600


def test_importing_does_not_need_what_is_remembered(
    home: ClaudeHome, agentv: InProcess, cache: Path
) -> None:
    path = home.session("aaaaaaaa", "Fix the login page")
    prompts(agentv)
    change(path, b"Fix the", b"Mix the")

    agentv("import", "claude", "--session-id", full_id("aaaaaaaa"), "-o", "t.jsonl")

    assert cache.is_file()
    with open("t.jsonl", encoding="utf-8") as file:  # noqa: PTH123 (in the folder one works in)
        assert json.loads(file.read())["input"] == "Mix the login page"


@pytest.mark.skipif(sys.platform != "linux", reason="names of bytes that are no text")
@pytest.mark.parametrize("arguments", [["--list"], ["--list", "--json"]])
def test_a_home_whose_name_is_no_text_has_sessions_too(
    agentv: InProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    other = ClaudeHome(tmp_path / os.fsdecode(b"caf\xe9"))
    other.session("aaaaaaaa", "Fix the login page")
    monkeypatch.setenv("HOME", str(other.path))

    listed = agentv("import", "claude", *arguments)

    assert (listed.code, listed.err) == (0, "")
    assert "Fix the login page" in listed.out


def test_an_unreadable_session_is_looked_at_again(
    home: ClaudeHome, agentv: InProcess, cache: Path
) -> None:
    path = home.session("aaaaaaaa", prompt="Hello")
    content = path.read_bytes()
    modified = path.stat().st_mtime
    path.write_bytes(b"\xff\xfe" + b" " * (len(content) - 2))  # UTF-16, as it seems
    os.utime(path, (modified, modified))
    assert prompts(agentv) == {"aaaaaaaa": None}

    path.write_bytes(content)
    os.utime(path, (modified, modified))

    assert prompts(agentv) == {"aaaaaaaa": "Hello"}
    assert cache.is_file()


def test_a_session_that_is_gone_is_forgotten(
    home: ClaudeHome, agentv: InProcess, cache: Path
) -> None:
    path = home.session("aaaaaaaa", prompt="Hello")
    prompts(agentv)
    path.unlink()
    home.session("bbbbbbbb", prompt="Later")
    prompts(agentv)

    assert [full_id("bbbbbbbb") in key for key in json.loads(cache.read_bytes())["entries"]] == [
        True
    ]
