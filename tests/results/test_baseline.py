"""Baseline files: the same bytes for the same outcomes, and a line for whatever is wrong."""

from __future__ import annotations

import json
from itertools import permutations
from random import Random
from typing import TYPE_CHECKING, get_args

import pytest
from full_disks import no_file_above
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_agentv.errors import OutputError, ResultsError, SessionUnreadable
from pytest_agentv.results.baseline import (
    Key,
    blessed,
    compare,
    count_changed,
    dump_baseline,
    read_baseline,
    worse,
    write_baseline,
)
from pytest_agentv.results.model import BaselineOutcome

if TYPE_CHECKING:
    from pathlib import Path

_laws = settings(max_examples=100, deadline=None, derandomize=True, database=None)
_texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
_keys = st.builds(Key, _texts, _texts, st.none() | _texts.filter(bool), _texts)
_outcomes = st.dictionaries(_keys, st.sampled_from(get_args(BaselineOutcome)), max_size=12)

HELD = Key("evals/a.eval.yaml", "one", "claude-cli", "contains-JWT")
KNOWN = Key("evals/a.eval.yaml", "one", "claude-cli", "latency")
OTHER = Key("evals/b.eval.yaml", "two", "codex-cli", "score")


@_laws
@given(outcomes=_outcomes, seed=st.integers())
def test_a_file_has_the_same_bytes_in_any_order_and_is_read_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, outcomes: dict[Key, BaselineOutcome], seed: int
) -> None:
    path = tmp_path_factory.mktemp("baseline") / "b.json"
    shuffled = list(outcomes.items())
    Random(seed).shuffle(shuffled)  # noqa: S311 (an order, no secret)
    write_baseline(path, dict(shuffled))
    assert path.read_bytes() == dump_baseline(outcomes)
    assert read_baseline(path) == outcomes
    assert dump_baseline(read_baseline(path)) == path.read_bytes()


def test_a_file_has_one_entry_on_a_line() -> None:
    assert dump_baseline({OTHER: "passed", HELD: "failed"}).decode() == (
        "{\n"
        '  "schema_version": "1.0",\n'
        '  "outcomes": [\n'
        '    {"file": "evals/a.eval.yaml", "test": "one", "provider": "claude-cli", '
        '"assertion": "contains-JWT", "outcome": "failed"},\n'
        '    {"file": "evals/b.eval.yaml", "test": "two", "provider": "codex-cli", '
        '"assertion": "score", "outcome": "passed"}\n'
        "  ]\n"
        "}\n"
    )
    assert dump_baseline({}) == b'{\n  "schema_version": "1.0",\n  "outcomes": []\n}\n'


def test_entries_are_in_order_of_file_test_provider_and_assertion() -> None:
    keys = [
        Key("a", "t", None, "z"),
        Key("a", "t", "claude-cli", "y"),
        Key("a", "t", "codex-cli", "x"),
        Key("a", "u", None, "w"),
        Key("b", "s", None, "a"),
        Key("b", "s", None, "b"),
    ]
    for order in permutations(keys):
        entries = json.loads(dump_baseline(dict.fromkeys(order, "passed")))["outcomes"]
        assert [Key(*(one[name] for name in Key._fields)) for one in entries] == keys


_ENTRY = '{"file": "a", "test": "t", "provider": "p", "assertion": "x", "outcome": "passed"}'
_QUOTED_T, _QUOTED_P, _QUOTED_X = '"t"', '"p"', '"x"'
_NOBODY = _ENTRY.replace(_QUOTED_P, "null")


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("", 1, "is no JSON"),
        ("[]", 1, "should be an object with a list `outcomes`"),
        ('{"outcomes": {}}', 1, "should be an object with a list `outcomes`"),
        (f'{{"outcomes": [\n{_ENTRY},\n<<<<<<< HEAD\n', 3, "is no JSON"),
        (f'{{"outcomes": [\n{_ENTRY},\n{_ENTRY}\n]}}', 3, "a::t[p]::x stands there twice"),
        (f'{{"outcomes": [\n{_ENTRY},\n\n  7]}}', 4, "an outcome should be an object"),
        (f'{{"outcomes": [\n{_ENTRY.replace("passed", "fine")}]}}', 2, "one of skipped, passed"),
        (f'{{"outcomes": [\n{_ENTRY.replace(_QUOTED_T, "7")}]}}', 2, "`test` of"),
        (f'{{"outcomes": [\n{_ENTRY.replace(_QUOTED_T, "null")}]}}', 2, "`test` of"),
        (f'{{"outcomes": [\n{_ENTRY.replace(_QUOTED_P, "7")}]}}', 2, "`provider` of"),
        (f'{{"outcomes": [\n{_NOBODY.replace(_QUOTED_X, "7")}]}}', 2, "`assertion` of"),
        (f'{{"outcomes": [\n{_ENTRY.replace("x", chr(92) + "ud800")}]}}', 2, "`assertion` of"),
        (f'{{"outcomes": [\n{_ENTRY[:-1]}, "outcome": "failed"}}]}}', 2, "'outcome' stands"),
        (f'{{"outcomes": [{_ENTRY}],\n"outcomes": []}}', 2, "'outcomes' stands there twice"),
        ('{"outcomes": ' + "[" * 100_000, 1, "is no"),
        (f'{{"outcomes": [{"9" * 5000}]}}', 1, "is no baseline"),
        (b'{"outcomes": [\n"\xff"]}', 2, "not UTF-8"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_line(
    tmp_path: Path, text: str | bytes, line: int, problem: str
) -> None:
    path = tmp_path / "b.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ResultsError) as caught:
        read_baseline(path)
    assert str(caught.value).startswith(f"{path}:{line}: ")
    assert problem in caught.value.message


def test_a_file_that_is_far_too_large_is_no_baseline(tmp_path: Path) -> None:
    with (tmp_path / "b.json").open("wb") as file:
        file.truncate((64 << 20) + 1)
    with pytest.raises(SessionUnreadable, match="is larger than 64 MiB"):
        read_baseline(tmp_path / "b.json")


def test_fields_of_later_versions_do_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "b.json"
    entry = _ENTRY.replace("}", ', "more": 1}')
    path.write_text(f'{{"schema_version": "1.7", "more": [], "outcomes": [{entry}]}}', "utf-8")
    assert read_baseline(path) == {Key("a", "t", "p", "x"): "passed"}


def test_an_entry_may_be_of_no_provider(tmp_path: Path) -> None:
    path = tmp_path / "b.json"
    path.write_text(f'{{"outcomes": [{_NOBODY}]}}', "utf-8")
    assert read_baseline(path) == {Key("a", "t", None, "x"): "passed"}


def test_the_worst_of_the_repeats_counts_and_a_skip_is_the_mildest() -> None:
    assert worse(None, "skip") == "skipped"
    assert worse("skipped", "pass") == worse("passed", "skip") == "passed"
    assert worse("passed", "soft") == "soft"
    assert worse("soft", "fail") == worse("failed", "pass") == "failed"
    assert worse("error", "fail") == "error"


def test_changes_are_new_failures_fixes_and_lost_coverage() -> None:
    known: dict[Key, BaselineOutcome] = {HELD: "passed", KNOWN: "failed", OTHER: "passed"}
    found: dict[Key, BaselineOutcome] = {HELD: "failed", KNOWN: "passed"}
    changes = compare(known, found, failing={HELD}, in_scope=lambda _: True)
    assert changes == ([HELD], [KNOWN], [OTHER])
    # What the run did not look at is not lost.
    assert compare(known, found, failing={HELD}, in_scope=lambda _: False).lost == []
    # A failure that is known is none that is new, and an error excuses nothing.
    assert not compare(known, known, failing={KNOWN}, in_scope=lambda _: True).new_failures
    erred: dict[Key, BaselineOutcome] = {KNOWN: "error"}
    assert compare(erred, {}, failing={KNOWN}, in_scope=lambda _: True).new_failures == [KNOWN]


@pytest.mark.parametrize(
    ("now", "whole", "is_lost"),
    [
        ("skipped", True, True),
        ("skipped", False, False),
        ("error", True, True),
        ("error", False, True),
        ("passed", True, False),
        ("soft", True, False),
    ],
)
def test_what_held_is_lost_if_it_is_skipped_or_errs(
    now: BaselineOutcome, *, whole: bool, is_lost: bool
) -> None:
    changes = compare({HELD: "passed"}, {HELD: now}, failing=(), in_scope=lambda _: whole)
    assert changes == ([], [], [HELD] if is_lost else [])


def test_what_a_run_did_not_look_at_stays_when_it_is_blessed() -> None:
    known: dict[Key, BaselineOutcome] = {HELD: "passed", KNOWN: "failed", OTHER: "passed"}
    found: dict[Key, BaselineOutcome] = {HELD: "failed"}
    after = blessed(known, found, in_scope=lambda key: key.file == HELD.file)
    assert after == {HELD: "failed", OTHER: "passed"}
    assert count_changed(known, after) == 2
    assert blessed(known, found, in_scope=lambda _: False) == {**known, HELD: "failed"}


def test_a_file_that_cannot_be_written_stays_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "b.json"
    write_baseline(path, {HELD: "passed"})
    before = path.read_bytes()
    outcomes: dict[Key, BaselineOutcome] = {HELD: "failed", KNOWN: "failed", OTHER: "passed"}
    with (
        no_file_above(len(before)),
        pytest.raises(OutputError, match=r"b\.json: cannot be written: File too large$"),
    ):
        write_baseline(path, outcomes)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_in_place_of_the_folder_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "file" / "b.json"
    path.parent.write_text("in the way", "utf-8")
    with pytest.raises(OutputError, match="cannot be written: "):
        write_baseline(path, {})
    assert path.parent.read_text("utf-8") == "in the way"
