"""The list of sessions on a screen, a row or two for each."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.binding import Binding
from textual.widgets import DataTable

from pytest_agentv.report.clean import one_line, visible

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator

    from textual.events import Resize

    from pytest_agentv.browse.sessions import Listed
    from pytest_agentv.search.snippets import Snippet

# Columns before the last one, which has the rest of the screen.
_COLUMNS = {"": 1, "when": 16, "client": 10, "project": 22}
_MARK = "mark"
_NARROWEST = 20
_BLANKS = 2  # one on both sides of a column


class SessionTable(DataTable[Text]):
    """The list."""

    BINDINGS: ClassVar = [
        Binding("enter", "select_cursor", "Read"),
        Binding("space", "app.mark", "Mark"),
        Binding("i", "app.import", "Import"),
        Binding("slash", "app.search", "Search", key_display="/"),
        Binding("u", "app.update", "Update"),
        Binding("question_mark", "app.help", "Help", key_display="?"),
        Binding("q", "app.quit", "Quit"),
        Binding("escape", "app.leave", "All sessions", show=False),
    ]

    def __init__(self, *, id: str) -> None:  # noqa: A002 (Textual calls it so)
        super().__init__(id=id, cursor_type="row", zebra_stripes=True)
        self.sessions: list[Listed] = []

    def on_mount(self) -> None:
        """Have columns."""
        for name, width in _COLUMNS.items():
            self.add_column(name, width=width, key=name or _MARK)
        self._what = self.add_column("what", width=_NARROWEST)

    def on_resize(self, event: Resize) -> None:
        """Give the last column what is left."""
        used = sum(width + _BLANKS for width in _COLUMNS.values())
        # Some room is for the bar that one scrolls by.
        self.columns[self._what].width = max(event.size.width - used - 2 * _BLANKS, _NARROWEST)
        self.refresh(layout=True)

    @property
    def current(self) -> Listed | None:
        """The session under the cursor."""
        is_on_one = 0 <= self.cursor_row < len(self.sessions)
        return self.sessions[self.cursor_row] if is_on_one else None

    def show(self, sessions: list[Listed], marked: Container[str], *, stay: bool) -> None:
        """List other sessions; with ``stay`` the cursor stays where it is."""
        here = self.current
        self.sessions = sessions
        self.clear()
        for one in sessions:
            cells = [_mark(one, marked), *_cells(one)]
            self.add_row(*cells, key=one.key, height=1 if one.snippet is None else 2)
        keys = [one.key for one in sessions]
        if stay and here is not None and here.key in keys:
            self.move_cursor(row=keys.index(here.key))

    def mark(self, sessions: Iterable[Listed], marked: Container[str]) -> None:
        """Show which of some sessions are marked."""
        listed = {one.key for one in self.sessions}
        for one in sessions:
            if one.key in listed:
                self.update_cell(one.key, _MARK, _mark(one, marked))


def _mark(one: Listed, marked: Container[str]) -> Text:
    return Text("●" if one.key in marked else " ", "bold green")


def _cells(one: Listed) -> Iterator[Text]:
    """What is shown of a session; as Text, for anything else would be taken for markup."""
    yield Text(_time(one.when))
    yield Text(one_line(one.adapter), "cyan", overflow="ellipsis", no_wrap=True)
    yield _end_of(one_line(one.project or ""), _COLUMNS["project"])
    what = Text(one_line(one.title or "(no prompt)"), no_wrap=True, overflow="ellipsis")
    if one.error is not None:
        what = Text(one_line(one.error), "red", no_wrap=True, overflow="ellipsis")
    elif one.snippet is not None:
        what += Text("\n") + _marked(one.snippet)
    yield what


def _time(seconds: float | None) -> str:
    """A time by the clock here; sessions may say times that there are none."""
    try:
        return "" if seconds is None else f"{datetime.fromtimestamp(seconds):%Y-%m-%d %H:%M}"  # noqa: DTZ006 (the clock here)
    except (OverflowError, OSError, ValueError):
        return ""


def _end_of(path: str, width: int) -> Text:
    """The end of a path says more than its beginning."""
    return Text(path if len(path) <= width else f"…{path[1 - width :]}", "dim")


def _marked(snippet: Snippet) -> Text:
    """The part of a session that was found."""
    text, place = Text(), 0
    for start, end in snippet.marks:
        text.append(_part(snippet.text[place:start]))
        text.append(_part(snippet.text[start:end]), "bold yellow")
        place = end
    text.append(_part(snippet.text[place:]))
    return text


def _part(text: str) -> str:
    """A part of a line, with the blanks at its ends."""
    return visible(text).replace("\n", " ").replace("\t", " ")
