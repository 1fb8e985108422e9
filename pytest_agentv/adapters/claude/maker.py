"""The second pass over a session: messages from the places of their records."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_agentv.adapters.claude.messages import Response, single_messages
from pytest_agentv.adapters.claude.thread import Entry

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_agentv.adapters.claude.messages import Surroundings
    from pytest_agentv.adapters.claude.records import Record
    from pytest_agentv.adapters.claude.thread import Thread
    from pytest_agentv.adapters.claude.usage import Totals
    from pytest_agentv.adapters.records import RecordFile
    from pytest_agentv.transcript.model import Message


class MessageMaker:
    """Makes the messages of a thread from their records, wherever those are in the file."""

    def __init__(
        self, file: RecordFile[Record], thread: Thread, around: Surroundings, totals: Totals
    ) -> None:
        """``totals`` get the tokens of the responses that are made."""
        self._file = file
        self._thread = thread
        self._around = around
        self._totals = totals

    def conversation(self) -> Iterator[Message]:
        """All messages of the thread."""
        for number in self._thread.living():
            yield from self.messages(number)

    def messages(self, number: int) -> list[Message]:
        """What an entry of the thread says."""
        records = self._file.records_at(self._thread.places(number))
        if not records:
            return []
        entry = self._thread.entry(number)
        if entry is not Entry.RESPONSE:
            return single_messages(entry, *records[0])
        response = Response(*records[0])
        for line, record in records:
            if record.type == "assistant":
                response.take(line, record)
            else:
                response.take_results(line, record)
        message = response.message(self._around, self._file.drift)
        self._totals.add(message.usage, complete=response.finished)
        return [message]
