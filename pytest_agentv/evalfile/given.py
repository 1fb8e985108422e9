"""An assertion that Python code gives: the same forms as in an eval file, without a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_agentv.errors import EvalFileError, Problem
from pytest_agentv.evalfile.entries import Entries
from pytest_agentv.evalfile.loading import Loading
from pytest_agentv.evalfile.placed import Part
from pytest_agentv.evalfile.problems import Growth, Problems
from pytest_agentv.evalfile.sources import Sources

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_agentv.evalfile.model import Entry

# Where messages say that a problem is.
_NOWHERE = Path("<assertion>")


def given_entry(assertion: str | Mapping[str, Any]) -> Entry:
    """The entry of an assertion as one would write it in YAML."""
    problems = Problems()
    loading = Loading(Sources(Path.cwd(), problems), problems, Growth(), None)
    data = assertion if isinstance(assertion, str) else dict(assertion)
    part = Part(_NOWHERE, data)
    entries = Entries(loading).read_one(part, loading.scope())
    problems.raise_any()
    if len(entries) != 1:
        raise EvalFileError([Problem(part.at, "one assertion is wanted here, not several")])
    return entries[0]
