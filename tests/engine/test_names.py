"""Names of assertions: printable, short and unique whatever an eval file says."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_agentv.engine.names import assertion_names, slug, unique
from pytest_agentv.errors import Location
from pytest_agentv.evalfile.model import Entry

_texts = st.text(st.characters(codec=None), max_size=60)


def entry(type_: str = "contains", **fields: Any) -> Entry:
    at = Location("a.eval.yaml", 1)
    return Entry(type=type_, at=at, locate=lambda _: at, **fields)


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"keys": {"value": "JWT_SECRET"}}, "contains-JWT_SECRET"),
        ({"keys": {"value": "a b  c"}}, "contains-a-b-c"),
        ({"keys": {"value": 3}}, "contains-3"),
        ({"keys": {"value": 0.5}}, "contains-0.5"),
        ({"keys": {"value": ["a", "b c", 4]}}, "contains-a-b-c-4"),
        ({"keys": {"value": {"a": 1}}}, "contains"),
        ({"keys": {}}, "contains"),
        ({"keys": {"value": "x"}, "negated": True}, "not-contains-x"),
        ({"keys": {"value": "x"}, "metric": "few errors"}, "few-errors"),
        ({"keys": {"value": "x"}, "metric": "::"}, "contains-x"),
        ({"keys": {"value": "é e\u0301"}}, "contains-é-é"),
        ({"keys": {"value": "x" * 100}}, f"contains-{'x' * 40}"),
        ({"keys": {}, "metric": "m" * 100}, "m" * 80),
    ],
)
def test_a_name_is_the_metric_or_type_and_value(fields: dict[str, Any], name: str) -> None:
    one = entry(**fields)
    assert assertion_names([(one, one.keys.get("value"))]) == [name]


def test_names_that_come_again_are_numbered_around_those_that_are_taken() -> None:
    assert unique(["a", "a-2", "a", "a"]) == ["a", "a-2", "a-3", "a-4"]
    assert unique(["score", "b"], reserved=["score"]) == ["score-2", "b"]


def test_very_many_names_that_are_alike_are_numbered_in_a_moment() -> None:
    names = unique(["a"] * 300_000)
    assert (names[0], names[-1]) == ("a", "a-300000")


@given(st.lists(_texts, max_size=8), st.lists(_texts, max_size=3))
def test_unique_names_are_unique_and_begin_as_before(names: list[str], taken: list[str]) -> None:
    made = unique(names, reserved=taken)
    assert len({*made, *taken}) == len(made) + len(set(taken))
    assert all(new.startswith(old) for new, old in zip(made, names, strict=True))


@given(_texts, st.integers(1, 60))
def test_a_slug_is_printable_short_and_without_what_parts_names(text: str, limit: int) -> None:
    made = slug(text, limit)
    assert made.isprintable()
    assert len(made) <= limit
    assert not set(made) & set(" :[]/\\\n")


@given(_texts, st.integers(1, 60))
def test_a_slug_stays_as_it_is(text: str, limit: int) -> None:
    made = slug(text, limit)
    assert slug(made, limit) == made


def test_a_slug_of_a_huge_text_looks_at_its_beginning_only() -> None:
    assert slug(" " * 10_000_000 + "x", 40) == ""
