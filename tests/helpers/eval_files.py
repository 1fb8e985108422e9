"""A folder with an eval file in it: loading it, or hearing what is wrong with it."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent, indent
from typing import TYPE_CHECKING

from pytest_agentv.errors import EvalFileError
from pytest_agentv.evalfile.loader import load_eval_file

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_agentv.evalfile.model import Case, Entry, EvalFile


class EvalFolder:
    """The root that an eval file lies in, with the files that it names."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.path = root / "a.eval.yaml"

    def write(self, name: str, content: str | bytes) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, str):
            content = dedent(content).encode()
        path.write_bytes(content)
        return path

    def load(self, content: str | bytes, env: Mapping[str, str] | None = None) -> EvalFile:
        self.write(self.path.name, content)
        return load_eval_file(self.path, root=self.root, env=env)

    def case(self, content: str, env: Mapping[str, str] | None = None) -> Case:
        """The only case of a file."""
        [case] = self.load(content, env).cases
        return case

    def entry(self, assertion: str) -> Entry:
        """The only assertion of a file with one."""
        [entry] = self.case(with_assertion(assertion)).entries
        return entry

    def problems(self, content: str | bytes, env: Mapping[str, str] | None = None) -> list[str]:
        """What is wrong with a file, as ``line:column message``; with the name of another one."""
        try:
            self.load(content, env)
        except EvalFileError as exc:
            return [self._text(*problem) for problem in exc.problems]
        return []

    def _text(self, at: tuple[Path | str, int | None, int | None], message: str) -> str:
        path, *place = at
        name = "" if path == self.path else Path(path).name
        where = ":".join(str(one) for one in place if one is not None)
        return " ".join(one for one in (name, where, message) if one)


def types_of(case: Case) -> list[str]:
    """The types of a case's assertions, in their order."""
    return [entry.type for entry in case.entries]


def with_assertion(assertion: str) -> str:
    """An eval file with one test and one assertion, whose first line is line 4."""
    return "tests:\n  - id: one\n    assert:\n" + indent(f"- {assertion}\n", "      ")
