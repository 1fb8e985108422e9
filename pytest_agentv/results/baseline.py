"""What is known of the assertions of a project: a file of outcomes that is kept with its code.

The same outcomes give the same bytes: entries are sorted, one on a line, and there is nothing in
them of times, sessions or machines.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from pytest_agentv.errors import Location, ResultsError
from pytest_agentv.files import atomic_write, read_small
from pytest_agentv.results.model import SCHEMA_VERSION, BaselineOutcome

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from pathlib import Path
    from typing import TypeAlias

    from pytest_agentv.results.model import Verdict

    Outcomes: TypeAlias = Mapping["Key", BaselineOutcome]
    IsInScope: TypeAlias = Callable[["Key"], bool]

# The mildest first: what holds on one session and is skipped on another one holds.
_ORDER: tuple[BaselineOutcome, ...] = ("skipped", "passed", "soft", "failed", "error")
_OUTCOME_OF: dict[Verdict, BaselineOutcome] = {
    "skip": "skipped",
    "pass": "passed",
    "soft": "soft",
    "fail": "failed",
    "error": "error",
}
_ENTRIES = re.compile(r'"outcomes"\s*:\s*\[')
_BETWEEN = re.compile(r"[\s,]*")


class Key(NamedTuple):
    """An assertion on the sessions of one provider."""

    # The eval file, relative to pytest's root directory, with slashes.
    file: str
    test: str
    # None: there was no session.
    provider: str | None
    assertion: str

    def __str__(self) -> str:
        """As in the ids of pytest."""
        bracket = "" if self.provider is None else f"[{self.provider}]"
        return f"{self.file}::{self.test}{bracket}::{self.assertion}"

    @property
    def order(self) -> tuple[str, ...]:
        """What entries are sorted by."""
        return self.file, self.test, self.provider or "", self.assertion


class _Object(dict[str, Any]):
    """An object of JSON that knows which of its keys comes twice, as after a merge."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        counted = Counter(name for name, _ in pairs) if len(self) < len(pairs) else {}
        self.twice = next((name for name, count in counted.items() if count > 1), None)


class Changes(NamedTuple):
    """What a run found that is not as its baseline has it."""

    # They do not hold, and make the run fail.
    new_failures: list[Key]
    # Known not to hold, and now they do.
    fixes: list[Key]
    # They held, and now nobody knows.
    lost: list[Key]


def worse(known: BaselineOutcome | None, verdict: Verdict) -> BaselineOutcome:
    """The worse of an outcome and a verdict: it counts for all sessions of a provider."""
    outcome = _OUTCOME_OF[verdict]
    return outcome if known is None else max(known, outcome, key=_ORDER.index)


def compare(
    known: Outcomes, found: Outcomes, *, failing: Collection[Key], in_scope: IsInScope
) -> Changes:
    """What changed; ``in_scope`` says of which keys the run should have found something."""
    new_failures = [one for one in failing if known.get(one) != "failed"]
    fixes = [one for one, old in known.items() if old == "failed" and found.get(one) == "passed"]
    # An error is the worst of all outcomes, whatever else the run would have found.
    erred = {one for one, outcome in found.items() if outcome == "error"}
    gone = erred | {
        one for one in known if found.get(one, "skipped") == "skipped" and in_scope(one)
    }
    lost = [one for one, old in known.items() if old == "passed" and one in gone]
    return Changes(*(sorted(keys, key=_order) for keys in (new_failures, fixes, lost)))


def blessed(known: Outcomes, found: Outcomes, *, in_scope: IsInScope) -> Outcomes:
    """The baseline after a run: of what the run did not look at, it says what it said before."""
    kept = {one: outcome for one, outcome in known.items() if not in_scope(one)}
    return {**kept, **found}


def count_changed(before: Outcomes, after: Outcomes) -> int:
    """How many entries are new, gone, or another outcome."""
    return sum(before.get(one) != after.get(one) for one in {*before, *after})


def dump_baseline(outcomes: Outcomes) -> bytes:
    """The text of a baseline file."""
    entries = [
        json.dumps({**key._asdict(), "outcome": outcomes[key]}, ensure_ascii=False)
        for key in sorted(outcomes, key=_order)
    ]
    inner = "".join(f"\n    {entry}," for entry in entries).rstrip(",")
    lines = [
        "{",
        f'  "schema_version": {json.dumps(SCHEMA_VERSION)},',
        f'  "outcomes": [{inner}{chr(10) + "  " if entries else ""}]',
        "}",
    ]
    return ("\n".join(lines) + "\n").encode()


def write_baseline(path: Path, outcomes: Outcomes) -> None:
    """Write a baseline file, whole or not at all."""
    with atomic_write(path, overwrite=True) as file:
        file.write(dump_baseline(outcomes))


def read_baseline(path: Path) -> dict[Key, BaselineOutcome]:
    """The outcomes in a baseline file; ResultsError with the line if it is none."""
    raw = read_small(path)
    try:
        text = raw.decode("utf-8-sig")
        data = json.loads(text, object_pairs_hook=_Object)
    except UnicodeDecodeError as exc:
        at = Location(path, raw.count(b"\n", 0, exc.start) + 1)
        raise ResultsError("is no baseline: its text is not UTF-8", at=at) from exc
    except json.JSONDecodeError as exc:
        raise ResultsError(f"is no JSON: {exc.msg}", at=Location(path, exc.lineno)) from exc
    except (ValueError, RecursionError) as exc:  # a number of thousands of digits, deep lists
        raise ResultsError("is no baseline", at=Location(path, 1)) from exc
    entries = data.get("outcomes") if isinstance(data, _Object) else None
    if not isinstance(entries, list):
        message = "is no baseline: it should be an object with a list `outcomes`"
        raise ResultsError(message, at=Location(path, 1))
    if data.twice is not None:
        line = text.count("\n", 0, text.rfind(json.dumps(data.twice))) + 1
        raise ResultsError(_twice(data.twice), at=Location(path, line))
    outcomes: dict[Key, BaselineOutcome] = {}
    for number, entry in enumerate(entries):
        key, problem = _key(entry)
        if key is None or key in outcomes:
            message = problem or f"{key} stands there twice; keep one"
            raise ResultsError(message, at=Location(path, _line(text, number)))
        outcomes[key] = entry["outcome"]
    return outcomes


def _key(entry: Any) -> tuple[Key | None, str]:
    """What an entry is about, or what is wrong with it."""
    if not isinstance(entry, _Object):
        return None, "an outcome should be an object"
    if entry.twice is not None:
        return None, _twice(entry.twice)
    for name in Key._fields:
        value = entry.get(name)
        if name == "provider" and value is None:
            continue
        if not isinstance(value, str) or not _is_text(value):
            return None, f"`{name}` of an outcome should be a text"
    if entry.get("outcome") not in get_args(BaselineOutcome):
        return None, f"`outcome` should be one of {', '.join(_ORDER)}"
    key = Key(entry["file"], entry["test"], entry.get("provider"), entry["assertion"])
    return key, ""


def _twice(name: str) -> str:
    return f"the key {name!r} stands there twice; keep one"


def _is_text(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _line(text: str, number: int) -> int | None:
    """The line of an entry, counted from 1."""
    start = _ENTRIES.search(text)
    if start is None:
        return None
    decoder = json.JSONDecoder()
    position = _skip(text, start.end())
    for _ in range(number):
        _, end = decoder.raw_decode(text, position)
        position = _skip(text, end)
    return text.count("\n", 0, position) + 1


def _skip(text: str, position: int) -> int:
    found = _BETWEEN.match(text, position)
    return position if found is None else found.end()


def _order(key: Key) -> tuple[str, ...]:
    return key.order


def keys_of(rows: Iterable[Iterable[str | None]]) -> frozenset[Key]:
    """Keys of what was sent to another process."""
    return frozenset(Key(*row) for row in rows)  # type: ignore[arg-type]  # as they were sent
