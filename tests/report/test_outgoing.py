"""Texts of a run: without the secrets of its sessions, and without pieces of these."""

from __future__ import annotations

import pytest
from planted_secrets import Planter

from pytest_agentv import Evidence, Grade
from pytest_agentv.redact import Redactor
from pytest_agentv.report.outgoing import PIECE, Outgoing

KEY = "-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----"


@pytest.fixture
def planter() -> Planter:
    return Planter(seed=3)


@pytest.fixture
def outgoing() -> Outgoing:
    return Outgoing(Redactor("secrets"))


@pytest.mark.parametrize(("start", "end"), [(0, 20), (10, 30), (20, None)])
def test_a_piece_of_a_known_secret_is_replaced(
    start: int, end: int | None, outgoing: Outgoing, planter: Planter
) -> None:
    secret = planter.secret()
    outgoing.learn(f"it is {secret}.")

    shown = outgoing.text(f"found …{secret[start:end]}… there")

    assert shown == f"found …{PIECE}… there"


def test_a_piece_that_is_too_short_to_tell_anything_stays(
    outgoing: Outgoing, planter: Planter
) -> None:
    secret = planter.secret()
    outgoing.learn(secret)

    assert outgoing.text(f"it ends with {secret[-8:]}") == f"it ends with {secret[-8:]}"


def test_texts_that_have_nothing_to_do_with_it_stay(outgoing: Outgoing, planter: Planter) -> None:
    outgoing.learn(KEY.format("\n".join(planter.letters(64) for _ in range(12))))
    text = "-----------------------------\nTHE RSA KEY IS NOT HERE\n============================="

    assert outgoing.text(text) is text


def test_lines_of_a_private_key_are_pieces_wherever_they_are_quoted(
    outgoing: Outgoing, planter: Planter
) -> None:
    lines = [planter.letters(64) for _ in range(12)]
    outgoing.learn({"key": KEY.format("\n".join(lines))})

    shown = outgoing.text("\n".join(f"  | {one}" for one in lines[3:6]))

    assert shown == "\n".join([f"  | {PIECE}"] * 3)


def test_a_grade_is_redacted_in_all_its_texts(outgoing: Outgoing, planter: Planter) -> None:
    grade = Grade(
        "failed",
        planter.text(),
        claim=planter.text(),
        details=planter.text(),
        evidence=(Evidence(3, 4, planter.text()),),
    )

    shown = outgoing.grade(grade)

    assert (shown.outcome, shown.evidence[0].message, shown.evidence[0].line) == ("failed", 3, 4)
    assert planter.leaks(repr(shown)) == []


def test_a_name_does_not_depend_on_what_was_read_before(
    outgoing: Outgoing, planter: Planter
) -> None:
    secret = planter.secret()
    outgoing.learn(f"PASSWORD={secret[4:24]}")

    assert outgoing.name(f"contains {secret[4:24]}") == f"contains {secret[4:24]}"
