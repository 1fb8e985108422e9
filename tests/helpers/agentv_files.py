"""Eval files in the dialects of AgentV 4 and 5, and what is said of single assertions in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_agentv.assertion_types import AssertionTypes
from pytest_agentv.engine.compiling import compile_entry
from pytest_agentv.errors import EvalFileError
from pytest_agentv.evalfile.given import given_entry
from pytest_agentv.graders.catalogue import builtin_graders

_FOLDER = Path(__file__).parents[1] / "data" / "agentv"


def agentv_file(name: str) -> str:
    """The text of one of the files."""
    return (_FOLDER / name).read_text(encoding="utf-8")


def builtin_types() -> AssertionTypes:
    """Our assertion types."""
    types = AssertionTypes()
    for grader in builtin_graders():
        types.add(grader, plugin="test")
    return types


def refusal(entry: dict[str, Any]) -> str:
    """Why an assertion is refused."""
    with pytest.raises(EvalFileError) as caught:
        compile_entry(given_entry(entry), builtin_types())
    [problem] = caught.value.problems
    return problem.message
