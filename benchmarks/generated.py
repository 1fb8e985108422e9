"""The truth about a made-up session, in the same form for every vendor.

A generator counts what it writes; an import is compared with these counts. Knows no vendor.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from session_file import SessionFile

BUFFER = 1 << 20
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")


@dataclass(frozen=True)
class Tokens:
    """Token totals, each response counted once; None where the vendor writes no such figure.

    `cached` and `cache_write` are in `input`, `reasoning` is in `output`.
    """

    input: int
    cached: int
    cache_write: int | None
    output: int
    reasoning: int | None = None


@dataclass
class Counts:
    """What a conversation has written so far."""

    tool_calls: int = 0
    tool_results: int = 0
    tool_errors: int = 0
    prompts: int = 0
    steering_prompts: int = 0
    api_messages: int = 0

    def minus(self, other: Counts) -> Counts:
        """Return what was counted since `other` was."""
        names = [field.name for field in dataclasses.fields(self)]
        return Counts(**{name: getattr(self, name) - getattr(other, name) for name in names})


@dataclass(frozen=True)
class Generated:
    """What was written: the truth that an import is compared with."""

    path: Path
    session_id: str
    bytes: int
    records: int
    tool_calls: int
    tool_results: int
    """Fewer than the calls: a few are never answered."""
    tool_errors: int
    """Calls that failed; those that a person refused or stopped do not count."""
    prompts: int
    """Messages that a person typed; in the file of a sub-agent its one task."""
    steering_prompts: int
    """Typed while the agent worked; not in `prompts`."""
    api_messages: int
    """Responses of the model that are part of the conversation."""
    tokens: Tokens
    subagents: tuple[Generated, ...] = ()
    """One per sub-agent file; what is in them is not in the numbers above."""


def truth(
    path: Path,
    *,
    file: SessionFile,
    counts: Counts,
    tokens: Tokens,
    subagents: tuple[Generated, ...] = (),
) -> Generated:
    """Return what was counted and written, as one value."""
    return Generated(
        path=path,
        session_id=file.session_id,
        bytes=file.size,
        records=file.records,
        **dataclasses.asdict(counts),
        tokens=tokens,
        subagents=subagents,
    )


class Talk(Protocol):
    """What happens in a session, written as it happens."""

    @property
    def recorder(self) -> SessionFile:
        """Where it is written."""

    @property
    def counts(self) -> Counts:
        """What was written so far."""

    @property
    def tokens(self) -> Tokens:
        """What was used so far."""

    def start(self) -> None:
        """Write the head of the file."""

    def turn(self) -> Iterator[None]:
        """Write one turn; yields where it may be left."""

    def close(self) -> None:
        """Write what stands at the end of the file."""


def written(
    path: Path, *, megabytes: float, begin: Callable[[BinaryIO, str | None], Talk]
) -> Generated:
    """Write turn after turn until the file has its size; return the truth about it.

    `begin` gets the open file and the session id that is in its name, if any.
    """
    size = int(megabytes * 1_000_000)
    with path.open("wb", buffering=BUFFER) as out:
        talk = begin(out, session_id_in(path))
        talk.start()
        while talk.recorder.size < size:
            for _ in talk.turn():
                if talk.recorder.size >= size:
                    break
        talk.close()
    return truth(path, file=talk.recorder, counts=talk.counts, tokens=talk.tokens)


def session_id_in(path: Path) -> str | None:
    """Return the UUID at the end of a file's name, or of its folder's name, if there is one."""
    found = _UUID.search(path.stem) or _UUID.search(path.parent.name)
    return found[0] if found else None


def parser(description: str | None) -> argparse.ArgumentParser:
    """Return the command line that every generator has."""
    made = argparse.ArgumentParser(description=(description or "").partition("\n")[0])
    made.add_argument("--megabytes", type=float, default=100, help="size (10**6 bytes)")
    made.add_argument("--seed", type=int, default=1, help="same seed, same bytes")
    made.add_argument("path", type=Path, metavar="OUT", help="session file to write")
    return made


def print_truth(generated: Generated) -> None:
    """Print the truth as JSON."""
    print(json.dumps(dataclasses.asdict(generated), default=str, indent=2))
