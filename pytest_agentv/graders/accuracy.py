"""The grader of single fields: how many of an answer's values are those that were expected."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict

from pytest_agentv.errors import NotGradable
from pytest_agentv.graders.dates import PLAIN_FORMATS, is_format, read_date
from pytest_agentv.graders.equality import same
from pytest_agentv.graders.fields import Limit, Text, Texts, Threshold, wrong
from pytest_agentv.graders.json_text import Unreadable, candidate
from pytest_agentv.graders.phrases import counted, shown
from pytest_agentv.graders.scoped import Finding, ScopedGrader
from pytest_agentv.graders.scores import reaches, weighted_mean

if TYPE_CHECKING:
    from pytest_agentv.graders.base import CaseFacts
    from pytest_agentv.graders.grade import Grade
    from pytest_agentv.transcript.model import Transcript

_INDEX = r"\[[0-9]{1,9}\]"
_STEP = re.compile(r"\.?(?P<key>[^.\[\]]+)|\[(?P<index>[0-9]{1,9})\]")
_PATH = re.compile(rf"(?:[^.\[\]]+|{_INDEX})(?:\.[^.\[\]]+|{_INDEX})*")
_ABSENT: Any = object()


def _path(value: str) -> str:
    if not _PATH.fullmatch(value):
        raise wrong(f"must be a path such as 'user.names[0]', not {shown(value)}")
    return value


def _formats(value: tuple[str, ...]) -> tuple[str, ...]:
    for one in value:
        if not is_format(one):
            raise wrong(f"must have YYYY, MM or MMM, and DD, as in 'DD/MM/YYYY', not {shown(one)}")
    return value


class FieldRule(BaseModel):
    """Which value of the answer is compared, and how."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, hide_input_in_errors=True)

    path: Annotated[Text, AfterValidator(_path)]
    match: Literal["exact", "numeric_tolerance", "date"] = "exact"
    required: bool = True
    weight: Limit = 1.0
    tolerance: Limit = 0.0
    relative: bool = False
    formats: Annotated[Texts, AfterValidator(_formats)] = PLAIN_FORMATS


def _rules(value: Any) -> Any:
    if not isinstance(value, list) or not value:
        raise wrong(f"must be a list of at least one field, not {shown(value)}")
    return tuple(value)


def _weighty(rules: tuple[FieldRule, ...]) -> tuple[FieldRule, ...]:
    if not any(rule.weight for rule in rules):
        raise wrong("must have a field with a weight over 0")
    return rules


class _Row(NamedTuple):
    """One field, compared; without ``holds`` it was left out."""

    rule: FieldRule
    holds: bool | None
    reason: str

    def __str__(self) -> str:
        mark = {True: "passed", False: "failed", None: "left out"}[self.holds]
        return f"{self.rule.path}: {mark}: {self.reason}"


class FieldAccuracy(ScopedGrader):
    """The values of an answer in JSON are those that are expected, field by field."""

    types: ClassVar[tuple[str, ...]] = ("field-accuracy",)
    fields: Annotated[tuple[FieldRule, ...], BeforeValidator(_rules), AfterValidator(_weighty)]
    aggregation: Literal["weighted_average", "all_or_nothing"] = "weighted_average"
    expected: dict[str, Any] | list[Any] | None = None
    threshold: Threshold = 1.0

    def statement(self) -> str:
        """What is claimed."""
        paths = tuple(rule.path for rule in self.fields)
        some = ", ".join(paths[:5]) + (", …" if len(paths) > 5 else "")  # noqa: PLR2004
        return f"has the expected {some}"

    def grade(self, transcript: Transcript, case: CaseFacts) -> Grade:
        """Compare every field with what the entry, or else the case, expects."""
        expected = self.expected if self.expected is not None else _expected_of(case)
        wanted = [(rule, _wanted(rule, expected)) for rule in self.fields]
        return self.grade_by(partial(self._compare, wanted), transcript)

    def _compare(self, wanted: list[tuple[FieldRule, Any]], text: str) -> Finding:
        try:
            answer = candidate(text)
        except Unreadable as exc:
            return Finding(holds=False, reason=str(exc), score=0.0)
        rows = [_compared(rule, value, _at(rule.path, answer)) for rule, value in wanted]
        counting = [row for row in rows if row.holds is not None]
        score = weighted_mean((float(bool(row.holds)), row.rule.weight) for row in counting)
        if score is None:
            reason = "none of the fields is there"
            return Finding(holds=False, reason=reason, score=0.0, vacuous=True)
        if self.aggregation == "all_or_nothing":
            score = float(all(row.holds for row in counting))
        held = sum(bool(row.holds) for row in counting)
        reason = f"{held} of {counted(len(counting), 'field')}, a score of {score:.3g}"
        details = "\n".join(map(str, rows))
        return Finding(reaches(score, self.threshold), reason, score=score, details=details)


def _expected_of(case: CaseFacts) -> Any:
    """What a case expects: an object, a text in JSON, or what the last of some messages holds."""
    expected = case.expected_output
    if isinstance(expected, list) and expected and isinstance(expected[-1], dict):
        expected = expected[-1].get("content", expected)
    if isinstance(expected, str):
        try:
            expected = candidate(expected)
        except Unreadable as exc:
            raise NotGradable(f"the case's `expected_output` cannot be compared: {exc}") from exc
    if not isinstance(expected, (dict, list)):
        raise NotGradable("field-accuracy needs `expected`, or an `expected_output` of the case")
    return expected


def _wanted(rule: FieldRule, expected: Any) -> Any:
    value = _at(rule.path, expected)
    if value is _ABSENT and not rule.required:
        return value
    if value is _ABSENT:
        raise NotGradable(f"nothing is expected of the field {rule.path!r}")
    if rule.match == "date" and read_date(value, rule.formats) is None:
        known = ", ".join(rule.formats)
        raise NotGradable(f"{rule.path!r} expects {shown(value)}, which is no date in {known}")
    if rule.match == "numeric_tolerance" and _numeric(value) is None:
        raise NotGradable(f"{rule.path!r} expects {shown(value)}, which is no number")
    return value


def _at(path: str, value: Any) -> Any:
    for step in _STEP.finditer(path):
        if step["index"] is not None:
            known = isinstance(value, list) and int(step["index"]) < len(value)
            value = value[int(step["index"])] if known else _ABSENT
        else:
            value = value.get(step["key"], _ABSENT) if isinstance(value, dict) else _ABSENT
    return value


def _compared(rule: FieldRule, wanted: Any, found: Any) -> _Row:
    if wanted is _ABSENT:
        return _Row(rule, None, "nothing is expected of it")
    if found is _ABSENT:
        return _Row(rule, False if rule.required else None, f"{shown(wanted)} expected, not there")
    holds = _MATCHES[rule.match](rule, wanted, found)
    return _Row(rule, holds, f"{shown(wanted)} expected, {shown(found)} found")


def _exact(_: FieldRule, wanted: Any, found: Any) -> bool:
    return same(wanted, found)


def _near(rule: FieldRule, wanted: Any, found: Any) -> bool:
    one, other = _numeric(wanted), _numeric(found)
    if one is None or other is None:
        return False
    scale = abs(one) if rule.relative and one else 1.0
    # A hair's breadth more: 0.3 - 0.1 is a little more than 0.2.
    return abs(other - one) <= rule.tolerance * scale + 1e-9 * max(abs(one), 1e-6)


def _same_day(rule: FieldRule, wanted: Any, found: Any) -> bool:
    return read_date(wanted, rule.formats) == read_date(found, rule.formats)


def _numeric(value: Any) -> float | None:
    """A finite number, or a text that is one and nothing else."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if number - number == 0 else None


_MATCHES = {"exact": _exact, "numeric_tolerance": _near, "date": _same_day}
