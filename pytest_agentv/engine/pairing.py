"""Which session is graded by which test.

Sessions that carry a test id go to the tests of that id; sessions without one go by position.
Whatever does not fit is an error that says how to make it fit: no session is left out silently.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from pytest_agentv.errors import PairingError
from pytest_agentv.evalfile.problems import suggestion

if TYPE_CHECKING:
    from collections.abc import Sequence

_FIX = "import the sessions with --test-id, or give each eval file a --transcript value of its own"
_SHOWN_IDS = 5


class Session(Protocol):
    """A session, as far as pairing is concerned."""

    @property
    def test_id(self) -> str | None:
        """The test that it was recorded for, if it says so."""


SessionType = TypeVar("SessionType", bound=Session)


@dataclass(frozen=True)
class Value(Generic[SessionType]):
    """The sessions that one value names, in order."""

    # As messages show it: ``--transcript=a.jsonl``, or a key of an eval file.
    name: str
    sessions: tuple[SessionType, ...]

    @cached_property
    def by_id(self) -> bool:
        """Whether its sessions say which tests they are for."""
        return any(session.test_id is not None for session in self.sessions)


class Pairing(Generic[SessionType]):
    """Pairs sessions with the tests of one eval file after another."""

    def __init__(self, values: Sequence[Value[SessionType]]) -> None:
        self._values = values
        # By position a value of several sessions serves one eval file, and this is the one.
        self._file_served: dict[int, str] = {}
        self._used: set[int] = set()
        self._ids: set[str] = set()

    def pair(self, file: str, test_ids: Sequence[str]) -> list[list[SessionType]]:
        """The sessions of each test of an eval file, in the order of the values."""
        self._ids.update(test_ids)
        pairs: list[list[SessionType]] = [[] for _ in test_ids]
        misfits = []
        for number, value in enumerate(self._values):
            if value.by_id:
                self._by_id(value, test_ids, pairs)
            elif len(value.sessions) == len(test_ids) or len(test_ids) == 1:
                self._by_position(number, file, pairs)
            else:
                misfits.append(value)
        if misfits and not any(pairs):
            raise PairingError(_counts(misfits[0], file, len(test_ids)))
        return pairs

    def problems(self) -> list[str]:
        """What was left over when all eval files had their sessions."""
        return [*self.unknown_ids(), *self.unused()]

    def unknown_ids(self) -> list[str]:
        """Test ids of sessions that no test has."""
        found = []
        for value in self._values:
            ids = dict.fromkeys(session.test_id for session in value.sessions)
            unknown = [one for one in ids if one is not None and one not in self._ids]
            if unknown:
                shown = ", ".join(map(repr, unknown[:_SHOWN_IDS]))
                more = f" and {len(unknown) - _SHOWN_IDS} more" if unknown[_SHOWN_IDS:] else ""
                # Of several it is not said which was meant for which.
                hint = suggestion("" if unknown[1:] else unknown[0], self._ids)
                message = f"no collected test has the id {shown}{more}; {hint}"
                found.append(f"{value.name}: {message}")
        return found

    def unused(self) -> list[str]:
        """Sessions without a test id that fit no eval file."""
        return [
            f"{value.name} names {_counted(len(value.sessions), 'session')} without test ids, and "
            f"no collected eval file has as many tests; {_FIX}"
            for number, value in enumerate(self._values)
            if not value.by_id and number not in self._used
        ]

    def _by_id(
        self,
        value: Value[SessionType],
        test_ids: Sequence[str],
        pairs: list[list[SessionType]],
    ) -> None:
        number_of = {test_id: number for number, test_id in enumerate(test_ids)}
        for place, session in enumerate(value.sessions, 1):
            if session.test_id is None:
                raise PairingError(
                    f"{value.name}: session {place} of {len(value.sessions)} has no "
                    "test id, and others have one; import it with --test-id"
                )
            if session.test_id in number_of:
                pairs[number_of[session.test_id]].append(session)

    def _by_position(self, number: int, file: str, pairs: list[list[SessionType]]) -> None:
        value = self._values[number]
        other = self._file_served.setdefault(number, file)
        if other != file and len(value.sessions) > 1:
            raise PairingError(
                f"{value.name} names {len(value.sessions)} sessions without test ids, "
                f"which serve one eval file by position: {other}, and not {file} too; {_FIX}"
            )
        if len(pairs) == 1:
            pairs[0].extend(value.sessions)  # several of them are repeats
        else:
            for sessions, session in zip(pairs, value.sessions, strict=True):
                sessions.append(session)
        self._used.add(number)


def _counts(value: Value[SessionType], file: str, tests: int) -> str:
    sessions = _counted(len(value.sessions), "session")
    return (
        f"{value.name} names {sessions} without test ids, but {file} has "
        f"{_counted(tests, 'test')}; {_FIX}"
    )


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"
