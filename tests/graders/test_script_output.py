"""What scripts print: both forms of AgentV's JSON are grades, and what is neither is an error."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_agentv.errors import NotGradable
from pytest_agentv.graders.script_output import script_grade
from pytest_agentv.graders.script_process import Finished


def grade_of(value: Any, **options: Any) -> Any:
    printed = value if isinstance(value, str) else json.dumps(value)
    return script_grade(Finished(0, printed, ""), claim="it holds", **options)


GOOD = {"text": "a", "passed": True}
BAD = {"text": "b", "passed": False, "evidence": "line 3"}


@pytest.mark.parametrize(
    ("value", "outcome", "score"),
    [
        ({"score": 1}, "passed", 1.0),
        ({"score": 0.99}, "failed", 0.99),
        ({"score": 0.1 + 0.2 + 0.7}, "passed", pytest.approx(1)),
        ({"score": 1.0000000000000002}, "passed", 1.0),
        ({"score": 0}, "failed", 0.0),
        ({"score": 1, "assertions": []}, "passed", 1.0),
        ({"assertions": [GOOD]}, "passed", 1.0),
        ({"assertions": [GOOD, BAD]}, "failed", 0.5),
        ({"score": 0.25, "assertions": [GOOD, BAD]}, "failed", 0.25),
        ({"pass": True}, "passed", 1.0),
        ({"pass": False}, "failed", 0.0),
        ({"pass": True, "score": 0.5}, "passed", 0.5),
        ({"pass": False, "score": 0.9}, "failed", 0.9),
        ({"pass": None, "score": 1, "checks": None}, "passed", 1.0),
        ({"checks": [{"text": "a", "pass": True, "reason": "r"}]}, "passed", 1.0),
        ({"checks": [{"text": "a", "pass": True, "score": 0.5}]}, "failed", 0.5),
        ({"checks": [{"text": "a", "pass": False}], "assertions": [GOOD]}, "failed", 0.0),
        ({"score": 1, "hits": ["a"], "reasoning": "old"}, "passed", 1.0),
    ],
)
def test_both_forms_of_agentv_are_understood(value: Any, outcome: str, score: float) -> None:
    grade = grade_of(value)
    assert (grade.outcome, grade.score) == (outcome, score)
    assert grade.reason


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ({"score": 0.25}, "score 0.25"),
        ({"pass": False, "reason": " too\nlong "}, "too long"),
        ({"assertions": [GOOD, GOOD]}, "2 checks passed"),
        ({"assertions": [GOOD, BAD]}, "1 of 2 checks failed: b"),
    ],
)
def test_the_reason_is_the_scripts_own_or_what_its_checks_say(value: Any, reason: str) -> None:
    assert grade_of(value).reason == reason


@pytest.mark.parametrize(
    ("value", "outcome", "reason"),
    [
        ({"score": 0.85}, "passed", "score 0.85 of at least 0.8"),
        ({"score": 0.5}, "failed", "score 0.5 of at least 0.8"),
        ({"pass": True, "score": 0.5}, "failed", "score 0.5 of at least 0.8"),
        ({"pass": False, "score": 0.9}, "failed", "score 0.9"),
        ({"pass": False, "score": 0.9, "reason": "no tests"}, "failed", "no tests"),
        ({"assertions": [GOOD, BAD]}, "failed", "score 0.5 of at least 0.8: 1 of 2 checks"),
        ("fine", "passed", "exit code 0: fine"),
    ],
)
def test_a_threshold_is_for_scores_and_never_turns_a_no_into_a_yes(
    value: Any, outcome: str, reason: str
) -> None:
    grade = grade_of(value, threshold=0.8)
    assert grade.outcome == outcome
    assert grade.reason.startswith(reason)


def test_checks_are_the_details() -> None:
    checks = [
        {"id": "1", "text": "uses JWT", "pass": True, "reason": "found in auth.ts"},
        {"text": "has tests", "pass": False, "reason": "none", "evidence": "ls: no files"},
    ]
    grade = grade_of({"checks": checks, "details": {"true_positives": 3}})
    assert grade.details.split("\n") == [
        "passed: uses JWT: found in auth.ts",
        "failed: has tests: none",
        "    ls: no files",
        'details: {"true_positives": 3}',
    ]


def test_details_are_bounded() -> None:
    checks = [{"text": "x" * 10_000, "passed": False, "evidence": "y" * 10_000}] * 5_000
    grade = grade_of({"assertions": checks, "details": {"z": "z" * 100_000}})
    assert len(grade.details) <= 10_000
    assert len(grade.reason) <= 200
    few = grade_of({"assertions": [GOOD] * 150})
    assert few.details.endswith("\n… and 50 checks more")


@pytest.mark.parametrize(
    ("printed", "problem"),
    [
        ("{}", "its JSON has neither `pass`, `score`, `checks` nor `assertions`"),
        ('{"checks": [], "assertions": []}', "its JSON has neither"),
        ('{"score": 1', "it printed something like JSON that cannot be read: no JSON: "),
        ('{"score": 1}\nDone', "it printed something like JSON that cannot be read: no JSON: "),
        ('{"score": NaN}', "NaN is no number of JSON"),
        ('{"score": 1, "score": 0}', "the key 'score' comes twice"),
        ("{" * 5_000, "it printed something like JSON that cannot be read"),
        ('{"score": ' + "[" * 100_000, "it printed something like JSON that cannot be read"),
        ('{"score": 1.5}', "`score` of its JSON must be a number from 0 to 1, not 1.5"),
        ('{"score": -0.1}', "`score` of its JSON must be a number from 0 to 1, not -0.1"),
        (f'{{"score": {"9" * 400}}}', "`score` of its JSON must be a number from 0 to 1, not 999"),
        ('{"score": "1"}', "`score` of its JSON must be a number, not '1'"),
        ('{"score": true}', "`score` of its JSON must be a number, not true"),
        ('{"pass": "false"}', "`pass` of its JSON must be true or false, not 'false'"),
        ('{"pass": 1}', "`pass` of its JSON must be true or false, not 1"),
        ('{"checks": {"a": true}}', "`checks` of its JSON is no list"),
        ('{"score": 1, "assertions": [3]}', "`assertions[0]` of its JSON has no `text`: 3"),
        ('{"checks": [{"text": "a"}]}', "`checks[0]` of its JSON says neither"),
        ('{"checks": [{"text": "a", "pass": "no"}]}', "`checks[0].pass` of its JSON must be true"),
        ('{"checks": [{"text": "a", "pass": true, "score": 7}]}', "`checks[0].score` of its JSON"),
        ('Looking\n{"score": 0}', "it printed more than an object of JSON"),
        ('Looking\n{\n  "pass": false\n}\n', "it printed more than an object of JSON"),
        ('Looking\n{"score": 0}\nDone', "it printed more than an object of JSON"),
        ('Looking\n{"score": 0', "it printed more than an object of JSON"),
        ('Looking\n{"score": NaN}', "it printed more than an object of JSON"),
        ('Looking\n  {"score": 0}', "it printed more than an object of JSON"),
        ('INFO {"reason": "bad", "score": 0}', "it printed more than an object of JSON"),
        ("Looking\n{'pass': False}", "it printed more than an object of JSON"),
        ('```json\n{"score": 0}\n```', "it printed more than an object of JSON"),
        ('Looking\n{\n"checks": [\n{\n"a": 1\n}\n]\n}', "it printed more than an object of JSON"),
        ('[{"pass": false}]', "it printed more than an object of JSON"),
        (json.dumps('{"score": 0}'), "it printed more than an object of JSON"),
        ("\0".join('\ufffd\ufffd{"score": 0}'), "it printed more than an object of JSON"),
        ("\x1b[0m" + '{"score": 0}', "it printed more than an object of JSON"),
        ("false", "it printed 'false' and ended with exit code 0"),
        ("None\n", "it printed 'None' and ended with exit code 0"),
    ],
)
def test_what_a_script_gets_wrong_is_an_error(printed: str, problem: str) -> None:
    with pytest.raises(NotGradable) as caught:
        grade_of(printed)
    assert problem in caught.value.message
    assert len(caught.value.message) < 400


@pytest.mark.parametrize("printed", ["", "ok", "[ok] 3 tests", "[1]", "3", 'a\n{"b": 1}', "a\n{b"])
def test_what_is_no_object_is_plain_text(printed: str) -> None:
    assert grade_of(printed).outcome == "passed"


def test_yes_with_an_exit_code_that_says_no_is_an_error() -> None:
    with pytest.raises(NotGradable, match="it printed 'True' and ended with exit code 1"):
        script_grade(Finished(1, "True\n", ""), claim="it holds")


SCALARS = st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5)
KEYS = st.sampled_from(
    ["pass", "passed", "score", "checks", "assertions", "text", "reason", "details"]
)


@given(
    st.dictionaries(
        KEYS, SCALARS | st.lists(SCALARS | st.dictionaries(KEYS, SCALARS, max_size=4), max_size=3)
    )
)
def test_any_object_gets_a_grade_or_an_error(value: dict[str, Any]) -> None:
    try:
        grade = grade_of(value)
    except NotGradable:
        return
    assert not (grade and grade.negated())
    assert {"pass", "score", "checks", "assertions"} & value.keys()
