"""The page on eval files misses no key, and its example loads."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_agentv.evalfile.tables import COMMON, DEFAULTS, FILE, TEST

if TYPE_CHECKING:
    from eval_files import EvalFolder

    from pytest_agentv.evalfile.tables import KeyTable

PAGE = Path(__file__).parents[2] / "docs" / "eval-files.md"

pytestmark = pytest.mark.skipif(not PAGE.exists(), reason="only a checkout has the documentation")


@pytest.mark.parametrize(
    "table", [FILE, TEST, DEFAULTS, COMMON], ids=["file", "test", "default_test", "assertion"]
)
def test_every_key_is_explained(table: KeyTable) -> None:
    page = PAGE.read_text(encoding="utf-8")
    keys = {*table.names, *table.aliases, *table.ignored}
    assert {key for key in keys if f"`{key}`" not in page} == set()


def test_the_example_of_the_page_loads(evals: EvalFolder) -> None:
    found = re.search(
        r"^```yaml\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    assert found
    entries = evals.case(found[1]).entries
    assert [(entry.type, entry.negated) for entry in entries] == [
        ("contains", False),
        ("contains", True),
        ("llm-rubric", False),
        ("token-usage", False),
    ]
