"""Whole trajectories: the best assignment, and nothing that is not known taken for granted."""

from __future__ import annotations

from typing import Any

import networkx as nx
import pytest
from grading import graded, grader, problems
from hypothesis import given
from hypothesis import strategies as st
from tool_sessions import calls, made

from pytest_agentv import Message, Source, ToolCall, Transcript
from pytest_agentv.errors import NotGradable

WORK = calls("read src/index.ts", "shell ls", "edit src/auth.ts", "shell npm test")
TEST = {"tool": "shell", "args": {"command": "*test*"}}
SILENT = ToolCall(tool="Edit", kind="edit")


def _graded(on: Transcript, mode: str, expected: Any, **keys: Any) -> Any:
    return graded("tool-trajectory", on, mode=mode, expected=expected, **keys)


@pytest.mark.parametrize(
    ("mode", "expected", "outcome", "score"),
    [
        ("in_order", ["read", "edit", TEST], "passed", 1.0),
        ("in_order", ["Read", "Edit", "Bash"], "passed", 1.0),
        ("in_order", ["edit", "read"], "failed", 0.5),
        ("in_order", ["shell", "shell", "shell"], "failed", 2 / 3),
        # What is not there costs no more than itself.
        ("in_order", ["read", "fetch", "edit"], "failed", 2 / 3),
        # A call of the same tool with other arguments is no obstacle.
        ("in_order", [TEST], "passed", 1.0),
        ("superset", [TEST, "edit", "read"], "passed", 1.0),
        ("any_order", [TEST, "edit", "read"], "passed", 1.0),
        ("superset", ["edit", "edit"], "failed", 0.5),
        # Who takes the first call that fits would leave none for the second.
        ("superset", ["shell", {"tool": "shell", "args": {"command": "ls"}}], "passed", 1.0),
        ("exact", ["read", "shell", "edit", "shell"], "passed", 1.0),
        ("exact", ["read", "shell", "edit"], "failed", 0.75),
        ("exact", ["read", "shell", "edit", "shell", "shell"], "failed", 0.8),
        ("exact", ["read", "edit", "shell", "shell"], "failed", 0.75),
        ("exact", [], "failed", 0.0),
        ("subset", ["read", "edit", "shell"], "passed", 1.0),
        ("subset", ["read", "edit", "shell", "fetch"], "passed", 1.0),
        ("subset", ["read", "edit", TEST], "failed", 0.75),
        ("subset", [], "failed", 0.0),
    ],
)
def test_what_each_mode_asks_for(
    mode: str, expected: list[Any], outcome: str, score: float
) -> None:
    grade = _graded(WORK, mode, expected)
    assert (grade.outcome, grade.score) == (outcome, pytest.approx(score))
    assert grade.negated().outcome == ("failed" if outcome == "passed" else "passed")
    assert grade.reason
    assert grade.claim


@pytest.mark.parametrize(
    ("mode", "expected", "outcome"),
    [
        ("in_order", ["read"], "failed"),
        ("superset", ["read"], "failed"),
        ("exact", ["read"], "failed"),
        ("exact", [], "passed"),
        ("subset", ["read"], "passed"),
        ("subset", [], "passed"),
    ],
)
def test_a_session_without_calls(mode: str, expected: list[Any], outcome: str) -> None:
    grade = _graded(calls(), mode, expected)
    assert grade.outcome == outcome
    # That nothing was called is a fact, and so is what follows from it.
    assert grade.negated().outcome == ("failed" if outcome == "passed" else "passed")


def test_in_order_is_the_usual_mode_and_a_list_alone_will_do() -> None:
    assert graded("tool-trajectory", WORK, value=["read", "edit"])
    assert not graded("tool-trajectory", WORK, value=["edit", "read"])


@pytest.mark.parametrize("provider", ["claude-cli", "codex-cli", "copilot-cli"])
def test_one_entry_fits_every_client(provider: str) -> None:
    session = calls(
        "read /home/dev/shop/src/auth.ts", "edit /home/dev/shop/src/auth.ts", "shell npm test",
        provider=provider, cwd="/home/dev/shop",
    )  # fmt: skip
    expected = [
        {"tool": "read", "args": {"path": "src/auth.ts"}},
        {"tool": "edit", "args": {"path": "**/auth.*"}},
        {"tool": "shell", "args": {"command": "npm test*"}},
    ]
    for mode in ("in_order", "any_order", "exact", "superset", "subset"):
        assert _graded(session, mode, expected)
        assert _graded(session, mode, expected, args_match="exact")


def test_minimums() -> None:
    held = graded("tool-trajectory", WORK, mode="any_order", minimums={"shell": 2, "Read": 1})
    assert (held.outcome, held.score) == ("passed", 1.0)
    assert held.claim == (
        "the session called, in any order, shell at least 2 times, Read at least 1 time"
    )
    lacking = graded("tool-trajectory", WORK, mode="any_order", minimums={"shell": 3, "Read": 1})
    assert (lacking.outcome, lacking.score) == ("failed", 0.5)
    assert lacking.reason == "'shell' was called 2 times instead of 3"
    both = _graded(WORK, "any_order", ["fetch"], minimums={"shell": 1})
    assert (both.outcome, both.score) == ("failed", 0.5)


def _slow(duration: int | None) -> Transcript:
    return calls("read a.ts", made("shell npm test", duration_ms=duration))


@pytest.mark.parametrize("mode", ["in_order", "any_order", "superset", "exact", "subset"])
@pytest.mark.parametrize(
    ("duration", "outcome"), [(500, "passed"), (501, "failed"), (None, "skipped"), (0, "passed")]
)
def test_how_long_a_call_may_take(mode: str, duration: int | None, outcome: str) -> None:
    grade = _graded(_slow(duration), mode, ["read", {**TEST, "max_duration_ms": 500}])
    assert grade.outcome == outcome
    assert (grade.negated().outcome == "skipped") is (outcome == "skipped")


def test_why_the_time_of_a_call_is_wrong() -> None:
    expected = ["read", {**TEST, "maxDurationMs": 500}]
    late = _graded(_slow(4500), "in_order", expected)
    assert late.reason == (
        "1 of 2 expected calls found in this order; "
        "shell command='*test*' within 500 ms was called, but took 4,500 ms"
    )
    unknown = _graded(_slow(None), "in_order", expected)
    assert unknown.reason == "the session does not say how long Bash npm test took"
    # What is missing anyway fails, whatever the time was.
    assert _graded(_slow(None), "in_order", [*expected, "edit"]).outcome == "failed"
    assert _graded(_slow(None), "in_order", [*expected, "edit"]).score is None


@pytest.mark.parametrize("mode", ["in_order", "any_order", "superset", "exact", "subset"])
def test_a_time_that_may_include_a_wait_fails_but_proves_nothing(mode: str) -> None:
    slow = made("shell npm test", duration_ms=900, duration_source="timestamps")
    expected = ["read", {**TEST, "max_duration_ms": 500}]
    late = _graded(calls("read a.ts", slow), mode, expected)
    assert (late.outcome, late.negated().outcome) == ("failed", "skipped")
    # What is missing anyway is missing for sure.
    if mode != "subset":
        worse = _graded(calls("read a.ts", slow), mode, [*expected, "edit"])
        assert (worse.outcome, worse.negated().outcome) == ("failed", "passed")
        assert "took 900 ms, waits included" in late.reason


def test_of_several_calls_a_quick_one_will_do() -> None:
    session = calls(made("shell a", duration_ms=900), made("shell b", duration_ms=10))
    assert _graded(session, "in_order", [{"tool": "shell", "max_duration_ms": 100}])


@pytest.mark.parametrize("mode", ["in_order", "any_order", "superset", "exact", "subset"])
def test_arguments_that_are_not_known_are_no_pass_either_way(mode: str) -> None:
    session = calls("read a.ts", SILENT)
    grade = _graded(session, mode, ["read", {"tool": "edit", "args": {"path": "b.ts"}}])
    assert grade.outcome == grade.negated().outcome == "skipped"
    assert grade.reason == "the session does not say with which arguments Edit was called"
    assert _graded(session, mode, ["read", "edit"])
    assert _graded(session, mode, ["read", {"tool": "edit", "args": "any"}])
    assert _graded(session, mode, ["read", {"tool": "edit", "args": {"path": "b"}}],
                   args_match="ignore")  # fmt: skip


@pytest.mark.parametrize(
    ("args_match", "args", "outcome"),
    [
        ("exact", {"command": "npm test"}, "passed"),
        ("exact", {"command": "npm test", "timeout": 5}, "failed"),
        ("superset", {}, "passed"),
        ("exact", {}, "failed"),
        ("subset", {"command": "npm *", "timeout": 5}, "passed"),
        ("subset", {"timeout": 5}, "failed"),
        ("ignore", {"command": "x"}, "passed"),
        (["command"], {"command": "npm *", "timeout": 5}, "passed"),
    ],
)
def test_how_arguments_are_compared(args_match: Any, args: dict[str, Any], outcome: str) -> None:
    session = calls("shell npm test")
    item = {"tool": "shell", "args": args}
    assert _graded(session, "in_order", [item], args_match=args_match).outcome == outcome
    own = {**item, "argsMatch": args_match}
    assert _graded(session, "in_order", [own], args_match="ignore").outcome == outcome


def test_a_failure_shows_both_sides() -> None:
    session = calls(
        made("read src/index.ts", line=3), *[f"shell ls {n}" for n in range(5)],
        made("edit src/login.ts", line=9), "shell npm test",
    )  # fmt: skip
    expected = ["read", {"tool": "edit", "args": {"path": "**/auth.*"}}, TEST, "fetch"]
    grade = _graded(session, "in_order", expected)
    assert grade.claim == (
        "the session called, in this order, "
        "read, edit path='**/auth.*', shell command='*test*', fetch"
    )
    assert grade.reason == (
        "2 of 4 expected calls found in this order; "
        "edit path='**/auth.*' was called with another path; fetch was not called"
    )
    [evidence] = grade.evidence
    assert (evidence.message, evidence.line, evidence.excerpt) == (8, 9, "Edit src/login.ts")
    assert grade.details.splitlines() == [
        "  expected               | called",
        "= read                   | Read src/index.ts (message 2, line 3)",
        "+                        | Bash ls 0 (message 3)",
        "+                        | … 3 more calls",
        "+                        | Bash ls 4 (message 7)",
        "~ edit path='**/auth.*'  | Edit src/login.ts (message 8, line 9)",
        "= shell command='*test*' | Bash npm test (message 9)",
        "- fetch                  |",
        "",
        "edit path='**/auth.*' is not Edit src/login.ts (message 8, line 9):",
        "path: expected '**/auth.*', found 'src/login.ts'",
        "",
        "2 of 4 expected, 8 calls made: precision 0.25, recall 0.5, F1 0.333",
    ]


def test_what_is_there_in_another_place_is_said_to_be() -> None:
    grade = _graded(calls("edit a", "read a"), "in_order", ["read", "edit"])
    assert "was called, but not in its place" in grade.reason
    grade = _graded(calls("edit a"), "superset", ["edit", "edit"])
    assert "edit was called, but not often enough" in grade.reason
    grade = _graded(calls("read a", "edit a"), "exact", ["read"])
    assert grade.reason == "2 calls instead of 1"
    assert [one.excerpt for one in grade.evidence] == ["Edit a"]


def test_calls_outside_the_set_are_shown() -> None:
    grade = _graded(WORK, "subset", ["read"])
    assert grade.claim == "the session called nothing but read"
    assert grade.reason == (
        "3 of 4 calls outside the set: Bash ls, Edit src/auth.ts, Bash npm test"
    )
    assert [one.message for one in grade.evidence] == [3, 4, 5]


@pytest.mark.parametrize("mode", ["in_order", "superset", "exact", "subset"])
def test_the_text_of_a_failure_stays_short(mode: str) -> None:
    session = calls(*[f"shell {'x' * 500} {n}" for n in range(3000)])
    item = {"tool": "shell", "args": {"command": "y" * 5000, "z": {"deep": ["y" * 5000] * 50}}}
    grade = _graded(session, mode, [item] * 500)
    assert grade.outcome == "failed"
    assert len(grade.details) < 20_000
    assert len(grade.reason) < 1_000
    assert len(grade.claim) < 400


@pytest.mark.parametrize(
    ("keys", "place", "problem"),
    [
        ({}, (), "needs `expected`, a list of calls"),
        ({"expected": []}, (), "`expected` must not be empty: every session does nothing in_order"),
        (
            {"expected": [], "mode": "superset"},
            (),
            "`expected` must not be empty: every session does nothing superset",
        ),
        ({"expected": "read"}, ("expected",), "must be a list of calls, not 'read'"),
        ({"expected": [3]}, ("expected", 0), "must be a name or a mapping, not 3"),
        ({"expected": [""]}, ("expected", 0, "tool"),
         "must not be empty: every text holds an empty one"),
        ({"expected": [{"args": {}}]}, ("expected", 0, "tool"), "Field required"),
        ({"expected": [{"tool": "x", "args": 3}]}, ("expected", 0, "args"),
         "must be a mapping or 'any', not 3"),
        ({"expected": [{"tool": "x", "args": {"a": "/(/"}}]}, ("expected", 0, "args"),
         "is no regular expression: '(': missing ) at position 1"),
        ({"expected": [{"tool": "x", "args_match": ["a"]}]}, ("expected", 0),
         "`args_match` lists 'a', of which `args` says nothing"),
        ({"expected": ["x"], "args_match": ["a"]}, (),
         "`args_match` lists 'a', of which no `args` say a thing"),
        ({"expected": ["x"], "args_match": []}, ("args_match",),
         "must not be empty: list at least one argument, or write ignore"),
        ({"expected": ["x"], "args_match": "partial"}, ("args_match",),
         "must be one of exact, superset, subset, ignore, or a list of arguments, not 'partial'"),
        ({"expected": ["x"] * 501}, ("expected",), "has 501 calls; 500 may be"),
        ({"minimums": {"x": 1}}, (), "`minimums` need mode any_order, not in_order"),
        ({"mode": "any_order", "minimums": {"x": 0}}, ("minimums",),
         "must be at least 1: every session has 0 calls of everything"),
        ({"mode": "any_order", "minimums": ["x"]}, ("minimums",),
         'must be a mapping of tools to numbers of calls, not ["x"]'),
        ({"mode": "any_order", "minimums": {"x": -1}}, ("minimums", "x"),
         "must be a whole number of at least 0, not -1"),
    ],
)  # fmt: skip
def test_a_bad_entry_is_refused(
    keys: dict[str, Any], place: tuple[str | int, ...], problem: str
) -> None:
    assert problems("tool-trajectory", **keys) == [(place, problem)]


@pytest.mark.usefixtures("hurried")
def test_a_pattern_that_takes_too_long_is_an_error_and_so_is_its_opposite() -> None:
    session = calls("shell " + "a" * 50_000)
    item = {"tool": "shell", "args": {"command": "/(a|aa)+$b/"}}
    made_grader = grader("tool-trajectory", expected=[item])
    with pytest.raises(NotGradable, match="took longer"):
        made_grader.grade(session, None)  # type: ignore[arg-type]  # it needs no case


KINDS = st.sampled_from(["read", "edit", "shell", "write"])


OTHERS = st.sampled_from(["fetch", "search x", "todo", "mcp"])


@given(
    st.lists(KINDS, max_size=12),
    st.lists(KINDS, min_size=1, max_size=5),
    st.lists(OTHERS, max_size=6),
    st.data(),
)
def test_calls_that_nobody_asked_for_change_nothing_in_order_wherever_they_stand(
    session: list[str], expected: list[str], others: list[str], data: st.DataObject
) -> None:
    grade = _graded(calls(*session), "in_order", expected)
    mixed = list(session)
    for one in data.draw(st.permutations(others)):
        mixed.insert(data.draw(st.integers(0, len(mixed))), one)
    again = _graded(calls(*mixed), "in_order", expected)
    assert (again.outcome, again.score) == (grade.outcome, grade.score)


def _longest(one: list[str], other: list[str]) -> int:
    """The length of a longest common subsequence, row by row."""
    row = [0] * (len(other) + 1)
    for left in one:
        above, row = row, [0]
        for number, right in enumerate(other, 1):
            fits = above[number - 1] + (left == right)
            row.append(max(fits, above[number], row[-1]))
    return row[-1]


@given(st.lists(KINDS, max_size=12), st.lists(KINDS, min_size=1, max_size=8))
def test_the_score_in_order_is_that_of_a_longest_common_subsequence(
    session: list[str], expected: list[str]
) -> None:
    score = _graded(calls(*session), "in_order", expected).score
    assert score == pytest.approx(_longest(expected, session) / len(expected))


PATHS = st.sampled_from(["a", "b", "c"])
WANTED = st.sampled_from(["read", "read a", "read b", "read c", "edit", "edit a", "edit b"])


@given(
    st.lists(st.builds("{} {}".format, st.sampled_from(["read", "edit"]), PATHS), max_size=8),
    st.lists(WANTED, min_size=1, max_size=6),
)
def test_the_score_of_a_superset_is_that_of_a_maximum_matching(
    session: list[str], wanted: list[str]
) -> None:
    items = [one.split() for one in wanted]
    expected = [
        {"tool": tool, **({"args": {"path": path[0]}} if path else {})} for tool, *path in items
    ]
    graph: nx.Graph[Any] = nx.Graph()
    graph.add_nodes_from(range(len(wanted)))
    graph.add_edges_from(
        (row, ("call", column))
        for row, item in enumerate(items)
        for column, call in enumerate(session)
        if call.split()[: len(item)] == item
    )
    best = nx.bipartite.maximum_matching(graph, top_nodes=range(len(wanted)))
    score = _graded(calls(*session), "superset", expected).score
    assert score == pytest.approx(len(best) / 2 / len(wanted))


@given(
    st.lists(KINDS, max_size=6),
    st.lists(KINDS, min_size=1, max_size=6),
    st.sampled_from(["in_order", "any_order", "exact", "superset", "subset"]),
)
def test_modes_agree_with_what_they_mean(
    session: list[str], expected: list[str], mode: str
) -> None:
    grade = _graded(calls(*session), mode, expected)
    iterator = iter(session)
    holds = {
        "in_order": all(one in iterator for one in expected),
        "exact": session == expected,
        "subset": set(session) <= set(expected),
    }.get(mode, all(session.count(one) >= expected.count(one) for one in expected))
    assert bool(grade) is holds
    assert (grade.score == 1) is holds


@pytest.mark.parametrize("args_match", ["superset", "exact"])
def test_an_expected_text_is_found_whatever_the_argument_is_called(args_match: str) -> None:
    native = {"file_path": "/home/dev/shop/a.ts"}
    read = ToolCall(tool="Read", kind="read", input=native, args={"path": "/home/dev/shop/a.ts"})
    run = ToolCall(tool="Bash", kind="shell", input={"command": "ls"}, args={"command": "ls"})
    session = Transcript(
        source=Source(provider="claude-cli", cwd="/home/dev/shop"),
        output=(Message(role="assistant", tool_calls=(run, read)),),
    )
    for args in ({"path": "a.ts"}, {"file_path": "a.ts"}, {"path": "/home/dev/shop/a.ts"}):
        expected = [{"tool": "shell", "args": {"command": "ls"}}, {"tool": "read", "args": args}]
        assert _graded(session, "exact", expected, args_match=args_match)
    assert not _graded(session, "any_order", [{"tool": "shell", "args": {"command": "l"}}])
