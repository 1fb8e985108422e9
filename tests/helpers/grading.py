"""Grading in tests: graders by their names in YAML, on transcripts of a few messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from pydantic import ValidationError

from pytest_agentv import Message, Source, Transcript
from pytest_agentv.graders.base import CaseFacts, Grader
from pytest_agentv.graders.catalogue import builtin_graders

if TYPE_CHECKING:
    from pytest_agentv.graders.grade import Grade

CASE = CaseFacts(id="a-case")
GRADERS = {name: grader for grader in builtin_graders() for name in grader.types}


def grader(type_: str, **keys: Any) -> Grader:
    """The grader of an entry; ``in_`` stands for the key ``in``."""
    if "in_" in keys:
        keys["in"] = keys.pop("in_")
    return GRADERS[type_].model_validate(keys)


def session(*messages: Message, **fields: Any) -> Transcript:
    """A transcript of some messages."""
    return Transcript(source=Source(provider="claude-cli"), output=messages, **fields)


def answer(text: str, **fields: Any) -> Transcript:
    """A transcript whose final answer is this text."""
    prompt = Message(role="user", origin="human", content="Do it", line=1)
    return session(prompt, Message(role="assistant", content=text, line=2), **fields)


def graded(type_: str, on: str | Transcript, *, case: CaseFacts = CASE, **keys: Any) -> Grade:
    """The grade of an entry on a final answer or on a transcript."""
    transcript = answer(on) if isinstance(on, str) else on
    return grader(type_, **keys).grade(transcript, case)


def problems(type_: str, **keys: Any) -> list[tuple[tuple[str | int, ...], str]]:
    """What is wrong with an entry, and at which key."""
    with pytest.raises(ValidationError) as caught:
        grader(type_, **keys)
    return [(one["loc"], one["msg"]) for one in caught.value.errors()]
