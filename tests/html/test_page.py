"""The page as a file: it needs nothing else, and whatever a session holds stays text."""

from __future__ import annotations

import base64
import hashlib
import re
from typing import TYPE_CHECKING

import msgspec
import pytest
from hostile_pages import ATTACK, ATTACKS, hostile_run, hostile_session
from hostile_texts import FOREIGN_TEXTS
from hypothesis import HealthCheck, given, settings
from pages import EXAMPLES, example_run, made_case, read_page
from runs import MadeCase, damage, make_run, score
from sample_transcripts import SAMPLE, transcripts

from pytest_agentv import Message
from pytest_agentv.errors import OutputError
from pytest_agentv.html.page import write_page, write_session
from pytest_agentv.html.view import run_view
from pytest_agentv.report.clean import visible
from pytest_agentv.results.model import Figures, Place
from pytest_agentv.results.reading import read_run

if TYPE_CHECKING:
    from pathlib import Path

    from pages import Texts

    from pytest_agentv import Transcript


# One folder serves all examples: each writes its page anew.
_many = settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=50)


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> set[tuple[str, str]]:
    """All tags and attributes that our templates write; nothing in a session may add to them."""
    folder = tmp_path_factory.mktemp("plain")
    write_page(example_run(folder / "runs"), folder / "a.html")
    write_page(hostile_run(folder / "plain", "word"), folder / "b.html")
    write_session(hostile_session("word"), folder / "c.html")
    return {one for path in folder.glob("*.html") for one in read_page(path).structure}


def _assert_nothing_got_out(page: Texts, ours: set[tuple[str, str]]) -> None:
    assert page.structure <= ours
    links = {value for name, value in page.attributes if name == "href"}
    assert all(re.fullmatch(r"#[a-z0-9-]+|data:,", one) for one in links)
    classes = {value for name, value in page.attributes if name in ("class", "id")}
    assert all(re.fullmatch(r"[\w -]*", one) for one in classes)


def _shown(page: Texts) -> str:
    return "".join(page.parts)


def test_a_page_allows_itself_its_own_style_and_script_and_nothing_else(tmp_path: Path) -> None:
    write_page(example_run(tmp_path / "runs"), tmp_path / "page.html")

    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    [style] = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    [script] = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    [policy] = [
        value
        for name, value in read_page(tmp_path / "page.html").attributes
        if name == "content" and "default-src" in value
    ]
    hashes = [
        f"'sha256-{base64.b64encode(hashlib.sha256(one.encode()).digest()).decode()}'"
        for one in (style, script)
    ]
    assert policy == (
        f"default-src 'none'; style-src {hashes[0]}; script-src {hashes[1]}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def test_a_page_names_no_other_place_to_load_from(
    ours: set[tuple[str, str]], tmp_path: Path
) -> None:
    write_page(example_run(tmp_path / "runs"), tmp_path / "page.html")

    page = read_page(tmp_path / "page.html")
    _assert_nothing_got_out(page, ours)
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert not re.search(r"""(src|href|action)\s*=\s*["'](?!#|data:,")""", text)
    assert "@import" not in text
    assert "url(" not in text


def test_a_run_is_told_with_all_it_holds(tmp_path: Path) -> None:
    write_page(example_run(tmp_path / "runs"), tmp_path / "page.html")

    shown = _shown(read_page(tmp_path / "page.html"))
    for said in [
        "5 passed", "3 failed", "1 error", "1 skipped",  # the run
        "4 of 5 passed", "37.6% to 96.4%",  # repeats
        "expected: the final answer contains 'Retry-After'\nfound: not found",  # a failure
        "read      read\nedit      shell",  # its details
        "Go to message 4, line 13 of the session",  # what decided
        "soft: the score decides", "excused: xfail", "required",
        "the script ended with code 3", "no session yet",
        "evals/shop-api.eval.yaml:17",
        "16 messages, 12 tool calls, 2 failed",  # a session
        "unknown",
    ]:  # fmt: skip
        assert said in shown
    assert "incomplete" not in shown


def test_every_link_of_a_page_leads_somewhere(tmp_path: Path) -> None:
    write_page(example_run(tmp_path / "runs"), tmp_path / "page.html")

    attributes = read_page(tmp_path / "page.html").attributes
    ids = [value for name, value in attributes if name == "id"]
    assert len(ids) == len(set(ids))
    links = {value for name, value in attributes if name == "href"} - {"data:,"}
    assert {one[1:] for one in links} <= set(ids)


def test_a_run_that_was_not_ended_says_so(tmp_path: Path) -> None:
    run = example_run(tmp_path / "runs", complete=False)

    write_page(run, tmp_path / "page.html")

    assert "This run is incomplete." in _shown(read_page(tmp_path / "page.html"))


@pytest.mark.parametrize(
    ("shared", "said"), [("a", "the one test that was graded"), ("ab", "the 2 tests that were")]
)
def test_tests_that_targets_share_are_counted(tmp_path: Path, shared: str, said: str) -> None:
    both = ("claude-cli", "codex-cli")
    cases = [MadeCase(test_id=name, target=one) for one in both for name in shared]
    run = make_run(tmp_path, [*cases, MadeCase(test_id="alone", target="codex-cli")])
    write_page(run, tmp_path / "run.html")
    assert f"These figures are means of {said}" in _shown(read_page(tmp_path / "run.html"))


def test_a_run_of_nothing_says_so(tmp_path: Path) -> None:
    run = msgspec.structs.replace(make_run(tmp_path / "runs", [MadeCase()]), rows=())

    write_page(run, tmp_path / "page.html")

    assert "Nothing was graded." in _shown(read_page(tmp_path / "page.html"))


def test_rows_that_agentv_wrote_are_shown_with_their_assertions(tmp_path: Path) -> None:
    path = tmp_path / "index.jsonl"
    row = {
        "test_id": "greets",
        "score": 0.5,
        "execution_status": "quality_failure",
        "assertions": [
            {"text": "says hello", "passed": True, "evidence": "Hello"},
            {"text": "is polite", "passed": False, "evidence": "no please"},
        ],
    }
    path.write_bytes(msgspec.json.encode(row) + b"\n")

    write_page(read_run(path), tmp_path / "page.html")

    shown = _shown(read_page(tmp_path / "page.html"))
    for said in ("says hello", "is polite", "no please", "There was no session."):
        assert said in shown


def test_a_session_that_cannot_be_read_costs_only_itself(tmp_path: Path) -> None:
    run = example_run(tmp_path / "runs")
    damage(run, next(one for one in run.rows if one.target == "codex-cli"))

    write_page(run, tmp_path / "page.html")

    shown = _shown(read_page(tmp_path / "page.html"))
    assert "Its session cannot be shown:" in shown
    assert "message 4, line 13 of the session" in shown
    assert "Go to message 4, line 13" not in shown
    assert "15 messages, 14 tool calls" in shown


def test_a_session_outside_of_its_run_is_not_read(tmp_path: Path) -> None:
    run = example_run(tmp_path / "runs")
    outside = str(EXAMPLES / "transcripts" / "rate-limit.jsonl")
    rows = [msgspec.structs.replace(one, transcript_path=outside) for one in run.rows]

    write_page(msgspec.structs.replace(run, rows=tuple(rows)), tmp_path / "page.html")

    assert "lies outside of the run" in _shown(read_page(tmp_path / "page.html"))


def test_a_session_that_several_tests_grade_is_shown_once_and_led_to(tmp_path: Path) -> None:
    decides = score("reads", "fail", evidence=[msgspec.to_builtins(Place(message=2, line=8))])
    cases = [made_case(name, SAMPLE, decides) for name in ("first", "second")]
    run = make_run(tmp_path / "runs", cases)
    rows = [msgspec.structs.replace(one, transcript_line=1) for one in run.rows]

    write_page(msgspec.structs.replace(run, rows=tuple(rows)), tmp_path / "page.html")

    page = read_page(tmp_path / "page.html")
    assert _shown(page).count("I'll add JWT auth...") == 1
    assert _shown(page).count("decides reads") == 1
    assert [one for one in page.attributes if one == ("href", "#s1-m2-c1")] == [
        ("href", "#s1-m2-c1")
    ] * 2
    assert ("href", "#case-1") in page.attributes


def test_of_many_large_sessions_those_of_broken_cases_are_kept(tmp_path: Path) -> None:
    def large(number: int) -> Transcript:
        texts = tuple(Message(role="assistant", content=f"{n:09d} " * 1500) for n in range(60))
        source = msgspec.structs.replace(SAMPLE.source, session_id=f"{number:08d}")
        return msgspec.structs.replace(SAMPLE, source=source, output=texts)

    cases = [
        made_case(f"test-{n}", large(n), score("x", "fail" if n == 0 else "pass"))
        for n in range(24)
    ]
    run = make_run(tmp_path / "runs", cases)

    write_page(run, tmp_path / "page.html")

    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert len(text) < 24_000_000
    shown = _shown(read_page(tmp_path / "page.html"))
    assert "All sessions together are too large for one page." in shown
    assert "messages are not shown" in shown
    assert "agentv export" in shown
    assert text.count('id="s1-m') == 60
    assert 0 < text.count('id="s2-m') < 60


def test_an_old_page_is_only_replaced_when_asked(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text("mine", encoding="utf-8")

    with pytest.raises(OutputError, match="exists already"):
        write_session(SAMPLE, path, overwrite=False)

    assert path.read_text(encoding="utf-8") == "mine"
    write_session(SAMPLE, path)
    assert "I'll add JWT auth..." in _shown(read_page(path))


def test_the_same_run_gives_the_same_bytes(tmp_path: Path) -> None:
    run = example_run(tmp_path / "runs")

    write_page(run, tmp_path / "a.html")
    write_page(run, tmp_path / "b.html")

    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


def test_attacks_in_every_field_of_a_run_stay_text(
    ours: set[tuple[str, str]], tmp_path: Path
) -> None:
    write_page(hostile_run(tmp_path / "runs"), tmp_path / "page.html")

    page = read_page(tmp_path / "page.html")
    _assert_nothing_got_out(page, ours)
    shown = _shown(page)
    for attack in ATTACKS:
        assert visible(attack.encode("utf-8", "replace").decode()) in shown


@pytest.mark.parametrize("attack", [*ATTACKS, ATTACK])
def test_attacks_in_every_field_of_a_session_stay_text(
    attack: str, ours: set[tuple[str, str]], tmp_path: Path
) -> None:
    write_session(hostile_session(attack), tmp_path / "page.html")

    page = read_page(tmp_path / "page.html")
    _assert_nothing_got_out(page, ours)
    assert visible(attack) in _shown(page)


@pytest.mark.parametrize(
    ("role", "label"),
    [
        ("assistant", "Assistant"),
        ("system", "System"),
        ("martian", "martian"),
        ("<i>", "<i>"),
        ('" onclick="alert(1)', '" onclick="alert(1)'),
    ],
)
def test_a_role_that_nobody_knows_is_text_too(
    role: str, label: str, ours: set[tuple[str, str]], tmp_path: Path
) -> None:
    write_session(hostile_session("word", role=role), tmp_path / "page.html")

    page = read_page(tmp_path / "page.html")
    _assert_nothing_got_out(page, ours)
    # Of a message in the main thread, and of one of a sub-agent.
    assert [one.strip() for one in page.parts].count(label) == 2


@_many
@given(FOREIGN_TEXTS)
def test_any_text_stays_the_text_it_is(
    ours: set[tuple[str, str]], tmp_path: Path, text: str
) -> None:
    write_session(hostile_session(text), tmp_path / "page.html")

    page = read_page(tmp_path / "page.html")
    _assert_nothing_got_out(page, ours)
    assert visible(text) in _shown(page)


@_many
@given(transcripts)
def test_any_session_can_be_shown(
    ours: set[tuple[str, str]], tmp_path: Path, transcript: Transcript
) -> None:
    write_session(transcript, tmp_path / "page.html")

    _assert_nothing_got_out(read_page(tmp_path / "page.html"), ours)


def test_figures_as_large_as_a_number_can_be_have_a_mean(tmp_path: Path) -> None:
    cases = [MadeCase(session=one, figures=Figures(cost_usd=1e308)) for one in ("a", "b")]
    run = make_run(tmp_path / "runs", cases)
    write_page(run, tmp_path / "page.html")
    assert "adds-jwt" in _shown(read_page(tmp_path / "page.html"))
    [target] = run_view(run).targets
    assert dict(target.charts)["Cost"].text == f"${1e308:,.2f}"
