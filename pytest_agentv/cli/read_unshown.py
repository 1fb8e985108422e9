"""What of a growing session was not shown yet.

A session is read again from its beginning whenever it has changed, as only that tells what its
records mean together. Here each entry is known again: by the id of its message or call, else by
its time. Of what was shown no text is kept, only marks.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from pytest_agentv.views.entries import entries

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_agentv.transcript.model import Message
    from pytest_agentv.views.entries import Entry

# The last message of an agent may still grow: a client writes it piece by piece. It is shown when
# another one follows, or when it has stayed the same for so many seconds.
QUIET = 0.5


class _Mark(NamedTuple):
    """A text that was shown: enough to tell whether another begins with it."""

    length: int
    digest: int

    def rest_of(self, text: str) -> str:
        """What a text has more; all of it, if it is not the same text that grew."""
        has_grown = hash(text[: self.length]) == self.digest
        return text[self.length :] if has_grown else text


class _Shown(NamedTuple):
    """The texts of an entry that was shown though it might still grow."""

    text: _Mark
    thinking: _Mark


class _Waiting(NamedTuple):
    """An entry that may still grow, what all of it is, and since when it has not grown."""

    entry: Entry
    whole: Entry
    since: float


class Unshown:
    """Entries to show, each once."""

    def __init__(self, provider: str) -> None:
        self._provider = provider
        self._shown: set[int] = set()
        self._growing: dict[int, _Shown] = {}
        self._waiting: dict[int, _Waiting] = {}

    def look(self, messages: Iterable[Message], *, now: float) -> Iterator[Entry]:
        """What is new and complete in a session, which is read from its beginning."""
        counts: Counter[int] = Counter()
        growing: dict[int, _Shown] = {}
        waiting: dict[int, _Waiting] = {}
        for message, following in _with_following(messages):
            is_complete = following is not None and following.agent_id == message.agent_id
            for entry in entries([message], provider=self._provider):
                name = _name(entry)
                counts[name] += 1
                key = hash((name, counts[name]))
                unseen = self._unseen(key, entry)
                if unseen is None:
                    if key in self._growing and not is_complete:
                        growing[key] = self._growing[key]
                elif is_complete:
                    self._shown.add(key)
                    yield unseen
                else:
                    waiting[key] = self._wait(key, unseen, entry, now)
                    if key in self._growing:
                        growing[key] = self._growing[key]
        self._growing = growing
        self._waiting = waiting

    def due(self, *, now: float) -> Iterator[Entry]:
        """What might have grown and did not."""
        due = {key: one for key, one in self._waiting.items() if now - one.since >= QUIET}
        for key, one in due.items():
            del self._waiting[key]
            self._shown.add(key)
            self._growing[key] = _Shown(_mark(one.whole.text), _mark(one.whole.thinking or ""))
            yield one.entry

    def _unseen(self, key: int, entry: Entry) -> Entry | None:
        """The entry, or of one that was shown what it has more; None if that is nothing."""
        if key not in self._shown:
            return entry
        shown = self._growing.get(key)
        if shown is None:
            return None
        text = shown.text.rest_of(entry.text)
        thinking = shown.thinking.rest_of(entry.thinking or "")
        if not text and not thinking:
            return None
        # Its tokens were shown with its beginning.
        return msgspec.structs.replace(entry, text=text, thinking=thinking or None, usage=None)

    def _wait(self, key: int, unseen: Entry, whole: Entry, now: float) -> _Waiting:
        before = self._waiting.get(key)
        is_same = before is not None and before.entry == unseen
        return _Waiting(unseen, whole, before.since if before is not None and is_same else now)


def _with_following(messages: Iterable[Message]) -> Iterator[tuple[Message, Message | None]]:
    before = None
    for message in messages:
        if before is not None:
            yield before, message
        before = message
    if before is not None:
        yield before, None


def _mark(text: str) -> _Mark:
    return _Mark(len(text), hash(text))


def _name(entry: Entry) -> int:
    """What an entry is known by as long as it lives; several may share it, in their order."""
    call = entry.tool_call or entry.tool_result
    if call is not None and call.id is not None:
        return hash((entry.role, entry.agent_id, call.id))
    if entry.id is not None:
        return hash((entry.role, entry.agent_id, entry.id))
    if entry.timestamp is not None:
        return hash((entry.role, entry.agent_id, entry.timestamp))
    return hash((entry.role, entry.agent_id, entry.text))
