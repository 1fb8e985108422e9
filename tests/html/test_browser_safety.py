"""The page in a real browser: it does nothing it should not, for anybody, however large it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import pytest
from hostile_pages import hostile_run, hostile_session
from runs import MadeCase, make_run, score

from pytest_agentv.html.page import write_page, write_session

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Page

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright drives the browser")


def test_attacks_in_a_run_stay_text(page: Page, tmp_path: Path) -> None:
    write_page(hostile_run(tmp_path / "runs"), tmp_path / "page.html")

    page.goto((tmp_path / "page.html").as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
    page.locator("#filters [name=target]").select_option(index=1)
    page.locator("#filters [name=tag]").select_option("plain")
    sync_api.expect(page.locator("#found")).to_have_text("1 of 2 cases")
    page.locator("#filters [name=target]").select_option(index=0)
    page.get_by_role("searchbox").fill("<script>alert(1)</script>")
    sync_api.expect(page.locator("#found")).to_have_text("2 cases")
    page.get_by_role("link", name="Go to message 2").first.click()

    assert page.locator("script, style").count() == 2
    assert page.locator("img, iframe, object, embed, base, template, math").count() == 0
    assert "<script>alert(1)</script>" in page.locator("main").inner_text()
    assert "{{ 7*7 }}" in page.locator("main").inner_text()


def test_attacks_in_a_session_stay_text(page: Page, tmp_path: Path) -> None:
    write_session(hostile_session(), tmp_path / "page.html")

    page.goto((tmp_path / "page.html").as_uri())
    page.get_by_role("button", name="Open all").click()
    for one in page.locator("a, summary, .call").all()[:40]:
        one.dispatch_event("mouseover")
        one.focus()

    assert page.locator("script, style").count() == 2
    assert "</title>" not in page.title()
    assert "onerror=alert(4)" in page.locator("main").inner_text()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("what", ["overview", "case", "beside", "session"])
def test_nothing_keeps_people_with_disabilities_out(
    what: str, theme: Literal["light", "dark"], browser: Browser, report: str, session: str
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe checks the page")
    # What checks the page is a script that its policy would forbid.
    context = browser.new_context(color_scheme=theme, bypass_csp=True, reduced_motion="reduce")
    tab = context.new_page()
    tab.goto(session if what == "session" else report)
    if what in ("case", "session"):
        tab.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
    if what == "beside":
        tab.get_by_role("button", name="Sessions side by side").first.click()

    found = axe.Axe().run(tab).response["violations"]

    context.close()
    assert [(one["id"], [node["html"] for node in one["nodes"]][:3]) for one in found] == []


def test_a_run_of_many_cases_opens_and_is_filtered(page: Page, tmp_path: Path) -> None:
    cases = [
        MadeCase(test_id=f"test-{n}", scores=(score("a", "pass" if n % 10 else "fail"),))
        for n in range(1000)
    ]
    write_page(make_run(tmp_path / "runs", cases), tmp_path / "page.html")

    page.goto((tmp_path / "page.html").as_uri())
    page.locator("#filters [name=status]").select_option("only failures")

    sync_api.expect(page.locator("#found")).to_have_text("100 of 1000 cases")
    page.keyboard.press("Escape")
    page.keyboard.press("k")
    sync_api.expect(page.locator(".is-here")).to_be_in_viewport()
    assert "test-990" in page.locator(".test", has=page.locator(".is-here")).inner_text()
