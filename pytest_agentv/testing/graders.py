"""A check that a grader keeps its contract, on one transcript and one assertion as in YAML.

Everything that the rest of the package relies on: strict keys, the same grade every time, the law
of negation, texts that can be shown, and that an odd transcript is never a pass by accident.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_agentv.assertion_types import takes_any_key
from pytest_agentv.engine.assertions import Context
from pytest_agentv.engine.compiling import compile_entry
from pytest_agentv.errors import AgentvError, EvalFileError, PluginError
from pytest_agentv.evalfile.given import given_entry
from pytest_agentv.graders.base import CaseFacts
from pytest_agentv.graders.functions import FunctionGrader
from pytest_agentv.plugins import assertion_types, plugin_manager
from pytest_agentv.pytest_outcomes import OUTCOMES
from pytest_agentv.transcript.model import Message, Source, Transcript
from pytest_agentv.transcript.writing import dumps

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_agentv.assertion_types import AnyGrader, AssertionTypes
    from pytest_agentv.graders.base import Grader
    from pytest_agentv.graders.grade import Grade, Outcome

_OPPOSITE = {"passed": "failed", "failed": "passed", "skipped": "skipped"}
_ODD_KEY = "no-such-key"
# A session that says next to nothing.
_POOR = Transcript(source=Source(provider="unknown"), output=(Message(role="user"),))


def check_grader(
    grader: type[Grader] | Callable[..., object],
    assertion: Mapping[str, Any],
    transcript: Transcript,
    *,
    expected: Outcome,
    fixtures: Mapping[str, Any] | None = None,
    **facts: Any,
) -> Grade:
    """Assert that a grader keeps its contract and grades as expected; return the grade.

    ``grader`` is a class, or a function that ``pytest_agentv.assertion`` marked. ``assertion`` is
    an entry as in an eval file. ``fixtures`` are values for the pytest fixtures that a function
    takes, ``facts`` what a case would say: ``expected_output``, ``cost_usd`` and so on.
    """
    types = assertion_types(plugin_manager())
    if not _registered(grader, types):
        types.add(grader, plugin="check_grader")
    before = dumps(transcript)
    case = CaseFacts(**{"id": "check", **facts})
    context = Context(transcript, case, fixtures or {}, OUTCOMES)
    grade = _grade(assertion, types, context)
    assert grade.outcome == expected, f"the grade is {grade}, not {expected}"
    assert _grade(assertion, types, context) == grade, "the same must get the same grade"
    assert dumps(transcript) == before, "a grader must not change a transcript"
    _check_texts(grade)
    _check_negation(assertion, types, context, grade)
    if not any(map(takes_any_key, _registered(grader, types))):
        _check_keys(assertion, types)
    _check_poor_session(assertion, types, context)
    return grade


def _registered(grader: object, types: AssertionTypes) -> list[AnyGrader]:
    """What is registered for a class or a function, once for each of its names."""
    return [
        one
        for one in map(types.get, types)
        if one is not None and grader is (one.function if isinstance(one, FunctionGrader) else one)
    ]


def _grade(assertion: Mapping[str, Any], types: AssertionTypes, context: Context) -> Grade:
    try:
        return compile_entry(given_entry(assertion), types).grade(context)
    except PluginError as exc:
        raise AssertionError(str(exc)) from exc


def _check_texts(grade: Grade) -> None:
    if grade.outcome != "passed":
        assert grade.reason or grade.cause, "a grade that is no pass must say why"
    for text in (grade.reason, grade.claim, grade.details):
        assert isinstance(text, str), f"a grade says {text!r}, which is no text"


def _check_negation(
    assertion: Mapping[str, Any], types: AssertionTypes, context: Context, grade: Grade
) -> None:
    opposite = "skipped" if grade.vacuous else _OPPOSITE[grade.outcome]
    opposite = "failed" if grade.mixed else opposite
    negated = _grade({**assertion, "negate": not assertion.get("negate", False)}, types, context)
    assert negated.outcome == opposite, f"negated it must be {opposite}, not {negated.outcome}"


def _check_keys(assertion: Mapping[str, Any], types: AssertionTypes) -> None:
    if "type" not in assertion:
        return
    try:
        compile_entry(given_entry({**assertion, _ODD_KEY: True}), types)
    except EvalFileError:
        return
    raise AssertionError(f"an unknown key must be an error, and {_ODD_KEY!r} is none")


def _check_poor_session(
    assertion: Mapping[str, Any], types: AssertionTypes, context: Context
) -> None:
    poor = Context(_POOR, context.case, context.fixtures, context.outcomes)
    try:
        _grade(assertion, types, poor)
    except AgentvError:
        return
    except Exception as exc:
        problem = "a session that says nothing must be graded, skipped or refused in a sentence"
        raise AssertionError(f"{problem}: {exc!r}") from exc
