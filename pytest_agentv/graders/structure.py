"""The grader of equality: of a text, or of the JSON value that an answer gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import BeforeValidator

from pytest_agentv.graders.equality import difference, same
from pytest_agentv.graders.fields import wrong
from pytest_agentv.graders.json_text import Unreadable, candidate
from pytest_agentv.graders.phrases import shown
from pytest_agentv.graders.scoped import Finding, ScopedGrader
from pytest_agentv.graders.scopes import Passage
from pytest_agentv.jsontext import MAX_DEPTH, too_deep

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_agentv.graders.grade import Grade
    from pytest_agentv.graders.scoped import Look
    from pytest_agentv.transcript.model import Transcript


def _text_or_structure(value: Any) -> Any:
    if not isinstance(value, (str, dict, list)):
        raise wrong(f"must be a text, an object or a list, not {shown(value)}; quote it")
    if too_deep(value):
        raise wrong(f"is nested deeper than {MAX_DEPTH}")
    return value


class Equals(ScopedGrader):
    """The text is another one, blanks around both aside; or it gives the same object or list."""

    types: ClassVar[tuple[str, ...]] = ("equals",)
    value: Annotated[str | dict[str, Any] | list[Any], BeforeValidator(_text_or_structure)]

    def statement(self) -> str:
        """What is claimed."""
        return f"equals {shown(self.value)}"

    def texts(self, transcript: Transcript) -> Sequence[Passage] | Grade:
        """What the scope holds; where an empty answer is wanted, saying nothing is one."""
        answers = transcript.messages(role="assistant")
        empty = self.in_ == "final" and isinstance(self.value, str) and not self.value.strip()
        if empty and answers and transcript.final_answer is None:
            last = answers[-1]
            number = next(n for n, one in enumerate(transcript.output, 1) if one is last)
            return [Passage("", number, last.line)]
        return super().texts(transcript)

    def look(self) -> Look:
        """Compare, as a text or as a value."""
        return self._as_text if isinstance(self.value, str) else self._as_value

    def _as_text(self, text: str) -> Finding:
        trimmed = text.strip()
        return Finding(holds=trimmed == str(self.value).strip(), reason=f"is {shown(trimmed)}")

    def _as_value(self, text: str) -> Finding:
        try:
            found = candidate(text)
        except Unreadable as exc:
            return Finding(holds=False, reason=str(exc))
        if same(self.value, found):
            return Finding(holds=True, reason="is the same")
        details = difference(self.value, found)
        return Finding(holds=False, reason=f"is {shown(found)}", details=details)
