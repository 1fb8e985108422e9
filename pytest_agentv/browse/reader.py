"""Reading one session: what was said, with calls of tools folded and thinking hidden."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.binding import Binding
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Footer, OptionList, Static
from textual.widgets.option_list import Option
from textual.worker import get_current_worker

from pytest_agentv.browse.blocks import blocks_of
from pytest_agentv.errors import AgentvError
from pytest_agentv.report.clean import one_line

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from pytest_agentv.browse.actions import Actions
    from pytest_agentv.browse.blocks import Block
    from pytest_agentv.browse.sessions import Listed

_STYLES = {
    "user": "bold $text-success",
    "assistant": "bold $text-primary",
    "system": "bold $text-warning",
    "thinking": "italic $text-secondary",
    "tool": "bold $text-accent",
}
_INDENT = "  "
# Messages that fill a screen, those that are added at once then, and pieces that are shown in all.
_FIRST, _BATCH = 20, 200
MOST_BLOCKS = 10_000


class BlockList(OptionList):
    """What was said, piece by piece."""

    BINDINGS: ClassVar = [
        Binding("enter", "select", "Unfold"),
        Binding("a", "screen.fold_all", "Unfold all"),
        Binding("t", "screen.thinking", "Thinking"),
        Binding("n", "screen.prompt(1)", "Next prompt"),
        Binding("p", "screen.prompt(-1)", "Previous"),
        Binding("question_mark", "app.help", "Help", key_display="?"),
        Binding("escape,q", "app.pop_screen", "Back", key_display="esc"),
    ]


class ReadScreen(Screen[None]):
    """One session."""

    CSS = """
    #about { height: auto; padding: 0 1; background: $boost; }
    #blocks { height: 1fr; border: none; }
    #blocks > .option-list--option-highlighted, #blocks:focus > .option-list--option-highlighted {
        background: $primary-muted; color: $foreground; text-style: none;
    }
    """

    def __init__(self, session: Listed, actions: Actions) -> None:
        super().__init__()
        self._session = session
        self._actions = actions
        self._blocks: list[Block] = []
        # The pieces that are shown, by their numbers in the list.
        self._shown: list[int] = []
        self._folded: set[int] = set()
        self._shows_thinking = False

    def compose(self) -> ComposeResult:
        """What it is, what was said, the keys."""
        yield Static("", id="about", markup=False)
        yield BlockList(id="blocks", markup=False)
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Begin to read."""
        self._tell("reading …")
        self._list.focus()
        self._read()

    @property
    def _list(self) -> OptionList:
        return self.query_one("#blocks", OptionList)

    @work(thread=True)
    def _read(self) -> None:
        worker = get_current_worker()
        call = self.app.call_from_thread
        try:
            stream = self._actions.stream(self._session)
            messages = stream.messages()
            size = _FIRST
            while batch := list(islice(messages, size)):
                blocks = [block for one in batch for block in blocks_of(one)]
                room = MOST_BLOCKS - len(self._blocks)
                if worker.is_cancelled:
                    return
                call(self._add, blocks[:room])
                if len(blocks) > room:
                    call(self._tell, f"only the first {MOST_BLOCKS:,} pieces are shown")
                    return
                size = _BATCH
            call(self._tell, None)
        except AgentvError as exc:
            if not worker.is_cancelled:
                call(self._tell, str(exc))

    def _tell(self, text: str | None) -> None:
        """Say whose session it is, and what is to be said of reading it."""
        clean, one = self._actions.clean, self._session
        thought = sum(block.kind == "thinking" for block in self._blocks)
        hidden = f"thinking hidden: {thought}" if thought and not self._shows_thinking else None
        facts = [one.adapter, one.session, one.project, hidden, text]
        lines = ["  ·  ".join(fact for fact in facts if fact), str(one.ref.at)]
        about = "\n".join(one_line(clean(line)) for line in lines)
        self.query_one("#about", Static).update(about)

    def _add(self, blocks: list[Block]) -> None:
        first = len(self._blocks)
        self._blocks += blocks
        numbers = range(first, len(self._blocks))
        self._folded.update(number for number in numbers if self._blocks[number].is_folded)
        wanted = [number for number in numbers if self._is_shown(number)]
        self._shown += wanted
        self._list.add_options(Option(self._content(number)) for number in wanted)
        if first == 0 and wanted:
            self._list.highlighted = 0

    def _is_shown(self, number: int) -> bool:
        return self._shows_thinking or self._blocks[number].kind != "thinking"

    def _content(self, number: int) -> Content:
        """A piece as it is shown: its texts are texts, whatever stands in them."""
        block = self._blocks[number]
        is_folded = number in self._folded and bool(block.text)
        heading = f"{'▸' if is_folded else '▾'} {block.heading}"
        head = Content.styled(heading, _STYLES.get(block.kind, "bold"))
        if is_folded or not block.text:
            return head
        body = "".join(f"\n{_INDENT}{line}" for line in block.text.split("\n"))
        return head + Content.styled(body, "dim" if block.kind in ("thinking", "tool") else "")

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Fold a piece, or unfold it."""
        number = self._shown[event.option_index]
        self._folded ^= {number}
        self._list.replace_option_prompt_at_index(event.option_index, self._content(number))

    def action_fold_all(self) -> None:
        """Unfold everything; fold calls again, if everything is."""
        foldable = {number for number, one in enumerate(self._blocks) if one.is_folded}
        self._folded = set() if self._folded & foldable else foldable
        self._show_again()

    def action_thinking(self) -> None:
        """Show thinking, or hide it."""
        self._shows_thinking = not self._shows_thinking
        self._show_again()
        self._tell(None)

    def action_prompt(self, step: int) -> None:
        """Go to the next or the last thing that a person typed."""
        here = self._list.highlighted or 0
        places = range(here + step, len(self._shown) if step > 0 else -1, step)
        kinds = (self._blocks[self._shown[place]] for place in places)
        for place, block in zip(places, kinds, strict=True):
            if block.kind == "user" and not block.is_folded:
                self._list.highlighted = place
                self._list.scroll_to_highlight(top=True)
                return

    def _show_again(self) -> None:
        here = self._list.highlighted
        number = None if here is None else self._shown[here]
        self._shown = [one for one in range(len(self._blocks)) if self._is_shown(one)]
        self._list.clear_options()
        self._list.add_options(Option(self._content(one)) for one in self._shown)
        if number is not None and self._shown:
            after = (place for place, one in enumerate(self._shown) if one >= number)
            self._list.highlighted = next(after, len(self._shown) - 1)
