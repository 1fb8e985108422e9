"""Eval files made ready to grade with, as values that any process can be sent."""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, field

from pytest_agentv.config.project import read_prices
from pytest_agentv.engine.compiling import CompiledCase, Compiler
from pytest_agentv.engine.facts import case_facts
from pytest_agentv.evalfile.loader import load_eval_file
from pytest_agentv.plugins import assertion_types, plugin_manager

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_agentv.evalfile.model import Case, EvalFile
    from pytest_agentv.graders.base import CaseFacts
    from pytest_agentv.graders.judging import Judge


class Suite(Struct, frozen=True, kw_only=True):
    """The tests of one eval file; it can be pickled."""

    # As rows name it: relative to where it was loaded, if it lies below.
    eval_file: str
    name: str
    category: str | None
    cases: tuple[CompiledCase, ...]
    # Scripts run here.
    folder: Path
    # Who judges its rubrics, if somebody does.
    judge_model: str | None = None
    prices: dict[str, dict[str, float]] = field(default_factory=dict)
    # Whether scripts may be run.
    scripts: bool = True
    # Whether its tests grade every session, also those that were recorded for another test.
    every: bool = False
    # Of all that the file says, and the files that it names.
    fingerprint: str = ""

    def cases_for(self, test_id: str | None) -> tuple[CompiledCase, ...]:
        """The tests that grade a session: those it was recorded for, or all if it says none."""
        if self.every or test_id is None:
            return self.cases
        return tuple(one for one in self.cases if one.case.id == test_id)

    def facts(self, case: Case, judge: Judge | None) -> CaseFacts:
        """What graders may know of one of its cases."""
        return case_facts(
            case,
            folder=self.folder,
            prices=self.prices,
            scripts=self.scripts,
            judge=judge,
            judge_model=self.judge_model,
        )


def load_suite(
    path: Path,
    *,
    root: Path | None = None,
    env: Mapping[str, str] | None = None,
    scripts: bool = True,
    every: bool = False,
) -> Suite:
    """Load an eval file with all that it names; raises EvalFileError with every problem.

    ``root`` is the project, the current folder by default: its settings hold the prices, and files
    that the eval file names must lie below. ``env`` is what templates may know of the environment.
    With ``every`` its tests grade every session, also those that were recorded for another test.
    Assertion types are those of installed packages; conftest.py files are pytest's.
    """
    root = Path.cwd() if root is None else root.absolute()
    given, path = path, path.absolute()
    below = path.is_relative_to(root)
    compiler = Compiler(assertion_types(plugin_manager()))
    loaded = load_eval_file(
        # Problems are told of the file as somebody named it.
        given,
        root=root if below else path.parent,
        env=env or {},
        check=compiler.problems,
    )
    return Suite(
        eval_file=str(path.relative_to(root)) if below else str(path),
        name=loaded.suite,
        category=loaded.category,
        cases=tuple(compiler.cases(loaded)),
        folder=path.parent,
        judge_model=loaded.judge_model,
        prices=read_prices(root),
        scripts=scripts,
        every=every,
        fingerprint=_fingerprint(loaded, at=path),
    )


def _fingerprint(loaded: EvalFile, *, at: Path) -> str:
    """The same in every process, and by whichever name: without the addresses of functions."""
    text = re.sub(r" at 0x[0-9a-fA-F]+>", ">", repr(loaded)).replace(repr(loaded.path), repr(at))
    return sha256(text.encode("utf-8", "replace")).hexdigest()
