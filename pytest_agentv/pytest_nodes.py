"""Eval files as pytest nodes: a file holds cases, a case holds assertions, each one an item.

An item is a ``pytest.Function``, so that fixtures and marks work as for any test. It is graded
while it is set up and judged when it is called: what could not be graded is an error then, what
does not hold a failure.
"""

from __future__ import annotations

import inspect
from functools import cache, cached_property, lru_cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from pytest_agentv.engine.assertions import fixtures_of
from pytest_agentv.errors import AgentvError, Location
from pytest_agentv.pytest_evals import evals_of
from pytest_agentv.pytest_ids import names_selected, restore_id
from pytest_agentv.pytest_members import MembersFixtures
from pytest_agentv.report.clean import one_line, wrappable
from pytest_agentv.report.failure import capped, failure_text, skip_text, soft_text
from pytest_agentv.report.junit import judge_properties, numbers
from pytest_agentv.results.outcomes import GATE, SCORE

if TYPE_CHECKING:
    import os
    from collections.abc import Collection, Iterator, Sequence

    from pytest_agentv.graders.grade import Grade
    from pytest_agentv.pytest_ids import Selected
    from pytest_agentv.pytest_runs import CaseRun


class DoesNotHold(Exception):
    """An assertion was graded and does not hold."""

    def __init__(self, text: str, *, cause: BaseException | None) -> None:
        super().__init__(text)
        self.cause = cause


class EvalModule(pytest.Module):
    """An eval file."""

    # What the gate of a case is. It grades whole cases, so it knows them, and they not it.
    gate_item: type[AssertionItem]

    @cached_property
    def fixture_infos(self) -> dict[tuple[str, ...], Any]:
        """What pytest found out about fixtures, by their names."""
        return {}

    @cached_property
    def obj(self) -> ModuleType:
        """Stands for the Python module that there is none of."""
        return ModuleType(self.path.name)

    def collect(self) -> Iterator[CaseNode]:
        """The cases, each with every session that it grades."""
        try:
            runs = evals_of(self.config).runs(self.path)
        except AgentvError as exc:
            evals_of(self.config).is_broken = True
            raise self.CollectError(capped(evals_of(self.config).shown_error(exc))) from exc
        selected = names_selected(self.config, self.path)
        if selected is not None:
            self._check_selected(selected, runs)
        for run in runs:
            names = run.names if selected is None else _selected_names(selected, run)
            if names:
                yield CaseNode.from_parent(self, name=run.name, run=run, names=names)

    def _check_selected(self, selected: Selected, runs: Sequence[CaseRun]) -> None:
        """What was asked for by its id has to be there."""
        for case, names in selected.items():
            known = [one for run in runs if case in (run.name, run.case.id) for one in run.names]
            unknown = sorted(names.difference(known))
            if unknown or not known:
                wanted = "::".join([self.nodeid, case, *unknown[:1]])
                there = ", ".join(dict.fromkeys(known or (run.name for run in runs)))
                message = f"not found: {wanted}; there are: {there}"
                raise self.CollectError(capped(message))


class CaseNode(pytest.Class):
    """A case on one session; a class, because test explorers show classes as groups."""

    def __init__(self, *, name: str, parent: EvalModule, run: CaseRun, names: list[str]) -> None:
        """``names`` are the assertions to collect."""
        super().__init__(name=name, parent=parent)
        self.run = run
        self._names = tuple(names)
        self._module = parent
        self._fixture_infos = parent.fixture_infos
        for tag in run.case.tags:
            # A tag is declared by its use, also where marks have to be.
            self.config.addinivalue_line("markers", f"{tag}: a tag of an eval file")
            self.add_marker(tag)
        if run.case.skip is not None:
            self.add_marker(pytest.mark.skip(reason=wrappable(one_line(run.case.skip))))
        if run.case.xfail is not None:
            reason = wrappable(one_line(run.case.xfail.reason))
            self.add_marker(_xfail(reason, strict=run.case.xfail.strict))

    @cached_property
    def obj(self) -> type:
        """Stands for the Python class that there is none of."""
        return type(self.name, (), {"__slots__": ()})

    def collect(self) -> Iterator[AssertionItem]:
        """The assertions, the score of a case with a threshold, and its gate."""
        yield from self.assertions(self._names)
        if self.run.gated and GATE in self._names:
            yield self._item(GATE, None, (), kind=self._module.gate_item)

    def assertions(self, names: Collection[str]) -> Iterator[AssertionItem]:
        """The items of these names, but for the gate."""
        assertions = self.run.compiled.assertions
        for number, name in enumerate(self.run.own_names):
            if name in names:
                is_score = number == len(assertions)
                members = assertions if is_score else assertions[number : number + 1]
                fixtures = fixtures_of(members)
                # Those of members are asked for when these are graded: one that skips is no more
                # than the end of its member.
                if fixtures and (is_score or members[0].has_members):
                    fixtures = ("request",)
                yield self._item(name, None if is_score else number, fixtures, kind=AssertionItem)

    def _item(
        self,
        name: str,
        number: int | None,
        fixtures: tuple[str, ...],
        *,
        kind: type[AssertionItem],
    ) -> AssertionItem:
        method = _taking(("transcript", *fixtures))
        # pytest looks a method up in its class to see that it takes no instance.
        setattr(self.obj, name, method)
        known = self._fixture_infos
        item: AssertionItem = kind.from_parent(
            self,
            name=name,
            callobj=method.__func__,
            run=self.run,
            number=number,
            fixtureinfo=known.get(fixtures),
        )
        # All items of a file that take the same fixtures get the same ones, as the items of a
        # parametrized test do; where pytest does not say which, it looks them up for each.
        known.setdefault(fixtures, getattr(item, "_fixtureinfo", None))
        return item

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        """The place of the case in its file."""
        return self.path, (self.run.case.at.line or 1) - 1, self.name


class AssertionItem(pytest.Function):
    """One assertion on one session; without a number, the score of all of them."""

    # With them its dictionary would have more keys than Python shares among items of a class: it
    # would take a kilobyte more.
    __slots__ = ("_facts", "grade", "number", "run")

    def __init__(
        self, *, name: str, parent: CaseNode, run: CaseRun, number: int | None, **given: Any
    ) -> None:
        super().__init__(name=name, parent=parent, **given)
        restore_id(self)
        self.run = run
        self.number = number
        self.grade: Grade | None = None
        self._facts: dict[str, Any] | None = None
        self.extra_keyword_matches.add(self.type)

    @property
    def type(self) -> str:
        """The assertion type."""
        if self.number is None:
            return SCORE
        return self.run.compiled.assertions[self.number].type

    @property
    def at(self) -> Location:
        """The place of the entry in its eval file."""
        if self.number is None:
            return self.run.case.at
        return self.run.compiled.assertions[self.number].at

    @property
    def is_soft(self) -> bool:
        """Whether it may not hold: the score of the case is what counts then."""
        return self.number is not None and self.run.is_soft(self.number)

    @property
    def is_gated(self) -> bool:
        """Whether it may not hold on this session: a gate counts those on which all is well."""
        if self.run.case.gate is None:
            return False
        return self.number is None or not self.run.compiled.assertions[self.number].required

    def setup(self) -> None:
        """Set the fixtures up, and grade."""
        __tracebackhide__ = True
        model = None
        evals = evals_of(self.config)
        try:
            super().setup()
            fixtures = self._given()
            if evals.is_plan:  # fixtures are shown there, and have no values
                for name in self._fixtures:
                    fixtures[name]
                return
            transcript: Any = self.funcargs["transcript"]
            model = transcript.source.model
            context = evals.context(self.run.facts, transcript, fixtures)
            compiled = self.run.compiled
            if compiled.asks_judge:
                evals.judge.begin_case(self, compiled.assertions, self.run.facts, transcript)
            self.take_grade(
                self.run.score(context)
                if self.number is None
                else self.run.grade(self.number, context)
            )
        finally:
            self._add_properties(model)

    def _given(self) -> dict[str, Any]:
        """The fixtures that grading takes."""
        every = self.run.compiled.assertions
        has_members = self.number is None or every[self.number].has_members
        if has_members and self._fixtures:
            request: Any = self.funcargs["request"]
            return MembersFixtures(request)
        return self.funcargs

    def take_grade(self, grade: Grade) -> None:
        """Keep a grade as it may be shown."""
        outgoing = evals_of(self.config).outgoing
        self.grade = grade if outgoing is None else outgoing.grade(grade)

    def runtest(self) -> None:
        """Say what came of it."""
        __tracebackhide__ = True
        grade = self.grade
        if grade is None:
            raise AgentvError("was not graded", at=self.at)
        if grade.outcome == "skipped":
            pytest.skip(skip_text(grade))
        if grade.outcome == "failed":
            if self.is_soft:
                pytest.xfail(soft_text(grade))
            if self.is_gated:
                pytest.xfail(soft_text(grade, why=GATE))
            raise DoesNotHold(self._failure_text(grade), cause=grade.cause)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *args: Any) -> Any:
        """What an assertion says that does not hold; with the traceback of one in Python."""
        error = excinfo.value
        if not isinstance(error, DoesNotHold):
            return super().repr_failure(excinfo, *args)
        if error.cause is None:
            return str(error)
        cause = super().repr_failure(pytest.ExceptionInfo.from_exception(error.cause), *args)
        return f"{error}\n\n{cause}"

    def error_text(self, error: BaseException) -> str | None:
        """Why an assertion could not be graded, if we know it."""
        evals = evals_of(self.config)
        if isinstance(error, AgentvError):
            problem = evals.shown_error(error)
        elif isinstance(error, pytest.FixtureLookupError) and error.argname in self._fixtures:
            # pytest would show a method of ours as what takes it.
            problem = (
                f"fixture {error.argname!r} not found; its function takes it, and the entry has no "
                "such key; pytest --fixtures lists the fixtures there are"
            )
        else:
            return None
        return f"{evals.shown(self.at)}: {self.name} cannot be graded: {problem}"

    @property
    def _fixtures(self) -> tuple[str, ...]:
        """What the functions behind it take besides keys."""
        every = self.run.compiled.assertions
        return fixtures_of(every if self.number is None else [every[self.number]])

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        """The place of the entry in its eval file."""
        return self.path, (self.at.line or 1) - 1, f"{self.run.name}::{self.name}"

    @property
    def facts(self) -> dict[str, Any]:
        """What reports say of the item, for the summary of a run."""
        if self._facts is None:
            self._facts = self._make_facts()
        return self._facts

    def _make_facts(self) -> dict[str, Any]:
        session = self.run.session
        path, line, _ = self.location
        return {
            "file": _shown(path),
            "line": (line or 0) + 1,
            "case": self.run.case.id,
            "assertion": self.name,
            "provider": None if session is None else _shown(session.provider),
            "session": None if session is None else self.run.name,
            "planned": self.run.planned,
            "if_xfailed": "soft" if self.is_soft else "fail",
        }

    def _failure_text(self, grade: Grade) -> str:
        evals = evals_of(self.config)
        session = self.run.session
        return failure_text(
            grade,
            at=evals.shown(self.at),
            assertion=self.name,
            provider=self.run.provider,
            session_id=None if session is None else session.session_id,
            session_path=None if session is None else str(evals.shown(session.at)),
        )

    def _add_properties(self, model: str | None) -> None:
        """What JUnit says of the item; of one that could not be graded, what is known before."""
        if not evals_of(self.config).junit_properties:
            return
        weight = None
        if self.number is not None:
            weight = self.run.compiled.assertions[self.number].weight
        score = None if self.grade is None else self.grade.points
        self.user_properties += numbers(score=score, weight=weight)
        self.user_properties += self.run.properties(model)
        self.user_properties.append(("agentv.assertion", self.name))
        judge = None if self.grade is None else self.grade.judge
        if judge is not None and not judge.missed:
            self.user_properties += judge_properties(judge)


def _selected_names(selected: Selected, run: CaseRun) -> list[str]:
    """The assertions of a case that were asked for."""
    chosen: set[str] = set()
    for case in (run.name, run.case.id):
        if case in selected:
            chosen.update(selected[case] or run.names)
    return [name for name in run.names if name in chosen]


# Of files and providers there are few, and reports of thousands of items name them.
_shown = lru_cache(one_line)


@cache
def _taking(fixtures: tuple[str, ...]) -> staticmethod[[], None]:
    """A method that takes these fixtures; only its signature matters."""

    def assertion() -> None: ...

    parameters = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in dict.fromkeys(fixtures)
    ]
    assertion.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return staticmethod(assertion)


def _xfail(reason: str, *, strict: bool | None) -> pytest.MarkDecorator:
    # Only what does not hold is expected; an error never is.
    if strict is None:
        return pytest.mark.xfail(reason=reason, raises=DoesNotHold)
    return pytest.mark.xfail(reason=reason, raises=DoesNotHold, strict=strict)
