"""Names of assertions and sessions: stable, short, fit for node ids, JUnit and command lines."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pytest_agentv.evalfile.model import Entry

_SLUG = 40
_NAME = 80
_PROVIDER = 40
_SESSION = 8
# All but letters, digits and few signs.
_OTHERS = re.compile(r"[^\w.-]+")


def assertion_names(
    entries: Iterable[tuple[Entry, Any]],
    *,
    reserved: Iterable[str] = (),
    shown: Callable[[str], str] | None = None,
) -> list[str]:
    """A name for each of a case's assertions: its metric, else its type and what it is about.

    ``shown`` is what a name may have of a text.
    """
    return unique((_name(entry, about, shown) for entry, about in entries), reserved=reserved)


def unique(names: Iterable[str], *, reserved: Iterable[str] = ()) -> list[str]:
    """The names, those that come again with ``-2``, ``-3`` and so on."""
    taken = set(reserved)
    # How often a name came: counting from the start each time takes minutes if thousands are alike.
    counts: dict[str, int] = {}
    found = []
    for first in names:
        name, count = first, counts.get(first, 1)
        while name in taken:
            count += 1
            name = f"{first}-{count}"
        taken.add(name)
        counts[first] = count
        found.append(name)
    return found


def slug(text: str, limit: int) -> str:
    """A text as part of a name: letters, digits and few signs, the rest as single hyphens."""
    whole = unicodedata.normalize("NFC", text[: limit * 4])
    return "-".join(_OTHERS.sub(" ", whole).split())[:limit].strip("-.")


def provider_name(provider: str) -> str:
    """A provider in the name of a case."""
    return slug(provider, _PROVIDER) or "unknown"


def session_name(provider: str, session_id: str | None) -> str:
    """A session in the name of a case: its provider, and the beginning of its id if it has one."""
    part = slug((session_id or "")[:_SESSION], _SESSION)
    return f"{provider_name(provider)}-{part}" if part else provider_name(provider)


def _name(entry: Entry, about: Any, shown: Callable[[str], str] | None) -> str:
    if entry.metric is not None:
        named = slug(shown(entry.metric) if shown else entry.metric, _NAME)
        if named:
            return named
    kind = f"not-{entry.type}" if entry.negated else entry.type
    text = _shown(about)
    value = slug(shown(text) if shown else text, _SLUG)
    return f"{kind}-{value}" if value else kind


def _shown(value: Any) -> str:
    """What of a value goes into a name: texts and numbers, not whole structures."""
    if isinstance(value, list):
        return " ".join(_shown(one) for one in value[:_SLUG])
    return str(value) if isinstance(value, (str, int, float)) else ""
