"""Writes Claude Code sessions of any size, and says exactly what is in them.

The shape (record kinds, sizes, key order, responses split over records, interleaved results)
follows real sessions; the text is made up. A seed always gives the same bytes; memory stays flat.

    python benchmarks/generate_claude.py --megabytes 100 --seed 1 OUT.jsonl
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import re
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from claude_conversation import Conversation
from claude_records import NEW, OLD, Recorder
from synthetic_text import Texts, make_texts

if TYPE_CHECKING:
    from claude_tools import AgentRun

_UPDATE_AT = 0.6
"""Share of the bytes after which the person updates the client and resumes the session."""
_BUFFER = 1 << 20
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True)
class Tokens:
    """Token totals, each API message counted once; `cached` and `cache_write` are in `input`."""

    input: int
    cached: int
    cache_write: int
    output: int


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
    prompts: int
    """User records that a person typed; in the file of a sub-agent its one task."""
    steering_prompts: int
    """Typed while the agent worked: in the queue only, or also in an attachment (new client)."""
    api_messages: int
    tokens: Tokens
    subagents: tuple[Generated, ...]
    """One per sub-agent file; what is in them is not in the numbers above."""


def generate(path: Path, *, megabytes: float, seed: int = 1, subagents: int = 0) -> Generated:
    """Write a session of about `megabytes` (10**6 bytes) to `path` and return the truth about it.

    The session id is the stem of `path` if that is a UUID, else it comes from the seed.
    The files of sub-agents go to `<path without suffix>/subagents/agent-<id>.jsonl`.
    """
    rng = Random(f"session {seed}")
    texts = make_texts(seed)
    size = int(megabytes * 1_000_000)
    children: list[Generated] = []
    with path.open("wb", buffering=_BUFFER) as out:
        session_id = path.stem if _UUID.fullmatch(path.stem) else None
        recorder = Recorder(out, rng, client=OLD, session_id=session_id)
        talk = Conversation(recorder, rng, texts)
        talk.start()
        while recorder.size < size or len(children) < subagents:
            if not recorder.client.is_new and recorder.size >= size * _UPDATE_AT:
                recorder.client = NEW
                talk.start()
            for _ in talk.turn():
                written = len(children)
                if written < subagents and recorder.size >= size * (written + 0.5) / subagents:
                    child, run = _run_agent(talk, rng, texts, path.with_suffix("") / "subagents")
                    talk.delegate(run)
                    children.append(child)
                elif recorder.size >= size:
                    break
    return _generated(path, talk, tuple(children))


def _run_agent(
    parent: Conversation, rng: Random, texts: Texts, folder: Path
) -> tuple[Generated, AgentRun]:
    """Write the file of one sub-agent; the parent's clock goes on when it has finished."""
    folder.mkdir(parents=True, exist_ok=True)
    agent_id = f"a{rng.getrandbits(64):016x}"
    path = folder / f"agent-{agent_id}.jsonl"
    main = parent.recorder
    run = parent.agent_run(agent_id)
    with path.open("wb", buffering=_BUFFER) as out:
        recorder = Recorder(out, rng, client=main.client, session_id=main.session_id)
        recorder.agent_id, recorder.prompt_id, recorder.clock = agent_id, main.prompt_id, main.clock
        talk = Conversation(recorder, rng, texts)
        talk.task(run.prompt)
        for _ in range(rng.randint(3, 20)):
            talk.work()
        talk.respond([], text=run.answer)
    calls, duration = talk.counts.tool_calls, recorder.clock - main.clock
    main.clock = recorder.clock
    run = dataclasses.replace(run, tool_calls=calls, duration_ms=duration)
    return _generated(path, talk, ()), run


def _generated(path: Path, talk: Conversation, children: tuple[Generated, ...]) -> Generated:
    counts, recorder = talk.counts, talk.recorder
    return Generated(
        path=path,
        session_id=recorder.session_id,
        bytes=recorder.size,
        records=recorder.records,
        tool_calls=counts.tool_calls,
        tool_results=counts.tool_results,
        tool_errors=counts.tool_errors,
        prompts=counts.prompts,
        steering_prompts=counts.steering_prompts,
        api_messages=counts.api_messages,
        tokens=Tokens(counts.input, counts.cached, counts.cache_write, counts.output),
        subagents=children,
    )


def main() -> None:
    """Write a session and print the truth about it as JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--megabytes", type=float, default=100, help="size (10**6 bytes)")
    parser.add_argument("--seed", type=int, default=1, help="same seed, same bytes")
    parser.add_argument("--subagents", type=int, default=0, help="sub-agent files to write")
    parser.add_argument("out", type=Path, help="session file to write")
    options = parser.parse_args()
    truth = generate(
        options.out,
        megabytes=options.megabytes,
        seed=options.seed,
        subagents=options.subagents,
    )
    print(json.dumps(dataclasses.asdict(truth), default=str, indent=2))


if __name__ == "__main__":
    main()
