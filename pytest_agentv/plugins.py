"""Making the plugin manager: our own hooks and those of every installed plugin."""

from __future__ import annotations

import pluggy

from pytest_agentv import builtin, hookspecs
from pytest_agentv.errors import PluginError
from pytest_agentv.registry import Registry


def plugin_manager() -> pluggy.PluginManager:
    """A manager with all plugins that are installed; a new one each time, so nothing is shared."""
    manager = pluggy.PluginManager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    manager.register(builtin, "pytest-agentv")
    try:
        manager.load_setuptools_entrypoints(hookspecs.PROJECT)
        manager.check_pending()
    except pluggy.PluginValidationError as exc:
        raise PluginError(f"plugin {exc.plugin!r} does not fit: {exc}") from exc
    except Exception as exc:  # code of others runs here, and may do anything
        raise PluginError(f"a plugin cannot be loaded: {exc!r}") from exc
    return manager


def registry(manager: pluggy.PluginManager | None = None) -> Registry:
    """Every adapter that any plugin has, by name."""
    manager = manager or plugin_manager()
    found = Registry()
    for plugin in manager.get_plugins():
        caller = manager.subset_hook_caller(
            "agentv_adapters", [other for other in manager.get_plugins() if other is not plugin]
        )
        name = manager.get_name(plugin) or repr(plugin)
        try:
            adapters = [adapter for adapters in caller() for adapter in adapters]
        except Exception as exc:  # code of others again
            raise PluginError(f"plugin {name!r} failed to give its adapters: {exc!r}") from exc
        for adapter in adapters:
            found.add_adapter(adapter, plugin=name)
    return found
