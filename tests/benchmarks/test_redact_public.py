"""Redaction, measured on the samples that another tool keeps with its rules."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from redact_public import POSITIONS, half, is_missed, negatives, positives

if TYPE_CHECKING:
    from pathlib import Path

_VALUE = "kQ8vZ2" + "mN5xR7tW" + "1bY4cL9d"


def test_samples_are_found_at_every_position(tmp_path: Path) -> None:
    rules = tmp_path / "rules.json"
    found = {
        "id": "tool.acme.1", "name": "Acme Token", "visible": True,
        "pattern": "(?x) acme_token \\s = \\s (?<TOKEN>[[:alnum:]]{20,})",
        "examples": [f"acme_token = {_VALUE}", "no match"],
    }  # fmt: skip
    missed = {**found, "id": "tool.other.1", "pattern": "(note)", "examples": ["note: nothing"]}
    left_out = {**found, "name": "Acme Client ID"}
    rules.write_text(json.dumps([found, missed, left_out]), encoding="utf-8")

    acme, other = positives(rules)

    assert (acme.secret, other.secret) == (_VALUE, "note")
    assert [is_missed(acme, one) for one in POSITIONS] == [False] * len(POSITIONS)
    assert is_missed(other, "plain")
    assert {half(acme), half(other)} <= {"seen", "held"}


def test_lines_about_secrets_are_taken_from_code(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\ntoken = load()\ntoken = load()\n", encoding="utf-8")
    assert negatives(tmp_path) == ["token = load()"]
