"""From sessions to the text of an eval file. What stands in it holds: all of it was graded."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Any

from pytest_agentv.drafting.private import without_homes, without_secrets
from pytest_agentv.drafting.proposals import proposals
from pytest_agentv.drafting.yamltext import entry_lines, flow, literal, scalar, text_lines
from pytest_agentv.engine.assertions import Context
from pytest_agentv.engine.compiling import compile_entry
from pytest_agentv.engine.names import slug
from pytest_agentv.errors import NotGradable
from pytest_agentv.evalfile.given import given_entry
from pytest_agentv.graders.base import CaseFacts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_agentv.assertion_types import AssertionTypes
    from pytest_agentv.drafting.proposals import Proposal
    from pytest_agentv.transcript.model import Transcript

_INTRODUCTION = """\
# A first eval file, by `agentv draft`. All of it holds for the session that it was drafted from.
# That session is one way to do the task well. Before you grade others by it: delete what just
# happened to be so, tighten what matters, and look for anything private.
"""
_LONGEST_PROMPT = 1000
_LONGEST_PROVIDER = 60
_ID_LENGTH = 50
_NO_PROMPT = "session"


@dataclass(frozen=True, slots=True)
class Drafted:
    """A proposal that holds, in the form in which it does."""

    entry: dict[str, Any]
    proposal: Proposal


@dataclass(slots=True)
class DraftedTest:
    """A test of the eval file to be, drafted from one session."""

    id: str
    prompt: str | None
    provider: str
    assertions: list[Drafted] = field(default_factory=list)
    # What was proposed and is not sure to hold, as it would have been written.
    left_out: list[str] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is left that could be graded."""
        return all(one.proposal.is_offer for one in self.assertions)

    @property
    def count(self) -> int:
        """How many assertions pytest will see; a set is one."""
        kept = [one.proposal for one in self.assertions if not one.proposal.is_offer]
        sets = {one.set_name for one in kept if one.set_name is not None}
        return sum(one.set_name is None for one in kept) + len(sets)

    def keep(self, transcript: Transcript, types: AssertionTypes) -> None:
        """Leave out what does not hold for another session of the same test."""
        drafted, self.assertions = self.assertions, []
        for one in drafted:
            if _holds(one.entry, transcript, types):
                self.assertions.append(one)
            else:
                self._leave_out(one.proposal)

    def take(self, proposal: Proposal, transcript: Transcript, types: AssertionTypes) -> None:
        """Take in a proposal, if it holds."""
        entries = (one for one in proposal.entries if _holds(one, transcript, types))
        entry = next(entries, None)
        if entry is None:
            self._leave_out(proposal)
        else:
            self.assertions.append(Drafted(entry, proposal))

    def _leave_out(self, proposal: Proposal) -> None:
        if not proposal.is_offer:
            self.left_out.append(flow(proposal.entries[0])[1:-1])


def draft_test(transcript: Transcript, types: AssertionTypes, *, id_: str | None) -> DraftedTest:
    """A test that a session passes; without an id it is named by what was asked."""
    prompt = _prompt(transcript)
    test = DraftedTest(id_ or id_of(prompt), prompt, transcript.source.provider)
    for proposal in proposals(transcript):
        test.take(proposal, transcript, types)
    return test


def eval_text(tests: Sequence[DraftedTest]) -> str:
    """The eval file."""
    return (
        _INTRODUCTION + "tests:\n" + "".join(f"{line}\n" for one in tests for line in _lines(one))
    )


def id_of(prompt: str | None) -> str:
    """A name for a test, of the first line of what was asked."""
    first = next((line for line in (prompt or "").splitlines() if line.strip()), "")
    name = slug(first.lower(), _ID_LENGTH + 1)
    if len(name) > _ID_LENGTH:
        # Between words, unless the first one is that long.
        name = name.rpartition("-")[0].rstrip("-.") or name[:_ID_LENGTH]
    return name or _NO_PROMPT


def _holds(entry: dict[str, Any], transcript: Transcript, types: AssertionTypes) -> bool:
    assertion = compile_entry(given_entry(entry), types)
    try:
        return bool(assertion.grade(Context(transcript, CaseFacts(id="draft"), {})))
    except NotGradable:
        return False


def _prompt(transcript: Transcript) -> str | None:
    """What was asked first, without secrets; a long one is cut off."""
    if not transcript.input or not transcript.input.strip():
        return None
    text = transcript.input.strip()
    if len(text) > _LONGEST_PROMPT:
        # At a blank, so that no half of a secret is left.
        text = f"{text[:_LONGEST_PROMPT].rpartition(' ')[0]} …".strip()
    return without_secrets(without_homes(text))


def _lines(test: DraftedTest) -> Iterator[str]:
    yield f"  # By a session of {scalar(test.provider[:_LONGEST_PROVIDER])}."
    yield f"  - id: {scalar(test.id)}"
    if test.prompt is not None:
        lines = text_lines("input", literal(test.prompt))
        yield from (f"    {line}" if line else "" for line in lines)
    yield "    assert:"
    said = ""
    for set_name, group in groupby(test.assertions, key=lambda one: one.proposal.set_name):
        members = [*group]
        for one in members if set_name is None else members[:1]:
            proposal = one.proposal
            if proposal.comment != said:
                yield from (f"      # {line}" for line in proposal.comment.splitlines())
                said = proposal.comment
            mark = "# " if proposal.is_offer else ""
            entry = one.entry if set_name is None else _set(set_name, members)
            yield from (f"      {mark}{line}" for line in entry_lines(entry))


def _set(name: str, members: Sequence[Drafted]) -> dict[str, Any]:
    return {"type": "assert-set", "metric": name, "assert": [one.entry for one in members]}
