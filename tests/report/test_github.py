"""What GitHub shows of a run: annotations at the lines of eval files, and a step summary."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hostile_texts import FOREIGN_TEXTS, assert_harmless
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from pytest_agentv.report.clean import clean, one_line
from pytest_agentv.report.github import (
    MAX_SUMMARY_BYTES,
    annotation_lines,
    append_step_summary,
    folder_in_workspace,
    step_summary,
)
from pytest_agentv.report.tally import ItemFacts

if TYPE_CHECKING:
    from pytest_agentv.results.verdicts import PytestOutcome

_laws = settings(max_examples=100, deadline=None, derandomize=True, database=None)

_MESSAGE = "evals/auth.eval.yaml:14: contains does not hold\n  found: 3% of it"


def _item(outcome: PytestOutcome = "failed", *, foreign: str | None = None) -> ItemFacts:
    """One assertion; every text of it may be foreign."""
    return ItemFacts(
        nodeid="evals/auth.eval.yaml::adds-jwt[claude-cli]::contains",
        file=foreign or "evals/auth.eval.yaml",
        line=14,
        case=foreign or "adds-jwt",
        assertion=foreign or "contains",
        provider=foreign or "claude-cli",
        outcome=outcome,
        message=_MESSAGE if foreign is None else foreign,
    )


def _unescaped(text: str) -> str:
    """As the runner reads it."""
    for escape, character in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ",")):
        text = text.replace(escape, character)
    return text.replace("%25", "%")


def test_a_broken_assertion_is_an_error_at_its_line() -> None:
    (line,) = annotation_lines([_item()])
    assert line == (
        "::error file=evals/auth.eval.yaml,line=14,title=adds-jwt%3A contains (claude-cli)"
        "::evals/auth.eval.yaml:14: contains does not hold%0A  found: 3%25 of it"
    )


def test_an_annotation_does_with_what_is_known() -> None:
    item = ItemFacts(
        nodeid="a.eval.yaml::b::c", file="a.eval.yaml", case="b", assertion="c", outcome="error"
    )
    assert annotation_lines([item]) == ["::error file=a.eval.yaml,title=b%3A c::error"]


@pytest.mark.parametrize("outcome", ["passed", "skipped", "xfailed", "xpassed"])
def test_only_failures_and_errors_are_annotated(outcome: PytestOutcome) -> None:
    assert annotation_lines([_item(outcome)]) == []


def test_ten_annotations_are_followed_by_how_many_more_there_are() -> None:
    lines = annotation_lines([_item()] * 1234)
    assert len(lines) == 11
    assert lines[-1] == "::notice title=agentv::1,224 more failed; GitHub shows 10"
    assert len(annotation_lines([_item()] * 10)) == 10


def test_files_are_named_from_the_root_of_the_repository(tmp_path: Path) -> None:
    rootdir = tmp_path / "packages" / "web"
    rootdir.mkdir(parents=True)
    folder = folder_in_workspace(rootdir, workspace=str(tmp_path))
    assert folder == "packages/web/"
    (line,) = annotation_lines([_item()], folder=folder)
    assert line.startswith("::error file=packages/web/evals/auth.eval.yaml,line=14,")


@pytest.mark.parametrize("workspace", [None, "", "/elsewhere", "a\0b"])
def test_a_root_directory_outside_of_the_workspace_adds_nothing(workspace: str | None) -> None:
    assert folder_in_workspace(Path("/root-of-project"), workspace=workspace) == ""


def test_the_workspace_itself_adds_nothing(tmp_path: Path) -> None:
    assert folder_in_workspace(tmp_path, workspace=str(tmp_path)) == ""


@_laws
@given(FOREIGN_TEXTS)
def test_an_annotation_is_one_command_with_the_values_it_was_given(foreign: str) -> None:
    item = _item(foreign=foreign)
    (line,) = annotation_lines([item])
    # As the runner parts them: the second `::` ends the properties.
    _, properties, message = line.split("::", 2)
    command, _, pairs = properties.partition(" ")
    assert command == "error"
    values = dict(pair.split("=", 1) for pair in pairs.split(","))
    assert list(values) == ["file", "line", "title"]
    assert (_unescaped(values["file"]), values["line"]) == (one_line(item.file), "14")
    assert _unescaped(message) == clean(item.message or "failed")
    assert len(line.splitlines()) == 1
    for value in (_unescaped(properties), _unescaped(message)):
        assert_harmless(value)


def test_the_step_summary_has_a_table_and_a_list_of_failures() -> None:
    assert step_summary([_item(), _item("passed")]) == (
        "## Evals\n"
        "\n"
        "| provider | cases passed | assertions passed | failed | errors | skipped | soft"
        " | held |\n"
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
        "| `claude-cli` | 0 of 1 | 1 | 1 | 0 | 0 | 0 | 50.0% |\n"
        "\n"
        "### What failed\n"
        "\n"
        "- **failed** `evals/auth.eval.yaml:14` `adds-jwt` `contains` `claude-cli`\n"
        "\n"
        "  ```text\n"
        "  evals/auth.eval.yaml:14: contains does not hold\n"
        "    found: 3% of it\n"
        "  ```\n"
    )


def test_a_step_summary_without_failures_is_the_table_alone() -> None:
    assert "failed |" in step_summary([_item("passed")])
    assert "What failed" not in step_summary([_item("passed")])
    assert step_summary([]) == ""


def test_a_step_summary_does_with_what_is_known() -> None:
    item = ItemFacts(
        nodeid="a.eval.yaml::b::c", file="a.eval.yaml", case="b", assertion="c", outcome="error"
    )
    assert step_summary([item]).endswith("\n\n- **error** `a.eval.yaml` `b` `c`\n")


def test_a_step_summary_stays_below_the_limit_and_counts_what_it_left_out() -> None:
    text = step_summary([_item(foreign="日本 `" * 10_000)] * 2_000)
    assert MAX_SUMMARY_BYTES * 0.9 < len(text.encode()) <= MAX_SUMMARY_BYTES < 1024 * 1024
    shown = text.count("- **failed**")
    assert text.endswith(f"\n\n… and {2_000 - shown:,} more.\n")


class _Page(HTMLParser):
    """The text outside of code, and which elements there are."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.outside = ""
        self.elements: list[str] = []
        self._in_code = 0
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        self.elements.append(tag)
        self._in_code += tag == "code"

    def handle_endtag(self, tag: str) -> None:
        self._in_code -= tag == "code"

    def handle_data(self, data: str) -> None:
        if not self._in_code:
            self.outside += data


_OWN_ELEMENTS = {
    *("h2", "h3", "table", "thead", "tbody", "tr", "th", "td"),
    *("ul", "li", "p", "strong", "pre", "code"),
}


@_laws
@given(st.lists(FOREIGN_TEXTS, min_size=1, max_size=4).map("жук".join))
def test_nothing_foreign_is_markdown_or_html(foreign: str) -> None:
    text = step_summary([_item(foreign=foreign), _item("error", foreign=f"{foreign}ж")])
    assert_harmless(text)
    page = _Page(MarkdownIt("commonmark", {"html": True}).enable("table").render(text))
    assert set(page.elements) <= _OWN_ELEMENTS
    assert page.elements.count("td") % 8 == 0
    assert page.elements.count("li") == 2
    # Mentions are made of text outside of code only, and there is none of a session there.
    assert re.fullmatch(r"[\sA-Za-z0-9.%-]*", page.outside)


def test_a_summary_is_added_to_what_stands_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "summary.md"
    path.write_text("before\n", encoding="utf-8")
    assert append_step_summary(str(path), "żółw\n") is None
    assert path.read_bytes() == "before\nżółw\n".encode()


def test_a_summary_may_be_the_first_one(tmp_path: Path) -> None:
    path = tmp_path / "summary.md"
    assert append_step_summary(str(path), "text\n") is None
    assert path.read_text(encoding="utf-8") == "text\n"


@pytest.mark.parametrize("name", [".", "no/such/folder/summary.md", "nul\0", ""])
def test_a_file_that_cannot_be_written_is_a_sentence(tmp_path: Path, name: str) -> None:
    sentence = append_step_summary(f"{tmp_path}/{name}", "text\n")
    assert sentence is not None
    assert sentence.startswith("The step summary was not written: ")
    assert_harmless(sentence)


def test_a_file_that_would_grow_over_githubs_limit_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "summary.md"
    path.write_bytes(b"x" * (1024 * 1024 - 3))
    assert append_step_summary(str(path), "four") == (
        "The step summary was not written: GitHub takes 1 MiB for a step."
    )
    assert append_step_summary(str(path), "abc") is None
    assert path.stat().st_size == 1024 * 1024
