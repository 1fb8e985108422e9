"""The pages for people who come from AgentV or promptfoo miss no key, and their files are right."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from agentv_command import run_agentv

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


@pytest.mark.parametrize("name", ["from-agentv.md", "from-promptfoo.md"])
def test_every_eval_file_of_a_page_is_valid(tmp_path: Path, name: str) -> None:
    page = (DOCS / name).read_text(encoding="utf-8")
    blocks = re.findall(r"^```yaml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    files = [tmp_path / f"{number}.eval.yaml" for number, _ in enumerate(blocks)]
    for path, block in zip(files, blocks, strict=True):
        path.write_text(block, encoding="utf-8")
    result = run_agentv("validate", *files, cwd=tmp_path)
    assert (result.code, bool(files)) == (0, True), result.err
