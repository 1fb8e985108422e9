"""Edits as line diffs, whichever client made them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_agentv import ToolCall
from pytest_agentv.html.diffs import MOST_LINES, FileDiff, diffs_of
from pytest_agentv.transcript.tools import describe


def _call(tool: str, native: Any, provider: str = "claude-cli") -> ToolCall:
    kind, args = describe(tool, native, provider)
    return ToolCall(tool=tool, kind=kind, input=native, args=args)


def _shown(diff: FileDiff) -> list[str]:
    return [f"{line.mark}{line.text}" for line in diff.lines]


@pytest.mark.parametrize(
    ("tool", "names", "provider"),
    [
        ("Edit", ("file_path", "old_string", "new_string"), "claude-cli"),
        ("edit", ("path", "old_str", "new_str"), "copilot-cli"),
    ],
)
def test_an_old_and_a_new_text_are_one_diff(
    tool: str, names: tuple[str, str, str], provider: str
) -> None:
    values = ("src/app.js", "a\nb\nc\n", "a\nx\nc\n")
    [diff] = diffs_of(_call(tool, dict(zip(names, values, strict=True)), provider))

    assert diff.path == "src/app.js"
    assert _shown(diff) == [" a", "-b", "+x", " c"]
    assert (diff.added, diff.removed, diff.left_out) == (1, 1, 0)


def test_several_edits_are_several_diffs() -> None:
    edits = [{"old_string": "a", "new_string": "b"}, {"old_string": "", "new_string": "c"}]
    diffs = diffs_of(_call("MultiEdit", {"file_path": "x", "edits": edits}))

    assert [_shown(one) for one in diffs] == [["-a", "+b"], ["+c"]]


def test_a_patch_is_a_diff_for_each_file() -> None:
    patch = (
        "*** Begin Patch\n*** Update File: a.js\n*** Move to: b.js\n@@ function x()\n keep\n-old\n"
        "+new\n*** Add File: c.js\n+one\n*** Delete File: d.js\n*** End Patch\n"
    )
    moved, added, deleted = diffs_of(_call("apply_patch", patch, "codex-cli"))

    assert moved.path == "a.js → b.js"
    assert _shown(moved) == ["@function x()", " keep", "-old", "+new"]
    assert (added.path, _shown(added)) == ("c.js", ["+one"])
    assert (deleted.path, deleted.lines) == ("d.js", ())


def test_a_file_that_is_written_is_all_new() -> None:
    [diff] = diffs_of(_call("Write", {"file_path": "x", "content": "one\ntwo\n"}))

    assert _shown(diff) == ["+one", "+two"]


def test_lines_far_from_a_change_are_counted() -> None:
    lines = [str(number) for number in range(40)]
    native = {"file_path": "x", "old_string": "\n".join(lines)}
    [diff] = diffs_of(
        _call("Edit", {**native, "new_string": "\n".join([*lines[:20], "x", *lines[20:]])})
    )

    assert _shown(diff) == [
        "@17 lines unchanged",
        *(" 17", " 18", " 19", "+x", " 20", " 21", " 22"),
        "@17 lines unchanged",
    ]


def test_calls_that_change_nothing_have_no_diff() -> None:
    assert diffs_of(_call("Bash", {"command": "ls"})) == ()
    assert diffs_of(_call("Edit", {"file_path": "x"})) == ()
    assert diffs_of(_call("Edit", "odd")) == ()
    assert diffs_of(_call("MultiEdit", {"file_path": "x", "edits": ["odd", 7]})) == ()


def test_a_long_diff_is_cut_off_and_its_lines_counted() -> None:
    [diff] = diffs_of(_call("Write", {"file_path": "x", "content": "y" * 10_000 + "\nz" * 999}))

    assert (len(diff.lines), diff.left_out, diff.added) == (MOST_LINES, 1000 - MOST_LINES, 1000)
    assert len(diff.lines[0].text) < 1000


def test_texts_too_long_to_be_aligned_are_taken_away_and_added() -> None:
    old = "\n".join(f"old {number}" for number in range(2000))
    new = "\n".join(f"new {number}" for number in range(2000))
    [diff] = diffs_of(_call("Edit", {"file_path": "x", "old_string": old, "new_string": new}))

    assert (diff.added, diff.removed) == (2000, 2000)


_texts = st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=12).map("\n".join)


@given(_texts, _texts)
def test_a_diff_holds_the_old_text_and_the_new_one(old: str, new: str) -> None:
    [diff] = diffs_of(_call("Edit", {"file_path": "x", "old_string": old, "new_string": new}))

    unchanged = [line for line in diff.lines if line.mark == "@"]
    if not unchanged:
        before = [line.text for line in diff.lines if line.mark in " -"]
        after = [line.text for line in diff.lines if line.mark in " +"]
        assert "\n".join(before) == old.removesuffix("\n")
        assert "\n".join(after) == new.removesuffix("\n")
    assert diff.removed - diff.added == len(old.splitlines()) - len(new.splitlines())
