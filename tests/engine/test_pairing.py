"""Which session is graded by which test, as a law: none is lost, none is graded twice."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_agentv.engine.pairing import Pairing, Value
from pytest_agentv.errors import PairingError

FITS_NOTHING = "and no collected eval file has as many tests"
FIX = "import the sessions with --test-id, or give each eval file a --transcript value of its own"


class Recorded(NamedTuple):
    """A session, as far as pairing is concerned."""

    name: str
    test_id: str | None = None


A, B, C = Recorded("A"), Recorded("B"), Recorded("C")


def value(*sessions: Recorded, name: str = "v") -> Value[Recorded]:
    return Value(name, sessions)


def test_without_values_nobody_has_a_session() -> None:
    assert Pairing[Recorded]([]).pair("f", ["one", "two"]) == [[], []]


def test_by_position() -> None:
    assert Pairing([value(A, B)]).pair("f", ["one", "two"]) == [[A], [B]]


def test_repeats_of_one_test() -> None:
    assert Pairing([value(A, B), value(C)]).pair("f", ["one"]) == [[A, B, C]]


def test_by_id_in_the_order_of_the_sessions() -> None:
    two, one, again = Recorded("x", "two"), Recorded("y", "one"), Recorded("z", "two")
    pairing = Pairing([value(two, one, again)])
    assert pairing.pair("f", ["one", "two"]) == [[one], [two, again]]
    assert pairing.problems() == []


def test_sessions_of_other_files_are_left_alone() -> None:
    one, two = Recorded("x", "one"), Recorded("y", "two")
    pairing = Pairing([value(one, two)])
    assert pairing.pair("f", ["one"]) == [[one]]
    assert pairing.pair("g", ["two"]) == [[two]]
    assert pairing.problems() == []


def test_an_id_that_nobody_has_is_a_problem() -> None:
    pairing = Pairing([value(Recorded("x", "one"), Recorded("y", "other"))])
    pairing.pair("f", ["one"])
    assert pairing.problems() == ["v: no collected test has the id 'other'; known: one"]


def test_an_id_that_is_misspelt_is_suggested() -> None:
    pairing = Pairing([value(Recorded("x", "rate-limt"))])
    pairing.pair("f", ["login", "rate-limit"])
    (problem,) = pairing.problems()
    assert problem == "v: no collected test has the id 'rate-limt'; did you mean 'rate-limit'?"


def test_one_session_serves_every_file_with_one_test() -> None:
    pairing = Pairing([value(A)])
    assert pairing.pair("f", ["one"]) == pairing.pair("g", ["two"]) == [[A]]
    assert pairing.problems() == []


def test_several_sessions_serve_one_file() -> None:
    pairing = Pairing([value(A, B)])
    pairing.pair("f", ["one", "two"])
    with pytest.raises(PairingError, match=r"^v names 2 sessions .* f, and not g too; ") as caught:
        pairing.pair("g", ["one", "two"])
    assert str(caught.value).endswith(FIX)


@pytest.mark.parametrize("sessions", [(A,), (A, B, C)])
def test_counts_that_differ_are_told(sessions: tuple[Recorded, ...]) -> None:
    count = {1: "1 session", 3: "3 sessions"}[len(sessions)]
    with pytest.raises(PairingError) as caught:
        Pairing([value(*sessions)]).pair("f", ["one", "two"])
    assert str(caught.value) == f"v names {count} without test ids, but f has 2 tests; {FIX}"


def test_a_value_that_does_not_fit_a_file_is_left_to_others_where_the_file_has_a_session() -> None:
    one, rest = Recorded("x", "one"), value(A, B, C, name="rest")
    pairing = Pairing([value(one), rest])
    assert pairing.pair("f", ["one", "two"]) == [[one], []]
    assert pairing.problems() == [f"rest names 3 sessions without test ids, {FITS_NOTHING}; {FIX}"]
    assert pairing.pair("g", ["a", "b", "c"]) == [[A], [B], [C]]
    assert pairing.problems() == []


def test_a_session_without_an_id_among_others_is_told() -> None:
    with pytest.raises(PairingError, match=r"^v: session 2 of 2 has no test id"):
        Pairing([value(Recorded("x", "one"), B)]).pair("f", ["one"])


def test_a_value_that_nobody_used_is_a_problem() -> None:
    pairing = Pairing([value(A, B), value(C, name="w")])
    assert pairing.pair("f", ["one", "two"]) == [[A], [B]]
    assert pairing.problems() == [f"w names 1 session without test ids, {FITS_NOTHING}; {FIX}"]


@given(st.lists(st.sampled_from(["one", "two", "three", "other"]), max_size=12))
def test_by_id_every_session_is_graded_once_or_is_a_problem(ids: list[str]) -> None:
    sessions = [Recorded(str(number), test_id) for number, test_id in enumerate(ids)]
    tests = ["one", "two", "three"]
    pairing = Pairing([value(*sessions)] if sessions else [])
    pairs = dict(zip(tests, pairing.pair("f", tests), strict=True))
    for test, paired in pairs.items():
        assert paired == [one for one in sessions if one.test_id == test]
    assert bool(pairing.problems()) == ("other" in ids)


@given(st.integers(1, 6), st.integers(1, 6))
def test_by_position_all_or_nothing(sessions: int, tests: int) -> None:
    given_ones = [Recorded(str(number)) for number in range(sessions)]
    names = [f"t{number}" for number in range(tests)]
    pairing = Pairing([value(*given_ones)])
    if tests not in {1, sessions}:
        with pytest.raises(PairingError):
            pairing.pair("f", names)
        return
    pairs = pairing.pair("f", names)
    assert [one for paired in pairs for one in paired] == given_ones
