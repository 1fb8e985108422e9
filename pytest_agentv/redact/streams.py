"""A session that is redacted while it is read."""

from __future__ import annotations

from array import array
from functools import cached_property
from typing import TYPE_CHECKING, BinaryIO

import msgspec

from pytest_agentv.transcript.writing import Written, write_messages

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_agentv.redact.redactor import Redactor
    from pytest_agentv.transcript.model import Message
    from pytest_agentv.transcript.stream import Head, SessionStream, Tail


class RedactedStream:
    """The stream of a session, without its secrets.

    A secret is replaced wherever it stands after it was first known to be one. Whoever wants it
    replaced before as well lets the redactor learn the session first.
    """

    def __init__(self, stream: SessionStream, redactor: Redactor) -> None:
        self._stream = stream
        self._redactor = redactor
        # Where the messages were written: their beginning, and the end of each counted from there.
        self.begin = 0
        self.ends: array[int] = array("Q")
        self.written = Written(0, 0)

    @cached_property
    def head(self) -> Head:
        """Source and first prompt."""
        return self._redactor.head(self._stream.head)

    def messages(self) -> Iterator[Message]:
        """The conversation in order."""
        _ = self.head  # it names the project and its user
        return map(self._redactor.message, self._stream.messages())

    def write_messages(self, file: BinaryIO) -> Written:
        """Write the messages in order, and remember where each is."""
        self.begin, self.ends = file.tell(), array("Q")
        self.written = write_messages(file, self.messages(), ends=self.ends)
        return self.written

    @cached_property
    def tail(self) -> Tail:
        """Tokens, duration, cost, drift, and the receipt of all that was redacted."""
        return self._redactor.tail(self._stream.tail)

    def tail_to_mend(self) -> Tail:
        """The tail as it was redacted, with the receipt that the session had before."""
        return msgspec.structs.replace(self.tail, privacy=self._stream.tail.privacy)
