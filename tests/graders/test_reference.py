"""The page on assertions has every type and every key, and its examples are right."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import pytest
import yaml
from grading import GRADERS, grader
from pydantic import AliasChoices

from pytest_agentv.graders.accuracy import FieldRule
from pytest_agentv.graders.group import GROUP_TYPES, GroupOptions, Mode
from pytest_agentv.graders.patterns import MAX_PATTERN, SEARCH_SECONDS
from pytest_agentv.graders.scopes import ScopeName

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = Path(__file__).parents[2] / "docs" / "assertions.md"
TEXT = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""

pytestmark = pytest.mark.skipif(not TEXT, reason="the documentation is not here")


def _rows(text: str = TEXT) -> Iterator[tuple[list[str], list[str]]]:
    """The names in the first cell and in the others, of every row of every table."""
    for line in text.splitlines():
        if line.startswith("| "):
            first, *others = line.strip("|").split("|")
            yield re.findall(r"`([^`]+)`", first), re.findall(r"`([^`]+)`", "|".join(others))


def _keys(type_: str) -> set[str]:
    keys: set[str] = set()
    for name, field in GRADERS[type_].model_fields.items():
        alias = field.validation_alias
        choices = alias.choices if isinstance(alias, AliasChoices) else [alias or name]
        keys.update(str(one) for one in choices)
    return keys - {"in"}


@pytest.mark.parametrize("type_", sorted({one.types[0] for one in GRADERS.values()}))
def test_every_type_is_explained_with_every_key(type_: str) -> None:
    named = {name for names, others in _rows() if type_ in names for name in others}
    assert _keys(type_) <= named
    assert set(GRADERS[type_].types[1:]) <= named


def test_the_keys_of_a_field_are_explained() -> None:
    named = {name for names, _ in _rows() for name in names}
    assert FieldRule.model_fields.keys() <= named


@pytest.mark.parametrize("values", [get_args(ScopeName), get_args(Mode), GROUP_TYPES[:1]])
def test_closed_lists_are_explained(values: tuple[str, ...]) -> None:
    named = [name for names, _ in _rows() for name in names]
    assert set(values) <= set(named)


def test_limits_are_those_of_the_code() -> None:
    assert f"at most {MAX_PATTERN:,} characters" in TEXT
    assert f"have {SEARCH_SECONDS:g} seconds together" in TEXT


def _examples() -> list[Any]:
    blocks = re.findall(r"^```yaml\n(.*?)^```$", TEXT, flags=re.MULTILINE | re.DOTALL)
    return [entry for block in blocks for entry in yaml.safe_load(block)]


@pytest.mark.parametrize("entry", _examples(), ids=str)
def test_every_example_is_a_good_entry(entry: Any) -> None:
    _check(entry)


def _check(entry: Any) -> None:
    if isinstance(entry, str):
        assert entry not in GRADERS, "a plain text is a rubric"
        return
    keys = {key: value for key, value in entry.items() if key not in ("metric", "weight")}
    if "type" not in keys:
        ((type_, value),) = keys.items()
        keys = {"type": type_, "value": value}
    type_ = keys.pop("type").removeprefix("not-")
    if type_ not in GROUP_TYPES:
        grader(type_, **keys)
        return
    for member in keys.pop("assert"):
        _check(member)
    GroupOptions.model_validate(keys)
