"""Assertions in all the forms in which they may be written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from eval_files import with_assertion

if TYPE_CHECKING:
    from eval_files import EvalFolder

NO_TYPE = "the assertion has no `type`; write `type: contains` and `value: …`, or `contains: …`"


def test_a_plain_text_is_a_rubric(evals: EvalFolder) -> None:
    entry = evals.entry("Explains how to rotate the secret")
    assert (entry.type, entry.keys) == (
        "llm-rubric", {"value": "Explains how to rotate the secret"},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("written", "kind", "keys", "short"),
    [
        ("{type: contains, value: x}", "contains", {"value": "x"}, False),
        ("contains: x", "contains", {"value": "x"}, True),
        ("{contains: x, weight: 2, in: any}", "contains", {"value": "x", "in": "any"}, True),
        ("{token-usage: {max_total: 5}}", "token-usage", {"value": {"max_total": 5}}, True),
        ("{type: latency, threshold: 5}", "latency", {"threshold": 5}, False),
        ("is-json:", "is-json", {"value": None}, True),
    ],
)
def test_the_keys_of_an_assertion_in_every_form(
    evals: EvalFolder, written: str, kind: str, keys: dict[str, Any], *, short: bool
) -> None:
    entry = evals.entry(written)
    assert (entry.type, entry.keys, entry.short) == (kind, keys, short)
    assert (entry.members, entry.at.line, entry.at.column) == (None, 4, 9)


@pytest.mark.parametrize(
    ("written", "negated"),
    [
        ("contains: x", False),
        ("not-contains: x", True),
        ("{type: not-contains, value: x}", True),
        ("{contains: x, negate: true}", True),
        ("{not-contains: x, negate: true}", False),
        ("{contains: x, negate: false}", False),
    ],
)
def test_an_assertion_is_negated_by_its_type_or_by_a_key(
    evals: EvalFolder, written: str, *, negated: bool
) -> None:
    entry = evals.entry(written)
    assert (entry.type, entry.negated) == ("contains", negated)


def test_the_keys_of_every_assertion(evals: EvalFolder) -> None:
    entry = evals.entry("{contains: x, metric: m, weight: 2, min_score: 0.5, on_missing: fail}")
    assert (entry.metric, entry.weight, entry.min_score) == ("m", 2.0, 0.5)
    assert (entry.on_missing, entry.required, entry.keys) == ("fail", False, {"value": "x"})
    assert evals.entry("{contains: x, name: m}").metric == "m"
    assert evals.entry("{contains: x, id: i}").metric == "i"


@pytest.mark.parametrize(
    ("written", "required", "min_score"),
    [
        ("required: true", True, None),
        ("required: false", False, None),
        ("required: 0.7", True, 0.7),
        ("required: 1", True, 1.0),
        ("required: 0.7, min_score: 0.9", True, 0.9),
    ],
)
def test_required_may_be_the_least_score(
    evals: EvalFolder, written: str, min_score: float | None, *, required: bool
) -> None:
    entry = evals.entry(f"{{contains: x, {written}}}")
    assert (entry.required, entry.min_score) == (required, min_score)


def test_sets_hold_assertions_of_every_form_at_every_depth(evals: EvalFolder) -> None:
    [entry] = evals.case(
        """\
        vars: {v: deep}
        tests:
          - assert:
              - type: assert-set
                threshold: 0.5
                assert:
                  - contains: x
                  - A rubric
                  - type: not-composite
                    assertions: [{contains: "{{ v }}", weight: 0}]
        """
    ).entries
    assert (entry.type, entry.keys) == ("assert-set", {"threshold": 0.5})
    assert entry.members is not None
    assert [member.type for member in entry.members] == ["contains", "llm-rubric", "composite"]
    [inner] = entry.members[2].members or ()
    assert (inner.keys, inner.weight, inner.at.line) == ({"value": "deep"}, 0.0, 10)


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        ("5", "9 an assertion must be a mapping or a text, not 5; quote it"),
        ("", "8 an assertion must be a mapping or a text, not null"),
        ("''", "9 an assertion must be a mapping or a text, not ''"),
        ("[a]", "9 an assertion must be a mapping or a text, not a list"),
        ("{}", f"9 {NO_TYPE}"),
        ("{tpye: contains, value: x}",
         "9 the assertion has no `type`; 'tpye': did you mean 'type'?"),
        ("{contains: x, wieght: 2}",
         "9 the assertion has no `type`; 'wieght': did you mean 'weight'?"),
        ("{regex: x, flags: i}", f"9 {NO_TYPE}"),
        ("{type: 3, value: x}", "16 `type` must be the name of a type, not 3; quote it"),
        ("{type: '', value: x}", "16 `type` must be the name of a type, not ''"),
        ("{type: not-}", "16 `type` must be the name of a type, not 'not-'"),
        ("{contains: x, weight: heavy}", "31 `weight` must be a number, not 'heavy'"),
        ("{contains: x, weight: true}", "31 `weight` must be a number, not true"),
        ("{contains: x, min_score: 0}", "34 `min_score` must be greater than 0, not 0"),
        ("{contains: x, required: 2}", "33 `required` must be at most 1, not 2"),
        ("{contains: x, required: 'true'}",
         "33 `required` must be true or false or a number, not 'true'"),
        ("{contains: x, on_missing: pass}",
         "35 `on_missing` must be 'skip' or 'fail', not 'pass'"),
        ("{contains: x, negate: 1}", "31 `negate` must be true or false, not 1"),
        ("{contains: x, metric: 7}", "31 `metric` must be a text, not 7; quote it"),
        ("{contains: x, metric: ''}", "31 `metric` is empty"),
        ("{contains: x, metric: }", "31 `metric` is empty: give it a value, or leave it out"),
        ("{contains: x, metric: a, name: b}",
         "34 `name` is another name of `metric`, which stands here, too; keep one"),
        ("{type: assert-set, assert: []}", "36 `assert` is empty: there is nothing to grade"),
        ("{type: assert-set, assert: x}", "36 `assert` must be a list, not 'x'"),
        ("{type: s, assert: [x], assertions: [z]}",
         "44 `assert` and `assertions` mean the same; keep one"),
    ],
)  # fmt: skip
def test_a_malformed_assertion_is_an_error(evals: EvalFolder, written: str, problem: str) -> None:
    assert evals.problems(with_assertion(written)) == [f"4:{problem}"]


def test_a_number_that_is_not_finite_is_no_weight(evals: EvalFolder) -> None:
    text = "vars: {w: 1e308}\n" + with_assertion("{contains: x, weight: '{{ w }}0'}")
    assert evals.problems(text) == [
        "5:31 `weight` must be a number, not what '{{ w }}0' stands for"
    ]


@pytest.mark.parametrize(
    ("written", "path", "place"),
    [
        ("{type: t, fields: [{path: a}, {path: b}]}", ("fields", 1, "path"), (4, 46)),
        ("{type: t, fields: [{path: a}]}", ("fields", 1, "path"), (4, 27)),
        ("{type: t, fields: [{path: a}]}", ("none",), (4, 9)),
        ("contains: x", ("value",), (4, 19)),
        ("token-usage: {max_total: 5}", ("max_total",), (4, 34)),
        ("token-usage: {max_total: 5}", ("value", "max_total"), (4, 34)),
        ("{contains: x, in: any}", ("in",), (4, 27)),
    ],
)
def test_an_entry_knows_where_its_parts_stand(
    evals: EvalFolder, written: str, path: tuple[str | int, ...], place: tuple[int, int]
) -> None:
    at = evals.entry(written).locate(path)
    assert (at.path, (at.line, at.column)) == (evals.path, place)


def test_an_entry_keeps_what_was_written(evals: EvalFolder) -> None:
    text = "vars: {v: secret}\n" + with_assertion("{contains: '{{ v }}', in: all}")
    [entry] = evals.case(text).entries
    assert entry.keys == {"value": "secret", "in": "all"}
    assert entry.written == {"value": "{{ v }}", "in": "all"}
