"""Scripts for tests: programs in Python that judge a session, run as an eval file would."""

from __future__ import annotations

import sys
from dataclasses import replace
from textwrap import dedent
from typing import TYPE_CHECKING, Any

from grading import CASE, answer, grader

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_agentv import Transcript
    from pytest_agentv.graders.grade import Grade

# Without site packages it starts in half the time.
PYTHON = [sys.executable, "-S"]


class Scripts:
    """Runs programs in a folder that stands for the one of the eval file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, code: str, name: str = "check.py") -> list[str]:
        """The command of a program."""
        (self.folder / name).write_text(dedent(code), encoding="utf-8")
        return [*PYTHON, name]

    def grade(
        self, code: str, on: Transcript | None = None, *, facts: Any = CASE, **keys: Any
    ) -> Grade:
        """The grade that a program gives."""
        return self.grade_by(self.write(code), on, facts=facts, **keys)

    def grade_by(
        self,
        command: list[str] | str,
        on: Transcript | None = None,
        *,
        facts: Any = CASE,
        **keys: Any,
    ) -> Grade:
        """The grade that a command gives."""
        case = replace(facts, folder=facts.folder or self.folder)
        judge = grader("script", command=command, **keys)
        return judge.grade(answer("Done.") if on is None else on, case)

    def printing(self, text: str, code: int = 0, **keys: Any) -> Grade:
        """The grade that a program gives which prints a text."""
        return self.grade(f"print({text!r}); raise SystemExit({code})", **keys)
