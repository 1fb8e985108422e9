"""Tests in a CSV file: a row for each, with AgentV's columns for what is expected."""

from __future__ import annotations

import csv
import math
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from pytest_agentv.errors import EvalFileError, Location, Problem
from pytest_agentv.evalfile.foreign import GENERATED
from pytest_agentv.evalfile.placed import Part, packed, shown
from pytest_agentv.evalfile.problems import suggestion
from pytest_agentv.evalfile.yamltext import MAX_VALUES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_agentv.evalfile.problems import Problems

_EXPECTED = re.compile(r"__expected\d*")
_CONFIG = re.compile(r"__config:(__expected\d*):threshold")
_METADATA = "__metadata:"
_COLUMNS = {"id": "id", "__description": "description"}
# Columns that steer live runs.
_IGNORED = frozenset({"__prefix", "__suffix"})
_KNOWN = [
    "__expected", "__expected1", "__metric", "__threshold", "__description", "__metadata:",
    "__config:__expected1:threshold", *_IGNORED,
]  # fmt: skip

# `type(threshold):value` in a cell. Only these words are types there: any other text is compared.
_TYPES = [
    "contains", "icontains", "contains-any", "contains-all", "icontains-any", "icontains-all",
    "starts-with", "ends-with", "equals", "regex", "is-json", "contains-json", "json-schema",
    "similar", "word-count", "latency", "cost", "llm-rubric", "llm-grader", "rubrics",
    "agent-rubric",
    "tool-errors", "command-run", "files-changed", "files-read", "tool-status", "skill-used",
    "no-loop", "trajectory:tool-used", "trajectory:tool-sequence", "trajectory:tool-args-match",
    "trajectory:step-count", "trajectory:goal-success", "tool-call-f1", "tool-order",
    "javascript", "python", "webhook",
]  # fmt: skip
# Other words for types, in cells only.
_WORDS = {"grade": "llm-rubric", "fn": "javascript", "eval": "javascript"}
_NAMES = sorted(map(re.escape, [*_TYPES, *_WORDS]), key=len, reverse=True)
_CELL = re.compile(
    rf"(?P<not>not-)?(?P<type>{'|'.join(_NAMES)})"
    r"(?:\((?P<threshold>[^()]*)\))?(?::(?P<value>.*))?",
    re.DOTALL,
)
_LISTS = ("-any", "-all")
_PROGRAM = re.compile(rf"file://(?P<path>{GENERATED})")


def read_csv_tests(text: str, *, file: Path, problems: Problems) -> list[Part]:
    """The tests of a CSV text; raises EvalFileError where its columns make no sense."""
    rows = _rows(text, file)
    _, header = next(rows, (1, []))
    names = [name.strip() for name in header]
    _check_columns(names, file)
    tests = []
    for line, row in rows:
        at = Location(file, line, 1)
        if len(row) != len(names):
            problems.add(at, f"the row has {len(row)} cells, but the file has {len(names)} columns")
            continue
        with problems.gathered():
            test = _test(dict(zip(names, row, strict=True)), at)
            tests.append(Part(file, test, packed(line, 1)))
    return tests


def _rows(text: str, file: Path) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not blank, each with the line that it starts on."""
    lines = text.replace("\r\n", "\n").split("\n")
    reader = csv.reader((f"{line}\n" for line in lines), strict=True)
    start = 1
    cells = 0
    try:
        for row in reader:
            cells += len(row)
            if cells > MAX_VALUES:
                message = f"the file holds more than {MAX_VALUES:,} cells"
                raise EvalFileError([Problem(Location(file, start, 1), message)])
            if any(row):
                yield start, row
            start = reader.line_num + 1
    except csv.Error as exc:
        raise EvalFileError([Problem(Location(file, start, 1), f"no valid CSV: {exc}")]) from exc


def _check_columns(names: list[str], file: Path) -> None:
    at = Location(file, 1, 1)
    found = []
    if not names:
        found.append("the file is empty; its first line names the columns")
    for name, times in Counter(names).items():
        if not name:
            found.append("a column has no name")
        elif times > 1:
            found.append(f"the column {shown(name)} stands there twice")
        elif name.startswith("__") and not _is_known(name):
            found.append(f"unknown column {shown(name)}; {suggestion(name, _KNOWN)}")
    if found:
        raise EvalFileError(Problem(at, message) for message in found)


def _is_known(name: str) -> bool:
    if name in _KNOWN or _EXPECTED.fullmatch(name) or _CONFIG.fullmatch(name):
        return True
    return name.startswith(_METADATA) and len(name) > len(_METADATA)


def _test(row: dict[str, str], at: Location) -> dict[str, Any]:
    """A row as the mapping that the same test would be in YAML."""
    test: dict[str, Any] = {key: row[name] for name, key in _COLUMNS.items() if row.get(name)}
    if row.get("__threshold"):
        test["threshold"] = _number(row["__threshold"], at, what="__threshold")
    expected = [name for name in row if _EXPECTED.fullmatch(name) and row[name].strip()]
    entries = [_entry(row, name, at) for name in expected]
    metadata = {
        name.removeprefix(_METADATA).removesuffix("[]"): _metadata(name, cell)
        for name, cell in row.items()
        if name.startswith(_METADATA) and cell
    }
    variables = _variables(row, at)
    found = {"assert": entries, "metadata": metadata, "vars": variables}
    return {**test, **{key: value for key, value in found.items() if value}}


def _entry(row: dict[str, str], name: str, at: Location) -> dict[str, Any]:
    cell = row[name].strip()
    match = _CELL.fullmatch(cell)
    entry: dict[str, Any] = {"type": "equals", "value": cell}
    if program := _PROGRAM.fullmatch(cell):
        entry = {"type": "python", "value": program["path"]}
    # Words that are no types alone: `eval` may well be an answer.
    if match and (match["type"] not in _WORDS or match["value"] is not None):
        kind = _WORDS.get(match["type"], match["type"])
        entry = {"type": f"{match['not'] or ''}{kind}"}
        if match["threshold"]:
            entry["threshold"] = _number(match["threshold"], at, what=name)
        if match["value"] is not None:
            value = match["value"].strip()
            in_list = match["type"].endswith(_LISTS)
            entry["value"] = [one.strip() for one in value.split(",")] if in_list else value
    threshold = row.get(f"__config:{name}:threshold")
    if threshold:
        entry["threshold"] = _number(threshold, at, what=f"__config:{name}:threshold")
    if row.get("__metric"):
        entry["metric"] = row["__metric"]
    return entry


def _metadata(name: str, cell: str) -> str | list[str]:
    return [one.strip() for one in cell.split(",")] if name.endswith("[]") else cell


def _variables(row: dict[str, str], at: Location) -> dict[str, Any]:
    """Every column without a meaning of its own; `vars.a.b` stands inside of `a`."""
    variables: dict[str, Any] = {}
    for name, cell in row.items():
        if name in _COLUMNS or name.startswith("__"):
            continue
        *outer, last = name.split(".")[1:] if name.startswith("vars.") else [name]
        inner: Any = variables
        for step in outer:
            inner = inner.setdefault(step, {}) if isinstance(inner, dict) else inner
        if not isinstance(inner, dict) or last in inner:
            message = f"the column {shown(name)} and another one are for the same variable"
            raise EvalFileError([Problem(at, message)])
        inner[last] = cell
    return variables


def _number(text: str, at: Location, *, what: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise EvalFileError([Problem(at, f"`{what}` must be a number, not {shown(text)}")])
    return int(number) if number.is_integer() else number
