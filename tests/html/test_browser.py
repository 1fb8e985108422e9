"""The page in a real browser: what people do with it works."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright drives the browser")


def _shown_cases(page: Page) -> list[str]:
    labels = page.locator(".case:visible > summary .label-of-case")
    return labels.all_inner_texts()


def _filter(page: Page, name: str) -> Locator:
    # Not by its label: the text of that is also the text of all choices.
    return page.locator(f"#filters [name={name}]")


def _wait_for_count(page: Page, said: str) -> None:
    sync_api.expect(page.locator("#found")).to_have_text(said)


def test_a_word_filters_cases_and_matrix_and_stays_in_the_address(page: Page, report: str) -> None:
    page.goto(report)
    _wait_for_count(page, "10 cases")

    page.get_by_role("searchbox").fill("retry-after codex")

    _wait_for_count(page, "1 of 10 cases")
    assert _shown_cases(page) == ["codex-cli"]
    assert page.locator(".matrix tbody tr:visible").count() == 1
    assert page.locator(".test .figures tbody tr:visible").count() == 1
    assert page.url.endswith("#q=retry-after+codex")
    page.reload()
    _wait_for_count(page, "1 of 10 cases")
    page.get_by_role("button", name="Clear").click()
    _wait_for_count(page, "10 cases")


def test_cases_are_filtered_by_target_status_and_suite(page: Page, report: str) -> None:
    page.goto(report)

    _filter(page, "status").select_option("only failures")
    _wait_for_count(page, "4 of 10 cases")
    _filter(page, "target").select_option("copilot-cli")
    _wait_for_count(page, "1 of 10 cases")
    _filter(page, "suite").select_option("shop-api")
    _filter(page, "status").select_option("skipped")

    _wait_for_count(page, "0 of 10 cases")
    assert page.get_by_text("No case fits the filters.").is_visible()


def test_a_case_opens_from_the_matrix(page: Page, report: str) -> None:
    page.goto(report)

    page.get_by_role("row", name="login-limit").get_by_role("link", name="passed").first.click()

    case = page.locator("#case-1")
    sync_api.expect(case).to_have_attribute("open", "")
    sync_api.expect(case).to_be_in_viewport()
    assert case.locator(".assertion", has_text="latency").is_visible()


def test_a_failed_assertion_leads_to_the_call_that_decided(page: Page, report: str) -> None:
    page.goto(report)
    case = page.locator(".case", has=page.get_by_text("contains-Retry-After"))

    case.get_by_role("link", name="Go to message 4, line 13").first.click()

    call = page.locator(".call.is-here")
    sync_api.expect(call).to_be_in_viewport()
    assert call.evaluate("call => call.open && call.contains(document.activeElement)")
    assert "cat src/app.js src/routes/auth.js" in call.inner_text()
    assert case.locator(".call.is-here").count() == 1
    assert page.url.endswith(f"#at={call.get_attribute('id')}")


def test_one_comes_back_from_an_event_to_where_one_was(page: Page, report: str) -> None:
    page.goto(report)
    link = page.get_by_role("link", name="Go to message 4, line 13").first
    link.click()
    sync_api.expect(page.locator(".call.is-here")).to_be_in_viewport()

    page.go_back()

    sync_api.expect(link).to_be_in_viewport()


def test_a_link_can_be_opened_in_another_tab(page: Page, report: str) -> None:
    page.goto(report)

    with page.context.expect_page() as opened:
        page.get_by_role("row", name="login-limit").get_by_role("link", name="passed").first.click(
            modifiers=["Control"]
        )

    sync_api.expect(opened.value.locator("#case-1")).to_have_attribute("open", "")
    assert "#" not in page.url
    assert page.locator(".is-here").count() == 0


def test_everything_is_reached_with_the_keyboard_and_seen_to_be(page: Page, report: str) -> None:
    page.goto(report)
    page.keyboard.press("Tab")
    sync_api.expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    sync_api.expect(page.locator("main")).to_be_focused()
    assert page.locator(".is-here").count() == 0

    summary = page.locator("#case-1 > summary")
    for _ in range(100):
        page.keyboard.press("Tab")
        if summary.evaluate("one => one === document.activeElement"):
            break
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none"
    page.keyboard.press("Enter")

    sync_api.expect(page.locator("#case-1")).to_have_attribute("open", "")


def test_a_link_to_a_place_opens_it_whatever_is_folded(page: Page, report: str) -> None:
    page.goto(report)
    anchor = page.locator(".call.decides").first.get_attribute("id")

    page.goto("about:blank")
    page.goto(f"{report}#{anchor}")

    sync_api.expect(page.locator(f"#{anchor}")).to_be_in_viewport()
    assert page.locator(f"#{anchor} > .body").is_visible()


def test_a_place_that_the_filters_hide_is_shown_when_one_goes_there(
    page: Page, report: str
) -> None:
    page.goto(f"{report}#target=codex-cli")
    _wait_for_count(page, "1 of 10 cases")

    page.evaluate("location.hash = 'target=codex-cli&at=case-1'")

    sync_api.expect(page.locator("#case-1")).to_be_visible()


def test_keys_find_the_filter_and_go_through_what_failed(page: Page, report: str) -> None:
    page.goto(report)
    broken = page.locator(".case.outcome-failed, .case.outcome-error")
    ids = [one.get_attribute("id") for one in broken.all()]

    page.keyboard.press("/")
    sync_api.expect(page.get_by_role("searchbox")).to_be_focused()
    page.keyboard.press("Escape")
    for expected in [*ids, ids[0]]:
        page.keyboard.press("j")
        sync_api.expect(page.locator(".is-here")).to_have_id(str(expected))
    page.keyboard.press("k")
    sync_api.expect(page.locator(".is-here")).to_have_id(str(ids[-1]))
    page.keyboard.press("Escape")
    sync_api.expect(page.locator(".is-here")).not_to_have_attribute("open", "")


def test_keys_are_explained_and_the_explanation_closes(page: Page, report: str) -> None:
    page.goto(report)

    page.keyboard.press("?")

    help_ = page.get_by_role("dialog", name="Keys")
    sync_api.expect(help_).to_be_visible()
    assert "next and previous case that did not pass" in help_.inner_text()
    page.keyboard.press("Escape")
    sync_api.expect(help_).not_to_be_visible()


def test_keys_that_are_typed_into_the_filter_do_nothing_else(page: Page, report: str) -> None:
    page.goto(report)

    page.get_by_role("searchbox").press_sequentially("jk/?")

    assert page.get_by_role("searchbox").input_value() == "jk/?"
    assert page.locator("dialog[open], .is-here").count() == 0


def test_the_theme_follows_the_system_until_one_chooses(page: Page, report: str) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    page.goto(report)
    light = page.evaluate(ground)
    page.emulate_media(color_scheme="dark")
    dark = page.evaluate(ground)
    assert light != dark

    page.get_by_role("button", name="Change between dark and light").click()
    assert page.evaluate(ground) == light
    page.reload()
    assert page.evaluate(ground) == light


def test_two_sessions_stand_side_by_side_turn_by_turn(page: Page, report: str) -> None:
    page.goto(report)

    page.get_by_role("button", name="Sessions side by side").first.click()

    dialog = page.get_by_role("dialog", name="Side by side")
    headings = dialog.get_by_role("heading", level=3)
    assert headings.all_inner_texts()[:2] == ["claude-cli, turn 1", "codex-cli, turn 1"]
    left, right = (one.bounding_box() for one in headings.all()[:2])
    assert left
    assert right
    assert (left["y"], left["x"] < right["x"]) == (right["y"], True)
    page.locator("#right").select_option("copilot-cli")
    assert headings.all_inner_texts()[1] == "copilot-cli, turn 1"
    assert page.evaluate("new Set([...document.querySelectorAll('[id]')].map(e => e.id)).size") == (
        page.locator("[id]").count()
    )
    page.keyboard.press("Escape")
    sync_api.expect(dialog).not_to_be_visible()


def test_on_a_narrow_screen_sessions_are_stacked_and_nothing_sticks_out(
    page: Page, report: str
) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(report)
    assert page.evaluate("document.documentElement.scrollWidth") == 390

    page.get_by_role("button", name="Sessions side by side").first.click()

    boxes = [one.bounding_box() for one in page.locator("#beside-rows > div").all()[:2]]
    assert boxes[0]
    assert boxes[1]
    assert boxes[0]["x"] == boxes[1]["x"]
    assert boxes[1]["y"] >= boxes[0]["y"] + boxes[0]["height"]


def test_paper_keeps_the_colours_that_say_something(page: Page, report: str) -> None:
    page.goto(report)
    page.emulate_media(media="print")

    for selector, pseudo in (
        (".status", "::before"),
        (".mix .swatch", "::before"),
        (".bar svg", ""),
    ):
        kept = page.locator(selector).first.evaluate(
            "(one, pseudo) => getComputedStyle(one, pseudo || null).printColorAdjust", pseudo
        )
        assert kept == "exact", selector


def test_paper_cuts_off_no_line_that_is_long(page: Page, report: str) -> None:
    page.goto(report)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")

    details = page.locator(".details").first
    details.evaluate("one => { one.textContent = 'a long line '.repeat(50) + 'x'.repeat(500) }")
    assert details.evaluate("one => one.scrollWidth <= one.clientWidth")


def test_paper_has_every_case_with_its_assertions(page: Page, report: str) -> None:
    page.goto(report)
    closed = page.locator(".case:not([open])").count()
    assert closed

    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print", color_scheme="dark")

    assert page.locator(".case:not([open])").count() == 0
    assert page.get_by_text("npm test was run").is_visible()
    assert not page.locator("#filters").is_visible()
    assert page.evaluate("getComputedStyle(document.body).colorScheme") == "light"
    size = "one => parseFloat(getComputedStyle(one).fontSize)"
    assert page.locator(".prompt").first.evaluate(size) == 11
    assert page.locator(".big").first.evaluate(size) < 24
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator(".case:not([open])").count() == closed


def test_without_scripts_everything_is_there_to_be_unfolded(browser: Browser, report: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    tab = context.new_page()
    tab.goto(report)

    assert not tab.locator("#filters").is_visible()
    assert tab.get_by_text("expected: the final answer contains 'Retry-After'").is_visible()
    case = tab.locator("#case-1")
    case.locator("> summary").click()
    case.locator(".session > summary").click()
    assert case.locator(".message").first.is_visible()
    context.close()


def test_calls_and_diffs_of_a_session_unfold(page: Page, session: str) -> None:
    page.goto(session)
    edit = page.locator(".call", has=page.locator(".diff")).first

    edit.locator("> summary").click()

    assert edit.locator("ins").first.is_visible()
    page.get_by_role("button", name="Open all").click()
    assert page.locator("details:not([open])").count() == 0
    page.get_by_role("button", name="Close all").click()
    assert page.locator("details[open]").count() == 0
    page.keyboard.press("j")
    sync_api.expect(page.locator(".call.is-bad.is-here")).to_be_in_viewport()
