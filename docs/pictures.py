"""Makes the pictures of the README: `python docs/pictures.py`, in the project's root.

A run of pytest as a terminal shows it, and the page of that run in a browser. The sessions are the
invented ones of examples/. Needs Chromium.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright
from rich.console import Console
from rich.text import Text

IMAGES = Path("docs/images").absolute()
EXAMPLES = Path("examples").absolute()
EVAL = """\
tests:
  - id: login-limit
    input: Add rate limiting to POST /auth/login
    assert:
      - {type: command-run, value: npm test*, status: ok}
      - {type: files-changed, value: [src/routes/auth.js], allowed: [src/**, test/**, README.md]}
      - {not-command-run: npm install*, metric: no-new-dependency}
      - contains: Retry-After
      - {type: latency, max_ms: 120000}
      - {type: token-usage, max_output: 5000}
"""
CLIENTS = ("claude", "codex", "copilot")
COMMAND = " ".join(["pytest -q evals", *(f"--transcript={one}:latest" for one in CLIENTS)])
WIDTH = 96


def main() -> None:
    """Make both, of one run."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (IMAGES / "terminal.svg").write_text(drawing(run(folder)), encoding="utf-8")
        page(folder / "report.html")


def run(folder: Path) -> str:
    """What the run in an empty folder prints, in colours."""
    (folder / "evals").mkdir()
    (folder / "evals" / "login.eval.yaml").write_text(EVAL, encoding="utf-8")
    # In CI pytest prints more than in a terminal.
    others = ("PYTEST_", "CI", "BUILD_NUMBER", "GITHUB_")
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith(others)},
        "CLAUDE_CONFIG_DIR": str(EXAMPLES / "claude-home"),
        "CODEX_HOME": str(EXAMPLES / "codex-home"),
        "COPILOT_HOME": str(EXAMPLES / "copilot-home"),
        "COLUMNS": str(WIDTH),
    }
    command = [sys.executable, "-m", *COMMAND.split(), "--color=yes", "--agentv-html=report.html"]
    done = subprocess.run(  # noqa: S603 (our own command)
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    # Where things lie on this machine is of no interest.
    printed = re.sub(r"(session: +\S+) \S+", r"\1", done.stdout)
    return re.sub(r"(?m) - evals/.*$|^page: .*\n", "", printed)


def drawing(printed: str) -> str:
    """The run as a drawing of a terminal."""
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        console = Console(record=True, width=WIDTH, file=nowhere, force_terminal=True)
        console.print(Text(f"$ {COMMAND}", style="bold"))
        console.print(Text.from_ansi(printed.strip()), soft_wrap=True)
        drawn = console.export_svg(title="pytest-agentv", unique_id="run")
    # No font from elsewhere: any of the reader's will do.
    drawn = re.sub(r"@font-face \{.*?\}\s*", "", drawn, flags=re.DOTALL)
    return drawn.replace("Fira Code, ", "")


def page(report: Path) -> None:
    """The top of the page of the run."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
        shown = browser.new_page(viewport={"width": 1100, "height": 760}, color_scheme="light")
        shown.goto(report.as_uri())
        shown.screenshot(path=IMAGES / "page.png")
        browser.close()


if __name__ == "__main__":
    main()
