"""The pages as a site: every page is listed, every link leads somewhere, all is local."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    for package in ("sphinx", "myst_parser", "furo"):
        pytest.importorskip(package, reason=f"{package} makes the site")
    if not (ROOT / "CONTRIBUTING.md").exists():
        pytest.skip("the project's own files are not beside the tests")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-c", "docs"]
    command += ["-d", str(folder / "doctrees"), ".", str(folder / "html")]
    made = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    return folder / "html"


def test_the_site_has_every_page_and_no_warning(site: Path) -> None:
    pages = {one.stem for one in (ROOT / "docs").glob("*.md")}

    assert {one.stem for one in (site / "docs").glob("*.html")} == pages


def test_who_opens_the_site_is_led_to_its_first_page(site: Path) -> None:
    [place] = re.findall(r'content="0; url=([^"]+)"', (site / "index.html").read_text("utf-8"))

    assert (site / place).is_file()


@pytest.mark.skipif(sys.platform == "win32", reason="a run ends otherwise there")
def test_the_picture_of_a_terminal_shows_what_a_run_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("playwright", reason="what makes the pictures needs it")
    monkeypatch.chdir(ROOT)
    pictures = runpy.run_path("docs/pictures.py")
    now = pictures["drawing"](pictures["run"](tmp_path))

    assert _texts(now) == _texts((ROOT / "docs/images/terminal.svg").read_text("utf-8"))


def _texts(drawn: str) -> list[str]:
    """The texts of a drawing, but for the time that the run took."""
    texts = re.findall(r"<text[^>]*>(.*?)</text>", drawn)
    return [text for text in texts if not re.fullmatch(r"(&#160;)in(&#160;)[\d.]+s", text)]


def test_pictures_are_small_and_load_nothing_from_elsewhere() -> None:
    pictures = list((ROOT / "docs" / "images").iterdir())

    assert pictures
    assert [one.name for one in pictures if one.stat().st_size >= 200_000] == []
    drawn = "".join(one.read_text("utf-8") for one in pictures if one.suffix == ".svg")
    assert re.findall(r"""(?:href|src)=["']?https?:|url\(["']?https?:|<script""", drawn) == []


def test_the_site_loads_nothing_from_elsewhere(site: Path) -> None:
    loaded = re.compile(r'<(?:script|img|link rel="stylesheet")[^>]*(?:src|href)="(https?:[^"]*)')
    pages = list(site.rglob("*.html"))

    assert pages
    assert [one for page in pages for one in loaded.findall(page.read_text("utf-8"))] == []
