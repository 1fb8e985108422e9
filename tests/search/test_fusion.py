"""Laws of making one ranking of several."""

from __future__ import annotations

from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from pytest_agentv.search.fusion import K, fused

RANKINGS = st.lists(st.lists(st.integers(0, 12), unique=True, max_size=8), max_size=3)


def test_places_count_by_their_reciprocals() -> None:
    assert fused([["a", "b"], ["b", "c"]]) == [
        ("b", 1 / (K + 2) + 1 / (K + 1)),
        ("a", 1 / (K + 1)),
        ("c", 1 / (K + 2)),
    ]


@given(st.lists(st.integers(), unique=True))
def test_one_ranking_keeps_its_order(ranking: list[int]) -> None:
    assert [thing for thing, _ in fused([ranking])] == ranking


@given(RANKINGS)
def test_all_things_are_there_once_and_the_best_first(rankings: list[list[int]]) -> None:
    found = fused(rankings)

    assert {thing for thing, _ in found} == {one for ranking in rankings for one in ranking}
    assert len({thing for thing, _ in found}) == len(found)
    scores = [score for _, score in found]
    assert scores == sorted(scores, reverse=True)


@given(RANKINGS)
def test_the_order_of_rankings_changes_no_score(rankings: list[list[int]]) -> None:
    expected = {thing: round(score, 12) for thing, score in fused(rankings)}

    for other in permutations(rankings):
        assert {thing: round(score, 12) for thing, score in fused(other)} == expected


@given(RANKINGS, st.integers(0, 12))
def test_what_is_first_everywhere_is_first(rankings: list[list[int]], best: int) -> None:
    led = [[best, *(one for one in ranking if one != best)] for ranking in rankings] or [[best]]

    assert fused(led)[0][0] == best


@given(RANKINGS)
def test_a_thing_that_moves_up_gets_no_worse(rankings: list[list[int]]) -> None:
    before = dict(fused(rankings))

    for number, ranking in enumerate(rankings):
        for place in range(1, len(ranking)):
            swapped = [*ranking]
            swapped[place - 1 : place + 1] = reversed(ranking[place - 1 : place + 1])
            after = dict(fused([*rankings[:number], swapped, *rankings[number + 1 :]]))
            assert after[ranking[place]] > before[ranking[place]]


def test_only_the_first_place_of_a_thing_counts() -> None:
    assert fused([["a", "b", "a"]]) == fused([["a", "b"]])
