"""The corpus of made-up secrets, and what redaction finds in it."""

from __future__ import annotations

from look_alikes import look_alikes
from made_up_secrets import secrets
from redact_secrets import COMMON_TARGET, OVERALL_TARGET, over_redaction, recall


def test_the_corpus_is_large_enough() -> None:
    assert len({one.kind for one in secrets(1, each=1)}) >= 100
    assert sum(1 for _ in secrets(1, each=7)) >= 1000
    assert sum(1 for _ in look_alikes(1, each=5)) >= 300


def test_secrets_are_found_as_often_as_promised() -> None:
    found, total, _ = recall(20261, each=3)
    assert found["common"] / total["common"] >= COMMON_TARGET
    assert found["all"] / total["all"] >= OVERALL_TARGET


def test_look_alikes_are_left_alone() -> None:
    touched, tried, wrong = over_redaction(20261, each=3)
    assert touched["protected"] == 0, wrong
    assert touched["all"] / tried["all"] <= 0.02
