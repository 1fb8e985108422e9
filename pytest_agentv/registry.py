"""Adapters by name, and which of them a file belongs to."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from pytest_agentv.adapters.base import Adapter, LazyAdapter, calling, claims, lacking
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
        self._adapters: dict[str, Adapter | LazyAdapter] = {}
        self._plugin_of: dict[str, str] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all adapters; none of them is loaded for that."""
        return tuple(sorted(self._adapters))

    @property
    def adapters(self) -> tuple[Adapter, ...]:
        """All adapters, by name."""
        return tuple(map(self.adapter, self.names))

    def add_adapter(self, adapter: Adapter | LazyAdapter, *, plugin: str) -> None:
        """Take in one adapter; a name may be taken once."""
        # What is made later is one for sure; to find out takes time.
        if not isinstance(adapter, LazyAdapter) and (why := lacking(adapter)):
            raise PluginError(f"plugin {plugin!r}: {adapter!r} is no adapter: {why}")
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
        adapter = self._adapters[name]
        if isinstance(adapter, LazyAdapter):
            adapter = self._adapters[name] = adapter.load()
        return adapter

    def claims(self, path: Path) -> list[Adapter]:
        """The adapters that take a file or folder for theirs."""
        is_folder = os.path.isdir(path)  # noqa: PTH112 (never raises, whatever the name is)
        found = []
        for adapter in self.adapters:
            with calling(adapter, plugin=self._plugin_of[adapter.name]):
                if claims(adapter, path, is_folder=is_folder):
                    found.append(adapter)
        return found

    def adapter_of(self, path: Path) -> Adapter:
        """The one adapter that claims a file, or a folder."""
        claimants = self.claims(path) if os.path.isdir(path) else []  # noqa: PTH112
        if not claimants:
            with open_regular(path) as file:  # says what is wrong before anybody sniffs at it
                start = file.read(2)
            if start in UTF16_MARKS:
                message = "is UTF-16 text; sessions are UTF-8"
                raise SessionUnreadable(message, at=Location(path, 1))
            if not start:
                raise SessionUnreadable("is empty", at=Location(path))
            claimants = self.claims(path)
        if len(claimants) == 1:
            return claimants[0]
        if claimants:
            names = ", ".join(adapter.name for adapter in claimants)
            raise AmbiguousSession(f"is claimed by several adapters: {names}", at=Location(path))
        from pytest_agentv.transcript.reading import (  # noqa: PLC0415 (only where nobody claims)
            is_transcript_file,
        )

        if is_transcript_file(path):
            raise SessionUnreadable("is a transcript already, not a session", at=Location(path))
        known = ", ".join(self.names)
        message = f"is no session that an adapter knows ({known})"
        raise SessionUnreadable(message, at=Location(path))
