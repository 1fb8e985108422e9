"""What pages show and nothing runs is true as well: eval files, and pieces of JSON."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from click.testing import CliRunner

from pytest_agentv.cli.main import agentv

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
SESSION = "examples/claude-home/projects/-home-dev-projects-shop-api"
SESSION += "/3f1c9a52-7d4e-4b8a-9c61-2e5a80f4d7b3.jsonl"
# Types of the page's own, and files that only the examples have.
_OWN = re.compile(r"^ *- ran-tests: .*\n", re.MULTILINE)


def _blocks(page: Path, language: str) -> Iterator[tuple[int, str]]:
    """Line and text of each block in a language that is not saved as a file."""
    content = page.read_text(encoding="utf-8")
    pattern = rf"(?P<mark>^<!-- file: .*\n)?^```{language}\n(?P<text>.*?)^```$"
    for found in re.finditer(pattern, content, re.MULTILINE | re.DOTALL):
        if not found["mark"]:
            yield content.count("\n", 0, found.start("text")), found["text"]


def _eval_files() -> Iterator[Any]:
    for page in PAGES:
        # The examples of this page are made of a file that is graded.
        for line, text in _blocks(page, "yaml") if page.stem != "assertion-types" else ():
            shown = yaml.safe_load(text)
            if isinstance(shown, dict) and "tests" in shown:
                yield pytest.param(_OWN.sub("", text), id=f"{page.stem}-{line}")


@pytest.mark.parametrize("text", list(_eval_files()))
def test_an_eval_file_of_a_page_is_well_formed(text: str, tmp_path: Path) -> None:
    file = tmp_path / "page.eval.yaml"
    file.write_text(text, encoding="utf-8")
    done = CliRunner().invoke(agentv, ["validate", str(file)])
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize(
    ("page", "section", "command"),
    [
        ("transcript", "# The transcript", ["import", "claude", "--file"]),
        ("export", "## Events", ["export", "--format", "events"]),
        ("export", "## States", ["export", "--format", "states"]),
    ],
    ids=["transcript", "events", "states"],
)
def test_a_piece_of_json_is_what_a_command_writes(
    page: str, section: str, command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    _, _, rest = (ROOT / "docs" / f"{page}.md").read_text("utf-8").partition(f"{section}\n")
    block = re.search(r"```json\n(.*?)^```$", rest, re.MULTILINE | re.DOTALL)
    assert block
    out = tmp_path / "out.json"
    done = CliRunner().invoke(agentv, [*command, SESSION, "-o", str(out)])
    assert done.exit_code == 0, done.output
    written = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    real = written[0]["events"] if section == "## Events" else written
    assert any(_fits(json.loads(block[1]), one) for one in real)


def _fits(shown: Any, real: Any) -> bool:
    """Whether what is shown is there; a page may leave out keys and items, and parts of texts."""
    if isinstance(shown, dict) and isinstance(real, dict):
        return all(key in real and _fits(value, real[key]) for key, value in shown.items())
    if isinstance(shown, list) and isinstance(real, list):
        return all(any(_fits(one, other) for other in real) for one in shown)
    if isinstance(shown, str) and isinstance(real, str):
        parts = (re.escape(part) for part in shown.split("…"))
        return re.fullmatch(".*".join(parts), real, re.DOTALL) is not None
    return bool(shown == real)
