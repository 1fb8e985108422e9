"""What an events document says of redaction: the receipt of a session, and that of an event.

What stands for something that was removed says itself by which rule: ``[REDACTED:rule]`` for
secrets, and a pseudonym as ``email-0123456789ab`` for what is about persons.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec

from pytest_agentv.redact.policy import FILE_CONTENTS, THINKING, TOOL_OUTPUT, TRUNCATED
from pytest_agentv.redact.receipt import PERSONAL

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# The finds of all other rules are secrets.
_TYPES = {
    **dict.fromkeys(PERSONAL, "pii"),
    **dict.fromkeys((FILE_CONTENTS, THINKING, TOOL_OUTPUT, TRUNCATED), "policy"),
}
# What a content policy takes away may say how much it was.
_PLACEHOLDER = re.compile(
    r"\[REDACTED:(?P<rule>[A-Za-z0-9_.-]{1,80})(?:, [0-9]+ characters, [0-9]+ lines)?\]"
    r"|\b(?P<kind>email|host|ip|path|user)-[0-9a-f]{12}\b"
)


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
    """What was removed from an event: field by field, each placeholder once."""
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
            "type": _TYPES.get(rule, "secret"),
            "placeholder": placeholder,
        }
        for name, value in fields.items()
        for placeholder, rule in dict.fromkeys(_placeholders(value))
    ]


def _placeholders(value: Any) -> Iterator[tuple[str, str]]:
    """All placeholders in a value, keys included, each with its rule; never recurses."""
    left = [value]
    while left:
        one = left.pop()
        if isinstance(one, str):
            for found in _PLACEHOLDER.finditer(one):
                yield found.group(), found["rule"] or found["kind"]
        elif isinstance(one, dict):
            left += [*reversed(one.values()), *reversed(one)]
        elif isinstance(one, list):
            left += reversed(one)
