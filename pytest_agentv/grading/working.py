"""What a process does with a portion: every session is read, graded and let go."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Raw, Struct

from pytest_agentv.errors import AgentvError, Location, SessionUnreadable
from pytest_agentv.grading.portions import sessions_of
from pytest_agentv.grading.rows import grade, refused
from pytest_agentv.grading.suites import Suite  # noqa: TC001 (a struct looks at its types)
from pytest_agentv.held_transcripts import HeldTranscripts
from pytest_agentv.judge.settings import JudgeSettings  # noqa: TC001
from pytest_agentv.plugins import registry
from pytest_agentv.report.outgoing import Outgoing
from pytest_agentv.transcript.model import Source

if TYPE_CHECKING:
    from pytest_agentv.graders.judging import Judge
    from pytest_agentv.grading.portions import Portion
    from pytest_agentv.registry import Registry
    from pytest_agentv.results.model import Row
    from pytest_agentv.sources import RecordedSession

_encoder = msgspec.json.Encoder()


class Task(Struct, frozen=True, kw_only=True):
    """All that a process has to know besides the sessions; it can be pickled."""

    suites: tuple[Suite, ...]
    judging: JudgeSettings
    # What the processes that judge share.
    shared: Path | None = None
    # A profile, if rows are redacted.
    redact: str | None = None
    subagents: bool = False
    strict: bool = False


class Done(Struct, frozen=True, kw_only=True):
    """What became of a portion."""

    portion: str
    sessions: int
    # Ids of tests that no suite has.
    unknown: tuple[str, ...] = ()
    # Why files could not be read at all.
    failures: tuple[str, ...] = ()
    rows: tuple[Raw, ...] = ()


class Worker:
    """Grades portions, one after the other, in one process."""

    def __init__(self, task: Task) -> None:
        self._task = task

    def done(self, portion: Portion) -> Done:
        """Grade a portion; raises nothing that is the fault of a session."""
        try:
            sessions = sessions_of(portion, self._known, subagents=self._task.subagents)
        except AgentvError as exc:
            return Done(portion=portion.key, sessions=0, failures=(self._said(exc),))
        except OSError as exc:
            error = SessionUnreadable(
                f"cannot be read: {exc.strerror}", at=Location(portion.place.path)
            )
            return Done(portion=portion.key, sessions=0, failures=(self._said(error),))
        rows: list[Row] = []
        unknown = []
        for session in sessions:
            found, test_id = self._rows(session)
            rows += found
            if not found and test_id is not None:
                unknown.append(test_id)
        return Done(
            portion=portion.key,
            sessions=len(sessions),
            unknown=tuple(dict.fromkeys(unknown)),
            rows=tuple(Raw(_encoder.encode(row)) for row in rows),
        )

    def _rows(self, session: RecordedSession) -> tuple[list[Row], str | None]:
        """The rows of a session, and the test it says it was recorded for."""
        suites = self._task.suites
        try:
            transcript = HeldTranscripts(strict=self._task.strict).get(session)
        except AgentvError as exc:
            error = SessionUnreadable(self._said(exc))
            source = Source(
                provider=self._name(session.provider),
                session_id=None if session.session_id is None else self._name(session.session_id),
            )
            rows = [row for one in suites for row in refused(one, source, session.test_id, error)]
            return rows, session.test_id
        graded = [
            row
            for one in suites
            for row in grade(one, transcript, judge=self._judge, outgoing=self._outgoing)
        ]
        return graded, transcript.test_id

    def _said(self, error: AgentvError) -> str:
        return str(error) if self._outgoing is None else self._outgoing.text(str(error))

    def _name(self, text: str) -> str:
        return text if self._outgoing is None else self._outgoing.name(text)

    def _known(self) -> Registry:
        return self._registry

    @cached_property
    def _registry(self) -> Registry:
        return registry()

    @cached_property
    def _outgoing(self) -> Outgoing | None:
        if self._task.redact is None:
            return None
        from pytest_agentv.redact import Redactor, read_redact_settings  # noqa: PLC0415 (many rules)

        return Outgoing(Redactor(self._task.redact, settings=read_redact_settings(Path.cwd())))

    @cached_property
    def _judge(self) -> Judge | None:
        if not any(case.asks_judge for suite in self._task.suites for case in suite.cases):
            return None
        from pytest_agentv.judge.judge import ModelJudge  # noqa: PLC0415 (asyncio is slow to load)

        settings = self._task.judging
        if self._outgoing is not None:
            settings = replace(settings, redact=self._outgoing.name)
        return ModelJudge(settings, shared=self._task.shared)


_worker: Worker | None = None


def begin(task: Task) -> None:
    """Make this process one that grades."""
    global _worker  # noqa: PLW0603 (a process of a pool has no other place)
    _worker = Worker(task)


def done(portion: Portion) -> Done:
    """Grade a portion in such a process."""
    assert _worker is not None, f"process {os.getpid()} was not begun"
    return _worker.done(portion)
