"""Writes Claude Code sessions of any size, and says exactly what is in them.

The shape (record kinds, sizes, key order, responses split over records, interleaved results)
follows real sessions; the text is made up. A seed always gives the same bytes; memory stays flat.

    python benchmarks/generate_claude.py --megabytes 100 --seed 1 OUT.jsonl
"""

from __future__ import annotations

import dataclasses
from random import Random
from typing import TYPE_CHECKING

from claude_conversation import Conversation
from claude_records import NEW, OLD, Recorder
from generated import BUFFER, Generated, parser, print_truth, session_id_in, truth
from synthetic_text import Texts, make_texts

if TYPE_CHECKING:
    from pathlib import Path

    from claude_tools import AgentRun

_UPDATE_AT = 0.6
"""Share of the bytes after which the person updates the client and resumes the session."""


def generate(path: Path, *, megabytes: float, seed: int = 1, subagents: int = 0) -> Generated:
    """Write a session of about `megabytes` (10**6 bytes) to `path` and return the truth about it.

    The session id is the UUID in `path` if there is one, else it comes from the seed.
    The files of sub-agents go to `<path without suffix>/subagents/agent-<id>.jsonl`.
    """
    rng = Random(f"session {seed}")
    texts = make_texts(seed)
    size = int(megabytes * 1_000_000)
    children: list[Generated] = []
    with path.open("wb", buffering=BUFFER) as out:
        recorder = Recorder(out, rng, client=OLD, session_id=session_id_in(path))
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
    with path.open("wb", buffering=BUFFER) as out:
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
    return truth(
        path, file=talk.recorder, counts=talk.counts, tokens=talk.tokens, subagents=children
    )


def main() -> None:
    """Write a session and print the truth about it as JSON."""
    options = parser(__doc__)
    options.add_argument("--subagents", type=int, default=0, help="sub-agent files to write")
    print_truth(generate(**vars(options.parse_args())))


if __name__ == "__main__":
    main()
