"""Errors of clients as one sentence: short, human, and without keys."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_agentv.judge.reasons import reason_of


class Told(Exception):
    """An error as clients raise them: with words, and with all that the server sent."""

    def __init__(self, **fields: Any) -> None:
        super().__init__("{'parts': []}")
        vars(self).update(fields)


def _caused(error: Exception, *causes: Exception) -> Exception:
    for outer, inner in zip((error, *causes), causes, strict=False):
        outer.__cause__ = inner
    return error


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ValueError(), "ValueError"),
        (ValueError("one\n\n  two"), "one two"),
        (KeyError("choices"), "its answer could not be read (KeyError: 'choices')"),
        (_caused(ValueError("outer"), OSError("inner")), "outer (inner)"),
        (_caused(ValueError("outer: inner"), OSError("inner")), "outer: inner"),
        (Told(status_code=418, body=None), "the server answered 418 I'm a Teapot"),
        (Told(status_code=599, body="tired"), "the server answered 599: tired"),
        (
            Told(status_code=400, body={"type": "error", "error": {"message": "no credit"}}),
            "the server answered 400 Bad Request: no credit",
        ),
        (Told(status_code=400, body={"error": 7}), "the server answered 400 Bad Request"),
        (Told(message="Content filter: 'a'"), "it was stopped: Content filter: 'a'"),
        (Told(message='Content filter. Refusal: "It\'s no."'), "it refused: It's no."),
        (
            _caused(Told(message="Exceeded maximum output retries (1)")),
            "its answer does not fit: nobody says why",
        ),
    ],
)
def test_an_error_is_a_sentence(error: Exception, reason: str) -> None:
    assert reason_of(error) == reason


def test_a_long_reason_is_cut() -> None:
    assert len(reason_of(ValueError("word " * 1000))) == 300


def test_a_key_is_hidden_before_a_reason_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    key = "hush-hush-hush"
    monkeypatch.setenv("JUDGE_API_KEY", key)
    for length in range(280, 300):
        said = reason_of(ValueError("x" * length + key))
        assert "hush" not in said


def test_errors_that_cause_each_other_come_to_an_end() -> None:
    one, other = Told(message="Exceeded maximum output retries (1)"), ValueError("two")
    one.__cause__, other.__cause__ = other, one
    assert reason_of(one) == "its answer does not fit: two"
