"""What a JUnit file says of an assertion besides its outcome."""

from __future__ import annotations

import pytest
from hostile_texts import FOREIGN_TEXTS, assert_harmless
from hypothesis import given, settings

from pytest_agentv.report.junit import properties

_laws = settings(max_examples=100, deadline=None, derandomize=True, database=None)


def test_all_that_is_known_of_an_assertion_is_a_property() -> None:
    assert properties(
        score=1 / 3,
        weight=2.0,
        provider="claude-cli",
        model="claude-opus-4-6",
        session_id="0763061e",
        test_id="adds-jwt",
        assertion="contains-JWT_SECRET",
    ) == [
        ("agentv.score", "0.333333"),
        ("agentv.weight", "2"),
        ("agentv.provider", "claude-cli"),
        ("agentv.model", "claude-opus-4-6"),
        ("agentv.session_id", "0763061e"),
        ("agentv.test_id", "adds-jwt"),
        ("agentv.assertion", "contains-JWT_SECRET"),
    ]


def test_what_is_not_known_is_left_out() -> None:
    assert properties() == []
    assert properties(score=0.0, model=None) == [("agentv.score", "0")]


@pytest.mark.parametrize(
    ("score", "written"),
    [(1.0, "1"), (1, "1"), (0.5, "0.5"), (0.1 + 0.2, "0.3"), (1e-9, "0"), (100.0, "100")],
)
def test_a_number_has_no_more_digits_than_it_needs(score: float, written: str) -> None:
    assert properties(weight=score) == [("agentv.weight", written)]


@_laws
@given(FOREIGN_TEXTS)
def test_names_are_fixed_and_values_harmless(foreign: str) -> None:
    found = properties(
        provider=foreign, model=foreign, session_id=foreign, test_id=foreign, assertion=foreign
    )
    names = ("provider", "model", "session_id", "test_id", "assertion")
    assert [name for name, _ in found] == [f"agentv.{one}" for one in names]
    for _, value in found:
        assert_harmless(value)
