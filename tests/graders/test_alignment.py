"""Assigning expected calls to calls: never fewer pairs than there can be."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_agentv.graders.alignment import any_order, bits_of, in_order, outside, positions_of

Matrix = list[list[bool]]


@st.composite
def matrices(draw: st.DrawFn) -> tuple[Matrix, int]:
    """What fits what: a row for each expected call, and the number of calls."""
    count = draw(st.integers(0, 12))
    row = st.lists(st.booleans(), min_size=count, max_size=count)
    return draw(st.lists(row, max_size=8)), count


def _rows(matrix: Matrix) -> list[int]:
    return [sum(fits << position for position, fits in enumerate(row)) for row in matrix]


def _longest(matrix: Matrix, count: int) -> int:
    """The length of a longest common subsequence, as a textbook has it."""

    @cache
    def longest(row: int, column: int) -> int:
        if not row or not column:
            return 0
        both = longest(row - 1, column - 1) + matrix[row - 1][column - 1]
        return max(both, longest(row - 1, column), longest(row, column - 1))

    return longest(len(matrix), count)


@given(matrices())
def test_in_order_there_are_as_many_pairs_as_a_longest_common_subsequence_has(
    drawn: tuple[Matrix, int],
) -> None:
    matrix, count = drawn
    pairs = in_order(_rows(matrix), count)
    assert len(pairs) == _longest(matrix, count)
    assert all(matrix[row][column] for row, column in pairs)
    assert all(one[0] < other[0] and one[1] < other[1] for one, other in pairwise(pairs))


@given(matrices())
def test_in_any_order_there_are_as_many_pairs_as_a_maximum_matching_has(
    drawn: tuple[Matrix, int],
) -> None:
    matrix, _ = drawn
    pairs = any_order(_rows(matrix))
    graph: nx.Graph[Any] = nx.Graph()
    graph.add_nodes_from(range(len(matrix)), bipartite=0)
    graph.add_edges_from(
        (row, ("call", column))
        for row, fits in enumerate(matrix)
        for column, fit in enumerate(fits)
        if fit
    )
    best = nx.bipartite.maximum_matching(graph, top_nodes=range(len(matrix)))
    assert len(pairs) == len(best) // 2
    assert all(matrix[row][column] for row, column in pairs)
    assert len({row for row, _ in pairs}) == len({column for _, column in pairs}) == len(pairs)


@given(matrices())
def test_outside_is_what_fits_nothing(drawn: tuple[Matrix, int]) -> None:
    matrix, count = drawn
    expected = [one for one in range(count) if not any(row[one] for row in matrix)]
    assert outside(_rows(matrix), count) == expected


@given(st.sets(st.integers(0, 300)))
def test_positions_become_bits_and_positions_again(positions: set[int]) -> None:
    assert list(positions_of(bits_of(positions, 301))) == sorted(positions)


def test_the_calls_of_a_complete_order_come_as_early_as_they_can() -> None:
    assert in_order([0b10110, 0b11100], 5) == [(0, 1), (1, 2)]


@pytest.mark.parametrize("size", [1, 2_000])
def test_a_long_chain_of_exchanges_ends(size: int) -> None:
    # Each expected call fits its own call and the next one; the last fits the first only.
    rows = [1 << one | 1 << one + 1 for one in range(size)] + [1]
    assert len(any_order(rows)) == size + 1
    assert len(any_order([1] * size)) == 1
