"""Writes Copilot sessions of any size, and says exactly what is in them.

The shape (event kinds, sizes, key order, hooks, sub-agents between the events of their parent)
follows real sessions; the text is made up. A seed always gives the same bytes; memory stays flat.

    python benchmarks/generate_copilot.py --megabytes 100 --seed 1 OUT.jsonl
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, BinaryIO

from copilot_conversation import Conversation
from copilot_records import Recorder
from generated import Generated, parser, print_truth, written
from synthetic_text import make_texts

if TYPE_CHECKING:
    from pathlib import Path


def generate(path: Path, *, megabytes: float, seed: int = 1) -> Generated:
    """Write a session of about `megabytes` (10**6 bytes) to `path` and return the truth about it.

    The session id is the UUID in `path` if there is one, else it comes from the seed.
    """
    rng = Random(f"copilot session {seed}")

    def begin(out: BinaryIO, session_id: str | None) -> Conversation:
        return Conversation(Recorder(out, rng, session_id=session_id), rng, make_texts(seed))

    return written(path, megabytes=megabytes, begin=begin)


def main() -> None:
    """Write a session and print the truth about it as JSON."""
    print_truth(generate(**vars(parser(__doc__).parse_args())))


if __name__ == "__main__":
    main()
