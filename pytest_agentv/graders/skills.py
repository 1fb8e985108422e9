"""The grader of skills: which of them a session used.

A skill is used by a tool for that, or by reading its ``SKILL.md``: by a tool or by a command.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NamedTuple

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from pytest_agentv.graders.base import Grader
from pytest_agentv.graders.call_fields import Pattern, Patterns, Times, lines, times
from pytest_agentv.graders.calls import Matcher, native_arguments, steps
from pytest_agentv.graders.fields import Count, wrong
from pytest_agentv.graders.files_seen import read_files, silent_steps
from pytest_agentv.graders.grade import Grade, Outcome
from pytest_agentv.graders.phrases import counted, excerpt, joined, listed, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_agentv.graders.base import CaseFacts
    from pytest_agentv.graders.calls import Step
    from pytest_agentv.transcript.model import ToolCall, Transcript

_ARGUMENTS = ("skill", "name", "skill_name", "command", "path")
_SHOWN_EVIDENCE = 5


class SkillRule(BaseModel):
    """A skill, and how often it may be used."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, hide_input_in_errors=True)

    name: Pattern = Field(validation_alias=AliasChoices("name", "pattern"))
    min: Count | None = None
    max: Count | None = None


def _value(value: Any) -> Any:
    return value if isinstance(value, (dict, SkillRule)) or value is None else _patterns(value)


def _patterns(value: Any) -> Any:
    if isinstance(value, str):
        return (value,)
    if isinstance(value, (list, tuple)) and value:
        return tuple(value)
    raise wrong(f"must be a name, a list of names or a mapping, not {shown(value)}")


class _Use(NamedTuple):
    """A use of a skill; not ``is_sure`` if nobody knows what came of it."""

    name: str
    step: Step
    is_sure: bool


class SkillUsed(Grader):
    """The session used a skill."""

    types: ClassVar[tuple[str, ...]] = ("skill-used", "skill-trigger")
    value: Annotated[SkillRule | Patterns | None, BeforeValidator(_value)] = None
    skill: Pattern | None = None
    should_trigger: bool = True
    min: Count | None = None
    max: Count | None = None

    @model_validator(mode="after")
    def _names_skills(self) -> SkillUsed:
        if (self.value is None) == (self.skill is None):
            raise wrong("needs either `value` or `skill`, the name of a skill")
        if isinstance(self.value, SkillRule) and (self.min, self.max) != (None, None):
            raise wrong("has `min` or `max` both in `value` and beside it; keep them in `value`")
        self._times()
        return self

    def grade(self, transcript: Transcript, case: CaseFacts) -> Grade:  # noqa: ARG002 (interface)
        """Look for the uses of each skill."""
        uses = _uses(transcript)
        matcher = Matcher(transcript)
        found = [
            (name, [use for use in uses if _is_named(use.name, name, matcher)])
            for name in self._names()
        ]
        # Of a call without its arguments nobody knows which skill it used.
        silent = len(silent_steps(transcript, ("skill",)))
        outcomes = [self._outcome(one, silent) for _, one in found]
        outcome: Outcome = next((one for one in ("failed", "skipped") if one in outcomes), "passed")
        deciding = [one for one, each in zip(found, outcomes, strict=True) if each == outcome]
        grade = Grade(
            outcome,
            joined(_told(name, one, uses, silent) for name, one in deciding),
            None,
            f"the session used the skill {listed(self._names())} {self._times()}".rstrip(),
            tuple(use.step.evidence for _, one in deciding for use in one)[:_SHOWN_EVIDENCE],
            lines("skills", [excerpt(use.name) for use in uses]) if uses else "",
            # Some of several: neither true nor the opposite of what is claimed.
            vacuous=outcome == "failed" and len(set(outcomes)) > 1,
            mixed=outcome == "failed" and "passed" in outcomes,
        )
        return grade if self.should_trigger else grade.negated()

    def _names(self) -> tuple[str, ...]:
        if isinstance(self.value, SkillRule):
            return (self.value.name,)
        return (self.skill,) if self.skill is not None else self.value or ()

    def _times(self) -> Times:
        rule = self.value if isinstance(self.value, SkillRule) else self
        return times(rule.min, rule.max)

    def _outcome(self, found: Sequence[_Use], silent: int) -> Outcome:
        sure = sum(use.is_sure for use in found)
        return self._times().outcome(sure, len(found) - sure + silent)


def _told(name: str, found: Sequence[_Use], uses: Sequence[_Use], silent: int) -> str:
    sure = sum(use.is_sure for use in found)
    unsure = len(found) - sure + silent
    if sure or unsure:
        perhaps = f", and perhaps {unsure:,} more" if unsure else ""
        return f"used {shown(name)} {counted(sure, 'time')}{perhaps}"
    if not uses:
        return "used no skill"
    others = listed(tuple(dict.fromkeys(use.name for use in uses)))
    return f"used {others}, but not {shown(name)}"


def _is_named(name: str, expected: str, matcher: Matcher) -> bool:
    """Whether a skill has a name, with or without that of the plugin before it."""
    own = name.rpartition(":")[2]
    return matcher.is_text(name, expected) or (own != name and matcher.is_text(own, expected))


def _uses(transcript: Transcript) -> list[_Use]:
    """Every use of a skill by a tool, and each skill whose file was read without one."""
    uses = []
    for step in steps(transcript):
        call = step.call
        if call.kind == "skill" and call.status not in ("error", "denied"):
            name = _skill_of(call)
            if name:
                uses.append(_Use(name, step, call.status == "ok"))
    named = {use.name.rpartition(":")[2] for use in uses}
    # A file is often read in parts; that is one use.
    read: dict[str, _Use] = {}
    for file in read_files(transcript):
        skill = _skill_at(file.path)
        if skill is None or skill in named:
            continue
        if skill not in read or (file.is_sure and not read[skill].is_sure):
            read[skill] = _Use(skill, file.step, file.is_sure)
    return [*uses, *read.values()]


def _skill_of(call: ToolCall) -> str:
    """The skill that a call of a skill tool names."""
    native = native_arguments(call)
    value = next((native[name] for name in _ARGUMENTS if isinstance(native.get(name), str)), "")
    # Slash commands: `/name arguments`.
    words = value.strip().removeprefix("/").split(maxsplit=1)
    return _skill_at(value) or (words[0] if words else "")


def _skill_at(path: str) -> str | None:
    """The skill whose file this is: `…/skills/<name>/SKILL.md`."""
    *folders, name, file = ["", *path.replace("\\", "/").split("/")]
    return name if file.lower() == "skill.md" and "skills" in folders else None
