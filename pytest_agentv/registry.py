"""Adapters by name, and which of them a file belongs to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_agentv.adapters.base import Adapter, calling
from pytest_agentv.errors import (
    AmbiguousSession,
    DuplicateName,
    Location,
    PluginError,
    SessionUnreadable,
    UnknownName,
)
from pytest_agentv.files import UTF16_MARKS, open_regular

if TYPE_CHECKING:
    from pathlib import Path


# ``agentv import auto`` is the command that finds the adapter itself.
_RESERVED = "auto"


class Registry:
    """What is there to use."""

    def __init__(self) -> None:
        self._adapters: dict[str, Adapter] = {}
        self._plugin_of: dict[str, str] = {}

    @property
    def adapters(self) -> tuple[Adapter, ...]:
        """All adapters, by name."""
        return tuple(self._adapters[name] for name in sorted(self._adapters))

    def add_adapter(self, adapter: Adapter, *, plugin: str) -> None:
        """Take in one adapter; a name may be taken once."""
        if not isinstance(adapter, Adapter):
            raise PluginError(f"plugin {plugin!r}: {adapter!r} is no adapter")
        if not re.fullmatch(r"[a-z0-9][a-z0-9-]*", adapter.name) or adapter.name == _RESERVED:
            raise PluginError(f"plugin {plugin!r}: no adapter can be named {adapter.name!r}")
        other = self._plugin_of.get(adapter.name)
        if other is not None:
            raise DuplicateName(
                f"adapter {adapter.name!r} comes from two plugins: {other!r} and {plugin!r}"
            )
        self._adapters[adapter.name] = adapter
        self._plugin_of[adapter.name] = plugin

    def adapter(self, name: str) -> Adapter:
        """The adapter of a name."""
        if name not in self._adapters:
            raise UnknownName("adapter", name, self._adapters)
        return self._adapters[name]

    def claims(self, path: Path) -> list[Adapter]:
        """The adapters that take a file for theirs."""
        found = []
        for adapter in self.adapters:
            with calling(adapter, plugin=self._plugin_of[adapter.name]):
                if adapter.claims(path):
                    found.append(adapter)
        return found

    def adapter_of(self, path: Path) -> Adapter:
        """The one adapter that claims a file."""
        with open_regular(path) as file:  # says what is wrong before anybody sniffs at it
            if file.read(2) in UTF16_MARKS:
                message = "is UTF-16 text; sessions are UTF-8"
                raise SessionUnreadable(message, at=Location(path, 1))
        claims = self.claims(path)
        if len(claims) == 1:
            return claims[0]
        if claims:
            names = ", ".join(adapter.name for adapter in claims)
            raise AmbiguousSession(f"is claimed by several adapters: {names}", at=Location(path))
        known = ", ".join(adapter.name for adapter in self.adapters)
        message = f"is no session that an adapter knows ({known})"
        raise SessionUnreadable(message, at=Location(path))
