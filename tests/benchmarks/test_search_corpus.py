"""The corpus for searching: the same each time, read without a loss, and labelled as it says."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from generate_corpus import CLIENTS, generate, read_topics

from pytest_agentv import ReadOptions
from pytest_agentv.plugins import registry

if TYPE_CHECKING:
    from pathlib import Path

# Words that say nothing of what somebody looks for.
_SMALL = {
    *("a", "an", "and", "are", "by", "for", "from", "how", "in", "into", "is", "it", "of", "on"),
    *("or", "out", "the", "to", "too", "two", "we", "where", "while"),
}
_STEM = 5


def _topics(kind: str | None = None) -> list[dict[str, Any]]:
    return [topic for topic in read_topics() if kind in (None, topic["kind"])]


def _stems(text: str) -> set[str]:
    return {word[:_STEM] for word in re.findall(r"\w+", text.lower())}


def _told(topic: dict[str, Any]) -> list[str]:
    others = [one for one in read_topics() if one["query"] in topic.get("also", ())]
    return [
        f"{one['asked']} {one['answered']}" for each in (topic, *others) for one in each["sessions"]
    ]


@pytest.mark.parametrize(("group", "enough", "of_each"), [("tuned", 50, 8), ("held out", 20, 4)])
def test_there_are_enough_queries_of_each_kind(group: str, enough: int, of_each: int) -> None:
    kinds = Counter(topic["kind"] for topic in _topics() if topic["group"] == group)

    assert kinds.total() >= enough
    assert min(kinds[kind] for kind in ("words", "identifier", "path", "meaning")) >= of_each


def test_no_query_is_there_twice() -> None:
    queries = [topic["query"] for topic in _topics()]

    assert len(set(queries)) == len(queries)


@pytest.mark.parametrize("topic", _topics("meaning"), ids=lambda topic: topic["query"])
def test_no_word_of_a_query_for_meaning_stands_in_its_sessions(topic: dict[str, Any]) -> None:
    wanted = {stem for stem in _stems(topic["query"]) if stem not in _SMALL}

    assert wanted
    for told in _told(topic):
        assert not wanted & _stems(told)


@pytest.mark.parametrize("topic", _topics("path"), ids=lambda topic: topic["query"])
def test_a_path_that_is_asked_for_stands_in_its_sessions(topic: dict[str, Any]) -> None:
    for told in _told(topic):
        assert _stems(topic["query"]) <= _stems(told)


def test_a_seed_gives_the_same_files_and_labels(tmp_path: Path) -> None:
    one, two = (generate(tmp_path / name, sessions=180, megabytes=1) for name in ("one", "two"))

    assert one.labelled == two.labelled
    files = {path.relative_to(one.home): path.read_bytes() for path in one.home.rglob("*.jsonl")}
    assert len(files) == 180
    assert sum(map(len, files.values())) == one.bytes
    assert files == {
        path.relative_to(two.home): path.read_bytes() for path in two.home.rglob("*.jsonl")
    }


def test_every_labelled_session_is_there_and_begins_with_its_topic(tmp_path: Path) -> None:
    corpus = generate(tmp_path, sessions=180, megabytes=1)
    asked = {topic["query"]: {one["asked"] for one in topic["sessions"]} for topic in _topics()}
    opened = {}
    for client in CLIENTS:
        adapter = registry().adapter(client)
        home = adapter.home({"HOME": str(tmp_path)})
        assert home is not None
        for ref in adapter.sessions(home):
            head = adapter.read(ref, ReadOptions()).head
            opened[head.source.session_id] = head.input

    assert len(opened) == 180
    for one in corpus.labelled:
        assert asked[one.query] <= {opened[session] for session in one.sessions}
