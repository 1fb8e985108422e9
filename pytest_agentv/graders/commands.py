"""The grader of commands: what a session ran in a shell, and how that ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

from pydantic import AliasChoices, Field, StrictInt, model_validator

from pytest_agentv.graders.base import Grader
from pytest_agentv.graders.call_commands import commands_of, is_code
from pytest_agentv.graders.call_fields import (
    STATUSES,
    Pattern,
    Statuses,
    lines,
    statuses_shown,
    times,
    without_agents,
)
from pytest_agentv.graders.calls import Matcher, steps
from pytest_agentv.graders.fields import Count  # noqa: TC001 (pydantic looks it up)
from pytest_agentv.graders.figures import KNOWN_ENDS
from pytest_agentv.graders.grade import Grade
from pytest_agentv.graders.phrases import counted, shown
from pytest_agentv.graders.shell_commands import with_sorted_options

if TYPE_CHECKING:
    from pytest_agentv.graders.base import CaseFacts
    from pytest_agentv.graders.calls import Step
    from pytest_agentv.transcript.model import ToolCall, Transcript

_SHOWN_EVIDENCE = 5


class _Found(NamedTuple):
    """The calls of a session that run commands, by what is known of them."""

    runs: list[Step]
    matching: list[Step]
    # They match, but nobody knows how they ended, or whether they ran.
    unsure: list[Step]
    denied: list[Step]
    # Of these the session does not say what they ran.
    silent: list[Step]


class CommandRun(Grader):
    """The session ran a command, alone or as a part of a longer line."""

    types: ClassVar[tuple[str, ...]] = ("command-run",)
    value: Pattern = Field(validation_alias=AliasChoices("value", "command"))
    exit_code: StrictInt | None = None
    status: Statuses | None = None
    min: Count | None = None
    max: Count | None = None

    @model_validator(mode="after")
    def _is_a_range(self) -> CommandRun:
        times(self.min, self.max)
        return self

    def grade(self, transcript: Transcript, case: CaseFacts) -> Grade:  # noqa: ARG002 (interface)
        """Look at every command of every command line."""
        found = self._found(transcript)
        sure, unsure = len(found.matching), len(found.unsure) + len(found.silent)
        outcome = times(self.min, self.max).outcome(sure, unsure)
        if outcome == "skipped":
            reason = _why(found)
        elif sure:
            reason = f"ran it {counted(sure, 'time')}"
        else:
            reason = _without(found) + without_agents(transcript)
        others = [] if sure else [step.text for step in found.runs]
        deciding = found.matching or found.unsure or found.denied or found.silent
        return Grade(
            outcome,
            reason,
            None,
            self._claim(),
            tuple(step.evidence for step in deciding[:_SHOWN_EVIDENCE]),
            lines("commands", others) if others else "",
            # It was not run, but that is not for want of trying.
            vacuous=outcome == "failed" and bool(found.denied) and not sure,
        )

    def _claim(self) -> str:
        parts = [f"the session ran a command like {shown(self.value)}"]
        if self.exit_code is not None:
            parts.append(f"with exit code {self.exit_code}")
        if self.status is not None:
            parts.append(statuses_shown(self.status))
        return " ".join([*parts, str(times(self.min, self.max))]).rstrip()

    def _found(self, transcript: Transcript) -> _Found:
        matcher = Matcher(transcript)
        found = _Found([], [], [], [], [])
        for step in steps(transcript):
            if step.call.command is None:
                if step.call.kind == "shell":
                    found.silent.append(step)
                continue
            found.runs.append(step)
            matches = self._matches(step.call, matcher, transcript.source.cwd)
            if matches is None and step.call.status != "denied":
                found.silent.append(step)
            elif matches:
                ran = self._ended_so(step.call)
                if ran:
                    found.matching.append(step)
                elif ran is None:
                    found.unsure.append(step)
                elif step.call.status == "denied":
                    found.denied.append(step)
        return found

    def _matches(self, call: ToolCall, matcher: Matcher, cwd: str | None) -> bool | None:
        """Whether a call ran such a command; None if nobody can say what it ran."""
        if matcher.is_text((call.command or "").strip(), self.value):
            return True
        forms: dict[str, bool] = {}
        is_open = is_code(call)
        for command in commands_of(call, cwd):
            is_open = is_open or command.is_unknown
            forms |= dict.fromkeys(command.forms, command.is_powershell)
        if any(self._is_form(form, matcher, fold=fold) for form, fold in forms.items()):
            return True
        return None if is_open else False

    def _is_form(self, form: str, matcher: Matcher, *, fold: bool) -> bool:
        if matcher.is_text(form, self.value):
            return True
        # PowerShell knows no case.
        if fold and matcher.is_name(form, self.value, fold=True):
            return True
        # In which order short options stand makes no difference.
        wanted, sorted_ = with_sorted_options(self.value), with_sorted_options(form)
        return (wanted, sorted_) != (self.value, form) and matcher.is_name(
            sorted_, wanted, fold=fold
        )

    def _ended_so(self, call: ToolCall) -> bool | None:
        """Whether a call counts as a run that ended as it should; None if nobody can say."""
        if self.status is None:
            ran = _ran(call)
        else:
            is_meant = call.status in self.status or self.status == STATUSES
            ran = True if is_meant else None if _is_open(call) else False
        code = True if self.exit_code is None else _has_exit_code(call, self.exit_code)
        if ran is False or code is False:
            return False
        return None if ran is None or code is None else True


def _is_open(call: ToolCall) -> bool:
    """Whether nobody knows how a call ended."""
    return call.status not in KNOWN_ENDS


def _ran(call: ToolCall) -> bool | None:
    if call.status == "denied":
        return False
    # A call without an answer may have waited for a permission when the session ended.
    return None if _is_open(call) and call.output is None else True


def _has_exit_code(call: ToolCall, code: int) -> bool | None:
    if call.exit_code is not None:
        return call.exit_code == code
    if call.status == "ok":
        return code == 0  # clients that write no code for a success
    if call.status == "error":
        return None if code else False
    return None if _is_open(call) else False


def _why(found: _Found) -> str:
    """Why nobody can say."""
    if found.unsure:
        return f"of {counted(len(found.unsure), 'matching call')} nobody knows how it ended"
    return f"of {counted(len(found.silent), 'call')} of a shell nobody knows what it ran"


def _without(found: _Found) -> str:
    """What was there instead of the command."""
    if found.denied:
        return f"tried it {counted(len(found.denied), 'time')}, and was denied"
    if not found.runs:
        return "ran no command"
    return f"ran {counted(len(found.runs), 'other command line')}"
