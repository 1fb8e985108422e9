"""Figures as people read them: never rounded to what they are not."""

from __future__ import annotations

import pytest

from pytest_agentv.report.figures import amount, duration, money, points


@pytest.mark.parametrize(
    ("milliseconds", "said"),
    [
        (None, None),
        (0, "0ms"),
        (999, "999ms"),
        (1_500, "1.5s"),
        (59_400, "59.4s"),
        (59_999, "1m00s"),
        (114_244, "1m54s"),
        (3_599_999, "1h00m"),
        (7_384_000, "2h03m"),
    ],
)
def test_a_duration_is_said_in_the_units_people_use(
    milliseconds: int | None, said: str | None
) -> None:
    assert duration(milliseconds) == said


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (None, None),
        (0, "0"),
        (4.25, "4.2"),
        (9_999, "9,999"),
        (18_244, "18.2k"),
        (215_208, "215k"),
        (999_999, "1.0M"),
        (4_160_000, "4.2M"),
        (2_000_000_000, "2.0G"),
    ],
)
def test_a_large_count_is_said_in_short(number: float | None, said: str | None) -> None:
    assert amount(number) == said


def test_a_small_sum_is_no_free_one() -> None:
    assert [money(one) for one in (None, 0, 0.00042, 0.1132, 1_234.5)] == [
        None,
        "$0.00",
        "$0.00042",
        "$0.11",
        "$1,234.50",
    ]


@pytest.mark.parametrize(
    ("score", "digits", "said"),
    [
        (None, 2, None),
        (0, 2, "0.00"),
        (2 / 3, 2, "0.67"),
        (0.999, 2, "0.99"),
        (1, 2, "1.00"),
        (0.9999, 3, "0.999"),
        (1.0, 3, "1.000"),
    ],
)
def test_what_is_not_quite_1_is_not_shown_as_1(
    score: float | None, digits: int, said: str | None
) -> None:
    assert points(score, digits=digits) == said
