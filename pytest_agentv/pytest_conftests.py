"""What a run of pytest can use: adapters and assertions of packages and of conftest.py files.

conftest.py files are loaded one after another, so there may be more to use every time.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from pytest_agentv.files import name_below
from pytest_agentv.graders.functions import assertions_in
from pytest_agentv.plugins import assertion_types, plugin_manager, registry

if TYPE_CHECKING:
    import pytest

    from pytest_agentv.assertion_types import AssertionTypes
    from pytest_agentv.registry import Registry


class RunPlugins:
    """The plugins of a run."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._manager = plugin_manager()
        self._seen: set[int] = set()
        self._functions: list[tuple[str, Any]] = []
        self._types: AssertionTypes | None = None

    @cached_property
    def registry(self) -> Registry:
        """The adapters there are when the first is asked for."""
        if self._take_in():
            self._types = None  # they may have assertions, too
        return registry(self._manager)

    @property
    def types(self) -> AssertionTypes:
        """The assertion types there are by now."""
        if self._take_in() or self._types is None:
            types = assertion_types(self._manager)
            for plugin, function in self._functions:
                types.add(function, plugin=plugin)
            self._types = types
        return self._types

    def _take_in(self) -> bool:
        """Take over what pytest's plugins, conftest.py files above all, have for us."""
        found = False
        for name, plugin in self._config.pluginmanager.list_name_plugin():
            if not isinstance(plugin, ModuleType) or id(plugin) in self._seen:
                continue
            self._seen.add(id(plugin))
            names = vars(plugin)
            functions = assertions_in(names)
            self._functions += [
                (name_below(Path(name), self._config.rootpath), one.function) for one in functions
            ]
            if any(one.startswith("agentv_") for one in names) and not self._has(plugin):
                self._manager.register(plugin, name)
                found = True
            found = found or bool(functions)
        return found

    def _has(self, plugin: ModuleType) -> bool:
        return plugin.__name__ == "pytest_agentv.pytest_plugin" or self._manager.is_registered(
            plugin
        )
