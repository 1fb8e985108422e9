"""Assertions as one types them on a command line."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_agentv.errors import EvalFileError
from pytest_agentv.evalfile.given import typed_entry

TYPES = ["contains", "is-json", "latency", "trajectory:tool-used"]


@pytest.mark.parametrize(
    ("text", "type_", "negated", "keys"),
    [
        ("contains: JWT", "contains", False, {"value": "JWT"}),
        ("contains:JWT", "contains", False, {"value": "JWT"}),
        ("not-contains: 'a: b'", "contains", True, {"value": "a: b"}),
        ("not-contains:JWT", "contains", True, {"value": "JWT"}),
        ("is-json", "is-json", False, {}),
        ("not-is-json", "is-json", True, {}),
        ("{type: latency, max_ms: 60000}", "latency", False, {"max_ms": 60000}),
        ('{"type": "latency", "max_ms": 60000}', "latency", False, {"max_ms": 60000}),
        ("trajectory:tool-used:shell", "trajectory:tool-used", False, {"value": "shell"}),
        ("trajectory:tool-used", "trajectory:tool-used", False, {}),
        ("It says why", "llm-rubric", False, {"value": "It says why"}),
    ],
)
def test_an_assertion_can_be_typed(
    text: str, type_: str, *, negated: bool, keys: dict[str, Any]
) -> None:
    entry = typed_entry(text, types=TYPES, option="--assert")

    assert (entry.type, entry.negated, dict(entry.keys)) == (type_, negated, keys)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "--assert:1:1: "),
        ("{", ": no valid YAML: "),
        ("[contains: a]", "--assert:1:1: an assertion must be a mapping or a text"),
        ("12", "--assert:1:1: an assertion must be a mapping or a text, not 12"),
        ("{contains: a, wieght: 2}", "--assert:1:1: the assertion has no `type`"),
        ("contains: a: b", "a text with a colon needs quotes"),
    ],
)
def test_what_is_no_assertion_is_told_with_its_place(text: str, message: str) -> None:
    with pytest.raises(EvalFileError) as caught:
        typed_entry(text, types=TYPES, option="--assert")

    assert message in str(caught.value)
