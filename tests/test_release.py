"""What is built for an index: the version is the tag's, and an index would take the files."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
# What hatchling needs to make a distribution.
NEEDED = ("pyproject.toml", "README.md", "LICENSE")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    pytest.importorskip("hatchling", reason="hatchling builds the distributions")
    pytest.importorskip("hatch_vcs", reason="hatch-vcs asks git for the version")
    if not (ROOT / "LICENSE").exists():
        pytest.skip("the project's own files are not beside the tests")
    folder = tmp_path / "project"
    (folder / "pytest_agentv").mkdir(parents=True)
    (folder / "pytest_agentv" / "__init__.py").write_text("", encoding="utf-8")
    for name in NEEDED:
        shutil.copy(ROOT / name, folder)
    return folder


def ran(*command: str, cwd: Path) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()


def test_the_version_is_the_tag_s(project: Path) -> None:
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    ran("git", "init", "-q", cwd=project)
    ran("git", "add", "-A", cwd=project)
    author = (
        "-c",
        "user.name=dev",
        "-c",
        "user.email=dev@example.com",
        "-c",
        "commit.gpgsign=false",
    )
    ran("git", *author, "commit", "-q", "-m", "first", cwd=project)
    ran("git", *author, "tag", "v7.8.9", cwd=project)

    assert ran(sys.executable, "-m", "hatchling", "version", cwd=project) == "7.8.9"


def test_a_copy_without_history_has_a_version_before_the_first_release(project: Path) -> None:
    assert ran(sys.executable, "-m", "hatchling", "version", cwd=project) == "0.1.dev0"


def test_an_index_would_take_what_is_built(project: Path) -> None:
    pytest.importorskip("twine", reason="twine checks distributions")
    ran(sys.executable, "-m", "hatchling", "build", "-d", "dist", cwd=project)
    built = sorted((project / "dist").iterdir())

    checked = ran(sys.executable, "-m", "twine", "check", "--strict", *map(str, built), cwd=project)

    assert re.findall("PASSED|FAILED|WARNING", checked) == ["PASSED", "PASSED"]
    with tarfile.open(next(one for one in built if one.name.endswith(".tar.gz"))) as source:
        assert any(name.endswith("/PKG-INFO") for name in source.getnames())
