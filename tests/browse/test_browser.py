"""The browser, driven by keys: a list that follows what is typed, reading, marking, importing."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from threading import Event

import pytest
from agentv_command import UNPRINTABLE, ClaudeHome, full_id, new_home
from claude_sessions import Session, text, thinking, tool_use

from pytest_agentv import read_transcripts

pytest.importorskip("textual", reason="the browser needs the extra tui")

from browsing import Driver, browse
from textual.binding import Binding

from pytest_agentv.browse import reader
from pytest_agentv.browse.actions import Actions
from pytest_agentv.browse.app import Browser
from pytest_agentv.browse.dialogs import HELP
from pytest_agentv.browse.reader import BlockList
from pytest_agentv.browse.sessions import newest
from pytest_agentv.browse.table import SessionTable
from pytest_agentv.browse.updating import update_index
from pytest_agentv.plugins import registry
from pytest_agentv.redact import Redactor
from pytest_agentv.report.arguments import given
from pytest_agentv.search.schema import updating

HOSTILE = (
    "[bold red]x[/] [link=http://a]y[/link] \x1b[2J\x1b]0;t\x07 \u202e $primary "
    "[@click=app.quit]q[/]"
)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ClaudeHome:
    for name in [*os.environ]:
        if name.startswith(("XDG_", "AGENTV_")) or name in ("CODEX_HOME", "COPILOT_HOME"):
            monkeypatch.delenv(name)
    return new_home(tmp_path, monkeypatch)


def _two_turns(beginning: str = "cccccccc") -> Session:
    session = Session(full_id(beginning), cwd="/home/dev/shop")
    session.prompt("Fix the login page")
    session.response("msg_1", thinking("Perhaps the cookie is gone"), text("I look at the tests."))
    session.call("toolu_1", "Bash", {"command": "npm test"}, "2 tests failed: login, logout")
    session.response("msg_3", text("The cookie was missing."))
    session.prompt("Now write it down")
    session.response("msg_4", text("Done: see NOTES.md."))
    return session


def _rows(screen: str) -> list[str]:
    return [line for line in screen.split("\n") if " claude " in line]


def test_sessions_of_all_clients_are_listed_newest_first(
    home: ClaudeHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.session("aaaaaaaa", "Fix the login page")
    home.session("bbbbbbbb", "Write the changelog", cwd="/home/dev/a-rather/long/path/to/blog")
    examples = Path(__file__).parents[2] / "examples"
    monkeypatch.setenv("CODEX_HOME", str(examples / "codex-home"))
    monkeypatch.setenv("COPILOT_HOME", str(examples / "copilot-home"))

    async def scenario(driver: Driver) -> None:
        screen = driver.screen
        assert "Fix the login page" in screen
        assert "Write the changelog" in screen
        assert "…ather/long/path/to/blog"[-20:] in screen
        for client in (" claude ", " codex ", " copilot "):
            assert client in screen
        assert "sessions" in screen.split("\n")[-2]
        for key in ("Read", "Mark", "Import", "Search", "Help", "Quit"):
            assert key in screen.split("\n")[-1]

    browse(scenario)


def test_the_list_follows_what_is_typed(home: ClaudeHome) -> None:
    home.session("aaaaaaaa", "Fix the login page")
    home.session("bbbbbbbb", "Write the changelog")

    async def scenario(driver: Driver) -> None:
        assert len(_rows(driver.screen)) == 2
        await driver.press("slash")
        await driver.type("chan")
        await driver.until("1 found")
        (row,) = _rows(driver.screen)
        assert "Write the changelog" in row
        assert driver.screen.count("Write the changelog") == 2  # what it is, and what was found
        await driver.type("ges")
        await driver.until("nothing found")
        await driver.press("escape", "escape")
        await driver.until("2 sessions")
        await driver.press("slash")
        await driver.type("role:nobody")
        await driver.until("'nobody' is no role")

    browse(scenario)


def test_a_search_can_be_given_and_arrows_work_while_typing(home: ClaudeHome) -> None:
    home.session("aaaaaaaa", "Fix the login page")
    home.session("bbbbbbbb", "Test the login page")
    home.session("dddddddd", "Write the changelog")

    async def scenario(driver: Driver) -> None:
        await driver.until("2 found")
        await driver.press("slash", "down", "enter", "enter")
        await driver.until("make test")

    browse(scenario, query="login")


def test_a_session_is_read_with_calls_folded_and_thinking_hidden(home: ClaudeHome) -> None:
    home.add(_two_turns())

    async def scenario(driver: Driver) -> None:
        await driver.press("enter")
        await driver.until("Done: see NOTES.md.")
        screen = driver.screen
        assert "▾ user" in screen
        assert "Fix the login page" in screen
        assert "▸ Bash  npm test" in screen
        assert "2 tests failed" not in screen
        assert "Perhaps the cookie" not in screen
        assert "thinking hidden: 1" in screen
        assert full_id("cccccccc") in screen

        await driver.press("down", "down", "enter")
        await driver.until("2 tests failed: login, logout")
        assert '"command": "npm test"' in driver.screen
        await driver.press("enter")
        await driver.until(lambda: "2 tests failed" not in driver.screen)

        await driver.press("t")
        await driver.until("Perhaps the cookie is gone")
        await driver.press("t", "a")
        await driver.until("2 tests failed")
        assert "Perhaps the cookie" not in driver.screen
        await driver.press("a", "n")
        assert "2 tests failed" not in driver.screen
        await driver.press("escape")
        assert "1 session" in driver.screen

    browse(scenario)


def test_marked_sessions_are_imported(home: ClaudeHome) -> None:
    for number, prompt in enumerate(["First", "Second", "Third"]):
        home.session("abc"[number] * 8, prompt)

    async def scenario(driver: Driver) -> None:
        await driver.press("space", "space")
        assert "2 marked" in driver.screen
        assert driver.screen.count("●") == 2
        await driver.press("up", "up", "space")  # takes the first mark away
        assert "1 marked" in driver.screen
        await driver.press("up", "space", "i")
        await driver.until("Import these 2 sessions into .agentv/transcripts?")
        assert not os.path.exists(".agentv")  # noqa: ASYNC240, PTH110 (a test waits for it)
        await driver.press("enter")
        await driver.until("Imported 2 of 2. Enter goes back.")
        await driver.press("enter")
        await driver.until(lambda: "●" not in driver.screen)

    app = browse(scenario)
    written = sorted(Path(".agentv/transcripts").iterdir())
    assert sorted(app.written) == written
    assert [one.input for path in written for one in read_transcripts(path)] == ["Second", "Third"]


def test_what_cannot_be_imported_is_said_and_stays_marked(home: ClaudeHome) -> None:
    home.session("aaaaaaaa", "First")
    gone = home.session("bbbbbbbb", "Second")

    async def scenario(driver: Driver) -> None:
        gone.unlink()
        await driver.press("space", "space", "i", "enter")
        await driver.until("Imported 1 of 2. Enter goes back.")
        assert "not imported: " in driver.screen
        await driver.press("enter")
        await driver.until("1 marked")
        await driver.press("space", "i", "escape")
        assert "2 marked" in driver.screen

    app = browse(scenario)
    (path,) = app.written
    assert path.name == "claude-aaaaaaaa.jsonl"


def test_nothing_is_overwritten_unless_asked(home: ClaudeHome) -> None:
    home.session("aaaaaaaa", "First")
    path = Path(".agentv/transcripts/claude-aaaaaaaa.jsonl")
    path.parent.mkdir(parents=True)
    path.write_text("mine")

    async def scenario(driver: Driver) -> None:
        await driver.press("i", "enter")
        await driver.until("of 1. Enter goes back.")

    assert browse(scenario).written == []
    assert path.read_text() == "mine"
    browse(scenario, overwrite=True)
    assert path.read_text() != "mine"


def test_hostile_texts_stay_texts(home: ClaudeHome) -> None:
    session = Session(full_id("aaaaaaaa"), cwd=f"/home/{HOSTILE}")
    session.prompt(HOSTILE)
    session.response("msg_1", thinking(HOSTILE), text(HOSTILE), tool_use("toolu_1", HOSTILE, {}))
    session.call("toolu_2", "Bash", {"command": HOSTILE}, HOSTILE)
    home.add(session, folder="x")
    screens: list[str] = []

    async def scenario(driver: Driver) -> None:
        screens.append(driver.screen)
        await driver.press("slash")
        await driver.type("bold")
        await driver.until("1 found")
        screens.append(driver.screen)
        await driver.press("enter", "i")
        await driver.until("Import this session")
        screens.append(driver.screen)
        await driver.press("escape", "enter", "t", "a")
        await driver.until("▾ thinking")
        await driver.until("▾ Bash")
        screens.append(driver.screen)

    browse(scenario, size=(160, 50))
    for screen in screens:
        assert "[bold red]x[/] [link=http://a]y[/link] \\x1b[2J" in screen
        assert UNPRINTABLE.search(screen.replace("\n", "")) is None


@pytest.mark.parametrize("time", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z", "soon"])
def test_times_that_are_none_are_not_shown(home: ClaudeHome, time: str) -> None:
    session = Session(full_id("aaaaaaaa"))
    session.prompt("First", timestamp=time)
    session.response("msg_1", text("Done."), timestamp=time)
    home.add(session)

    async def scenario(driver: Driver) -> None:
        assert "First" in driver.screen
        await driver.press("enter")
        await driver.until("Done.")

    browse(scenario)


def test_what_a_tool_was_given_may_be_nested_deeply() -> None:
    value: object = 1
    for _ in range(5_000):
        value = [value]
    assert given(value) == "(nested too deeply to be shown)"
    assert given({"a": ["é"]}) == '{\n  "a": [\n    "é"\n  ]\n}'


def test_what_is_redacted_is_shown_nowhere(home: ClaudeHome) -> None:
    token = "".join(["ghp_", "a1B2c3D4" * 4, "e5F6"])
    session = Session(full_id("aaaaaaaa"))
    session.prompt(f"Use {token} for it")
    session.call("toolu_1", "Bash", {"command": f"curl -H {token}"}, f"ok {token}")
    home.add(session)

    async def scenario(driver: Driver) -> None:
        assert "Use" in driver.screen
        assert token[:20] not in driver.screen
        await driver.press("slash")
        await driver.type("curl")
        await driver.until("1 found")
        assert token[:20] not in driver.screen
        await driver.press("enter", "enter", "a")
        await driver.until("▾ Bash")
        assert token[:20] not in driver.screen

    browse(scenario, redactor=Redactor("secrets"))


def test_sessions_that_come_meanwhile_are_found_by_an_update(home: ClaudeHome) -> None:
    home.session("aaaaaaaa", "First")

    async def scenario(driver: Driver) -> None:
        assert "Second" not in driver.screen
        home.session("bbbbbbbb", "Second")
        await driver.press("u")
        await driver.until("Second")

    browse(scenario)


def test_sessions_of_a_place_that_counts_no_more_are_not_listed(
    home: ClaudeHome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.session("aaaaaaaa", "Fix the login page")

    async def before(driver: Driver) -> None:
        await driver.until("1 session")

    async def after(driver: Driver) -> None:
        await driver.until("Write the changelog")
        assert "Fix the login page" not in driver.screen
        assert "1 session" in driver.screen

    browse(before)
    elsewhere = Session(full_id("bbbbbbbb"))
    elsewhere.prompt("Write the changelog")
    elsewhere.write_in(tmp_path / "other" / "projects" / "-home-dev-shop")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "other"))
    browse(after)


def test_a_file_that_is_no_index_is_left_alone_and_named(
    home: ClaudeHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.session("aaaaaaaa", "First")
    Path("precious.db").write_text("mine")
    monkeypatch.setenv("AGENTV_INDEX_PATH", "precious.db")

    async def scenario(driver: Driver) -> None:
        await driver.until("is no index of agentv's")

    browse(scenario, size=(250, 30), update=update_index)
    assert Path("precious.db").read_text() == "mine"


def test_a_session_that_cannot_be_read_says_why(home: ClaudeHome) -> None:
    path = home.session("aaaaaaaa", "First")

    async def scenario(driver: Driver) -> None:
        path.unlink()
        await driver.press("enter")
        await driver.until("no such file")
        await driver.press("question_mark")
        await driver.until("What can be typed")
        await driver.press("escape", "escape")
        await driver.until("1 session")

    browse(scenario)


def test_a_long_session_is_shown_up_to_a_bound(
    home: ClaudeHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "MOST_BLOCKS", 150)
    session = Session(full_id("aaaaaaaa"))
    for number in range(300):
        session.prompt(f"Prompt {number}")
    home.add(session)

    async def scenario(driver: Driver) -> None:
        await driver.press("enter")
        await driver.until("only the first 150 pieces are shown")
        await driver.press("end")
        await driver.until("Prompt 149")

    browse(scenario)


def test_who_quits_does_not_wait_for_an_update(home: ClaudeHome) -> None:
    home.session("aaaaaaaa")
    ended: list[bool] = []

    def endless(stop: Event) -> None:
        ended.append(stop.wait(60))

    app = Browser(Path("i.db"), Actions(registry(), Path("out")), update=endless)

    async def run() -> None:
        async with app.run_test() as pilot:
            await pilot.pause()
            await pilot.press("q")

    asyncio.run(run())
    assert ended == [True]


def test_an_update_that_is_stopped_ends_its_process(home: ClaudeHome) -> None:
    home.session("aaaaaaaa")
    index = home.path / ".local/share/agentv/index.db"
    stop = Event()
    stop.set()
    assert update_index(stop) is None
    assert newest(index).total == 0
    assert update_index(Event()) is None
    assert newest(index).total == 1


def test_an_update_says_what_another_process_does(home: ClaudeHome) -> None:
    home.session("aaaaaaaa")
    with updating(home.path / ".local/share/agentv/index.db") as is_ours:
        assert is_ours
        assert "another process" in (update_index(Event()) or "")


def test_the_current_folder_is_not_trusted_with_modules(home: ClaudeHome) -> None:
    home.session("aaaaaaaa")
    for name in ("pytest_agentv", "click", "subprocess", "json"):
        Path(f"{name}.py").write_text("open('owned', 'w')\n")
    update_index(Event())
    assert not Path("owned").exists()


def test_help_names_every_key() -> None:
    names = {"slash": "/", "escape,q": "escape, q", "question_mark": "?"}
    bindings = (*SessionTable.BINDINGS, *BlockList.BINDINGS)
    keys = {one.key for one in bindings if isinstance(one, Binding)}
    assert {key for key in keys if f" {names.get(key, key)}" not in HELP} == set()
