"""Verdicts on disk: the same question has the same name, and nothing broken is an answer."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING

import pytest
from full_disks import no_file_above
from msgspec.structs import replace

from pytest_agentv.errors import OutputError
from pytest_agentv.judge.cache import (
    CachedAnswer,
    CachedVerdict,
    Key,
    VerdictCache,
    judge_digest,
    question_digest,
)
from pytest_agentv.judge.prompt import Prompt

if TYPE_CHECKING:
    from pathlib import Path

PROMPT = Prompt("Judge.", "c1: It is polite")
KEY = Key(question_digest(PROMPT, 0), judge_digest("openai:a", {"temperature": 0.0}))
VERDICT = CachedVerdict(
    model="openai:a",
    answers=(CachedAnswer(met=True, score=0.5, reason="so"),),
    input_tokens=10,
    output_tokens=2,
    cost_usd=0.25,
    created=1000,
)


@pytest.fixture
def cache(tmp_path: Path) -> VerdictCache:
    return VerdictCache(tmp_path / "cache")


def _file(cache: VerdictCache) -> Path:
    (path,) = cache.files()
    return path


def test_what_was_put_is_got(cache: VerdictCache) -> None:
    assert cache.get(KEY) is None
    cache.put(KEY, VERDICT)
    assert cache.get(KEY) == VERDICT
    assert cache.of_anybody(KEY.question) == [VERDICT]


def test_another_question_or_judge_has_another_name() -> None:
    questions = {
        question_digest(one, sample)
        for one in (PROMPT, PROMPT._replace(user="c1: It is long"), PROMPT._replace(system="x"))
        for sample in (0, 1)
    }
    judges = {
        judge_digest(model, {"temperature": temperature})
        for model in ("openai:a", "openai:b")
        for temperature in (0.0, None)
    }
    assert (len(questions), len(judges)) == (6, 4)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"\xff\xfe",
        b'{"model": "x"}',
        b'{"model": "x", "answers": [{"met": true, "score": 2}]}',
        b'{"model": "x", "answers": [], "schema_version": "9.0"}',
        b"[" * 100_000,
    ],
)
def test_a_file_that_is_broken_is_no_answer_and_is_replaced(
    cache: VerdictCache, content: bytes
) -> None:
    cache.put(KEY, VERDICT)
    _file(cache).write_bytes(content)
    assert cache.get(KEY) is None
    assert cache.of_anybody(KEY.question) == []
    assert cache.statistics()["unreadable"] == 1
    cache.put(KEY, VERDICT)
    assert cache.get(KEY) == VERDICT


@pytest.mark.parametrize(
    "figures", [{"cost_usd": 1.7e308}, {"cost_usd": -1.0}, {"input_tokens": -1}, {"created": 2**63}]
)
def test_a_verdict_with_figures_that_cannot_be_is_no_answer(
    cache: VerdictCache, figures: dict[str, float]
) -> None:
    for sample in range(2):
        key = Key(question_digest(PROMPT, sample), KEY.judge)
        cache.put(key, replace(VERDICT, **figures))
        assert cache.get(key) is None
    found = cache.statistics()
    assert (found["unreadable"], found["cost_usd"], found["tokens"]) == (2, 0.0, 0)


def test_many_writers_leave_one_whole_file(cache: VerdictCache) -> None:
    threads = [threading.Thread(target=cache.put, args=(KEY, VERDICT)) for _ in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert cache.get(KEY) == VERDICT
    assert [path.name for path in _file(cache).parent.iterdir()] == [_file(cache).name]


def test_a_verdict_that_does_not_fit_on_the_disk_is_not_there_at_all(cache: VerdictCache) -> None:
    other = Key(question_digest(PROMPT, 1), KEY.judge)
    cache.put(KEY, VERDICT)
    with no_file_above(100):
        for key in (KEY, other):
            with pytest.raises(OutputError, match=r"\.json: cannot be written: File too large$"):
                cache.put(key, VERDICT)
    assert (cache.get(KEY), cache.get(other)) == (VERDICT, None)
    assert [path for path in cache.folder.glob("**/*") if path.is_file()] == [_file(cache)]


def test_statistics_add_up(cache: VerdictCache) -> None:
    cache.put(KEY, VERDICT)
    other = Key(question_digest(PROMPT, 1), KEY.judge)
    cache.put(other, CachedVerdict(model="openai:b", answers=VERDICT.answers, created=2000))
    found = cache.statistics()
    assert found["models"] == {"openai:a": 1, "openai:b": 1}
    assert (found["verdicts"], found["tokens"], found["cost_usd"]) == (2, 12, 0.25)
    assert (found["oldest"], found["newest"]) == (1000, 2000)


def test_clearing_takes_answers_and_nothing_else(cache: VerdictCache) -> None:
    cache.put(KEY, VERDICT)
    foreign = cache.folder / "ab" / "notes.json"
    foreign.parent.mkdir(exist_ok=True)
    foreign.write_text("{}")
    assert cache.clear(older_than=1e12) == 0
    assert cache.clear() == 1
    assert cache.get(KEY) is None
    assert foreign.exists()
    assert cache.clear() == 0


def test_a_file_says_nothing_of_the_session_but_what_the_judge_said(cache: VerdictCache) -> None:
    cache.put(KEY, VERDICT)
    assert json.loads(_file(cache).read_bytes()) == {
        "schema_version": "1.0",
        "model": "openai:a",
        "answers": [{"met": True, "score": 0.5, "reason": "so"}],
        "input_tokens": 10,
        "output_tokens": 2,
        "cost_usd": 0.25,
        "created": 1000,
    }
