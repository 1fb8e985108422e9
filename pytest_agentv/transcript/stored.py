"""A session for views that look at it more than once, of which no more than a message is held.

Most forms begin with what only the end of a session tells, or put its threads one after another.
So the messages wait as JSON: in memory, and from some size on in a temporary file.
"""

from __future__ import annotations

import tempfile
import weakref
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

import msgspec

from pytest_agentv.files import no_room
from pytest_agentv.transcript.model import Message
from pytest_agentv.transcript.stream import TAIL_FIELDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TypeAlias

    from pytest_agentv.transcript.model import Source, TokenUsage, Transcript
    from pytest_agentv.transcript.stream import SessionStream

    # What views are views of.
    AnyTranscript: TypeAlias = "Transcript | StoredTranscript"

# Most sessions are smaller, and never see a disk.
IN_MEMORY = 16 << 20

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Message).decode


class StoredMessages(Sequence[Message]):
    """Messages in their order; each is decoded whenever it is asked for."""

    def __init__(self, messages: Iterable[Message]) -> None:
        # Sessions are private: the file has no name, and is gone with this object.
        self._file = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 (kept open)
        weakref.finalize(self, self._file.close)
        self._ends = array("Q", [0])
        for message in messages:
            json = _encode(message)
            try:
                self._file.write(json)
            except OSError as exc:
                raise no_room(exc) from exc
            self._ends.append(self._ends[-1] + len(json))

    def __len__(self) -> int:
        return len(self._ends) - 1

    @overload
    def __getitem__(self, place: int) -> Message: ...

    @overload
    def __getitem__(self, place: slice) -> list[Message]: ...

    def __getitem__(self, place: int | slice) -> Message | list[Message]:
        if isinstance(place, slice):
            return [self._message(one) for one in range(*place.indices(len(self)))]
        return self._message(range(len(self))[place])

    def __iter__(self) -> Iterator[Message]:
        return map(self._message, range(len(self)))

    def _message(self, place: int) -> Message:
        start, end = self._ends[place], self._ends[place + 1]
        self._file.seek(start)
        return _decode(self._file.read(end - start))


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTranscript:
    """A transcript whose messages are not in memory."""

    source: Source
    input: str | None
    test_id: str | None
    output: StoredMessages
    token_usage: TokenUsage | None
    duration_ms: int | None
    cost_usd: float | None
    privacy: dict[str, Any] | None
    drift: dict[str, int]
    left_out: dict[str, int]


def stored(stream: SessionStream, messages: Iterable[Message] | None = None) -> StoredTranscript:
    """Read a stream to its end; ``messages`` are those to keep of it."""
    head = stream.head
    output = StoredMessages(stream.messages() if messages is None else messages)
    tail = stream.tail
    return StoredTranscript(
        source=head.source,
        input=head.input,
        test_id=head.test_id,
        output=output,
        **{name: getattr(tail, name) for name in TAIL_FIELDS},
    )
