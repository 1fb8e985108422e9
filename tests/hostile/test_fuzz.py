"""Every parser on its examples and on all that fuzzing has found; a bounded fuzz if it can be."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from fuzz import ROOT
from fuzz.run import FINDINGS
from fuzz.targets import TARGETS, attempt

if TYPE_CHECKING:
    from pathlib import Path

_SECONDS = os.environ.get("AGENTV_FUZZ_SECONDS", "3")
_ENOUGH = 4
# What others' sessions and eval files meet first. All targets, for longer: `python -m fuzz.run`.
_BRIEFLY = [
    *(f"adapter-{client}" for client in ("claude", "codex", "copilot")),
    *("transcript", "eval", "template", "jsontext", "redact", "commands"),
]
_FOUND = sorted(FINDINGS.iterdir()) if FINDINGS.is_dir() else []


@pytest.mark.parametrize("path", _FOUND, ids=[path.name for path in _FOUND])
def test_what_fuzzing_found_once_is_no_finding_any_more(path: Path) -> None:
    attempt(path.name.rpartition("-")[0], path.read_bytes())


@pytest.mark.parametrize("target", TARGETS)
def test_a_target_reads_its_examples_whole_and_torn(target: str) -> None:
    examples = TARGETS[target].examples()
    refused = sum(attempt(target, content) for content in examples)
    assert refused < len(examples)
    for content in examples[:_ENOUGH]:
        attempt(target, content[: len(content) // 2])
        attempt(target, content[len(content) // 3 :])


def test_every_finding_is_of_a_target() -> None:
    assert {path.name.rpartition("-")[0] for path in _FOUND} <= set(TARGETS)


def test_a_target_that_does_not_exist_is_named() -> None:
    command = [sys.executable, "-m", "fuzz.run", "nobody"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert "no such target: nobody" in ended.stdout or "atheris is not installed" in ended.stdout
    assert sorted(FINDINGS.iterdir()) == _FOUND


@pytest.mark.skipif(importlib.util.find_spec("atheris") is None, reason="needs atheris")
@pytest.mark.parametrize("target", _BRIEFLY)
def test_a_short_fuzz_finds_nothing(target: str) -> None:
    command = [sys.executable, "-m", "fuzz.run", target, "--seconds", _SECONDS]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout
    assert "0 findings" in ended.stdout
