"""The grader of loops: the same call again and again, in a row or in a whole session."""

from __future__ import annotations

import json
from collections import Counter
from hashlib import blake2b
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from pydantic import AliasChoices, Field, field_validator

from pytest_agentv.graders.base import Grader
from pytest_agentv.graders.call_fields import Patterns  # noqa: TC001 (pydantic looks it up)
from pytest_agentv.graders.calls import Matcher, arguments_known, native_arguments, steps
from pytest_agentv.graders.fields import Count, wrong
from pytest_agentv.graders.grade import Evidence, Grade, missing
from pytest_agentv.graders.phrases import counted

if TYPE_CHECKING:
    from pytest_agentv.graders.base import CaseFacts
    from pytest_agentv.graders.calls import Step
    from pytest_agentv.transcript.model import ToolCall, Transcript

# Tools that look at a program or an agent that runs: to ask again is all that one can do.
WAITING = (
    "BashOutput", "TaskOutput", "AgentOutputTool", "write_stdin", "wait", "exec_wait", "wait_agent",
    "read_bash", "read_powershell", "read_agent",
)  # fmt: skip
# Arguments that say where a command runs.
_FOLDERS = ("workdir", "cwd", "working_directory")


class _Row(NamedTuple):
    """A call that was made several times."""

    first: Step
    last: Step
    times: int


class _Made(NamedTuple):
    """A call that counts."""

    step: Step
    agent: str | None
    # The same for calls that are the same; None if the session does not say its arguments.
    key: bytes | None


class _Run(NamedTuple):
    """Calls in a row that may be the same: what they are, how many, how many unknown at the end."""

    tool: str
    key: bytes | None = None
    times: int = 0
    unknown: int = 0


class NoLoop(Grader):
    """No call was made again and again."""

    types: ClassVar[tuple[str, ...]] = ("no-loop",)
    max: Count = Field(3, validation_alias=AliasChoices("max", "value"))
    total: Count | None = None
    ignore: Patterns = WAITING

    @field_validator("max", "total")
    @classmethod
    def _allows_one(cls, value: int | None) -> int | None:
        if value == 0:
            raise wrong("must be at least 1: a call is made once before it is made again")
        return value

    def grade(self, transcript: Transcript, case: CaseFacts) -> Grade:  # noqa: ARG002 (interface)
        """Count the calls that are the same."""
        made = self._made(transcript)
        rows, totals = _counted(made)
        claim = f"no call was made more than {counted(self.max, 'time')} in a row"
        if self.total is not None:
            claim += f", or {counted(self.total, 'time')} in all"
        worst = max(rows, key=lambda row: row.times, default=None)
        most = max(totals, key=lambda row: row.times, default=None)
        if worst is None or most is None:
            return Grade("passed", "no tool was called", None, claim)
        if worst.times > self.max:
            return self._found(claim, worst, "in a row")
        if self.total is not None and most.times > self.total:
            return self._found(claim, most, "in all")
        unknown = sum(one.key is None for one in made)
        if unknown and self._may_be_one(made):
            return missing(claim, f"of {counted(unknown, 'call')} the arguments are not known")
        reason = f"at most {counted(worst.times, 'time')} in a row, {most.times:,} in all"
        return Grade("passed", reason, None, claim)

    def _found(self, claim: str, row: _Row, how: str) -> Grade:
        said = row.first.text
        evidence: tuple[Evidence, ...] = (row.first.evidence, row.last.evidence)
        return Grade("failed", f"{counted(row.times, 'time')} {how}: {said}", None, claim, evidence)

    def _made(self, transcript: Transcript) -> list[_Made]:
        """The calls that count, in order."""
        matcher = Matcher(transcript)
        ignored: dict[tuple[str, str], bool] = {}
        made = []
        for step in steps(transcript):
            call = step.call
            tool = (call.tool, call.kind)
            if tool not in ignored:
                ignored[tool] = any(matcher.is_tool(call, name) for name in self.ignore)
            if not ignored[tool]:
                agent = transcript.output[step.message - 1].agent_id
                made.append(_Made(step, agent, _key(call) if arguments_known(call) else None))
        return made

    def _may_be_one(self, made: list[_Made]) -> bool:
        """Whether there is a loop if calls with unknown arguments are like others of their tool."""
        current: dict[str | None, _Run] = {}
        counts: Counter[tuple[str, bytes | None]] = Counter()
        for step, agent, key in made:
            tool = step.call.tool
            counts[tool, key] += 1
            before = current.get(agent, _Run(tool))
            if before.tool != tool:
                before = _Run(tool)
            unknown = before.unknown + 1 if key is None else 0
            if key is None or before.key in (None, key):
                run = _Run(tool, before.key if key is None else key, before.times + 1, unknown)
            else:
                run = _Run(tool, key, before.unknown + 1, unknown)
            if run.times > self.max:
                return True
            current[agent] = run
        most = max(
            count + (counts[tool, None] if key is not None else 0)
            for (tool, key), count in counts.items()
        )
        return self.total is not None and most > self.total


def _counted(made: list[_Made]) -> tuple[list[_Row], list[_Row]]:
    """The longest rows, one for each agent, and the calls that were made most often.

    A call with unknown arguments is like no other.
    """
    current: dict[str | None, tuple[bytes | int, _Row]] = {}
    longest: dict[str | None, _Row] = {}
    places: dict[bytes | int, tuple[Step, Step]] = {}
    counts: Counter[bytes | int] = Counter()
    for number, (step, agent, known) in enumerate(made):
        key = number if known is None else known
        counts[key] += 1
        places[key] = (places.get(key, (step, step))[0], step)
        before = current.get(agent)
        if before is not None and before[0] == key:
            row = before[1]._replace(last=step, times=before[1].times + 1)
        else:
            row = _Row(step, step, 1)
        current[agent] = key, row
        if agent not in longest or row.times > longest[agent].times:
            longest[agent] = row
    totals = [_Row(*places[key], count) for key, count in counts.most_common(1)]
    return list(longest.values()), totals


def _key(call: ToolCall) -> bytes:
    """What two calls have in common that are the same; short, because there may be many."""
    said: object = call.input
    if call.kind == "shell" and call.command is not None:
        # Clients add a description, or how long to wait, which changes nothing.
        native = native_arguments(call)
        said = [call.command, *(native.get(name) for name in _FOLDERS)]
    elif said is None:
        said = call.args
    try:
        text = json.dumps([call.tool, said], sort_keys=True)
    except (TypeError, ValueError, RecursionError):
        text = f"{call.tool} {id(call)}"  # not to be compared, so it is like no other
    return blake2b(text.encode("ascii", "replace"), digest_size=16).digest()
