"""What a project says of redaction: own rules, names, what is left alone, how much is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from pytest_agentv.redact.own import OwnRule  # noqa: TC001 (msgspec reads the annotation)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_agentv.redact.profiles import Profile
    from pytest_agentv.redact.spans import Span


_SECONDS = 2.0


class RedactSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of redaction; ``policy`` holds what of the content policy is other than usual."""

    profile: str | None = None
    policy: dict[str, Any] = msgspec.field(default_factory=dict)
    names: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    disable: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    rules: tuple[OwnRule, ...] = ()

    def applied_to(self, profile: Profile) -> Profile:
        """The profile with the content policy that the project wants."""
        if not self.policy or not profile.secrets:
            return profile
        policy = msgspec.structs.replace(profile.policy, **self.policy)
        return msgspec.structs.replace(profile, policy=policy)

    def accepts(self, rule: str, value: str) -> bool:
        """Whether a find counts: its rule is in use, and the value is not allowed."""
        if rule in self.disable:
            return False
        return not self.allow or not self._allows(value)

    def _allows(self, value: str) -> bool:
        import regex  # noqa: PLC0415 (only who allows values needs it)

        try:
            return any(regex.search(one, value, timeout=_SECONDS) for one in self.allow)
        except TimeoutError:
            return False

    def own_spans(self, text: str) -> Iterator[Span]:
        """What own rules find in a text."""
        if self.rules:
            lower = text.lower()
            for rule in self.rules:
                yield from rule.spans(text, lower)

    def rule_of_key(self, key: str, place: str) -> str | None:
        """The own rule that says that the value of a key is a secret."""
        if not self.rules:
            return None
        return next((rule.id for rule in self.rules if rule.names(key, place)), None)
