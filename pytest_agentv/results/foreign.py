"""Rows that AgentV wrote: the same fields, of which some were called or made otherwise.

Its versions differ in what a field holds. A field that is not as ours is lost, and no other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from msgspec.structs import fields

from pytest_agentv.results.model import Claim, Row, Score

if TYPE_CHECKING:
    from collections.abc import Mapping

_Made = TypeVar("_Made", bound=msgspec.Struct)

# What our fields were called at some time.
_OLDER_NAMES = {"test_id": "eval_id", "suite": "dataset"}


def foreign_row(line: bytes) -> Row:
    """A row of what AgentV wrote; raises msgspec.ValidationError if it is none."""
    raw = msgspec.json.decode(line, type=dict[str, Any])
    # A row that says no score at all is none: a transcript names its test, too.
    if isinstance(raw.get("source"), dict) and not raw.keys() & {"score", "scores"}:
        message = "it is a transcript; agentv eval grades it, and agentv export makes a page of it"
        raise msgspec.ValidationError(message)
    older = {ours: raw[theirs] for ours, theirs in _OLDER_NAMES.items() if theirs in raw}
    return _made(
        Row,
        {
            **older,
            **raw,
            "scores": [_score(one) for one in _objects(raw.get("scores"))],
            "assertions": [_made(Claim, one) for one in _objects(raw.get("assertions"))],
        },
    )


def _score(raw: Mapping[str, Any]) -> Score:
    """One of its scores: version 5 says ``pass``, and reasons stand below what was checked."""
    held = raw.get("pass")
    told = {"verdict": "pass" if held else "fail"} if isinstance(held, bool) else {}
    reason = next((raw[one] for one in ("reason", "reasoning") if raw.get(one)), None)
    return _made(Score, {**told, "reason": _why(raw) if reason is None else reason, **raw})


def _why(raw: Mapping[str, Any]) -> str:
    claims = [_made(Claim, one) for one in _objects(raw.get("assertions"))]
    return "; ".join(one.evidence or one.text for one in claims if not one.passed)


def _made(kind: type[_Made], raw: Mapping[str, Any]) -> _Made:
    """A struct of those fields that are as it has them."""
    good = {}
    for field in fields(kind):
        if field.name not in raw:
            continue
        try:
            good[field.name] = msgspec.convert(raw[field.name], field.type, strict=False)
        except msgspec.ValidationError:
            if field.required:
                raise
    return msgspec.convert(good, kind)


def _objects(value: Any) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
