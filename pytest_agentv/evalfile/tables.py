"""The names under which keys may be written, and reading mappings by them.

Another name for a key, or a key to be ignored, is an entry in a table.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, get_args

from pydantic import ValidationError

from pytest_agentv.evalfile.foreign import (
    DEFAULTS_REFUSED,
    FILE_IGNORED,
    FILE_REFUSED,
    IMPORTED_REFUSED,
    IMPORTS_REFUSED,
    LIVE_RUN,
    OPTIONS_REFUSED,
    TEST_IGNORED,
    TEST_REFUSED,
)
from pytest_agentv.evalfile.keys import (
    CommonKeys,
    Defaults,
    Execution,
    FileKeys,
    ImportedKeys,
    ImportsKeys,
    Keys,
    Options,
    RowKeys,
    Run,
    ScenarioKeys,
    TemplateFile,
    TestKeys,
    TestsFile,
)
from pytest_agentv.evalfile.messages import plain_problems
from pytest_agentv.evalfile.problems import unknown_key

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypeVar

    from pytest_agentv.evalfile.placed import Part
    from pytest_agentv.evalfile.problems import Problems

    AnyKeys = TypeVar("AnyKeys", bound=Keys)

EMPTY = "`{}` is empty: give it a value, or leave it out"


@dataclass(frozen=True)
class KeyTable:
    """The names under which a model's keys may be written."""

    model: type[Keys]
    aliases: Mapping[str, str] = field(default_factory=dict)
    ignored: frozenset[str] = frozenset()
    # Keys that mean something, but not yet here: what to say of them.
    refused: Mapping[str, str] = field(default_factory=dict)
    # Whether all others are ignored, too.
    lenient: bool = False

    @cached_property
    def names(self) -> list[str]:
        """The usual names of the keys, as people write them."""
        fields = self.model.model_fields.items()
        return [one.alias or name for name, one in fields]


_ASSERTIONS = {"assertions": "assert", "evaluators": "assert"}

FILE = KeyTable(
    FileKeys,
    aliases={
        **_ASSERTIONS, "defaultTest": "default_test", "eval_cases": "tests", "evalcases": "tests",
    },
    ignored=FILE_IGNORED,
    refused=FILE_REFUSED,
)  # fmt: skip
TEST = KeyTable(
    TestKeys,
    aliases={**_ASSERTIONS, "expected_outcome": "criteria"},
    ignored=TEST_IGNORED,
    refused=TEST_REFUSED,
)
DEFAULTS = KeyTable(Defaults, aliases=_ASSERTIONS, ignored=LIVE_RUN, refused=DEFAULTS_REFUSED)
IMPORTS = KeyTable(ImportsKeys, refused=IMPORTS_REFUSED)
IMPORTED = KeyTable(ImportedKeys, refused=IMPORTED_REFUSED)
SCENARIO = KeyTable(ScenarioKeys)
ROW = KeyTable(RowKeys, aliases=_ASSERTIONS, ignored=LIVE_RUN, refused=DEFAULTS_REFUSED)
COMMON = KeyTable(CommonKeys, aliases={"id": "metric", "name": "metric"})
EXECUTION = KeyTable(Execution, aliases=_ASSERTIONS, lenient=True)
RUN = KeyTable(Run, lenient=True)
OPTIONS = KeyTable(Options, refused=OPTIONS_REFUSED, lenient=True)
# Other files that an eval file is made of: of tests, and of assertions.
TESTS_FILE = KeyTable(
    TestsFile, aliases={"eval_cases": "tests", "evalcases": "tests"}, ignored=frozenset({"$schema"})
)
TEMPLATE_FILE = KeyTable(TemplateFile, aliases=_ASSERTIONS, ignored=frozenset({"$schema"}))


def named_parts(part: Part, table: KeyTable, problems: Problems) -> dict[str, Part]:
    """What a mapping holds, by the usual names of its keys; unknown keys are problems."""
    found: dict[str, Part] = {}
    written: dict[str, str] = {}
    names = table.names
    for key, child in part.items():
        name = table.aliases.get(key, key)
        if name in table.ignored:
            continue
        if name in table.refused:
            problems.add(part.key_at(key), table.refused[name])
        elif name not in names:
            if not table.lenient:
                problems.add(part.key_at(key), unknown_key(key, names))
        elif name in found:
            message = f"`{written[name]}` and `{key}` mean the same; keep one"
            problems.add(part.key_at(key), message)
        elif child.data is None:
            problems.add(child.at, EMPTY.format(key))
        else:
            found[name] = child
            written[name] = key
    return found


def validated(
    model: type[AnyKeys],
    values: Mapping[str, Any],
    *,
    parts: Mapping[str, Part],
    problems: Problems,
) -> AnyKeys | None:
    """The keys of a mapping as a model; None if a problem was found.

    ``values`` are the parts with their templates filled in. Messages show what was written.
    """
    try:
        return model.model_validate(values)
    except ValidationError as exc:
        data = {name: part.data for name, part in parts.items()}
        found = plain_problems(exc, data=data, known=(), inner=_inner_keys(model))
        for (name, *path), message in found:
            problems.add(parts[str(name)].locate(tuple(path)), message)
        return None


def _inner_keys(model: type[Keys]) -> dict[str, list[str]]:
    """The keys of the mappings that stand under keys of a model."""
    return {
        one.alias or name: list(inner.model_fields)
        for name, one in model.model_fields.items()
        for inner in get_args(one.annotation)
        if isinstance(inner, type) and issubclass(inner, Keys)
    }
