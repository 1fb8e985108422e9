"""What tests of the page in a browser share: a Chromium of this machine, a tab, and pages.

Without playwright or a Chromium these tests skip, and say what is missing.
"""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest
from pages import example, example_run

from pytest_agentv.html.page import write_page, write_session

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

# Busy machines are slow; how long something takes is not what these tests are about.
_PATIENCE = 120_000
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A Chromium."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright drives the browser")
    sync_api.expect.set_options(timeout=_PATIENCE)
    found = next((path for name in _NAMES if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("no chromium is installed")
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    arguments = ["--no-sandbox"] if is_root else []
    with sync_api.sync_playwright() as playwright:
        try:
            started = playwright.chromium.launch(
                executable_path=found, args=arguments, timeout=_PATIENCE
            )
        except sync_api.Error as exc:
            pytest.skip(f"chromium does not start here: {exc.message.splitlines()[0]}")
        yield started
        started.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A tab. At its end nothing may have gone wrong in it, and nothing have left it."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme="light")
    context.set_default_timeout(_PATIENCE)
    tab = context.new_page()
    problems: list[str] = []
    requests: list[str] = []
    tab.on("console", lambda message: problems.append(f"console: {message.text}"))
    tab.on("pageerror", lambda error: problems.append(f"error: {error}"))
    tab.on("dialog", lambda dialog: problems.append(f"dialog: {dialog.message}"))
    tab.on("request", lambda request: requests.append(request.url))
    yield tab
    opened = {tab.url.partition("#")[0]}
    context.close()
    assert problems == []
    assert {url.partition("#")[0] for url in requests} <= opened


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of the page of a run: failures, an error, repeats, three clients."""
    folder = tmp_path_factory.mktemp("report")
    write_page(example_run(folder / "runs"), folder / "report.html")
    return (folder / "report.html").as_uri()


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of the page of one session."""
    path = tmp_path_factory.mktemp("session") / "session.html"
    write_session(example("rate-limit.jsonl"), path)
    return path.as_uri()
