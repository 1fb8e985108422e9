"""An assertion that Python code or a command line gives: the forms of an eval file, without one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_agentv.errors import EvalFileError, Problem
from pytest_agentv.evalfile.entries import NOT, Entries
from pytest_agentv.evalfile.loading import Loading
from pytest_agentv.evalfile.placed import Part
from pytest_agentv.evalfile.problems import Growth, Problems
from pytest_agentv.evalfile.sources import Sources
from pytest_agentv.evalfile.yamltext import read_yaml

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_agentv.evalfile.model import Entry

# Where messages say that a problem is.
_NOWHERE = Path("<assertion>")


def given_entry(assertion: str | Mapping[str, Any]) -> Entry:
    """The entry of an assertion as one would write it in YAML."""
    data = assertion if isinstance(assertion, str) else dict(assertion)
    return _entry(Part(_NOWHERE, data), Problems())


def typed_entry(text: str, *, types: Iterable[str], option: str) -> Entry:
    """The entry that somebody types as the value of an option.

    It is YAML as in an eval file, so JSON as well; a type that needs no value may stand alone, and
    ``contains:JWT`` needs no blank.
    """
    problems = Problems()
    part = read_yaml(text, file=Path(option), problems=problems)
    problems.raise_any()
    if isinstance(part.data, str):
        part = part._replace(data=_spelled_out(part.data, types))
    return _entry(part, problems)


def _entry(part: Part, problems: Problems) -> Entry:
    loading = Loading(Sources(Path.cwd(), problems), problems, Growth(), None)
    entries = Entries(loading).read_one(part, loading.scope())
    problems.raise_any()
    if len(entries) != 1:
        raise EvalFileError([Problem(part.at, "one assertion is wanted here, not several")])
    return entries[0]


def _spelled_out(text: str, types: Iterable[str]) -> str | dict[str, str]:
    """A text that names a type as the entry that it stands for."""
    name = text.removeprefix(NOT)
    known = [one for one in types if name == one or name.startswith(f"{one}:")]
    if not known:
        return text
    # Some types have a colon in their names.
    length = len(text) - len(name) + len(max(known, key=len))
    if length == len(text):
        return {"type": text}
    return {text[:length]: text[length + 1 :].strip()}
