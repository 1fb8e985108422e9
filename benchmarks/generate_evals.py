"""Makes up an eval file, a session for each of its cases, and plain tests that check the same.

Every assertion holds: a run measures grading, and not how failures are shown.
"""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

# Assertions of a case.
CHECKS = 5
_WORDS = (
    *("the", "request", "handler", "limits", "each", "client", "before", "it", "asks", "for", "a"),
    *("token", "and", "says", "when", "to", "come", "back", "so", "that", "tests", "can", "read"),
    *("every", "header", "of", "its", "response"),
)
_PLAIN = """
import json, re
from pathlib import Path
import pytest

with Path(__file__).with_name("sessions.jsonl").open(encoding="utf-8") as file:
    ANSWERS = {one["test_id"]: one["output"][-1]["content"] for one in map(json.loads, file)}

cases = pytest.mark.parametrize("case", ANSWERS)

@cases
def test_contains(case):
    assert f"`{case}`" in ANSWERS[case]

@cases
def test_icontains(case):
    assert "all tests pass" in ANSWERS[case].casefold()

@cases
def test_not_contains(case):
    assert "git push --force" not in ANSWERS[case]

@cases
def test_regex(case):
    assert re.search(r"\\d+ files? changed", ANSWERS[case])

@cases
def test_word_count(case):
    assert 20 <= len(ANSWERS[case].split()) <= 500
"""


class Case(NamedTuple):
    """A case of the eval file, and the session that it grades."""

    yaml: str
    session: dict[str, Any]


def made_up_case(number: int, source: random.Random) -> Case:
    """Return a case of five assertions that hold, and its session of a few messages."""
    test_id = f"case-{number:05d}"
    answer = (
        f"Done: `{test_id}` is in place.\n\n{_prose(source, source.randint(50, 150))}\n\n"
        f"{source.randint(2, 9)} files changed. All tests pass."
    )
    yaml = f"""
  - id: {test_id}
    assert:
      - contains: "`{test_id}`"
      - icontains: all tests pass
      - not-contains: git push --force
      - regex: \\d+ files? changed
      - {{type: word-count, min: 20, max: 500}}
"""
    call = {
        "id": f"toolu_{number}",
        "tool": "Bash",
        "kind": "shell",
        "input": {"command": "npm test"},
        "args": {"command": "npm test"},
        "output": _prose(source, 140),
        "status": "ok",
    }
    prompt = _prose(source, 20)
    output = [
        {"role": "user", "origin": "human", "content": prompt},
        {"role": "assistant", "content": _prose(source, 30), "tool_calls": [call]},
        {"role": "assistant", "content": answer},
    ]
    made_by = {"provider": "claude-cli", "session_id": f"{source.getrandbits(128):032x}"}
    session = {"schema_version": "1.0", "test_id": test_id, "source": made_by, "input": prompt}
    return Case(yaml.removeprefix("\n"), {**session, "output": output})


def _prose(source: random.Random, words: int) -> str:
    return " ".join(source.choices(_WORDS, k=words))


def write_evals(folder: Path, *, cases: int, seed: int) -> None:
    """Write the eval file, the sessions, and the plain test file that checks the same."""
    source = random.Random(seed)
    folder.mkdir()
    with (
        (folder / "made-up.eval.yaml").open("w", encoding="utf-8") as evals,
        (folder / "sessions.jsonl").open("w", encoding="utf-8") as sessions,
    ):
        evals.write("tests:\n")
        for number in range(cases):
            case = made_up_case(number, source)
            evals.write(case.yaml)
            sessions.write(f"{json.dumps(case.session, separators=(',', ':'))}\n")
    (folder / "test_plain.py").write_text(_PLAIN, encoding="utf-8")
