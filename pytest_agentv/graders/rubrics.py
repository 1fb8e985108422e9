"""Rubrics as eval files write them: a text, a list, weighted items, ranges of points."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from pytest_agentv.graders.fields import wrong
from pytest_agentv.graders.judging import Criterion
from pytest_agentv.graders.phrases import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_POINTS = 10

# By what other names AgentV and promptfoo have the keys of an item.
_TEXT = ("outcome", "text", "criterion", "criteria", "value", "description", "expected_outcome")
_RANGES = ("score_ranges", "scoreRanges")
# The least points of an item, which AgentV 4 still takes.
_POINTS = "required_min_score"
_KNOWN = frozenset({"id", "weight", "required", "operator", "min_score", _POINTS, *_TEXT, *_RANGES})
_OPERATORS = ("correctness", "contradiction")
_RANGE = re.compile(r"(\d+)(?:\s*(?:-|\.\.)\s*(\d+))?\Z")


def criteria_of(value: Any) -> tuple[Criterion, ...]:
    """The criteria of a rubric; what is wrong with it is said in a sentence."""
    if isinstance(value, str):
        return (_from_text(value),)
    if isinstance(value, dict):
        return tuple(_from_mapping(value))
    if isinstance(value, (list, tuple)) and value:
        return tuple(
            _from_text(one) if isinstance(one, str) else _item(one, f"item {number}")
            for number, one in enumerate(value, 1)
        )
    raise wrong(f"must be a text, a list of criteria or a mapping, not {shown(value)}")


def _from_text(text: str, **given: Any) -> Criterion:
    if not text.strip():
        raise wrong("must not be blank: say what has to hold")
    return Criterion(text=text.strip(), **given)


def _from_mapping(value: dict[str, Any]) -> Iterator[Criterion]:
    """A single item, one goal, a list behind a key, or texts by their names."""
    if set(value) == {"goal"} and isinstance(value["goal"], str):
        yield _from_text(value["goal"])
    elif len(value) == 1 and isinstance(inner := next(iter(value.values())), (list, tuple)):
        yield from criteria_of(inner)
    elif any(key in value for key in (*_TEXT, *_RANGES)):
        yield _item(value, "the rubric")
    elif value and all(isinstance(one, str) for one in value.values()):
        for name, text in value.items():
            yield _from_text(text, id=str(name))
    else:
        raise wrong(f"must name what has to hold, as in `outcome: …`, not {shown(value)}")


def _item(item: Any, name: str) -> Criterion:
    if not isinstance(item, dict):
        raise wrong(f"{name} must be a text or a mapping, not {shown(item)}")
    for key in item:
        if key not in _KNOWN:
            raise wrong(
                f"{name} has an unknown key {shown(key)}; known: {', '.join(sorted(_KNOWN))}"
            )
    texts = [item[key] for key in _TEXT if key in item]
    ranges = next((_ranges(item[key], name) for key in _RANGES if key in item), ())
    if len(texts) > 1 or (not texts and not ranges):
        raise wrong(f"{name} needs one text, as `outcome`")
    text = texts[0] if texts else "The points that fit best"
    if not isinstance(text, str) or not text.strip():
        raise wrong(f"the text of {name} must be a text, not {shown(text)}")
    operator = item.get("operator", "correctness")
    if operator not in _OPERATORS:
        raise wrong(f"`operator` of {name} must be one of {', '.join(_OPERATORS)}")
    required = item.get("required", False)
    min_score = _min_score(item, name)
    if isinstance(required, (int, float)) and not isinstance(required, bool):
        # AgentV writes the least score there, too.
        min_score, required = _number(required, "required", name, most=MOST_POINTS), True
    if not isinstance(required, bool):
        raise wrong(f"`required` of {name} must be true or false, not {shown(required)}")
    if min_score is not None and not ranges:
        raise wrong(f"`min_score` of {name} needs `score_ranges`: without, it holds or does not")
    return Criterion(
        text=text.strip(),
        id=None if item.get("id") is None else str(item["id"]),
        weight=_weight(item.get("weight", 1.0), name),
        required=required or min_score is not None,
        contradiction=operator == "contradiction",
        ranges=ranges,
        min_score=_share(min_score),
    )


def _min_score(item: dict[str, Any], name: str) -> float | None:
    points = _number(item.get(_POINTS), _POINTS, name, most=MOST_POINTS)
    if points is None:
        return _number(item.get("min_score"), "min_score", name, most=MOST_POINTS)
    if "min_score" in item:
        raise wrong(f"`{_POINTS}` and `min_score` of {name} mean the same; keep one")
    return points / MOST_POINTS


def _share(score: float | None) -> float | None:
    """The least score as a share, of one that may be written in points from 0 to 10."""
    return score / MOST_POINTS if score is not None and score > 1 else score


def _weight(value: Any, name: str) -> float:
    weight = _number(value, "weight", name)
    if not weight:
        raise wrong(f"`weight` of {name} must be above 0")
    return weight


def _number(value: Any, key: str, name: str, *, most: float = 1e9) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= most:
        raise wrong(f"`{key}` of {name} must be a number from 0 to {most:g}, not {shown(value)}")
    return float(value)


def _ranges(value: Any, name: str) -> tuple[tuple[int, str], ...]:
    """The lowest points of each range with its text; together they cover 0 to 10."""
    found = sorted(_each_range(value, name))
    if not found:
        raise wrong(f"`score_ranges` of {name} must not be empty")
    # A range that says only where it begins ends where the next one begins.
    ends = [end for _, end, _ in found]
    for index, ((_, end, _), (begin, _, _)) in enumerate(pairwise(found)):
        ends[index] = begin - 1 if end is None else end
    begins = [begin for begin, _, _ in found]
    ends[-1] = MOST_POINTS if ends[-1] is None else ends[-1]
    if begins != [0, *(end + 1 for end in ends[:-1] if end is not None)] or ends[-1] != MOST_POINTS:
        raise wrong(
            f"`score_ranges` of {name} must cover 0 to {MOST_POINTS} without gap or overlap"
        )
    return tuple((begin, text) for begin, _, text in found)


def _each_range(value: Any, name: str) -> Iterator[tuple[int, int | None, str]]:
    if isinstance(value, dict):
        for points, text in value.items():
            match = _RANGE.match(str(points).strip())
            if match is None or not isinstance(text, str):
                raise wrong(f"`score_ranges` of {name} must map points to texts: `0-3: poor`")
            yield int(match[1]), None if match[2] is None else int(match[2]), text
        return
    if not isinstance(value, (list, tuple)):
        raise wrong(f"`score_ranges` of {name} must map points to texts, not {shown(value)}")
    for one in value:
        points = one.get("score_range", one.get("range")) if isinstance(one, dict) else None
        text = next((one[key] for key in _TEXT if key in one), None) if points else None
        if (
            not isinstance(points, (list, tuple))
            or len(points) != 2  # noqa: PLR2004 (from, to)
            or not all(type(point) is int for point in points)
            or not isinstance(text, str)
        ):
            raise wrong(f"a range of {name} needs `score_range: [from, to]` and `outcome`")
        yield points[0], points[1], text
