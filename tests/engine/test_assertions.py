"""One assertion from its entry to its grade: threshold, negation, least score, missing data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from grading import answer
from hypothesis import given
from hypothesis import strategies as st
from one_of_each import ENTRIES

from pytest_agentv import Grade, assertion
from pytest_agentv.assertion_types import AssertionTypes
from pytest_agentv.engine.assertions import Context
from pytest_agentv.engine.compiling import compile_entry
from pytest_agentv.engine.scoring import score
from pytest_agentv.errors import EvalFileError, NotGradable
from pytest_agentv.evalfile.given import given_entry
from pytest_agentv.graders.base import CaseFacts
from pytest_agentv.graders.catalogue import builtin_graders

if TYPE_CHECKING:
    from pytest_agentv.engine.assertions import Assertion

CASE = CaseFacts(id="one")


@assertion("scored")
def scored(value: float) -> float:
    return value


@assertion("unsure")
def unsure() -> Grade:
    return Grade("skipped", "it does not say")


@assertion("refuses")
def refuses() -> None:
    raise NotGradable("no")


@assertion("listed")
def listed(words: list[str], *, value: str = "x", upper: bool = False) -> bool:
    return (value.upper() if upper else value) in words


@assertion("crashes")
def crashes() -> None:
    raise ZeroDivisionError


@pytest.fixture(scope="module")
def types() -> AssertionTypes:
    found = AssertionTypes()
    for grader in (*builtin_graders(), scored, unsure, refuses, listed, crashes):
        found.add(grader, plugin="test")
    return found


def compiled(entry: Any, types: AssertionTypes) -> Assertion:
    return compile_entry(given_entry(entry), types)


def graded(entry: Any, types: AssertionTypes, **context: Any) -> Grade:
    given = Context(answer("Done."), CASE, context.pop("fixtures", {}), **context)
    return compiled(entry, types).grade(given)


@pytest.mark.parametrize(
    ("entry", "outcome"),
    [
        ({"contains": "Done"}, "passed"),
        ({"not-contains": "Done"}, "failed"),
        ({"not-contains": "Done", "negate": True}, "passed"),
        ({"type": "scored", "value": 0.7, "threshold": 0.7}, "passed"),
        ({"type": "scored", "value": 0.7, "threshold": 0.71}, "failed"),
        ({"type": "not-scored", "value": 0.7, "threshold": 0.7}, "failed"),
        ({"type": "not-scored", "value": 0.3, "threshold": 0.7}, "passed"),
        ({"type": "scored", "value": 0.3, "min_score": 0.3}, "passed"),
        ({"type": "not-scored", "value": 0.3, "min_score": 0.8}, "failed"),
        ({"type": "unsure"}, "skipped"),
        ({"type": "not-unsure"}, "skipped"),
        ({"type": "unsure", "on_missing": "fail"}, "failed"),
        ({"type": "not-unsure", "on_missing": "fail"}, "failed"),
        ({"type": "assert-set", "assert": [{"contains": "Done"}]}, "passed"),
        ({"type": "not-assert-set", "assert": [{"not-contains": "Done"}]}, "passed"),
        ({"type": "assert-set", "assert": [{"type": "unsure"}]}, "skipped"),
        ({"type": "assert-set", "threshold": 0.5, "assert": [{"scored": 0.6}]}, "passed"),
        ({"type": "assert-set", "threshold": 0.7, "assert": [{"scored": 0.6}]}, "failed"),
    ],
)
def test_all_that_an_entry_says_counts(
    types: AssertionTypes, entry: dict[str, Any], outcome: str
) -> None:
    assert graded(entry, types).outcome == outcome


def test_what_the_run_says_of_missing_data_holds_unless_the_entry_says_more(
    types: AssertionTypes,
) -> None:
    assert graded({"type": "unsure"}, types, on_missing="fail").outcome == "failed"
    entry = {"type": "unsure", "on_missing": "skip"}
    assert graded(entry, types, on_missing="fail").outcome == "skipped"


@pytest.mark.parametrize("depth", range(3))
def test_what_cannot_be_graded_is_raised_from_any_depth(types: AssertionTypes, depth: int) -> None:
    entry: dict[str, Any] = {"type": "not-refuses"}
    for _ in range(depth):
        entry = {"type": "not-assert-set", "mode": "any", "assert": [{"contains": "x"}, entry]}
    with pytest.raises(NotGradable):
        graded(entry, types)


# What an entry may say beside its type, and sets that it may stand in.
SAID = st.fixed_dictionaries(
    {},
    optional={
        "negate": st.booleans(),
        "weight": st.sampled_from([0, 1, 5]),
        "required": st.booleans(),
        "min_score": st.sampled_from([0.1, 1.0]),
        "on_missing": st.sampled_from(["skip", "fail"]),
    },
)
MODES = st.sampled_from(
    [
        {},
        {"mode": "all"},
        {"mode": "any"},
        {"threshold": 0.1},
        {"mode": "threshold", "threshold": 0.1},
    ]
)
NOT = st.sampled_from(["", "not-"])
OTHERS = st.lists(
    st.sampled_from([{"contains": "Done"}, {"contains": "x"}, {"type": "unsure"}, {"scored": 0.5}]),
    max_size=3,
)
BROKEN = st.builds(
    lambda negation, type_, said: {"type": f"{negation}{type_}", **said},
    NOT,
    st.sampled_from(["crashes", "refuses"]),
    SAID,
)


def _set_around(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.builds(
        lambda negation, mode, said, before, one, after: {
            "type": f"{negation}assert-set",
            **mode,
            **said,
            "assert": [*before, one, *after],
        },
        NOT, MODES, SAID, OTHERS, inner, OTHERS,
    )  # fmt: skip


@given(st.recursive(BROKEN, _set_around, max_leaves=4))
def test_what_errs_errs_however_it_is_negated_and_whatever_is_around_it(
    types: AssertionTypes, entry: dict[str, Any]
) -> None:
    with pytest.raises((ZeroDivisionError, NotGradable)):
        graded(entry, types)


class Unreadable:
    """A session of which nothing can be read: what asks for anything gets an error."""

    def __getattr__(self, name: str) -> Any:
        raise ZeroDivisionError(name)


# Without a judge nothing is read for these; they are skipped.
ASK_A_JUDGE = {"llm-rubric", "llm-grader", "rubrics", "agent-rubric", "trajectory:goal-success"}
EACH = st.builds(
    lambda negation, type_, said: {"type": f"{negation}{type_}", **said, **ENTRIES[type_]},
    NOT,
    st.sampled_from(sorted(ENTRIES.keys() - ASK_A_JUDGE)),
    SAID,
)


def _errs(entry: dict[str, Any], types: AssertionTypes) -> bool:
    session: Any = Unreadable()
    try:
        compiled(entry, types).grade(Context(session, CASE, {}))
    except (ZeroDivisionError, NotGradable):
        return True
    return False


@pytest.mark.parametrize("type_", sorted(ENTRIES.keys() - ASK_A_JUDGE))
@pytest.mark.parametrize("negation", ["", "not-"])
def test_every_type_errs_on_what_it_cannot_read_and_so_does_its_opposite(
    types: AssertionTypes, negation: str, type_: str
) -> None:
    assert _errs({"type": f"{negation}{type_}", **ENTRIES[type_]}, types)


@given(st.recursive(EACH, _set_around, max_leaves=4))
def test_no_set_and_no_negation_hides_the_error_of_any_type(
    types: AssertionTypes, entry: dict[str, Any]
) -> None:
    assert _errs(entry, types)


def test_a_function_gets_keys_and_fixtures(types: AssertionTypes) -> None:
    entry = {"type": "listed", "value": "done", "upper": True}
    assert compiled(entry, types).fixtures == ("words",)
    assert graded(entry, types, fixtures={"words": ["DONE"]}).outcome == "passed"
    assert graded(entry, types, fixtures={"words": ["done"]}).outcome == "failed"


def test_a_set_needs_the_fixtures_of_its_members_once(types: AssertionTypes) -> None:
    members = [{"type": "listed"}, {"type": "assert-set", "assert": [{"type": "listed"}]}]
    assert compiled({"type": "assert-set", "assert": members}, types).fixtures == ("words",)


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"contians": "x"}, "unknown assertion type 'contians'; did you mean 'contains'?"),
        ({"no-contains": "x"}, "did you mean 'not-contains'?"),
        ({"not contains": "x"}, "did you mean 'not-contains'?"),
        ({"not-not-contains": "x"}, "did you mean 'contains'?"),
        ({"type": "tool-used", "value": "x"}, "did you mean 'trajectory:tool-used'?"),
        (
            {"type": "xyzzy"},
            "…; one of your own is a function in a conftest.py, beside the file or",
        ),
        ({"type": "contains", "valeu": "x"}, "unknown key 'valeu'; did you mean 'value'?"),
        ({"type": "scored"}, "`scored` needs a `value`"),
        ({"type": "scored", "value": 1, "threshold": 3}, "must be a number above 0, up to 1"),
        ({"type": "scored", "value": 1, "threshold": True}, "must be a number above 0, up to 1"),
        ({"type": "assert-set"}, "needs assertions under `assert`"),
        ({"type": "assert-set", "assert": [{"contians": "x"}]}, "did you mean 'contains'?"),
        ({"type": "assert-set", "mode": "some", "assert": [{"contains": "x"}]}, "mode"),
        ({"type": "contains", "value": "x", "assert": [{"contains": "x"}]}, "`contains` takes no"),
    ],
)
def test_a_wrong_entry_is_an_error(types: AssertionTypes, entry: dict[str, Any], said: str) -> None:
    with pytest.raises(EvalFileError) as caught:
        compiled(entry, types)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("type_", "value", "said"),
    [
        ("skill-used", {"name": "a", "min": "x"},
         ["`value.min` must be a whole number of at least 0, not 'x'"]),
        ("skill-used", {"nme": "a"}, ["`value.name` is missing", "unknown key 'nme'"]),
        ("skill-used", ["a", 5], ["`value[1]` must be a text, not 5; quote it"]),
        ("trajectory:tool-used", [{"name": "a", "min": "x"}, 5],
         ["`value[0].min` must be a whole number of at least 0, not 'x'",
          "`value[1]` must be a name or a mapping, not 5"]),
        ("trajectory:tool-used", 5, ["`value` must be a name or a mapping, not 5"]),
    ],
)  # fmt: skip
def test_of_a_value_that_may_be_one_thing_or_another_what_is_wrong_in_it_is_told_alone(
    types: AssertionTypes, type_: str, value: Any, said: list[str]
) -> None:
    with pytest.raises(EvalFileError) as caught:
        compiled({"type": type_, "value": value}, types)
    assert [one.message for one in caught.value.problems] == [f"`{type_}`: {one}" for one in said]


@pytest.mark.parametrize("text", ["contains", "not-contains", "is_json", "listed", " contains "])
def test_the_name_of_a_type_alone_is_no_rubric(types: AssertionTypes, text: str) -> None:
    with pytest.raises(EvalFileError, match="is an assertion type: write `type: "):
        compiled(text, types)
    assert compiled({"type": "llm-rubric", "value": text}, types).type == "llm-rubric"
    assert compiled(f"{text} is what it says", types).type == "llm-rubric"


@pytest.mark.parametrize("text", ["contain", "not-contians", "is-jsn"])
def test_the_misspelt_name_of_a_type_alone_is_no_rubric(types: AssertionTypes, text: str) -> None:
    with pytest.raises(EvalFileError, match=r"did you mean `type: (contains|is-json)`"):
        compiled(text, types)


@pytest.mark.parametrize("text", ["contains:Retry-After", "not-regex:^a b$", "tool_errors:3"])
def test_an_assertion_without_the_space_after_its_colon_is_no_rubric(
    types: AssertionTypes, text: str
) -> None:
    with pytest.raises(EvalFileError, match="with a space; a text alone is a rubric"):
        compiled(text, types)
    assert compiled({"type": "llm-rubric", "value": text}, types).type == "llm-rubric"


@pytest.mark.parametrize("text", ["type:contains", "type:not-contains", "type:contians"])
def test_a_type_without_the_space_after_its_colon_is_no_rubric(
    types: AssertionTypes, text: str
) -> None:
    with pytest.raises(EvalFileError, match=r"`type: (not-)?contains`"):
        compiled(text, types)


@pytest.mark.parametrize("text", ["Answer:ok", "contains: it says so", "It contains:x"])
def test_a_colon_makes_no_assertion_of_a_rubric(types: AssertionTypes, text: str) -> None:
    assert compiled(text, types).type == "llm-rubric"


@pytest.mark.parametrize("text", ["concise", "Polite", "Kosten", "no-jargon", "explains"])
def test_a_word_alone_may_be_a_rubric(types: AssertionTypes, text: str) -> None:
    assert compiled(text, types).type == "llm-rubric"


def test_the_score_is_the_weighted_mean_of_what_was_graded(types: AssertionTypes) -> None:
    entries = [
        {"type": "scored", "value": 1, "weight": 3},
        {"type": "scored", "value": 0},
        {"type": "unsure", "weight": 100},
    ]
    members = [compiled(one, types) for one in entries]
    grades = [graded(one, types) for one in entries]
    assert score(members, grades, 0.75).outcome == "passed"
    low = score(members, grades, 0.76)
    assert (low.outcome, low.points) == ("failed", 0.75)
    assert "unsure: skipped: it does not say" in low.details


def test_a_score_of_nothing_is_skipped(types: AssertionTypes) -> None:
    member, grade = compiled({"type": "unsure"}, types), graded({"type": "unsure"}, types)
    assert score([member], [grade], 0.5).outcome == "skipped"


def test_decimal_fractions_reach_their_threshold(types: AssertionTypes) -> None:
    entries = [{"type": "scored", "value": 0.1}, {"type": "scored", "value": 0.5}]
    members = [compiled(one, types) for one in entries]
    assert score(members, [graded(one, types) for one in entries], 0.3).outcome == "passed"
