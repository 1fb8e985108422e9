"""The browser: a list of sessions that follows what is typed, and what can be done with them."""

from __future__ import annotations

import asyncio
from threading import Event
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import App
from textual.binding import Binding
from textual.widgets import DataTable, Footer, Input, Static

from pytest_agentv.browse.dialogs import HelpScreen, ImportScreen
from pytest_agentv.browse.reader import ReadScreen
from pytest_agentv.browse.sessions import Listing, found, newest
from pytest_agentv.browse.table import SessionTable
from pytest_agentv.errors import AgentvError
from pytest_agentv.report.clean import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from textual.app import ComposeResult

    from pytest_agentv.browse.actions import Actions
    from pytest_agentv.browse.sessions import Listed

_PAUSE = 0.12
_REFRESH = 1.0
_HINT = 'Type to search: jwt token, "a phrase", agent:codex, project:shop, since:7d'


class QueryLine(Input):
    """The line to type in; the list can be gone through meanwhile."""

    BINDINGS: ClassVar = [
        Binding("enter", "submit", "To the list"),
        Binding("down", "app.down", show=False),
        Binding("up", "app.up", show=False),
        Binding("escape", "app.leave", "To the list", show=False),
    ]


class Browser(App[None]):
    """Sessions of all clients."""

    TITLE = "agentv browse"
    ENABLE_COMMAND_PALETTE = False
    CSS = """
    #query { border: none; height: 1; padding: 0 1; background: $boost; }
    #sessions { height: 1fr; }
    #status { height: auto; max-height: 4; padding: 0 1; color: $text-muted; }
    """

    def __init__(
        self,
        index: Path,
        actions: Actions,
        *,
        update: Callable[[Event], str | None],
        query: str = "",
    ) -> None:
        """``update`` brings the index up to date until it is stopped, and says what is to know."""
        super().__init__()
        self._index = index
        self._actions = actions
        self._update = update
        self._query = query
        self._stop = Event()
        self._marked: dict[str, Listed] = {}
        # Of an update: how far it is, and what came of it.
        self._progress: str | None = None
        self._note: str | None = None
        self._shown = ""
        # What was imported.
        self.written: list[Path] = []

    def compose(self) -> ComposeResult:
        """A line to type in, the list, a line that says how things are, the keys."""
        yield QueryLine(self._query, placeholder=_HINT, id="query", select_on_focus=False)
        yield SessionTable(id="sessions")
        yield Static("", id="status", markup=False)
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Show what is known, and look for what is new."""
        self._table.focus()
        self._list(self._query)
        self.action_update()
        self.set_interval(_REFRESH, self._refresh)

    def on_unmount(self) -> None:
        """Nobody waits for the update any more."""
        self._stop.set()

    @property
    def _table(self) -> SessionTable:
        return self.screen_stack[0].query_one(SessionTable)

    @on(Input.Changed, "#query")
    def _typed(self, event: Input.Changed) -> None:
        self._list(event.value, pause=_PAUSE)

    @on(Input.Submitted, "#query")
    def _entered(self) -> None:
        self._table.focus()

    @work(exclusive=True, group="list")
    async def _list(self, text: str, *, pause: float = 0) -> None:
        """Show what fits a text, once nobody types for a moment."""
        await asyncio.sleep(pause)
        self._query = text
        try:
            listing = await asyncio.to_thread(self._looked_up, text)
        except AgentvError as exc:
            self._say(str(exc))
            return
        if listing.sessions != self._table.sessions:
            self._table.show(listing.sessions, self._marked, stay=not text.strip())
        self._say(_counted(listing, text))

    def _looked_up(self, text: str) -> Listing:
        """What a thread does: to redact many texts takes a while."""
        found = self._found(text)
        return found._replace(sessions=[one.cleaned(self._actions.clean) for one in found.sessions])

    def _found(self, text: str) -> Listing:
        if not text.strip():
            return newest(self._index)
        sessions = found(self._index, text)
        return Listing(sessions, len(sessions))

    def _say(self, text: str | None = None) -> None:
        """Say how things are."""
        self._shown = self._shown if text is None else text
        marked = f"{len(self._marked)} marked" if self._marked else None
        parts = [self._shown, marked, self._progress, self._note]
        status = self.screen_stack[0].query_one("#status", Static)
        status.update(one_line("  ·  ".join(filter(None, parts))))

    def action_update(self) -> None:
        """Bring the index up to date, in the background."""
        if self._progress is None:
            self._progress, self._note = "looking for new sessions …", None
            self._say()
            self._bring_up_to_date()

    @work(thread=True, group="update")
    def _bring_up_to_date(self) -> None:
        note = self._update(self._stop)
        if not self._stop.is_set():
            self.call_from_thread(self._updated, note)

    def _updated(self, note: str | None) -> None:
        self._progress, self._note = None, note
        self._list(self._query)

    def _refresh(self) -> None:
        """While an index is made, show what it has already."""
        if self._progress is not None:
            self._say()
            if not self._query.strip() and len(self.screen_stack) == 1:
                self._list("")

    def action_search(self) -> None:
        """Go to the line to type in."""
        self.query_one("#query").focus()

    def action_leave(self) -> None:
        """Back to the list; there, back to all sessions."""
        query = self.query_one("#query", Input)
        if not query.has_focus:
            query.value = ""
        self._table.focus()

    def action_down(self) -> None:
        """Down the list, from the line to type in as well."""
        self._table.action_cursor_down()

    def action_up(self) -> None:
        """Up the list."""
        self._table.action_cursor_up()

    @on(DataTable.RowSelected)
    def action_read(self) -> None:
        """Read the session under the cursor."""
        one = self._table.current
        if one is not None:
            self.push_screen(ReadScreen(one, self._actions))

    def action_mark(self) -> None:
        """Mark the session under the cursor, or take the mark away."""
        one = self._table.current
        if one is None:
            return
        if self._marked.pop(one.key, None) is None:
            self._marked[one.key] = one
        self._redraw([one])
        self._table.action_cursor_down()

    def action_import(self) -> None:
        """Import what is marked, or else the session under the cursor."""
        chosen = list(self._marked.values()) or [one for one in [self._table.current] if one]
        if chosen:
            self.push_screen(ImportScreen(chosen, self._actions), self._imported)

    def action_help(self) -> None:
        """Show what the keys do."""
        if not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen())

    def _imported(self, written: dict[str, Path] | None) -> None:
        gone = [self._marked.pop(key) for key in written or {} if key in self._marked]
        self.written += (written or {}).values()
        self._redraw(gone)

    def _redraw(self, sessions: Iterable[Listed]) -> None:
        self._table.mark(sessions, self._marked)
        self._say()


def _counted(listing: Listing, query: str) -> str:
    shown = len(listing.sessions)
    if query.strip():
        return f"{shown} found" if shown else "nothing found"
    if shown < listing.total:
        return f"the newest {shown:,} of {listing.total:,} sessions; type to find others"
    return "1 session" if shown == 1 else f"{shown:,} sessions"
