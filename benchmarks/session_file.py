"""A session file that is being written: its lines, its size, its clock and its ids.

What the records of every vendor have in common. Knows no vendor.
"""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from random import Random

START = datetime(2026, 3, 2, 9, tzinfo=timezone.utc)
_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


class SessionFile:
    """Appends records to one file."""

    def __init__(self, out: BinaryIO, rng: Random, *, session_id: str | None) -> None:
        self._out = out
        self.rng = rng
        made_up = self.uuid()
        self.session_id = session_id or made_up
        self.began = START
        self.clock = 0
        """Milliseconds since the session began."""
        self.size = 0
        self.records = 0

    def uuid(self) -> str:
        """Return a new random UUID (version 4)."""
        digits = f"{self.rng.getrandbits(128):032x}"
        return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"

    def identifier(self, prefix: str, *, length: int = 22) -> str:
        """Return a new id as the vendors' servers make them: a prefix and random characters."""
        return prefix + "".join(self.rng.choices(_BASE58, k=length))

    def wait(self, median_ms: int) -> int:
        """Let time pass, and return how many milliseconds."""
        passed = int(median_ms * self.rng.lognormvariate(0, 0.8)) + 1
        self.clock += passed
        return passed

    def unix_ms(self) -> int:
        """Return the time now, in milliseconds since 1970."""
        return int(self.began.timestamp()) * 1000 + self.clock

    def timestamp(self, *, late: int = 0) -> str:
        """Return the time now, or `late` milliseconds ago."""
        now = self.began + timedelta(milliseconds=max(self.clock - late, 0))
        return f"{now.isoformat(timespec='milliseconds')[:-6]}Z"

    def write(self, body: str) -> None:
        """Append a record; `body` is its keys and values."""
        line = f"{{{body}}}\n".encode()
        self._out.write(line)
        self.size += len(line)
        self.records += 1
