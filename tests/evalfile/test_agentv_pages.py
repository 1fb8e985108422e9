"""The pages for people who come from AgentV or promptfoo miss no key."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_agentv.evalfile import foreign
from pytest_agentv.evalfile.tables import FILE, TEST

DOCS = Path(__file__).parents[2] / "docs"

pytestmark = pytest.mark.skipif(not DOCS.is_dir(), reason="only a checkout has the documentation")


@pytest.mark.parametrize(
    "names",
    [
        FILE.ignored, FILE.refused, FILE.aliases, TEST.ignored, TEST.aliases, foreign.TEST_REFUSED,
        foreign.OPTIONS_REFUSED, foreign.ASSERTION_IGNORED, foreign.TYPES_REFUSED,
    ],
)  # fmt: skip
def test_every_key_that_is_ignored_refused_or_renamed_is_listed(names: set[str]) -> None:
    pages = [DOCS / "from-agentv.md", DOCS / "from-promptfoo.md"]
    listed = "".join(page.read_text(encoding="utf-8") for page in pages)
    assert {name for name in names if f"`{name}`" not in listed} == set()
