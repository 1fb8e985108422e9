"""Transcripts that are being graded: read when they are needed, once, and then let go."""

from __future__ import annotations

from collections import Counter, OrderedDict
from typing import TYPE_CHECKING

from pytest_agentv.errors import AgentvError, SessionUnreadable
from pytest_agentv.importing import describe_drift

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_agentv.sources import RecordedSession
    from pytest_agentv.transcript.model import Transcript

# Transcripts that are held though nobody said that they will be needed again.
_HELD = 4


class HeldTranscripts:
    """Transcripts that are being graded: read once, and held no longer than needed."""

    def __init__(
        self,
        *,
        strict: bool = False,
        shared: bool = False,
        learn: Callable[[Transcript], None] | None = None,
    ) -> None:
        """With ``strict`` a session that is not understood in all its records is an error.

        ``shared``: others do a part of the work, so that nobody knows what is still needed here.
        ``learn`` is told of every transcript that is read.
        """
        self._learn = learn
        self._strict = strict
        self._shared = shared
        self._expected: Counter[RecordedSession] = Counter()
        self._held: OrderedDict[RecordedSession, Transcript | AgentvError] = OrderedDict()

    def expect(self, session: RecordedSession) -> None:
        """Somebody will need a session, and say so when it is ``done``."""
        self._expected[session] += 1

    def done(self, session: RecordedSession) -> None:
        """One who was expected needs it no more."""
        self._expected[session] -= 1
        if self._expected[session] <= 0:
            self._held.pop(session, None)

    def get(self, session: RecordedSession) -> Transcript:
        """The transcript of a session; one that cannot be read is not tried again."""
        held = self._held.get(session)
        if held is None:
            held = self._read(session)
            self._held[session] = held
            self._make_room()
        else:
            self._held.move_to_end(session)
        if isinstance(held, AgentvError):
            raise held
        return held

    def holds(self, session: RecordedSession, transcript: Transcript) -> bool:
        """Whether a transcript is this session's as it was read; a fixture may have changed it."""
        return self._held.get(session) is transcript

    def _make_room(self) -> None:
        """Let the oldest go that nobody is expected to need."""
        if len(self._held) <= _HELD:
            return
        oldest = (one for one in self._held if self._shared or self._expected[one] <= 0)
        found = next(oldest, None)
        if found is not None:
            del self._held[found]

    def _read(self, session: RecordedSession) -> Transcript | AgentvError:
        try:
            transcript = session.load()
        except AgentvError as exc:
            return exc
        except OSError as exc:
            return SessionUnreadable(f"cannot be read: {exc.strerror}", at=session.at)
        if not transcript.output:
            return SessionUnreadable("has no messages: there is nothing to grade", at=session.at)
        if self._strict and transcript.drift:
            found = describe_drift(transcript.drift, {})
            return SessionUnreadable(f"not all of it is understood: {found}", at=session.at)
        if self._learn is not None:
            self._learn(transcript)
        return transcript
