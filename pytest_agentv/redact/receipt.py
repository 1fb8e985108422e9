"""What was redacted, for those who must be able to prove it; never what it was."""

from __future__ import annotations

from collections import Counter, deque
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pytest_agentv.redact.profiles import ContentPolicy, Profile

PERSONAL = ("email", "host", "ip", "path", "user")
# So many finds are told one by one; all are counted.
_TOLD = 10_000


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
    """Counts by rule, and the finds since somebody took them."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.finds: deque[Redaction] = deque(maxlen=_TOLD)
        # Where the text stands that is looked at.
        self.field = "text"
        # What is only learned, or stands there a second time, is not written down.
        self.writes = True

    def note(self, rule: str, stands_for: str) -> str:
        """Write a find down; gives what stands in its place."""
        if self.writes:
            self.counts[rule] += 1
            kind = "pii" if rule in PERSONAL else "secret"
            self.finds.append(Redaction(self.field, rule, kind, stands_for))
        return stands_for

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
