"""Writes a folder of many sessions of Claude Code, of several projects, and prints how many.

A few are made up; the others are copies with a session id of their own, which is all that a listing
can tell them apart by.

    python benchmarks/generate_many.py --sessions 10000 --seed 1 PROJECTS
"""

from __future__ import annotations

import argparse
import json
import tempfile
import uuid
from pathlib import Path
from random import Random

from generate_claude import generate

_PROJECTS = ("orchard", "harbour", "lantern", "meadow", "quarry")
# In 10**6 bytes: most sessions are short.
_SIZES = (0.005, 0.01, 0.01, 0.02, 0.02, 0.03, 0.05, 0.1)


def write_many(projects: Path, *, sessions: int, seed: int) -> int:
    """Write so many sessions below `projects`; return their bytes."""
    source = Random(f"many {seed}")
    with tempfile.TemporaryDirectory() as folder:
        models = [_model(Path(folder), seed + number, size) for number, size in enumerate(_SIZES)]
    folders = [projects / f"-home-dev-projects-{name}" for name in _PROJECTS]
    for each in folders:
        each.mkdir(parents=True, exist_ok=True)
    written = 0
    for number in range(sessions):
        old, content = models[number % len(models)]
        new = str(uuid.UUID(int=source.getrandbits(128), version=4))
        content = content.replace(old.encode(), new.encode())
        (folders[number % len(folders)] / f"{new}.jsonl").write_bytes(content)
        written += len(content)
    return written


def _model(folder: Path, seed: int, megabytes: float) -> tuple[str, bytes]:
    path = folder / f"{seed}.jsonl"
    made = generate(path, megabytes=megabytes, seed=seed)
    return made.session_id, path.read_bytes()


def main() -> None:
    """Write what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sessions", type=int, default=10_000, help="how many (default: 10000)")
    parser.add_argument("--seed", type=int, default=1, help="same seed, same bytes")
    parser.add_argument("projects", type=Path, metavar="PROJECTS", help="folder to write to")
    options = parser.parse_args()
    size = write_many(options.projects, sessions=options.sessions, seed=options.seed)
    print(json.dumps({"sessions": options.sessions, "bytes": size}))


if __name__ == "__main__":
    main()
