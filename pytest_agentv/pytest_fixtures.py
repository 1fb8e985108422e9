"""What the plugin does when transcripts are asked for: checks of the option, and fixtures."""

from __future__ import annotations

from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_agentv.engine.compiling import compile_entry
from pytest_agentv.errors import AgentvError
from pytest_agentv.evalfile.given import given_entry
from pytest_agentv.graders.base import CaseFacts
from pytest_agentv.pytest_clean import clean_warnings
from pytest_agentv.pytest_evals import evals_of
from pytest_agentv.pytest_nodes import CaseNode
from pytest_agentv.pytest_runs import brackets
from pytest_agentv.report.clean import clean
from pytest_agentv.report.failure import NO_SESSION, skip_text
from pytest_agentv.transcript.reading import is_transcript_file

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

    from pytest_agentv.graders.grade import Grade
    from pytest_agentv.transcript.model import Transcript


def check_transcripts(config: pytest.Config) -> None:
    """A value of --transcript that names nothing is wrong usage."""
    try:
        evals_of(config).resolved  # noqa: B018 (it is kept)
    except AgentvError as exc:
        raise pytest.UsageError(clean(str(exc))) from exc
    follow_requests(config)


def check_arguments(arguments: Sequence[str], config: pytest.Config) -> None:
    """A transcript among the tests comes from a glob that the shell expanded."""
    for argument in arguments:
        path = config.invocation_params.dir / argument
        if path.is_file() and (config.getoption("transcript") or is_transcript_file(path)):
            shown = clean(argument)
            raise pytest.UsageError(
                f"{shown} is no test; give transcripts as --transcript={shown}, and put a "
                f"glob in quotes: --transcript='{Path(shown).parent / '*.jsonl'}'"
            )


def parametrize(metafunc: pytest.Metafunc) -> None:
    """One run of a test for each session, unless it says itself which."""
    for mark in metafunc.definition.iter_markers("parametrize"):
        names = mark.args[0] if mark.args else mark.kwargs.get("argnames", ())
        if "transcript" in (names.replace(" ", "").split(",") if isinstance(names, str) else names):
            return
    try:
        sessions = evals_of(metafunc.config).sessions
    except AgentvError as exc:
        raise pytest.Collector.CollectError(str(exc)) from exc
    metafunc.parametrize("transcript", sessions, indirect=True, ids=brackets(sessions))


_REQUESTS = "agentv-transcript-requests"
_requested: ContextVar[pytest.FixtureRequest] = ContextVar("requested")


class TranscriptRequests:
    """Knows for which test a transcript is being set up."""

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest
    ) -> Generator[None, object, object]:
        """Note the request while the fixture is set up."""
        if fixturedef.argname != "transcript":
            return (yield)
        token = _requested.set(request)
        try:
            return (yield)
        finally:
            _requested.reset(token)


def follow_requests(config: pytest.Config) -> None:
    """From now on know for which test a transcript is set up; what is told of it is clean."""
    if not config.pluginmanager.has_plugin(_REQUESTS):
        config.pluginmanager.register(TranscriptRequests(), _REQUESTS)
        clean_warnings(config)


def requested_transcript() -> Transcript:
    """The transcript of a test or an assertion; what is not given is skipped."""
    __tracebackhide__ = True
    request = _requested.get(None)
    if request is None:
        pytest.skip(NO_SESSION)
    session = getattr(request, "param", None)
    node = request.node
    if isinstance(node, CaseNode):
        if node.run.error is not None:
            raise node.run.error
        session = node.run.session
    elif session is None and request.config.getoption("transcript"):
        raise AgentvError("a test must take the fixture `transcript` itself to get one")
    if session is None:
        pytest.skip(NO_SESSION)
    return evals_of(request.config).transcripts.get(session)


def all_transcripts(config: pytest.Config) -> Sequence[Transcript]:
    """Every session of --transcript."""
    evals = evals_of(config)
    if not evals.values:
        pytest.skip(NO_SESSION)
    return [evals.transcripts.get(session) for session in evals.sessions]


class GradeFunction:
    """Grades a transcript by an assertion that is written as in an eval file."""

    def __init__(self, request: pytest.FixtureRequest) -> None:
        self._request = request

    def __call__(
        self,
        assertion: str | Mapping[str, Any],
        transcript: Transcript | None = None,
        **facts: Any,
    ) -> Grade:
        """The grade; an assertion that is not evaluable skips the test.

        Without a transcript it is that of the test. ``facts`` are what a case would say:
        ``expected_output``, ``cost_usd`` and so on.
        """
        __tracebackhide__ = True
        request = self._request
        evals = evals_of(request.config)
        compiled = compile_entry(given_entry(assertion), evals.types)
        if transcript is None:
            transcript = request.getfixturevalue("transcript")
        fixtures = {name: request.getfixturevalue(name) for name in compiled.fixtures}
        known = {
            "id": request.node.name,
            "prices": evals.prices,
            "folder": request.path.parent,
            "scripts": evals.scripts,
            "judge": evals.judge,
        }
        case = CaseFacts(**{**known, **facts})
        grade = compiled.grade(evals.context(case, transcript, fixtures))
        if grade.outcome == "skipped":
            pytest.skip(skip_text(grade))
        return grade
