"""The security policy names, for every threat, the tests that show what happens."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
POLICY = (ROOT / "SECURITY.md").read_text(encoding="utf-8")


def test_every_test_that_the_policy_names_exists() -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", POLICY)
    assert len(named) > 80
    missing = [
        f"{file}::{test}"
        for file, test in named
        if not (ROOT / file).is_file()
        or f"def {test}(" not in (ROOT / file).read_text(encoding="utf-8")
    ]
    assert missing == []


def test_every_threat_has_a_test() -> None:
    table = POLICY.partition("| threat |")[2].partition("\n## ")[0]
    rows = [line.split(" | ") for line in table.splitlines()[2:] if line.startswith("| ")]
    threats = [row for row in rows if not row[0].startswith("| **")]
    assert len(threats) > 35
    assert [row[0] for row in threats if "`tests/" not in row[-1]] == []
