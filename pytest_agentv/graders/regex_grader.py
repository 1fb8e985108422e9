"""The grader of regular expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import BeforeValidator, ValidationInfo, field_validator

from pytest_agentv.graders.fields import Text, wrong
from pytest_agentv.graders.patterns import FLAGS, Stopwatch, compiled, search
from pytest_agentv.graders.phrases import counted, shown
from pytest_agentv.graders.scoped import Finding, ScopedGrader

if TYPE_CHECKING:
    from pytest_agentv.graders.scoped import Look


def _flags(value: Any) -> Any:
    if not isinstance(value, str) or not FLAGS.keys() >= set(value):
        raise wrong(f"must be a text of the letters {' '.join(FLAGS)}, not {shown(value)}")
    return value


class Regex(ScopedGrader):
    """A pattern is found somewhere in the text."""

    types: ClassVar[tuple[str, ...]] = ("regex",)
    # Before the pattern, whose meaning depends on them.
    flags: Annotated[str, BeforeValidator(_flags)] = ""
    value: Text

    @field_validator("value")
    @classmethod
    def _is_a_pattern(cls, value: str, info: ValidationInfo) -> str:
        try:
            compiled(value, flags=info.data.get("flags", ""))
        except ValueError as exc:
            raise wrong(str(exc)) from exc
        return value

    def statement(self) -> str:
        """What is claimed."""
        return f"matches {shown(self.value)}"

    def look(self) -> Look:
        """Search it, all texts in the same time."""
        stopwatch = Stopwatch()

        def find(text: str) -> Finding:
            span = search(self.value, text, flags=self.flags, stopwatch=stopwatch)
            if span is None:
                reason = f"no match in {counted(len(text), 'character')}"
                return Finding(holds=False, reason=reason)
            return Finding(holds=True, reason="matches", start=span[0], end=span[1])

        return find
