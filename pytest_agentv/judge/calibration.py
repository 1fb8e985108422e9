"""How far a judge agrees with people: rows that people labelled, and how often both say the same.

Nobody is asked here: whoever counts has asked before.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from pytest_agentv.errors import Location, SessionError, SettingsError
from pytest_agentv.files import read_small
from pytest_agentv.graders.judging import Criterion, Question
from pytest_agentv.transcript.model import Message, Source, Transcript

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

# What people write for a label.
_LABELS = {
    **dict.fromkeys(("pass", "passed", "true", "yes", "1", "1.0", "met", "good"), True),
    **dict.fromkeys(("fail", "failed", "false", "no", "0", "0.0", "not met", "bad"), False),
}
_CRITERIA = ("criteria", "criterion", "rubric", "value")
_OUTPUT = ("output", "answer", "text")
_KNOWN = frozenset(
    {*_CRITERIA, *_OUTPUT, "label", "human", "judge", "id", "input", "expected_output"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledRow:
    """What people said of one answer."""

    line: int
    label: bool
    # What a judge said of it earlier; None: one is asked.
    judge: bool | None = None
    criteria: str = ""
    output: str = ""
    task: str | None = None
    expected: str | None = None
    id: str | None = None

    @property
    def question(self) -> Question:
        """What a judge is asked."""
        criterion = Criterion(text=self.criteria)
        return Question(criteria=(criterion,), task=self.task, expected=self.expected)

    @property
    def transcript(self) -> Transcript:
        """A session that holds nothing but the answer."""
        answer = Message(role="assistant", content=self.output)
        return Transcript(source=Source(provider="labelled"), output=(answer,))


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """How two say the same of the same things."""

    both_pass: int = 0
    # The judge is milder, or stricter, than the people.
    only_judge: int = 0
    only_people: int = 0
    both_fail: int = 0

    @property
    def count(self) -> int:
        """How many things."""
        return self.both_pass + self.only_judge + self.only_people + self.both_fail

    @property
    def accuracy(self) -> float | None:
        """The share of which both say the same."""
        return (self.both_pass + self.both_fail) / self.count if self.count else None

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa: agreement beyond chance; None if chance alone would agree on all."""
        if not self.count:
            return None
        judge = (self.both_pass + self.only_judge) / self.count
        people = (self.both_pass + self.only_people) / self.count
        by_chance = judge * people + (1 - judge) * (1 - people)
        if by_chance == 1:
            return None
        return ((self.accuracy or 0.0) - by_chance) / (1 - by_chance)


def agreement(pairs: Iterable[tuple[bool, bool]]) -> Agreement:
    """Count what people and a judge say, in this order."""
    counts = {(True, True): 0, (False, True): 0, (True, False): 0, (False, False): 0}
    for pair in pairs:
        counts[pair] += 1
    return Agreement(
        both_pass=counts[True, True],
        only_judge=counts[False, True],
        only_people=counts[True, False],
        both_fail=counts[False, False],
    )


def read_labelled(path: Path) -> list[LabelledRow]:
    """The rows of a CSV or JSONL file; what is wrong is said with its line."""
    try:
        text = read_small(path).decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except (SessionError, UnicodeDecodeError) as exc:
        reason = exc.message if isinstance(exc, SessionError) else "it is not UTF-8 text"
        raise SettingsError(f"cannot be read: {reason}", at=Location(path)) from exc
    read = _csv_rows if path.suffix.lower() == ".csv" else _jsonl_rows
    rows = [_row(values, Location(path, line)) for line, values in read(path, text)]
    if not rows:
        raise SettingsError("holds no row", at=Location(path))
    return rows


def _csv_rows(path: Path, text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        for row in reader:
            if None in row:
                raise SettingsError(
                    "has more values than columns", at=Location(path, reader.line_num)
                )
            yield reader.line_num, {key: value for key, value in row.items() if value}
    except csv.Error as exc:
        # It counts lines that it could read.
        raise SettingsError(f"is no CSV: {exc}", at=Location(path, reader.line_num + 1)) from exc


def _jsonl_rows(path: Path, text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = msgspec.json.decode(line)
        except (msgspec.MsgspecError, RecursionError) as exc:
            raise SettingsError(f"is no JSON: {exc}", at=Location(path, number)) from exc
        if not isinstance(row, dict):
            raise SettingsError("must be an object", at=Location(path, number))
        yield number, {key: value for key, value in row.items() if value is not None}


def _row(values: dict[str, Any], at: Location) -> LabelledRow:
    for key in values:
        if key not in _KNOWN:
            known = ", ".join(sorted(_KNOWN))
            raise SettingsError(f"unknown column {key!r}; known: {known}", at=at)
    label = _label(values, ("label", "human"), at)
    if label is None:
        raise SettingsError("needs a `label`: pass or fail", at=at)
    judge = _label(values, ("judge",), at)
    criteria, output = _first(values, _CRITERIA), _first(values, _OUTPUT)
    if judge is None and (not criteria or not output):
        message = "needs `criteria` and `output` to be judged, or what a `judge` said"
        raise SettingsError(message, at=at)
    return LabelledRow(
        line=at.line or 0,
        label=label,
        judge=judge,
        criteria=criteria,
        output=output,
        task=_first(values, ("input",)) or None,
        expected=_first(values, ("expected_output",)) or None,
        id=_first(values, ("id",)) or None,
    )


def _label(values: dict[str, Any], names: Sequence[str], at: Location) -> bool | None:
    found = next((values[name] for name in names if name in values), None)
    if found is None:
        return None
    label = _LABELS.get(str(found).strip().lower())
    if label is None:
        raise SettingsError(f"`{names[0]}` must be pass or fail, not {found!r}", at=at)
    return label


def _first(values: dict[str, Any], names: Sequence[str]) -> str:
    found = next((values[name] for name in names if name in values), "")
    return found if isinstance(found, str) else msgspec.json.encode(found).decode()
