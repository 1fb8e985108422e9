"""Asks an index every labelled query, as a process of its own: how long, how much memory, how well.

    python benchmarks/ask_index.py --mode hybrid INDEX LABELLED.json

Prints JSON. `--mode hash` is hybrid without a model; `tantivy` makes an index of its own from the
same documents first.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_agentv.search.query import parse_query
from pytest_agentv.search.schema import open_to_read
from pytest_agentv.search.searching import search
from pytest_agentv.search.settings import VectorSettings

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    Ask = Callable[[str], list[str]]

LIMIT = 20
_AT = 5
_MODES = ("lexical", "semantic", "hybrid", "hash", "tantivy")


def answers(labelled: list[dict[str, Any]], ask: Ask, *, repeat: int) -> dict[str, Any]:
    """Ask everything; the best time of each query, and how well each group and kind did."""
    times: list[float] = []
    cpu_times: list[float] = []
    scores: dict[str, dict[str, list[tuple[float, float]]]] = {}
    ask(labelled[0]["query"])  # what is loaded once is no part of a query
    for one in labelled:
        took, used = [], []
        for _ in range(repeat):
            began, cpu = time.perf_counter(), time.process_time()
            found = ask(one["query"])
            took.append(time.perf_counter() - began)
            used.append(time.process_time() - cpu)
        times.append(min(took) * 1000)
        cpu_times.append(min(used) * 1000)
        for kind in (one["kind"], "all"):
            group = scores.setdefault(one["group"], {})
            group.setdefault(kind, []).append(_score(found, set(one["sessions"])))
    return {
        "median_ms": statistics.median(times),
        "max_ms": max(times),
        "cpu_median_ms": statistics.median(cpu_times),
        "cpu_max_ms": max(cpu_times),
        "relevance": {
            group: {kind: _means(each) for kind, each in kinds.items()}
            for group, kinds in scores.items()
        },
    }


def _score(found: list[str], relevant: set[str]) -> tuple[float, float]:
    """The reciprocal rank of the first that is relevant, and the share of those in the top five."""
    first = next((1 / place for place, one in enumerate(found, 1) if one in relevant), 0.0)
    return first, len(relevant & set(found[:_AT])) / min(len(relevant), _AT)


def _means(scores: list[tuple[float, float]]) -> dict[str, float]:
    ranks, recalls = zip(*scores, strict=True)
    return {"mrr": statistics.fmean(ranks), "recall": statistics.fmean(recalls)}


def _ours(db: sqlite3.Connection, mode: str) -> Ask:
    settings = VectorSettings(enabled=mode != "hash")
    mode = "hybrid" if mode == "hash" else mode

    def ask(query: str) -> list[str]:
        found = search(db, parse_query(query), mode=mode, vector=settings, limit=LIMIT)
        return [hit.session for hit in found]

    return ask


def _tantivy(db: sqlite3.Connection, folder: str) -> tuple[Ask, float]:
    """Tantivy over the same documents, any of the words as it does by itself; and its time."""
    import tantivy  # noqa: PLC0415 (where installed)

    fields = tantivy.SchemaBuilder().add_text_field("session", stored=True, tokenizer_name="raw")
    index = tantivy.Index(fields.add_text_field("text", stored=True).build(), path=folder)
    rows = db.execute(
        "SELECT session, text FROM documents JOIN sources ON sources.id = documents.id >> 24"
    )
    began = time.perf_counter()
    writer = index.writer()
    for session, text in rows:
        writer.add_document(tantivy.Document(session=session, text=text))
    writer.commit()
    writer.wait_merging_threads()
    took = time.perf_counter() - began
    index.reload()
    searcher = index.searcher()

    def ask(query: str) -> list[str]:
        words = " ".join(re.findall(r"\w+", query))
        hits = searcher.search(index.parse_query(words, ["text"]), LIMIT * 10).hits
        sessions = (searcher.doc(address)["session"][0] for _, address in hits)
        return list(dict.fromkeys(sessions))[:LIMIT]

    return ask, took


def main() -> None:
    """Ask, and print what came of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--mode", choices=_MODES, default="lexical")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("index", type=Path)
    parser.add_argument("labelled", type=Path)
    options = parser.parse_args()
    labelled = json.loads(options.labelled.read_text(encoding="utf-8"))["labelled"]
    db = open_to_read(options.index)
    told: dict[str, Any] = {"mode": options.mode}
    if options.mode == "tantivy":
        with tempfile.TemporaryDirectory() as folder:
            ask, told["index_seconds"] = _tantivy(db, folder)
            told |= answers(labelled, ask, repeat=options.repeat)
    else:
        told |= answers(labelled, _ours(db, options.mode), repeat=options.repeat)
    unit = 1 if sys.platform == "darwin" else 1024
    told["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6
    print(json.dumps(told))


if __name__ == "__main__":
    main()
