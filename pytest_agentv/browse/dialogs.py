"""What stands over the list: the question before an import and what became of it, the keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Footer, Static
from textual.worker import get_current_worker

from pytest_agentv.errors import AgentvError
from pytest_agentv.report.clean import clean, one_line

if TYPE_CHECKING:
    from pathlib import Path

    from textual.app import ComposeResult

    from pytest_agentv.browse.actions import Actions
    from pytest_agentv.browse.sessions import Listed

_MOST_NAMED = 8
_STYLE = """
align: center middle;
"""
_BOX = """
#box { width: 80%; max-width: 100; height: auto; max-height: 80%; padding: 1 2;
       background: $surface; border: round $primary; }
"""
HELP = """\
In the list
  up, down      go through it, while you type as well
  enter         read the session
  space         mark it for import, or take the mark away
  i             import what is marked, or the session under the cursor
  /             search; escape goes back to the list, and then to all sessions
  u             look for new sessions again
  ?             show this
  q             quit

While reading
  enter         unfold a call of a tool, or fold it
  a             unfold everything, or fold it again
  t             show thinking, or hide it
  n             go to the next prompt
  p             go to the previous prompt
  escape, q     back to the list

What can be typed
  jwt token             both words, in one message
  "jwt token"           one after the other
  parse*  -draft        what begins so; without this word
  jwt OR oauth          one of them
  agent:codex  project:shop  branch:main  role:user  tool:Bash  path:auth.py
  since:7d  until:2026-03-29
"""


class HelpScreen(ModalScreen[None]):
    """What the keys do."""

    CSS = f"HelpScreen {{ {_STYLE} }} {_BOX}"
    BINDINGS: ClassVar = [Binding("escape,q,question_mark,enter", "dismiss", "Close")]

    def compose(self) -> ComposeResult:
        """The text."""
        with VerticalScroll(id="box"):
            yield Static(HELP, markup=False)
        yield Footer(show_command_palette=False)


class ImportScreen(ModalScreen["dict[str, Path]"]):
    """Asks whether to import, and says what was written."""

    CSS = f"ImportScreen {{ {_STYLE} }} {_BOX}"
    BINDINGS: ClassVar = [
        Binding("enter,y", "go", "Go on", key_display="enter"),
        Binding("escape,q,n", "leave", "Back", key_display="esc"),
    ]

    def __init__(self, chosen: list[Listed], actions: Actions) -> None:
        super().__init__()
        self._chosen = chosen
        self._actions = actions
        self._written: dict[str, Path] = {}
        self._is_begun = False
        self._is_done = False

    def compose(self) -> ComposeResult:
        """The question."""
        with VerticalScroll(id="box"):
            yield Static(self._question(), id="text", markup=False)
        yield Footer(show_command_palette=False)

    def _question(self) -> str:
        count = len(self._chosen)
        named = [
            f"  {one.adapter}  {one_line(one.title or one.session)}"
            for one in self._chosen[:_MOST_NAMED]
        ]
        more = [f"  and {count - _MOST_NAMED} more"] if count > _MOST_NAMED else []
        what = "this session" if count == 1 else f"these {count} sessions"
        question = f"Import {what} into {self._actions.folder}?"
        return clean("\n".join([question, "", *named, *more]))

    def action_go(self) -> None:
        """Import; when that is done, go back."""
        if self._is_done:
            self.dismiss(self._written)
        elif not self._is_begun:
            self._is_begun = True
            self._write()

    def action_leave(self) -> None:
        """Go back; what was written stays."""
        self.workers.cancel_node(self)
        self.dismiss(self._written)

    @work(thread=True)
    def _write(self) -> None:
        worker = get_current_worker()
        lines = []
        for number, one in enumerate(self._chosen, start=1):
            if worker.is_cancelled:
                return
            done = self._actions.write(one)
            if isinstance(done, AgentvError):
                lines.append(f"not imported: {done}")
            else:
                self._written[one.key] = done.path
                lines.append(f"{done.path}: {done.messages} messages")
            if not worker.is_cancelled:
                said = f"Imported {len(self._written)} of {len(self._chosen)}."
                said += " Enter goes back." if number == len(self._chosen) else ""
                self.app.call_from_thread(self._say, "\n".join([said, "", *lines]))
        self._is_done = True

    def _say(self, text: str) -> None:
        self.query_one("#text", Static).update(clean(text))
