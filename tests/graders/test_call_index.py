"""Looking calls up by tool and arguments finds what comparing each call alone would find."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_calls import made, ran, session_of

from pytest_agentv.errors import NotGradable
from pytest_agentv.globs import fits, fitting
from pytest_agentv.graders import patterns
from pytest_agentv.graders.alignment import positions_of
from pytest_agentv.graders.call_index import CallIndex
from pytest_agentv.graders.calls import Matcher, arguments_known, steps
from pytest_agentv.graders.patterns import SearchClock, matching_texts

COMMANDS = st.sampled_from(["npm test", "npm run test", "ls", "/x/", "*", ""])
PATHS = st.sampled_from(["src/a.ts", "./src/a.ts", "/home/dev/shop/src/a.ts", "b.ts"])
CALLS = st.one_of(
    st.builds(ran, COMMANDS, of=st.sampled_from(["claude-cli", "codex-cli", "copilot-cli"])),
    st.builds(lambda path: made("Read", {"file_path": path}), PATHS),
    st.builds(lambda path, n: made("Read", {"file_path": path, "limit": n}), PATHS, st.integers()),
    st.builds(lambda path: made("mcp__a__b", {"deep": {"file": path, "n": 1}, "x": [1]}), PATHS),
    st.builds(lambda: made("Bash", None)),
    st.builds(lambda: made("Glob", {})),
    st.builds(lambda text: made("Bash", text), COMMANDS),
)
TEXTS = st.sampled_from(
    [
        "npm test",
        "npm *",
        "*",
        "*t*s*",
        "/^npm/",
        "/x/",
        "src/a.ts",
        "**/a.ts",
        "src/?.ts",
        "[a-z]?",
    ]
)
VALUES = st.one_of(
    TEXTS,
    st.lists(TEXTS, max_size=2),
    st.fixed_dictionaries({"file": TEXTS}),
    st.sampled_from([1, 1.0, True, None, [1], {"n": 1}]),
)
NAMES = st.sampled_from(["command", "cmd", "path", "paths", "file_path", "limit", "deep", "x"])
MODES = st.one_of(
    st.sampled_from(["superset", "exact", "subset", "ignore"]),
    st.lists(st.sampled_from(["command", "path", "deep.file", "deep.n"]), min_size=1).map(tuple),
)
TOOLS = st.sampled_from(["Bash", "shell", "read", "*", "R*d", "mcp__*", "nothing", "[Gg]lob"])


@settings(max_examples=200)
@given(st.lists(CALLS, max_size=6), TOOLS, st.dictionaries(NAMES, VALUES, max_size=3), MODES)
def test_calls_are_found_that_match_one_by_one(
    calls: list[Any], tool: str, expected: dict[str, Any], mode: Any
) -> None:
    session = session_of(*calls)
    matcher, every = Matcher(session), steps(session)
    index = CallIndex(every, matcher)
    named = [at for at, step in enumerate(every) if matcher.is_tool(step.call, tool)]
    known = [at for at in named if arguments_known(every[at].call)]
    matching = [at for at in known if matcher.matches(every[at].call, expected, mode)]
    assert list(positions_of(index.named(tool))) == named
    assert list(positions_of(index.unknown(tool))) == [at for at in named if at not in known]
    assert list(positions_of(index.matching(tool, expected, mode))) == matching


@given(st.sets(st.text("ab/]-[.", max_size=6)), st.text("ab/*?[]!-.", max_size=8))
def test_globs_find_among_many_texts_what_they_fit(texts: set[str], pattern: str) -> None:
    found = fitting(texts, pattern)
    assert len(found) == len(set(found))
    assert set(found) == {text for text in texts if fits(text, pattern)}


@pytest.mark.parametrize(
    ("pattern", "texts", "found"),
    [
        ("[/**/]b", {"/b", "*b", "[/]b"}, {"/b", "*b"}),
        ("src/**/auth.*", {"src/auth.ts", "src/a/auth.ts", "auth.ts"}, 2),
        ("*b*", {"abc", "b", "ac", "*b*"}, 3),
        ("b", {"b", "B"}, {"b"}),
    ],
)
def test_a_literal_part_is_one_of_every_way_to_read_a_glob(
    pattern: str, texts: set[str], found: set[str] | int
) -> None:
    fitting_texts = set(fitting(texts, pattern))
    assert fitting_texts == {text for text in texts if fits(text, pattern)}
    assert found in (fitting_texts, len(fitting_texts))


def test_a_pattern_is_searched_in_many_texts_at_once() -> None:
    texts = [f"part{number}" for number in range(300)]
    found = matching_texts("t[12]?7$", texts, flags="", clock=SearchClock())
    assert found == ["part7", "part17", "part27"]


def test_long_texts_among_short_ones_are_searched_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "MAX_TEXT_INSIDE", 100)
    texts = ["x" * 500 + "y", "y", "x"]
    assert matching_texts("y", texts, flags="", clock=SearchClock()) == texts[:2]


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("pattern", ["(a+)+$", "^(?:a|aa)+$"])
def test_a_pattern_that_runs_away_is_an_error_among_many_texts(pattern: str) -> None:
    texts = ["a" * length + "!" for length in range(60, 400)]
    with pytest.raises(NotGradable, match="took longer"):
        matching_texts(pattern, texts, flags="", clock=SearchClock())


def test_quick_searches_are_never_too_many() -> None:
    clock = SearchClock(seconds=0.001)
    texts = [f"src/part{number}.ts" for number in range(20_000)]
    expected = [one for one in texts if "7" in one]
    assert matching_texts("part.*7", texts, flags="", clock=clock) == expected
