"""What a release must pass, piece by piece: `nox -l` lists the sessions.

`.ci/run` is the gate for a change. This file has what is run before a release or by hand: every
Python with every pytest, and the parts of the gate one at a time.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import nox

ROOT = Path(__file__).parent
PYTHONS = ["3.10", "3.11", "3.12", "3.13"]
# The tests that depend on the versions of Python and pytest: from outside, and what a run prints.
VERSIONED = ("tests/e2e", "tests/report")
# What these tests read beside the package.
BESIDE = ("tests", "examples", "docs", "benchmarks")
FILES = ("conftest.py", "pyproject.toml", "README.md", "CHANGELOG.md")

nox.needs_version = ">=2025.2"
nox.options.sessions = ["lint", "types", "build", "wheel"]
nox.options.error_on_missing_interpreters = False


@nox.session
def lint(session: nox.Session) -> None:
    """Format, style and layers."""
    session.install("-e", ".", "--group", "dev")
    session.run("ruff", "format", "--check", ".")
    session.run("ruff", "check", ".")
    session.run("lint-imports", "--no-cache")


@nox.session
def types(session: nox.Session) -> None:
    """Types, those of the public names as a user's code has them included."""
    session.install("-e", ".", "--group", "dev")
    session.run("mypy")


@nox.session
def build(session: nox.Session) -> None:
    """The wheel and the source distribution, and whether an index would take them."""
    session.install("build", "twine")
    shutil.rmtree(ROOT / "dist", ignore_errors=True)
    session.run("python", "-m", "build")
    session.run("twine", "check", "--strict", *map(str, (ROOT / "dist").iterdir()))


@nox.session(python=PYTHONS)
@nox.parametrize("pytest", ["8", "9"])
def wheel(session: nox.Session, pytest: str) -> None:
    """The wheel, without the source beside it, on one Python with one pytest."""
    with tempfile.TemporaryDirectory() as name:
        outside = Path(name)
        session.install("build")
        session.run("python", "-m", "build", "--wheel", "--outdir", name, str(ROOT), silent=True)
        (built,) = outside.glob("*.whl")
        session.install("--upgrade", "pip")
        session.install(
            f"{built}[xdist]", f"pytest=={pytest}.*", "--group", f"{ROOT}/pyproject.toml:dev"
        )
        for folder in BESIDE:
            shutil.copytree(ROOT / folder, outside / folder)
        for file in FILES:
            shutil.copy(ROOT / file, outside)
        session.chdir(outside)
        session.run("pytest", "-q", "-n", "2", *(session.posargs or VERSIONED))


@nox.session
def docs(session: nox.Session) -> None:
    """The site, below `site/`; every warning is an error."""
    session.install("-e", ".", "--group", "dev")
    session.run("sphinx-build", "-W", "--keep-going", "-q", "-c", "docs", ".", "site")


@nox.session
def changelog(session: nox.Session) -> None:
    """The section that the fragments make: `nox -s changelog -- 0.2.0`."""
    session.install("towncrier")
    session.run("towncrier", "build", "--draft", "--version", *(session.posargs or ["next"]))
