"""What the processes of one run share: who asks what, what was spent, how fast questions are put.

A small SQLite file. Without other processes it is in memory. Whatever a process holds there, it
holds for a moment only and has to hold on to: so nobody waits long for a process that died. Where
files can be locked each process has a lock besides, which ends with it: then nobody waits at all.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import sqlite3
import sys
import time
from typing import TYPE_CHECKING

from pytest_agentv.errors import NotGradable

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path
    from typing import BinaryIO

if sys.platform != "win32":
    import fcntl

_TABLES = """
    CREATE TABLE IF NOT EXISTS asking (key TEXT PRIMARY KEY, owner TEXT, until REAL);
    CREATE TABLE IF NOT EXISTS answered (key TEXT PRIMARY KEY);
    CREATE TABLE IF NOT EXISTS spending (id INTEGER PRIMARY KEY, owner TEXT, usd REAL, until REAL);
    CREATE TABLE IF NOT EXISTS requests (at REAL);
"""
_WAIT = 30.0
_LOOK_AGAIN = 0.05
_MINUTE = 60.0
# After so many seconds without a sign of life, what a process holds is free. More than the slowest
# import takes, during which it gives none.
LEASE = 30.0
_SIGN_OF_LIFE = 5.0
# Seconds from one look for processes that died to the next.
LOOK_FOR_DEAD = 0.5


class RunLimits:
    """The bounds that all processes of a run keep together."""

    def __init__(
        self, path: Path | None, *, max_cost: float | None, requests_per_minute: int | None
    ) -> None:
        self._shared = path
        self._path = str(path) if path is not None else ":memory:"
        self._max_cost = max_cost
        self._rate = requests_per_minute
        self._owner = f"{os.getpid()}-{secrets.token_hex(8)}"
        self._made: sqlite3.Connection | None = None
        # Locked as long as this process lives.
        self._life: BinaryIO | None = None
        self._look_at = 0.0

    def close(self) -> None:
        """Let the file go."""
        if self._made is not None:
            self._made.close()
            self._made = None
        if self._life is not None:
            self._life.close()
            self._life = None

    def claim(self, key: str) -> bool:
        """Whether this process may ask; another one that asks the same is waited for."""
        now = time.time()
        with self._transaction() as database:
            self._bury(database, now)
            found = database.execute("SELECT until FROM asking WHERE key = ?", (key,)).fetchone()
            if found is not None and found[0] > now:
                return False
            database.execute(
                "INSERT OR REPLACE INTO asking VALUES (?, ?, ?)", (key, self._owner, now + LEASE)
            )
        return True

    def release(self, key: str, *, answered: bool) -> None:
        """The question is answered by whom this process asked, or never will be."""
        with self._transaction() as database:
            database.execute("DELETE FROM asking WHERE key = ? AND owner = ?", (key, self._owner))
            if answered:
                database.execute("INSERT OR IGNORE INTO answered VALUES (?)", (key,))

    def was_answered(self, key: str) -> bool:
        """Whether another process of this run asked it: what it took is of this run, too."""
        if self._shared is None or not self._shared.exists():
            return False
        try:
            # One of its own: the other one is used by the thread that asks.
            with contextlib.closing(sqlite3.connect(self._path, timeout=_WAIT)) as database:
                database.executescript(_TABLES)
                found = database.execute("SELECT 1 FROM answered WHERE key = ?", (key,))
                return found.fetchone() is not None
        except sqlite3.Error as exc:
            raise NotGradable(f"what judges share in a run cannot be kept: {exc}") from exc

    async def hold_on(self) -> None:
        """Keep what this process holds for as long as it lives."""
        while True:
            await asyncio.sleep(_SIGN_OF_LIFE)
            # A file that is busy for long is one for whoever needs an answer of it.
            with contextlib.suppress(NotGradable):
                self.renew()

    def renew(self) -> None:
        """Give a sign of life."""
        until = time.time() + LEASE
        with self._transaction() as database:
            database.execute("UPDATE asking SET until = ? WHERE owner = ?", (until, self._owner))
            database.execute(
                "UPDATE spending SET until = ? WHERE owner = ? AND until > 0", (until, self._owner)
            )

    @contextlib.asynccontextmanager
    async def spending(self, estimate: float | None, *, model: str) -> AsyncIterator[Spending]:
        """Put what a request will cost at most aside, and count what it did cost.

        Where nobody knows what it did cost, or the process dies, all of it counts as spent.
        """
        spending = Spending()
        if self._max_cost is None:
            yield spending
            return
        if estimate is None:
            raise NotGradable(
                f"--agentv-max-cost cannot be kept: nobody says what {model} costs; add it to "
                "[tool.agentv.prices] in pyproject.toml"
            )
        while (number := self._put_aside(estimate)) is None:
            await self.look_again()
        try:
            yield spending
        finally:
            with self._transaction() as database:
                database.execute(
                    "UPDATE spending SET usd = COALESCE(?, usd), until = 0 WHERE id = ?",
                    (spending.usd, number),
                )

    def _put_aside(self, estimate: float) -> int | None:
        """The number of the amount; None while another request may yet leave enough."""
        limit, now = self._max_cost or 0.0, time.time()
        with self._transaction() as database:
            self._bury(database, now)
            spent, aside = database.execute(
                "SELECT COALESCE(SUM(CASE WHEN until < :now THEN usd ELSE 0 END), 0), "
                "COALESCE(SUM(CASE WHEN until < :now THEN 0 ELSE usd END), 0) FROM spending",
                {"now": now},
            ).fetchone()
            if spent + estimate > limit:
                raise NotGradable(
                    f"the judges' budget is used up: {spent:.4f} of {limit:g} USD "
                    f"(--agentv-max-cost) are spent, and this may cost {estimate:.4f}"
                )
            if spent + aside + estimate > limit:
                return None
            return database.execute(
                "INSERT INTO spending (owner, usd, until) VALUES (?, ?, ?)",
                (self._owner, estimate, now + LEASE),
            ).lastrowid

    def _bury(self, database: sqlite3.Connection, now: float) -> None:
        """Take from processes that died what they held; what they put aside may be spent."""
        if self._shared is None or now < self._look_at:
            return
        self._look_at = now + LOOK_FOR_DEAD
        owners = database.execute(
            "SELECT owner FROM asking WHERE until > ? UNION "
            "SELECT owner FROM spending WHERE until > ?",
            (now, now),
        ).fetchall()
        for (owner,) in owners:
            if _is_dead(owner, self._shared):
                database.execute("DELETE FROM asking WHERE owner = ?", (owner,))
                database.execute("UPDATE spending SET until = 0 WHERE owner = ?", (owner,))

    async def turn(self) -> None:
        """Wait until another request may be put."""
        while self._rate is not None:
            now = time.time()
            with self._transaction() as database:
                database.execute("DELETE FROM requests WHERE at <= ?", (now - _MINUTE,))
                count, first = database.execute("SELECT COUNT(*), MIN(at) FROM requests").fetchone()
                if count < self._rate:
                    database.execute("INSERT INTO requests VALUES (?)", (now,))
                    return
            await asyncio.sleep(max(first + _MINUTE - now, _LOOK_AGAIN))

    @staticmethod
    async def look_again() -> None:
        """Wait a moment for another process."""
        await asyncio.sleep(_LOOK_AGAIN)

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        try:
            database = self._database()
            database.execute("BEGIN IMMEDIATE")
            try:
                yield database
            except BaseException:
                database.execute("ROLLBACK")
                raise
            database.execute("COMMIT")
        except sqlite3.Error as exc:
            raise NotGradable(f"what judges share in a run cannot be kept: {exc}") from exc

    def _database(self) -> sqlite3.Connection:
        if self._made is None:
            # Used by one thread only, but closed by another.
            made = sqlite3.connect(
                self._path, timeout=_WAIT, isolation_level=None, check_same_thread=False
            )
            made.executescript(_TABLES)
            self._made = made
            if self._shared is not None:
                self._life = _locked(_life_of(self._owner, self._shared))
        return self._made


def _life_of(owner: str, shared: Path) -> Path:
    """The file that a process has locked."""
    return shared.with_name(f"{shared.name}-{owner}")


def _locked(path: Path) -> BinaryIO | None:
    """A new file that this process has locked; None where that cannot be."""
    if sys.platform == "win32":  # has no such locks
        return None
    try:
        file = path.open("xb")
        # Not flock: processes that this one starts would hold it, too.
        fcntl.lockf(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        path.unlink(missing_ok=True)  # without it, nobody is taken for dead
        return None
    return file


def _is_dead(owner: str, shared: Path) -> bool:
    """Whether it is sure that a process is no more: then its lock is free."""
    # To open a file of its own would cost a process its lock.
    if sys.platform == "win32" or owner.startswith(f"{os.getpid()}-"):
        return False
    try:
        with _life_of(owner, shared).open("r+b") as file:
            fcntl.lockf(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # it is held, or was never made
        return False
    return True


class Spending:
    """What a request did cost; None: nobody knows."""

    usd: float | None = None
