"""Reading the settings of redaction: from pyproject.toml, or from a TOML file of their own."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NoReturn

from pytest_agentv.config.toml import read_toml
from pytest_agentv.errors import Location, SettingsError
from pytest_agentv.redact.own import OwnRule
from pytest_agentv.redact.profiles import PROFILES
from pytest_agentv.redact.settings import RedactSettings

if TYPE_CHECKING:
    from pathlib import Path

    import regex

_OUTPUTS = ("full", "truncated", "metadata-only", "none")
_POLICY = ("include_file_contents", "tool_output", "thinking", "output_limit")
_TEXTS = ("names", "hosts", "disable", "allow")
_KEYS = ("profile", *_POLICY, *_TEXTS, "rules")
_RULE_KEYS = ("id", "regex", "group", "keywords", "entropy", "allow", "keys")
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,79}")


def read_redact_settings(root: Path, *, file: Path | None = None) -> RedactSettings:
    """The settings of a project, or those of ``file``, which has the same keys at its top."""
    path = root / "pyproject.toml" if file is None else file
    found = read_toml(path)
    if found is None:
        if file is None:
            return RedactSettings()
        raise SettingsError("no such file", at=Location(path))
    names = ("tool", "agentv", "redact") if file is None else ()
    return _Reader(path, found.text).settings(found.table(*names))


class _Reader:
    """Checks settings; knows on which line each is."""

    def __init__(self, path: Path, text: str) -> None:
        self._path = path
        self._lines = text.split("\n")

    def settings(self, table: Any) -> RedactSettings:
        if not isinstance(table, dict):
            self._wrong("redact", "`tool.agentv.redact` must be a table")
        for key in table:
            if key not in _KEYS:
                self._wrong(key, f"unknown key {key!r}; known: {', '.join(_KEYS)}")
        profile = table.get("profile")
        if profile is not None and profile not in list(PROFILES):  # a list has no hash
            self._wrong("profile", f"unknown profile {profile!r}; known: {', '.join(PROFILES)}")
        for pattern in self._texts(table, "allow"):
            self._pattern("allow", pattern)
        rules = table.get("rules", [])
        if not isinstance(rules, list):
            self._wrong("rules", "`rules` must be tables, each under [[…rules]]")
        return RedactSettings(
            profile=profile,
            policy=self._policy(table),
            rules=tuple(self._rule(number, rule) for number, rule in enumerate(rules)),
            **{name: self._texts(table, name) for name in _TEXTS},
        )

    def _policy(self, table: dict[str, Any]) -> dict[str, Any]:
        policy = {name: table[name] for name in _POLICY if name in table}
        for name in ("include_file_contents", "thinking"):
            if name in policy and type(policy[name]) is not bool:
                self._wrong(name, f"`{name}` must be true or false, not {policy[name]!r}")
        if policy.get("tool_output", "full") not in _OUTPUTS:
            known = ", ".join(_OUTPUTS)
            self._wrong(
                "tool_output",
                f"`tool_output` must be one of {known}, not {policy['tool_output']!r}",
            )
        limit = policy.get("output_limit", 1)
        if type(limit) is not int or limit < 1:
            self._wrong("output_limit", f"`output_limit` must be a number from 1 on, not {limit!r}")
        return policy

    def _rule(self, number: int, rule: Any) -> OwnRule:
        after = self._header(number)
        if not isinstance(rule, dict):
            self._wrong("rules", "a rule must be a table", after)
        for key in rule:
            if key not in _RULE_KEYS:
                known = ", ".join(_RULE_KEYS)
                self._wrong(key, f"unknown key {key!r} of a rule; known: {known}", after)
        id_ = rule.get("id")
        if not isinstance(id_, str) or not _ID.fullmatch(id_):
            self._wrong(
                "id",
                f"the `id` of a rule must be at most 80 letters, digits or _.-, not {id_!r}",
                after,
            )
        if "regex" not in rule and not rule.get("keys"):
            self._wrong("id", f"the rule {id_!r} needs a `regex` or `keys`", after)
        if "regex" in rule:
            self._regex(rule, after)
        least = rule.get("entropy", 0.0)
        if type(least) not in (int, float) or not 0 <= least <= 8:  # noqa: PLR2004
            self._wrong("entropy", f"`entropy` must be a number from 0 to 8, not {least!r}", after)
        for pattern in self._texts(rule, "allow", after):
            self._pattern("allow", pattern, after)
        return OwnRule(
            id=id_,
            regex=rule.get("regex"),
            group=rule.get("group", 0),
            keywords=tuple(one.lower() for one in self._texts(rule, "keywords", after)),
            entropy=float(least),
            allow=self._texts(rule, "allow", after),
            keys=tuple(one.lower() for one in self._texts(rule, "keys", after)),
        )

    def _regex(self, rule: dict[str, Any], after: int) -> None:
        pattern = rule["regex"]
        if not isinstance(pattern, str):
            self._wrong("regex", f"`regex` must be a text, not {pattern!r}", after)
        compiled = self._pattern("regex", pattern, after)
        group = rule.get("group", 0)
        known = type(group) is str and group in compiled.groupindex
        if not known and not (type(group) is int and 0 <= group <= compiled.groups):
            self._wrong("group", f"the pattern has no group {group!r}", after)

    def _pattern(self, key: str, pattern: str, after: int = 0) -> regex.Pattern[str]:
        import regex  # noqa: PLC0415 (only who has own rules needs it)

        try:
            return regex.compile(pattern)
        except regex.error as exc:
            self._wrong(key, f"{pattern!r} is no pattern: {exc}", after)

    def _texts(self, table: dict[str, Any], name: str, after: int = 0) -> tuple[str, ...]:
        value = table.get(name, [])
        if not isinstance(value, list) or not all(isinstance(one, str) and one for one in value):
            self._wrong(name, f"`{name}` must be a list of texts", after)
        return tuple(value)

    def _header(self, number: int) -> int:
        """The line of the header of a rule, counted from 0."""
        headers = [
            at
            for at, line in enumerate(self._lines)
            if re.match(r"\s*\[\[[\w.\s\"-]*rules\s*\]\]", line)
        ]
        return headers[number] if number < len(headers) else 0

    def _wrong(self, key: str, message: str, after: int = 0) -> NoReturn:
        """Say what is wrong, with the line of the key."""
        named = re.compile(
            rf"\s*[\"']?{re.escape(key)}[\"']?\s*=|\s*\[+[\w.\"-]*{re.escape(key)}\s*\]"
        )
        lines = range(after, len(self._lines))
        found = next((at for at in lines if named.match(self._lines[at])), None)
        line = after + 1 if found is None and after else None if found is None else found + 1
        raise SettingsError(message, at=Location(self._path, line))
