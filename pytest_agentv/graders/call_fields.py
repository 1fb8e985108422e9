"""What assertions on calls share: patterns, statuses and counts, and how they decide."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, get_args

from pydantic import AfterValidator, BeforeValidator, WithJsonSchema

from pytest_agentv.graders.expected_texts import check_expected
from pytest_agentv.graders.fields import Glob, check_range, wrong
from pytest_agentv.graders.phrases import counted, listed, shown
from pytest_agentv.transcript.model import Status

if TYPE_CHECKING:
    from pytest_agentv.graders.grade import Outcome
    from pytest_agentv.transcript.model import Transcript

ANY = "any"
STATUSES: tuple[str, ...] = get_args(Status)
UNKNOWN = "unknown"
# Of a list in a failure text.
_SHOWN = 20


def comparable(value: Any) -> Any:
    """A value with which a part of a call can be compared, as a validator says it."""
    try:
        check_expected(value)
    except ValueError as exc:
        raise wrong(str(exc)) from exc
    return value


def _one_or_more(value: Any) -> Any:
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, (list, tuple)):
        raise wrong(f"must be a text or a list of texts, not {shown(value)}")
    if not value:
        raise wrong("must not be empty: list at least one text")
    return tuple(value)


def _statuses(value: Any) -> Any:
    if value == ANY:
        return STATUSES
    for one in (texts := _one_or_more(value)):
        if one not in STATUSES or one == UNKNOWN:
            known = [status for status in STATUSES if status != UNKNOWN]
            close = get_close_matches(one, known, n=1) if isinstance(one, str) else []
            hint = f"; did you mean {close[0]!r}?" if close else ""
            raise wrong(f"must be of {', '.join(known)}, or any, not {shown(one)}{hint}")
    return texts


_ONE_OR_MORE = WithJsonSchema(
    {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}]}
)
Pattern = Annotated[Glob, AfterValidator(comparable)]
Patterns = Annotated[tuple[Pattern, ...], BeforeValidator(_one_or_more), _ONE_OR_MORE]
Statuses = Annotated[tuple[str, ...], BeforeValidator(_statuses), _ONE_OR_MORE]


class Times(NamedTuple):
    """How often something may happen."""

    least: int
    most: int | None

    def __str__(self) -> str:
        if self.most is None:
            return "" if self.least == 1 else f"at least {counted(self.least, 'time')}"
        if self.least in (0, self.most):
            word = "exactly" if self.least else "at most"
            return f"{word} {counted(self.most, 'time')}"
        return f"{self.least:,} to {counted(self.most, 'time')}"

    def outcome(self, sure: int, possible: int) -> Outcome:
        """What follows if it happened some times for sure, and perhaps some times more."""
        if sure + possible < self.least or (self.most is not None and sure > self.most):
            return "failed"
        if sure >= self.least and (self.most is None or sure + possible <= self.most):
            return "passed"
        return "skipped"


def times(least: int | None, most: int | None) -> Times:
    """At least once, unless only a maximum is given."""
    if least is None:
        least = 1 if most is None else 0
    check_range(least, most)
    return Times(least, most)


def lines(title: str, texts: list[str]) -> str:
    """A list for a failure text, those after the first few only counted."""
    more = [f"  and {len(texts) - _SHOWN:,} more"] if len(texts) > _SHOWN else []
    return "\n".join([f"{title}:", *(f"  {text}" for text in texts[:_SHOWN]), *more])


def statuses_shown(statuses: tuple[str, ...]) -> str:
    """Statuses in a claim."""
    return "with any status" if statuses == STATUSES else f"with the status {listed(statuses)}"


def without_agents(transcript: Transcript) -> str:
    """A remark for a reason, if a session had sub-agents of which the transcript has nothing."""
    if any(message.agent_id is not None for message in transcript.output):
        return ""
    asked = any(call.kind == "task" for one in transcript.output for call in one.tool_calls)
    return "; what its sub-agents did is not in the transcript" if asked else ""
