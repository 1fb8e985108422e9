"""What a project says of redaction: own rules, names, what is left alone, how much is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from pytest_agentv.redact.profiles import Profile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pytest_agentv.redact.spans import Span


class RedactSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of redaction."""

    profile: str | None = None
    policy: dict[str, Any] = msgspec.field(default_factory=dict)
    names: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    disabled: frozenset[str] = frozenset()

    def applied_to(self, profile: Profile) -> Profile:
        """The profile with the content policy that the project wants."""
        if not self.policy:
            return profile
        return msgspec.structs.replace(
            profile, policy=msgspec.structs.replace(profile.policy, **self.policy)
        )

    def is_on(self, rule: str) -> bool:
        """Whether a rule is in use."""
        return rule not in self.disabled

    def finder(self) -> Callable[[str], Iterable[Span]] | None:
        """Finds what own rules say; None if there are none."""
        return None
