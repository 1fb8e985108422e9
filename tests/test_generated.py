"""What the pages have of the code is what the code says now; examples come out as they say."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_agentv import plugins

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "docs" / "examples" / "assertions.eval.yaml"
# Nobody can say what a language model will say.
JUDGED = {"llm-rubric", "trajectory:goal-success"}


def _run(*command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    ours = {
        name: value
        for name, value in os.environ.items()
        if not re.match("PYTEST_|GITHUB_|AGENTV_", name)
    }
    return subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env=ours,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


@pytest.mark.skipif(sys.platform == "win32", reason="an example is a line for a POSIX shell")
def test_the_pages_are_what_the_generator_writes(tmp_path: Path) -> None:
    for folder in ("docs", "examples"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    pages = {
        path.name: path.read_text(encoding="utf-8") for path in (tmp_path / "docs").glob("*.md")
    }
    parts = re.compile(r"(<!-- generated: [^>]+ -->\n).*?(<!-- /generated -->)", re.DOTALL)
    stale = [name for name, page in pages.items() if parts.search(page)]
    assert stale
    for name in stale:
        (tmp_path / "docs" / name).write_text(parts.sub(r"\1\2", pages[name]), encoding="utf-8")

    checked = _run("docs/generate", "--check", folder=tmp_path)
    assert checked.returncode == 1, checked.stderr
    assert sorted(re.findall(r"docs/(\S+) is stale", checked.stdout)) == sorted(stale)

    made = _run("docs/generate", folder=tmp_path)
    assert made.returncode == 0, made.stderr
    for name in stale:
        assert (tmp_path / "docs" / name).read_text(encoding="utf-8") == pages[name], (
            f"docs/{name} is stale; run python docs/generate"
        )


@pytest.mark.skipif(sys.platform == "win32", reason="an example is a line for a POSIX shell")
def test_of_every_assertion_type_one_example_holds_and_one_does_not(tmp_path: Path) -> None:
    results = f"--agentv-results={tmp_path}"
    command = ["-m", "pytest_agentv", "eval", str(EXAMPLES), "-p", "no:cacheprovider", results]
    done = _run(*command, "--agentv-judge=off", folder=ROOT)
    assert done.returncode == 1, done.stdout
    (index,) = tmp_path.glob("*/index.jsonl")
    rows = [json.loads(line) for line in index.read_text(encoding="utf-8").splitlines()]
    found = {row["test_id"]: row["scores"] for row in rows}

    assert {
        name: [one["verdict"] for one in scores]
        for name, scores in found.items()
        if name not in JUDGED
    } == {name: ["pass", "fail"] for name in found.keys() - JUDGED}
    assert {name: [one["verdict"] for one in found[name]] for name in JUDGED} == {
        name: ["skip", "skip"] for name in JUDGED
    }
    assert {name for name, scores in found.items() for one in scores if one["type"] != name} == (
        set()
    )
    types = plugins.assertion_types(plugins.plugin_manager())
    graders = {name: types.get(name) for name in types}
    missing = set(graders.values()) - {graders[name] for name in found}
    assert missing == set()
