"""What was redacted, for those who must be able to prove it; never what it was."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_agentv.redact.profiles import ContentPolicy, Profile

PERSONAL = ("email", "host", "ip", "path", "user")


class Redaction(NamedTuple):
    """One thing that was replaced."""

    field: str
    rule_id: str
    type: str
    placeholder: str

    def as_json(self) -> dict[str, str]:
        """As an events document has it."""
        return {
            "field": self.field,
            "ruleId": self.rule_id,
            "type": self.type,
            "placeholder": self.placeholder,
        }


class Receipt:
    """Counts by rule."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def block(self, profile: Profile, policy: ContentPolicy) -> dict[str, Any]:
        """The receipt of a transcript."""
        personal = sum(self.counts[rule] for rule in PERSONAL)
        total = sum(self.counts.values())
        return {
            "profile": profile.name,
            "redactionApplied": profile.name != "none",
            "anonymizationApplied": profile.pseudonyms,
            "rulesApplied": sorted(self.counts),
            "redactionCount": total,
            "pseudonymCount": personal,
            "rules": dict(sorted(self.counts.items())),
            "contentPolicy": {
                "includeFileContents": policy.include_file_contents,
                "toolOutput": policy.tool_output,
                "thinking": policy.thinking,
            },
        }


def joined_receipts(before: Mapping[str, Any] | None, now: dict[str, Any]) -> dict[str, Any]:
    """The receipt of a transcript that had one: what was done before counts too."""
    if not before or before.get("profile") in (None, "none"):
        return now
    rules = before.get("rules")
    earlier = Counter(
        {
            str(rule): count
            for rule, count in (rules.items() if isinstance(rules, dict) else ())
            if type(count) is int and count > 0
        }
    )
    counts = earlier + Counter(now["rules"])
    old_count = before.get("redactionCount")
    applied = before.get("rulesApplied")
    known = {one for one in applied if isinstance(one, str)} if isinstance(applied, list) else set()
    return {
        **now,
        "redactionApplied": True,
        "anonymizationApplied": now["anonymizationApplied"]
        or before.get("anonymizationApplied") is True,
        "rulesApplied": sorted(known | set(counts)),
        "redactionCount": now["redactionCount"] + (old_count if type(old_count) is int else 0),
        "pseudonymCount": sum(counts[rule] for rule in PERSONAL),
        "rules": dict(sorted(counts.items())),
    }
