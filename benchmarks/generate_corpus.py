"""Writes a home with the sessions of three clients in their own folders, and what is to be found.

10,000 sessions and 1 GB unless told otherwise. A few are about the topics of relevance.yaml and
relevance_held_out.yaml; the rest is everyday work. A seed always gives the same bytes.

    python benchmarks/generate_corpus.py --sessions 10000 --megabytes 1000 --seed 1 HOME
"""

from __future__ import annotations

import argparse
import json
import re
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, BinaryIO

import claude_conversation
import codex_conversation
import copilot_conversation
import yaml
from claude_records import NEW
from claude_records import Recorder as ClaudeFile
from codex_records import Recorder as CodexFile
from copilot_records import Recorder as CopilotFile
from corpus_speech import CorpusSpeech, Topic
from generated import BUFFER
from session_file import START
from synthetic_text import ROOT, Texts, make_texts

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from speech import Speech

_HERE = Path(__file__).resolve().parent
TOPICS = {"tuned": _HERE / "relevance.yaml", "held out": _HERE / "relevance_held_out.yaml"}
"""Queries that something was chosen by, and those that nothing was."""
CLIENTS = ("claude", "codex", "copilot")
_APART = timedelta(minutes=50)
"""Between the beginnings of two sessions: 10,000 of them fill a year."""
_SPREAD = 0.8
"""Of the logarithm of sizes: one session in twenty is four times as long as the middle one."""
_MEAN_TO_MEDIAN = 0.72615
"""Which median has a mean of 1, with that spread."""
_OVERSHOOT = 14_000
"""Bytes by which sessions exceed the size they are to have: the last turn is told to its end."""
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_LONG = 4
"""Letters of a word that everyday work mentions too."""

Conversation = (
    claude_conversation.Conversation
    | codex_conversation.Conversation
    | copilot_conversation.Conversation
)


@dataclass(frozen=True)
class Labelled:
    """A query, and the ids of the sessions that it is to find."""

    query: str
    kind: str
    group: str
    sessions: tuple[str, ...]


@dataclass(frozen=True)
class Corpus:
    """What was written below a home."""

    home: Path
    sessions: int
    bytes: int
    labelled: tuple[Labelled, ...]


def generate(
    home: Path,
    *,
    sessions: int = 10_000,
    megabytes: float = 1000,
    seed: int = 1,
    has_topics: bool = True,
) -> Corpus:
    """Write the sessions below `home`; return what they hold and which are about what."""
    topics = read_topics() if has_topics else []
    told = [(topic["query"], Topic(**one)) for topic in topics for one in topic["sessions"]]
    if sessions < len(told):
        raise SystemExit(f"the topics alone need {len(told)} sessions")
    places = Random(f"places {seed}").sample(range(sessions), len(told))
    about = dict(zip(places, told, strict=True))
    texts, words = make_texts(seed), query_words(topics)
    size = 0
    ids: dict[str, list[str]] = {}
    for number in range(sessions):
        rng = Random(f"corpus {seed} {number}")
        query, topic = about.get(number, ("", None))
        mean = max(megabytes * 1e6 - size, 0) / (sessions - number)
        wanted = (mean - _OVERSHOOT) * _MEAN_TO_MEDIAN * rng.lognormvariate(0, _SPREAD)
        speech = CorpusSpeech(rng, topic, words=words)
        tells = topic is not None
        session_id, written = _session(
            home, number, rng, texts, speech=speech, size=int(wanted), tells=tells
        )
        size += written
        ids.setdefault(query, []).append(session_id)
    labelled = tuple(_labelled(topics, ids))
    return Corpus(home, sessions, size, labelled)


def read_topics() -> list[dict[str, Any]]:
    """What some sessions are about: each with its query, its kind and the group of the query."""
    return [
        {**topic, "group": group}
        for group, file in TOPICS.items()
        for topic in yaml.safe_load(file.read_text(encoding="utf-8"))
    ]


def query_words(topics: list[dict[str, Any]]) -> list[str]:
    """The longer words of the queries, names and paths in their parts; to be mentioned elsewhere.

    Not those of queries that ask for a meaning: they are looked for where they do not stand.
    """
    queries = (topic["query"] for topic in topics if topic["kind"] != "meaning")
    words = (word.lower() for query in queries for word in _WORD.findall(query))
    return sorted({word for word in words if len(word) >= _LONG})


def _labelled(topics: list[dict[str, Any]], ids: dict[str, list[str]]) -> Iterator[Labelled]:
    for topic in topics:
        found = [
            *ids.get(topic["query"], ()),
            *(one for name in topic.get("also", ()) for one in ids[name]),
        ]
        yield Labelled(topic["query"], topic["kind"], topic["group"], tuple(found))


def _session(
    home: Path, number: int, rng: Random, texts: Texts, *, speech: Speech, size: int, tells: bool
) -> tuple[str, int]:
    """Write one session; return its id and how many bytes it has."""
    digits = f"{rng.getrandbits(128):032x}"
    session_id = f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"
    client = CLIENTS[number % len(CLIENTS)]
    began = START + number * _APART
    path = _path(home, client, session_id, began)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb", buffering=BUFFER) as out:
        talk = _conversation(client, out, rng, texts, session_id=session_id, speech=speech)
        talk.recorder.began = began
        talk.start()
        first = True
        while first or talk.recorder.size < size:
            for _ in talk.turn():
                # What a session is about is told to its end, so that there is an answer.
                if talk.recorder.size >= size and not (first and tells):
                    break
            first = False
        if not isinstance(talk, claude_conversation.Conversation):
            talk.close()
    return session_id, talk.recorder.size


def _path(home: Path, client: str, session_id: str, began: datetime) -> Path:
    if client == "claude":
        return home / ".claude/projects" / ROOT.replace("/", "-") / f"{session_id}.jsonl"
    if client == "codex":
        name = f"rollout-{began:%Y-%m-%dT%H-%M-%S}-{session_id}.jsonl"
        return home / f".codex/sessions/{began:%Y/%m/%d}" / name
    return home / ".copilot/session-state" / session_id / "events.jsonl"


def _conversation(
    client: str, out: BinaryIO, rng: Random, texts: Texts, *, session_id: str, speech: Speech
) -> Conversation:
    if client == "claude":
        file = ClaudeFile(out, rng, client=NEW, session_id=session_id)
        return claude_conversation.Conversation(file, rng, texts, speech)
    if client == "codex":
        codex = CodexFile(out, rng, session_id=session_id)
        return codex_conversation.Conversation(codex, rng, texts, speech)
    copilot = CopilotFile(out, rng, session_id=session_id)
    return copilot_conversation.Conversation(copilot, rng, texts, speech)


def main() -> None:
    """Write a corpus and print what is in it as JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sessions", type=int, default=10_000, help="how many (default: 10,000)")
    parser.add_argument("--megabytes", type=float, default=1000, help="all (default: 1000)")
    parser.add_argument("--seed", type=int, default=1, help="same seed, same bytes")
    parser.add_argument("home", type=Path, metavar="HOME", help="folder to write to")
    print(json.dumps(asdict(generate(**vars(parser.parse_args()))), default=str, indent=2))


if __name__ == "__main__":
    main()
