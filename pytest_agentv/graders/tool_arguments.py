"""The grader of one call's arguments, as promptfoo and AgentV 5 have it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from msgspec.structs import replace
from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from pytest_agentv.globs import fits
from pytest_agentv.graders.base import Grader
from pytest_agentv.graders.call_fields import comparable
from pytest_agentv.graders.calls import Matcher, arguments_known, native_arguments
from pytest_agentv.graders.fields import Glob, Text, wrong
from pytest_agentv.graders.grade import Grade, failed, missing, passed
from pytest_agentv.graders.patterns import limited_find
from pytest_agentv.graders.phrases import counted, shown
from pytest_agentv.graders.side_by_side import argument_difference, placed
from pytest_agentv.graders.step_names import Names

if TYPE_CHECKING:
    from pytest_agentv.graders.base import CaseFacts
    from pytest_agentv.graders.calls import Step
    from pytest_agentv.transcript.model import ToolCall, Transcript

# Of the calls that do not match, how many are looked at for the one that comes closest.
_LOOKED_AT = 50
_SHOWN = 5


def _mapping(value: Any) -> Any:
    if not isinstance(value, dict):
        raise wrong(f"must be a mapping, not {shown(value)}")
    return comparable(value)


def _names(value: Any) -> Any:
    return (
        (value,) if isinstance(value, str) else tuple(value) if isinstance(value, list) else value
    )


class ArgumentsOfATool(BaseModel):
    """A tool, and the arguments that it is called with."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, hide_input_in_errors=True)

    name: Glob = Field(validation_alias=AliasChoices("name", "pattern"))
    args: Annotated[dict[str, Any], BeforeValidator(_mapping)] = Field(
        validation_alias=AliasChoices("args", "arguments")
    )
    mode: Literal["partial", "exact"] = "partial"
    defaults: Annotated[dict[str, Any], BeforeValidator(_mapping)] = {}
    ignore: Annotated[Text | tuple[Text, ...], BeforeValidator(_names)] = ()

    @model_validator(mode="after")
    def _asks_for_something(self) -> ArgumentsOfATool:
        if self.mode == "partial" and not self.wanted():
            raise wrong("`args` must name an argument that is not ignored: else any call fits")
        return self

    def ignored(self, name: str) -> bool:
        """Whether an argument does not count."""
        return any(fits(name, one, fold=True, long_find=limited_find) for one in self.ignore)

    def wanted(self) -> dict[str, Any]:
        """The arguments that a call must have; with ``exact``, those that may be left out, too."""
        filled = {**self.defaults, **self.args} if self.mode == "exact" else self.args
        return {name: one for name, one in filled.items() if not self.ignored(name)}

    def completed(self, call: ToolCall) -> ToolCall:
        """The call with arguments that it left out, and without those that do not count."""
        native, canonical = native_arguments(call), call.args
        left_out = {
            name: one
            for name, one in self.defaults.items()
            if name not in native and name not in canonical
        }
        return replace(
            call,
            input={k: v for k, v in {**left_out, **native}.items() if not self.ignored(k)},
            args={k: v for k, v in {**left_out, **canonical}.items() if not self.ignored(k)}
            if canonical
            else {},
        )


class ToolArgsMatch(Grader):
    """The session called a tool with some arguments at least once."""

    types: ClassVar[tuple[str, ...]] = ("trajectory:tool-args-match",)
    value: ArgumentsOfATool

    def grade(self, transcript: Transcript, case: CaseFacts) -> Grade:  # noqa: ARG002 (interface)
        """Look for a call that matches."""
        value = self.value
        just = "just " if value.mode == "exact" else ""
        claim = f"the session called {shown(value.name)} with {just}{shown(value.wanted())}"
        names = Names(transcript)
        matcher = Matcher(transcript)
        found = [names.made[at] for at in names.found(value.name)]
        unknown = None
        for step in found:
            if not arguments_known(step.call):
                unknown = unknown or step
            elif not self._different(step, matcher):
                return passed(claim, "called so", step.evidence)
        if unknown is not None:
            reason = f"the session does not say with which arguments {placed(unknown)} was called"
            return missing(claim, reason)
        if not found:
            return failed(claim, "was not called" if names.made else "no tool was called")
        nearest = min(found[:_LOOKED_AT], key=lambda step: len(self._different(step, matcher)))
        differs = self._different(nearest, matcher)
        completed = nearest._replace(call=value.completed(nearest.call))
        return failed(
            claim,
            f"called {counted(len(found), 'time')}, at best with another "
            f"{', '.join(map(shown, differs[:_SHOWN]))}",
            nearest.evidence,
            details=argument_difference(
                completed, value.wanted(), differs, matcher, exact=value.mode == "exact"
            ),
        )

    def _different(self, step: Step, matcher: Matcher) -> list[str]:
        value = self.value
        call = value.completed(step.call)
        return matcher.different(
            call, value.wanted(), "exact" if value.mode == "exact" else "superset"
        )
