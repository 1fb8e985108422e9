"""Assertion types by name, and functions that are assertions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from pytest_agentv import Grade, Grader, assertion
from pytest_agentv.assertion_types import AssertionTypes
from pytest_agentv.errors import DuplicateName, PluginError
from pytest_agentv.graders.functions import Outcomes, assertions_in
from pytest_agentv.transcript.model import Source, Transcript

if TYPE_CHECKING:
    from collections.abc import Iterator

TRANSCRIPT = Transcript(source=Source(provider="claude-cli"), output=())


class Haiku(Grader):
    types: ClassVar[tuple[str, ...]] = ("haiku", "short-poem")


def test_a_new_collection_knows_sets_only() -> None:
    assert list(AssertionTypes()) == ["assert-set", "composite"]
    assert AssertionTypes().get("contains") is None


def test_a_grader_is_known_by_all_its_names() -> None:
    types = AssertionTypes()
    types.add(Haiku, plugin="poems")
    assert types.get("haiku") is types.get("short-poem") is Haiku
    assert list(types) == ["assert-set", "composite", "haiku", "short-poem"]


def test_a_name_can_be_taken_once_and_both_places_are_named() -> None:
    types = AssertionTypes()
    types.add(Haiku, plugin="poems")
    with pytest.raises(DuplicateName, match="'haiku' comes from two places: 'poems' and 'verses"):
        types.add(assertion("haiku")(lambda: True), plugin="verses")
    with pytest.raises(DuplicateName, match="'composite' comes from two places: 'pytest-agentv'"):
        types.add(assertion("composite")(lambda: True), plugin="verses")


@pytest.mark.parametrize("thing", [3, None, "haiku", print, lambda: True, Grade("passed"), object])
def test_what_is_no_grader_is_refused(thing: Any) -> None:
    with pytest.raises(PluginError, match=r"plugin 'poems': .* is no grader"):
        AssertionTypes().add(thing, plugin="poems")


@pytest.mark.parametrize("name", ["not-haiku", "Haiku", "hai ku", "", "3"])
def test_a_grader_needs_a_name_that_yaml_can_use(name: str) -> None:
    class Odd(Grader):
        types: ClassVar[tuple[str, ...]] = (name,)

    with pytest.raises(PluginError, match="no assertion can be named"):
        AssertionTypes().add(Odd, plugin="poems")


def test_assertions_are_found_among_the_names_of_a_module_each_once() -> None:
    def plain() -> None:
        pass

    @assertion("marked")
    def marked() -> bool:
        return True

    (found,) = assertions_in({"a": plain, "b": marked, "again": marked, "c": 3})
    assert (found.name, found.function) == ("marked", marked)
    assert found.place.startswith(f"{__file__}:")


def test_a_marked_function_stays_what_it_is() -> None:
    def twice(value: int) -> int:
        return 2 * value

    assert assertion("twice")(twice) is twice


async def _later() -> bool:
    return True


def _one_after_the_other() -> Iterator[bool]:
    yield True


@pytest.mark.parametrize(
    ("thing", "said"),
    [
        (_later, "assertion 'it' is async or a generator; use a plain function"),
        (_one_after_the_other, "assertion 'it' is async or a generator; use a plain function"),
        (3, "assertion 'it' is no function but 3"),
    ],
)
def test_what_is_no_plain_function_is_no_assertion(thing: Any, said: str) -> None:
    with pytest.raises(PluginError) as caught:
        assertion("it")(thing)
    assert caught.value.message == said


def test_a_function_may_take_keys_of_any_name() -> None:
    def takes(value: int, **others: int) -> bool:
        return (value, others) == (1, {"colour": 2})

    assert _graded(takes, {"value": 1, "colour": 2}).outcome == "passed"
    (grader,) = assertions_in({"": assertion("it")(takes)})
    assert grader.bind({"value": 1}).fixtures == ()


def _graded(function: Any, keys: dict[str, Any] | None = None, **fixtures: Any) -> Grade:
    (grader,) = assertions_in({"": assertion("it")(function)})
    bound = grader.bind(keys or {})
    return bound.grade(TRANSCRIPT, fixtures, Outcomes(skips=(KeyboardInterrupt,)))


@pytest.mark.parametrize(
    ("said", "outcome", "points"),
    [
        (True, "passed", 1.0),
        (False, "failed", 0.0),
        (None, "passed", 1.0),
        (1, "passed", 1.0),
        (1.0, "passed", 1.0),
        (0.999, "failed", 0.999),
        (0, "failed", 0.0),
        (Grade("failed", score=0.25), "failed", 0.25),
        (Grade("skipped"), "skipped", None),
    ],
)
def test_what_a_function_returns_is_a_grade(said: Any, outcome: str, points: float | None) -> None:
    grade = _graded(lambda: said)
    assert (grade.outcome, grade.points) == (outcome, points)


@pytest.mark.parametrize("said", [1.1, -0.1, float("nan"), float("inf"), "yes", [], {}, object()])
def test_what_is_no_grade_is_an_error(said: Any) -> None:
    with pytest.raises(PluginError, match="assertion 'it' returned"):
        _graded(lambda: said)


def test_exceptions_are_failures_skips_or_errors() -> None:
    def failing() -> None:
        raise AssertionError("first line\nsecond line")

    def skipping() -> None:
        raise KeyboardInterrupt("not now")

    def crashing() -> None:
        raise LookupError("no")

    failed = _graded(failing)
    assert (failed.outcome, failed.reason) == ("failed", "first line")
    assert isinstance(failed.cause, AssertionError)
    skipped = _graded(skipping)
    assert (skipped.outcome, skipped.reason) == ("skipped", "not now")
    with pytest.raises(LookupError):
        _graded(crashing)


def test_an_assertion_without_words_is_named() -> None:
    def failing() -> None:
        raise AssertionError

    assert _graded(failing).reason == "AssertionError"


def test_arguments_are_keys_fixtures_or_the_transcript() -> None:
    def takes(transcript: Any, value: int, tmp: str, *, size: int = 3) -> bool:
        return (transcript, value, tmp, size) == (TRANSCRIPT, 1, "there", 3)

    assert _graded(takes, {"value": 1}, tmp="there").outcome == "passed"
    (grader,) = assertions_in({"": takes})
    assert grader.bind({"value": 1}).fixtures == ("tmp",)
    assert grader.bind({"value": 1, "tmp": "given"}).fixtures == ()
    with pytest.raises(KeyError, match="colour"):
        grader.bind({"colour": "red"})
    with pytest.raises(KeyError, match="transcript"):
        grader.bind({"transcript": 1})
