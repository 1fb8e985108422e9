"""JSON values without secrets: keys say what stands under them, arguments what follows them."""

from __future__ import annotations

import operator
import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from pytest_agentv.jsontext import MAX_DEPTH, too_deep
from pytest_agentv.redact import manifests
from pytest_agentv.redact.names import rule_for
from pytest_agentv.redact.privatekeys import private_keys_in
from pytest_agentv.redact.spans import MARK, placeholder
from pytest_agentv.redact.values import is_template

if TYPE_CHECKING:
    from pytest_agentv.redact.receipt import Receipt
    from pytest_agentv.redact.settings import RedactSettings
    from pytest_agentv.redact.texts import Texts

_NAMES = ("name", "key", "header", "field", "variable")
_NAME_KEYS = frozenset(_NAMES)
_VALUE_KEYS = frozenset({"value", "val", "default", "secret", "data", "content"})
_LOGINS = frozenset({"-u", "--user", "-U", "--proxy-user", "-a", "--auth"})
# A line of a diff begins with the same sign.
_FLAG = re.compile(r"--?[A-Za-z][\w.-]{0,60}", re.ASCII)
# A private key as a list of its lines.
_KEY_BEGINS = "PRIVATE KEY"
_MOST_LINES = 2000


class Objects:
    """Redacts the texts and keys of JSON values."""

    def __init__(
        self, texts: Texts, settings: RedactSettings, receipt: Receipt, *, secrets: bool
    ) -> None:
        self._texts = texts
        self._receipt = receipt
        self._settings = settings
        self._secrets = secrets
        # What became of the texts of one value, for another one that repeats them.
        self._given: dict[str, str] | None = None
        self._results: dict[str, str] | None = None

    def value(self, value: Any, field: str) -> Any:
        """A value without secrets; the same object if there are none."""
        return placeholder("too-deep") if too_deep(value, MAX_DEPTH) else self._value(value, field)

    def pair(self, one: Any, other: Any, field: str) -> tuple[Any, Any]:
        """Two values of which the second says the same as the first: it is written down once."""
        given: dict[str, str] = {}
        self._given = given
        first = self.value(one, field)
        self._given, self._results = None, given
        writes, self._receipt.writes = self._receipt.writes, False
        second = self.value(other, field)
        self._results, self._receipt.writes = None, writes
        return first, second

    def _text(self, text: str, field: str) -> str:
        if self._results is not None and (result := self._results.get(text)) is not None:
            return result
        result = self._texts.text(text, field)
        if self._given is not None:
            self._given[text] = result
        return result

    def _value(self, value: Any, field: str) -> Any:
        if type(value) is str:
            return self._text(value, field)
        if type(value) is dict:
            return self._object(value, field)
        if type(value) is list:
            return self._list(value, field)
        return value

    def _object(self, value: dict[str, Any], field: str) -> dict[str, Any]:
        changed = False
        result: dict[str, Any] = {}
        # An object may name its value: API_TOKEN under `name`, and the token under `value`.
        name = None if _NAME_KEYS.isdisjoint(value) else _name_in(value)
        is_secret = self._secrets and _is_manifest(value)
        for key, held in value.items():
            new_key = self._text(key, field) if type(key) is str else key
            named = name if name is not None and key in _VALUE_KEYS else key
            if is_secret and key in manifests.HOLDERS and type(held) is dict:
                new = self._manifest(held, f"{field}.{new_key}")
            else:
                new = self._named(named, held, f"{field}.{new_key}")
            changed |= new is not held or new_key is not key
            while new_key in result:  # two keys that are secrets of one kind
                new_key += "_"
            result[new_key] = new
        return result if changed else value

    def _manifest(self, held: dict[str, Any], field: str) -> dict[str, Any]:
        """What a Kubernetes secret holds: every text is one, whatever its name."""
        clean = self._object(held, field)
        result = {
            key: self._texts.secret(old, manifests.RULE, f"{field}.{key}")
            if new is old and type(old) is str and old and not is_template(old)
            else new
            for (key, new), old in zip(clean.items(), held.values(), strict=True)
        }
        return held if all(map(operator.is_, result.values(), held.values())) else result

    def _named(self, key: str, held: Any, field: str) -> Any:
        """A value under its key, which may say that it is a secret."""
        if type(held) is list and _is_texts(held) and type(key) is str:
            return self._named_list(key, held, field)
        if type(held) is not str or type(key) is not str:
            return self._value(held, field)
        new = self._text(held, field)
        # A name in a password does not make the rest of it less of one.
        if self._secrets and (new is held or new.count(MARK) == held.count(MARK)):
            rule = self._settings.rule_of_key(key, field) or rule_for(key, held, quoted=True)
            if rule is not None and self._settings.accepts(rule, held):
                return self._texts.secret(held, rule, field)
        return new

    def _named_list(self, key: str, held: list[str], field: str) -> list[str]:
        clean = self._list(held, field)
        named = [
            self._named(key, one, field) if one is old else one
            for one, old in zip(clean, held, strict=True)
        ]
        return held if all(map(operator.is_, named, held)) else named

    def _list(self, value: list[Any], field: str) -> list[Any]:
        result = [self._value(one, field) for one in value]
        if self._secrets and len(value) > 1 and _is_texts(value):
            self._flags(value, result, field)
            self._joined(value, result, field)
        return value if all(map(operator.is_, result, value)) else result

    def _flags(self, value: list[str], result: list[str], field: str) -> None:
        """Arguments of a command, of which one may say that the next is a secret."""
        for at, (name, held) in enumerate(pairwise(value), 1):
            if not _FLAG.fullmatch(name) or result[at] is not held:
                continue
            rule = rule_for(name, held, quoted=True)
            if rule is None and name in _LOGINS:
                user, colon, password = held.partition(":")
                if colon and password:
                    result[at] = f"{user}:{self._texts.secret(password, 'user-flag', field)}"
            elif rule is not None and self._settings.accepts(rule, held):
                result[at] = self._texts.secret(held, rule, field)

    def _joined(self, value: list[str], result: list[str], field: str) -> None:
        """Lines of one text, of which a secret may take several."""
        if len(value) > _MOST_LINES or not any(_KEY_BEGINS in one for one in value):
            return
        whole = "\n".join(value)
        start = 0
        for at, line in enumerate(value):
            end = start + len(line)
            covering = (s for s in private_keys_in(whole) if s.start < end and s.end > start)
            if (span := next(covering, None)) is not None and line:
                result[at] = self._texts.secret("", span.rule, field)
            start = end + 1


def _is_manifest(value: dict[str, Any]) -> bool:
    kind = value.get("kind")
    return type(kind) is str and kind.lower() == manifests.KIND


def _is_texts(value: list[Any]) -> bool:
    return all(type(one) is str for one in value)


def _name_in(value: dict[str, Any]) -> str | None:
    return next((value[key] for key in _NAMES if type(value.get(key)) is str), None)
