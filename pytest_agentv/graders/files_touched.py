"""Graders of files: which of them a session changed, and which it read."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

from pydantic import model_validator

from pytest_agentv.graders.base import Grader
from pytest_agentv.graders.call_fields import Patterns, lines, times, without_agents
from pytest_agentv.graders.calls import Matcher
from pytest_agentv.graders.fields import Count, wrong
from pytest_agentv.graders.files_seen import (
    CHANGING,
    READING,
    FileSeen,
    changed_files,
    read_files,
    silent_steps,
)
from pytest_agentv.graders.grade import Grade, Outcome
from pytest_agentv.graders.phrases import counted, joined, listed, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_agentv.graders.base import CaseFacts
    from pytest_agentv.graders.calls import Step
    from pytest_agentv.transcript.model import Transcript

_WORST_FIRST: tuple[Outcome, ...] = ("failed", "skipped", "passed")
_SHOWN_EVIDENCE = 5


class _Check(NamedTuple):
    """One thing that must hold, and what came of it."""

    outcome: Outcome
    reason: str
    evidence: Sequence[FileSeen] = ()


class _Seen:
    """The files of a session, each once: by the first call that did it for sure, else perhaps."""

    def __init__(self, files: Iterable[FileSeen], silent: Sequence[Step], matcher: Matcher) -> None:
        self._matcher = matcher
        # Calls that were about some file, and the session does not say which.
        self.silent = silent
        by_name: dict[str, FileSeen] = {}
        for file in files:
            *_, name = matcher.forms_of(file.path)
            if name not in by_name or (file.is_sure and not by_name[name].is_sure):
                by_name[name] = file
        self.files = list(by_name.values())
        # The places in the list of each way to write a path.
        self._places: dict[str, list[int]] = {}
        for place, file in enumerate(self.files):
            for form in matcher.forms_of(file.path):
                self._places.setdefault(form, []).append(place)

    def like(self, *patterns: str, opposite: bool = False) -> list[FileSeen]:
        """The files that fit one of some patterns, or none of them."""
        found: set[int] = set()
        for pattern in patterns:
            for form in self._matcher.texts_like(self._places, pattern):
                found.update(self._places[form])
        return [file for place, file in enumerate(self.files) if (place in found) is not opposite]


class _Files(Grader, defer_build=True):
    """A grader of some files of a session."""

    verb: ClassVar[str]
    # The calls that do it.
    kinds: ClassVar[frozenset[str]]
    value: Patterns | None = None
    allowed: Patterns | None = None
    forbidden: Patterns | None = None
    min: Count | None = None
    max: Count | None = None

    @model_validator(mode="after")
    def _says_something(self) -> _Files:
        if all(getattr(self, name) is None for name in type(self).model_fields):
            raise wrong("needs `value`, `allowed`, `forbidden`, `min` or `max`")
        if (self.min, self.max) != (None, None):
            times(self.min, self.max)
        return self

    def files(self, transcript: Transcript) -> Iterable[FileSeen]:
        """The files, in the order in which they were seen."""
        raise NotImplementedError

    def grade(self, transcript: Transcript, case: CaseFacts) -> Grade:  # noqa: ARG002 (interface)
        """Compare the files with all that is said of them."""
        silent = silent_steps(transcript, self.kinds)
        seen = _Seen(self.files(transcript), silent, Matcher(transcript))
        wanted = self._wanted(seen)
        checks = [*wanted, *self._others(seen)]
        of = {name: [one for one in checks if one.outcome == name] for name in _WORST_FIRST}
        outcome = next(name for name in _WORST_FIRST if of[name])
        told = [f"{file.name}{'' if file.is_sure else ' (perhaps)'}" for file in seen.files]
        return Grade(
            outcome,
            joined(one.reason for one in of[outcome]) + self._remark(transcript, outcome),
            # Of what is not known in full there is no share.
            None if of["skipped"] else len(of["passed"]) / len(checks),
            self._claim(),
            tuple(file.step.evidence for one in of[outcome] for file in one.evidence)[
                :_SHOWN_EVIDENCE
            ],
            lines(f"files that the session {self.verb}", told) if told else "",
            # Some but not all of several files: neither the claim nor its opposite.
            vacuous=outcome == "failed" and len({one.outcome for one in wanted}) > 1,
            mixed={"passed", "failed"} <= {one.outcome for one in wanted},
        )

    def _remark(self, transcript: Transcript, outcome: Outcome) -> str:
        """What nobody knows of files that seem not to be there."""
        absent = self.value if outcome == "failed" else self.allowed or self.forbidden
        return without_agents(transcript) if absent else ""

    def _claim(self) -> str:
        said = []
        if self.value is not None:
            said.append(listed(self.value))
        if self.allowed is not None:
            said.append(f"nothing but {listed(self.allowed)}")
        if self.forbidden is not None:
            said.append(f"nothing like {listed(self.forbidden)}")
        least = [] if self.min is None else [f"at least {self.min:,}"]
        most = [] if self.max is None else [f"at most {self.max:,}"]
        if least or most:
            said.append(f"{' and '.join(least + most)} files")
        return f"the session {self.verb} {', and '.join(said)}"

    def _wanted(self, seen: _Seen) -> list[_Check]:
        """Each of the files that must be there."""
        checks = []
        for pattern in self.value or ():
            fitting = seen.like(pattern)
            sure = [one for one in fitting if one.is_sure]
            if sure:
                checks.append(_Check("passed", f"{self.verb} {_name(sure[0])}", sure))
            elif fitting:
                reason = f"nobody knows whether it {self.verb} {_name(fitting[0])}"
                checks.append(_Check("skipped", reason, fitting))
            elif seen.silent:
                checks.append(self._unknown(seen))
            else:
                checks.append(_Check("failed", f"{self.verb} nothing like {shown(pattern)}"))
        return checks

    def _others(self, seen: _Seen) -> list[_Check]:
        """What must not be there, and how many there may be."""
        checks = []
        files = seen.files
        if self.allowed is not None:
            odd = seen.like(*self.allowed, opposite=True)
            checks.append(self._without(odd, seen, "only what is allowed"))
        if self.forbidden is not None:
            odd = seen.like(*self.forbidden)
            checks.append(self._without(odd, seen, "nothing that is forbidden"))
        if (self.min, self.max) != (None, None):
            sure = sum(one.is_sure for one in files)
            unsure = len(files) - sure + len(seen.silent)
            outcome = times(self.min, self.max).outcome(sure, unsure)
            perhaps = f", and perhaps {unsure:,} more" if unsure else ""
            checks.append(_Check(outcome, f"{self.verb} {counted(sure, 'file')}{perhaps}"))
        return checks

    def _without(self, odd: Sequence[FileSeen], seen: _Seen, otherwise: str) -> _Check:
        sure = [one for one in odd if one.is_sure]
        names = listed(tuple(one.name for one in sure or odd))
        if sure:
            return _Check("failed", f"{self.verb} {names}", sure)
        if odd:
            return _Check("skipped", f"nobody knows whether it {self.verb} {names}", odd)
        if seen.silent:
            return self._unknown(seen)
        return _Check("passed", f"{self.verb} {otherwise}")

    def _unknown(self, seen: _Seen) -> _Check:
        calls = counted(len(seen.silent), "call")
        return _Check("skipped", f"of {calls} nobody knows what file it {self.verb}")


def _name(file: FileSeen) -> str:
    return shown(file.name)


class FilesChanged(_Files):
    """The session wrote or edited files."""

    types: ClassVar[tuple[str, ...]] = ("files-changed",)
    verb: ClassVar[str] = "changed"
    kinds: ClassVar[frozenset[str]] = CHANGING

    def files(self, transcript: Transcript) -> Iterable[FileSeen]:
        """What tools and patches changed."""
        return changed_files(transcript)


class FilesRead(_Files):
    """The session read files."""

    types: ClassVar[tuple[str, ...]] = ("files-read",)
    verb: ClassVar[str] = "read"
    kinds: ClassVar[frozenset[str]] = READING

    def files(self, transcript: Transcript) -> Iterable[FileSeen]:
        """What tools and plain commands read."""
        return read_files(transcript)
