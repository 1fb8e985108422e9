"""What an events document says of redaction: the receipt of a session, and that of an event.

Placeholders say themselves what was removed: ``[REDACTED:rule]``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_PLACEHOLDER = re.compile(r"\[REDACTED:([A-Za-z0-9_.-]{1,80})\]")
# Rules whose finds say who somebody is or where; those of all others are secrets.
_PERSONAL = re.compile(r"e?mail|path|user|host|\bip|name|phone", re.IGNORECASE)


class _Policy(msgspec.Struct, rename="camel"):
    """What kinds of content were kept; a receipt may say more."""

    include_file_contents: bool = True
    tool_output: Literal["full", "truncated", "metadata-only", "none"] = "full"


_FIELDS: dict[str, Any] = {
    "profile": str,
    "redactionApplied": bool,
    "anonymizationApplied": bool,
    "rulesApplied": list[str],
    "redactionCount": Annotated[int, msgspec.Meta(ge=0)],
    "contentPolicy": _Policy,
}
_NOTHING_DONE: dict[str, Any] = {
    "profile": "none",
    "redactionApplied": False,
    "anonymizationApplied": False,
    "rulesApplied": [],
    "redactionCount": 0,
    "contentPolicy": {"includeFileContents": True, "toolOutput": "full"},
}


def privacy_block(receipt: Mapping[str, Any] | None) -> dict[str, Any]:
    """The receipt of a session; without one nothing was redacted, and the block says so."""
    if receipt is None:
        return _NOTHING_DONE
    # What a receipt does not say, or not so that anybody understands it, is unknown: it does not
    # mean that nothing was done.
    return {name: _understood(receipt.get(name), type_) for name, type_ in _FIELDS.items()}


def _understood(value: Any, type_: Any) -> Any:
    try:
        msgspec.convert(value, type_)
    except msgspec.ValidationError:
        return None
    return value


def redactions_in(
    event: Mapping[str, Any], receipt: Mapping[str, Any] | None
) -> list[dict[str, str]]:
    """What was removed from an event: field by field, each rule once for a field."""
    if receipt is None:
        return []  # then a placeholder is a text like any other
    tool = event.get("tool") or {}
    fields = {
        "text": event.get("text"),
        **{f"tool.{name}": tool[name] for name in ("name", "input", "output") if name in tool},
    }
    return [
        {
            "field": name,
            "ruleId": rule,
            "type": "pii" if _PERSONAL.search(rule) else "secret",
            "placeholder": f"[REDACTED:{rule}]",
        }
        for name, value in fields.items()
        for rule in dict.fromkeys(_rules_in(value))
    ]


def _rules_in(value: Any) -> Iterator[str]:
    """The rules of all placeholders in a value, keys included; never recurses."""
    left = [value]
    while left:
        one = left.pop()
        if isinstance(one, str):
            yield from _PLACEHOLDER.findall(one)
        elif isinstance(one, dict):
            left += [*reversed(one.values()), *reversed(one)]
        elif isinstance(one, list):
            left += reversed(one)
