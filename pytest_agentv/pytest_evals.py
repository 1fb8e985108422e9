"""What a pytest run knows of evals: sessions, assertion types, and which case grades which session.

It is made when the first eval file is collected or the first transcript is asked for, and lives
in ``config.stash``.
"""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_agentv.config.project import read_prices
from pytest_agentv.engine.assertions import Context
from pytest_agentv.engine.compiling import Compiler
from pytest_agentv.engine.facts import case_facts
from pytest_agentv.engine.pairing import Pairing, Value
from pytest_agentv.errors import (
    AgentvError,
    EvalFileError,
    Location,
    PairingError,
    Problem,
    SessionError,
)
from pytest_agentv.evalfile.loader import load_eval_file
from pytest_agentv.files import name_below
from pytest_agentv.held_transcripts import HeldTranscripts
from pytest_agentv.pytest_conftests import RunPlugins
from pytest_agentv.pytest_ids import is_selective
from pytest_agentv.pytest_judge import RunJudge
from pytest_agentv.pytest_outcomes import OUTCOMES
from pytest_agentv.pytest_redaction import outgoing_of
from pytest_agentv.pytest_runs import CaseRun, case_runs
from pytest_agentv.sources import (
    Place,
    is_client,
    places_named,
    renamed,
    sessions_in,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pytest_agentv.assertion_types import AssertionTypes
    from pytest_agentv.engine.assertions import OnMissing
    from pytest_agentv.engine.compiling import CompiledCase
    from pytest_agentv.evalfile.model import Case, EvalFile
    from pytest_agentv.graders.base import CaseFacts
    from pytest_agentv.registry import Registry
    from pytest_agentv.sources import RecordedSession
    from pytest_agentv.transcript.model import Transcript

_key = pytest.StashKey["Evals"]()


def evals_of(config: pytest.Config) -> Evals:
    """The one object of a run."""
    if _key not in config.stash:
        config.stash[_key] = Evals(config)
    return config.stash[_key]


class Evals:
    """The sessions and assertion types of a run, and the pairing of sessions with cases."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._plugins = RunPlugins(config)
        # Eval files that were wanted, and those that were read: --lf leaves some alone.
        self._wanted = 0
        self._read = 0
        # Whether an eval file could not be read; then nobody knows what it would have graded.
        self.is_broken = False
        self._on_missing: OnMissing = config.getoption("agentv_missing")
        # Whether fixtures are only shown, and nothing is set up.
        self.is_plan = bool(config.getoption("setupplan", default=False))
        self.junit_properties = bool(config.getini("agentv_junit_properties"))
        # Whether eval files may run programs.
        self.scripts = not (
            config.getoption("agentv_no_scripts") or config.getini("agentv_no_scripts")
        )
        self.judge = RunJudge(config)
        self._sessions: dict[Place, tuple[RecordedSession, ...]] = {}
        # What redacts whatever leaves the process; None if nobody asked for it.
        self.outgoing = outgoing_of(config)
        self.transcripts = HeldTranscripts(
            strict=config.getoption("agentv_strict"),
            shared=hasattr(config, "workerinput"),
            learn=None if self.outgoing is None else self.outgoing.learn,
        )

    def registry(self) -> Registry:
        """The adapters there are, those of conftest.py files at the root included."""
        return self._plugins.registry

    @cached_property
    def pairing(self) -> Pairing[RecordedSession] | None:
        """The sessions of --transcript and who grades them; None without the option."""
        return Pairing(self.values) if self.values else None

    @cached_property
    def values(self) -> list[Value[RecordedSession]]:
        """What each value of --transcript names."""
        return [
            self._value(f"--transcript={what}", self.resolved[what])
            for what in self._config.getoption("transcript")
        ]

    @cached_property
    def resolved(self) -> dict[str, list[Place]]:
        """The files that each value of --transcript names."""
        # A worker goes by what the controller found: the newest session may be another by now.
        found: dict[str, list[tuple[bytes, int | str | None, str | None]]] | None
        found = getattr(self._config, "workerinput", {}).get("agentv_transcripts")
        if found is not None:
            return {
                what: [Place(Path(os.fsdecode(path)), *whose) for path, *whose in places]
                for what, places in found.items()
            }
        folder = self._config.invocation_params.dir
        return {
            what: self._places(f"--transcript={what}", what, folder)
            for what in self._config.getoption("transcript")
        }

    def expect_file(self) -> None:
        """An eval file is wanted; pytest may read it or not."""
        self._wanted += 1

    def leftovers(self) -> list[str]:
        """Sessions of --transcript that no eval file grades, if all of them were looked at."""
        partly = is_selective(self._config) or self._wanted > self._read
        if not self._read or self.is_broken or partly or self.pairing is None:
            return []
        return self.pairing.problems()

    @property
    def sessions(self) -> list[RecordedSession]:
        """Every session of --transcript."""
        return [session for value in self.values for session in value.sessions]

    @property
    def types(self) -> AssertionTypes:
        """The assertion types, those of every conftest.py file loaded so far included."""
        return self._plugins.types

    def runs(self, path: Path) -> list[CaseRun]:
        """The cases of an eval file, each with every session that it grades."""
        config = self._config
        env = {name: os.environ[name] for name in config.getini("agentv_env") if name in os.environ}
        self._read += 1
        shown = None if self.outgoing is None else self.outgoing.name
        compiler = Compiler(self.types, shown=shown)
        file = load_eval_file(path, root=config.rootpath, env=env, check=compiler.problems)
        cases = compiler.cases(file)
        sessions = self._paired(file)
        return [
            run
            for compiled, paired in zip(cases, sessions, strict=True)
            for run in self._case_runs(compiled, paired, file=file)
        ]

    def context(
        self, case: CaseFacts, transcript: Transcript, fixtures: Mapping[str, Any]
    ) -> Context:
        """What a grading goes by."""
        return Context(
            transcript=transcript,
            case=case,
            fixtures=fixtures,
            outcomes=OUTCOMES,
            on_missing=self._on_missing,
        )

    @cached_property
    def prices(self) -> dict[str, dict[str, float]]:
        """What tokens cost, by the project's own word."""
        return read_prices(self._config.rootpath)

    def _paired(self, file: EvalFile) -> Sequence[Sequence[RecordedSession] | None]:
        """The sessions of each case; None for a case to which nobody gave any."""
        if self.pairing is not None:
            return self.pairing.pair(self._shown(file.path), [case.id for case in file.cases])
        of_file: Sequence[Sequence[RecordedSession] | None] = [None] * len(file.cases)
        if file.transcript:
            values = [self._named(what, file.path) for what in file.transcript]
            pairing = Pairing(values)
            of_file = pairing.pair(self._shown(file.path), [case.id for case in file.cases])
            if unused := pairing.unused():
                raise PairingError("\n".join(unused), at=Location(file.path))
        return [
            self._of_case(case, file.path) if case.transcript else sessions
            for case, sessions in zip(file.cases, of_file, strict=True)
        ]

    def _of_case(self, case: Case, path: Path) -> list[RecordedSession]:
        pairing = Pairing([self._named(what, path) for what in case.transcript])
        (sessions,) = pairing.pair(self._shown(path), [case.id])
        return sessions

    def _named(self, what: str, path: Path) -> Value[RecordedSession]:
        """What a key of an eval file names; such a name stays below the root directory."""
        name = f"`transcript: {what}`"
        root = self._config.rootpath.resolve()
        if is_client(what, self.registry, folder=path.parent):
            message = f"{name} is another session on each machine; use --transcript={what} for that"
            raise PairingError(message, at=Location(path))
        places = self._places(name, what, path.parent)
        if not all(one.path.resolve().is_relative_to(root) for one in places):
            message = f"{name} lies outside of {root}; use --transcript for that"
            raise PairingError(message, at=Location(path))
        return self._value(name, places)

    def _places(self, name: str, what: str, folder: Path) -> list[Place]:
        try:
            root = self._config.rootpath
            places = places_named(what, self.registry, folder=folder, root=root)
            for place in places:
                if place.is_line:  # whether there is such a line
                    self._sessions_in(place)
        except SessionError as exc:
            raise PairingError(f"{name}: {exc}") from exc
        return places

    def _value(self, name: str, places: Iterable[Place]) -> Value[RecordedSession]:
        sessions = tuple(session for place in places for session in self._sessions_in(place))
        if not sessions:
            raise PairingError(f"{name} names no session: its files are empty")
        return Value(name, sessions)

    def _sessions_in(self, place: Place) -> tuple[RecordedSession, ...]:
        """The sessions of a file; the same ones each time, so that each is read once."""
        key = place._replace(path=place.path.absolute())
        if key not in self._sessions:
            found = sessions_in(place, self.registry)
            self._sessions[key] = tuple(map(self._named_session, found))
        return self._sessions[key]

    def _named_session(self, session: RecordedSession) -> RecordedSession:
        """A session under the names that may be shown."""
        return session if self.outgoing is None else renamed(session, self.outgoing.name)

    def _case_runs(
        self, compiled: CompiledCase, sessions: Sequence[RecordedSession] | None, *, file: EvalFile
    ) -> list[CaseRun]:
        case = compiled.case
        of_file = (file.suite, file.category)
        facts = case_facts(
            case,
            folder=file.path.parent,
            prices=self.prices,
            scripts=self.scripts,
            judge=self.judge,
            judge_model=file.judge_model,
        )
        if not sessions:
            error = None
            if sessions is not None:
                error = PairingError(
                    f"no session was given that has the test id {case.id!r}; "
                    f"import one with --test-id {case.id}"
                )
            run = CaseRun(case.id, compiled, facts, *of_file, error=error)
            run.gated = () if case.gate is None else (run,)
            return [run]
        return case_runs(compiled, facts, of_file, sessions)

    def shown(self, at: Location) -> Location:
        """A place as messages name it: by a path below the root directory, if it is there."""
        return at._replace(path=self._shown(Path(at.path)))

    def shown_error(self, error: AgentvError) -> str:
        """An error with such places."""
        if isinstance(error, EvalFileError):
            problems = (Problem(self.shown(one.at), one.message) for one in error.problems)
            return "\n".join(map(str, problems))
        return error.message if error.at is None else f"{self.shown(error.at)}: {error.message}"

    def _shown(self, path: Path) -> str:
        return name_below(path, self._config.rootpath)
