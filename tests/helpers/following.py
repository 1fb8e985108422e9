"""``agentv read --follow`` in a process of its own, while a test writes to its session."""

from __future__ import annotations

import json
import queue
import signal
import subprocess
import sys
import threading
from typing import IO, TYPE_CHECKING, Any

from agentv_command import environ

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from typing_extensions import Self

# Far more than anything here takes: it only keeps a hang from blocking everything.
SAFETY_NET = 60


class Following:
    """The command while it runs; what it prints can be waited for, line by line."""

    def __init__(self, *arguments: str | Path, cwd: Path, **environment: str | None) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "pytest_agentv", "read", "--follow", *map(str, arguments)],
            cwd=cwd,
            env=environ(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self.out = _Lines(self._process.stdout)
        self.err = _Lines(self._process.stderr)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        type_: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.wait()
        self.out.close()
        self.err.close()

    def entry(self) -> dict[str, Any]:
        """The next entry of ``--format json``."""
        value: dict[str, Any] = json.loads(self.out.next())
        return value

    def said(self, count: int) -> list[tuple[str, str]]:
        """Role and text of the next entries."""
        return [(one["role"], one["text"]) for one in (self.entry() for _ in range(count))]

    def interrupt(self) -> int:
        """Ctrl-C, and how it ended then."""
        self._process.send_signal(signal.SIGINT)
        return self._process.wait(SAFETY_NET)


class _Lines:
    """What a process writes, line by line, as soon as it does."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._lines: queue.Queue[bytes | None] = queue.Queue()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def next(self) -> str:
        """The next line; fails if none comes."""
        line = self._lines.get(timeout=SAFETY_NET)
        assert line is not None, "it ended"
        return line.decode().removesuffix("\n")

    def rest(self) -> list[str]:
        """What has not been asked for, when the process has ended."""
        lines = iter(lambda: self._lines.get(timeout=SAFETY_NET), None)
        return [line.decode().removesuffix("\n") for line in lines]

    def close(self) -> None:
        self._thread.join(SAFETY_NET)
        self._stream.close()

    def _read(self) -> None:
        for line in self._stream:
            self._lines.put(line)
        self._lines.put(None)


def append(path: Path, *parts: bytes) -> None:
    """Write to the end of a file, as a client does."""
    with path.open("ab") as file:
        for part in parts:
            file.write(part)
