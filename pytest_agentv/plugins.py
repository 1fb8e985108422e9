"""Making the plugin manager: our own hooks and those of every installed plugin."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TYPE_CHECKING, Any

import pluggy

from pytest_agentv import builtin, hookspecs
from pytest_agentv.errors import PluginError
from pytest_agentv.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.metadata import EntryPoint

    from pytest_agentv.assertion_types import AssertionTypes

_INSTALLED = (".dist-info", ".egg-info", ".egg")


def plugin_manager() -> pluggy.PluginManager:
    """A manager with all plugins that are installed; a new one each time, so nothing is shared."""
    manager = pluggy.PluginManager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    manager.register(builtin, "pytest-agentv")
    for point in _entry_points():
        _load(manager, point)
    _check_pending(manager)
    return manager


def _entry_points() -> tuple[EntryPoint, ...]:
    """What installed packages offer us; to learn that there is nothing is made cheap."""
    if not any(map(_may_offer_plugins, sys.path)):
        return ()
    from importlib.metadata import entry_points  # noqa: PLC0415 (a fifth of the time to start)

    return tuple(entry_points(group=hookspecs.PROJECT))


def _may_offer_plugins(folder: str) -> bool:
    """Whether a package below an entry of ``sys.path`` names our group of entry points."""
    group = f"[{hookspecs.PROJECT}]".encode()
    try:
        with os.scandir(folder or ".") as entries:
            installed = [one.path for one in entries if one.name.endswith(_INSTALLED)]
    except NotADirectoryError:  # an archive: let importlib look into it
        return True
    except OSError:
        return False
    return any(group in _entry_points_file(package) for package in installed)


def _entry_points_file(package: str) -> bytes:
    name = "EGG-INFO/entry_points.txt" if package.endswith(".egg") else "entry_points.txt"
    path = os.path.join(package, name)  # noqa: PTH118 (a path object each would cost more)
    with contextlib.suppress(OSError), open(path, "rb") as file:  # noqa: PTH123
        return file.read()
    return b""


def _load(manager: pluggy.PluginManager, point: EntryPoint) -> None:
    package = point.dist.name if point.dist is not None else "?"
    # Packages do not know of each other, and pluggy would refuse the second of a name.
    name = f"{point.name} of {package}" if manager.has_plugin(point.name) else point.name
    try:
        manager.register(point.load(), name)
    except pluggy.PluginValidationError as exc:
        raise PluginError(f"plugin {name!r} does not fit: {_one_line(exc)}") from exc
    except Exception as exc:  # code of others runs here, and may do anything
        raise PluginError(
            f"plugin {point.name!r} of {package!r} cannot be loaded: {exc!r}"
        ) from exc


def _check_pending(manager: pluggy.PluginManager) -> None:
    try:
        manager.check_pending()
    except pluggy.PluginValidationError as exc:
        name = manager.get_name(exc.plugin) or repr(exc.plugin)
        raise PluginError(f"plugin {name!r} does not fit: {_one_line(exc)}") from exc


def _one_line(exc: Exception) -> str:
    return " ".join(str(exc).split())


def registry(manager: pluggy.PluginManager | None = None) -> Registry:
    """Every adapter that any plugin has, by name."""
    found = Registry()
    for plugin, adapter in _given(manager or plugin_manager(), "agentv_adapters", "adapters"):
        found.add_adapter(adapter, plugin=plugin)
    return found


def assertion_types(manager: pluggy.PluginManager) -> AssertionTypes:
    """Every assertion type that any plugin has, by name."""
    from pytest_agentv.assertion_types import AssertionTypes  # noqa: PLC0415 (loads pydantic)

    found = AssertionTypes()
    for plugin, grader in _given(manager, "agentv_graders", "graders"):
        found.add(grader, plugin=plugin)
    return found


def _given(manager: pluggy.PluginManager, hook: str, things: str) -> Iterator[tuple[str, Any]]:
    """What each plugin returns from a hook, one by one, in the order they were registered."""
    _check_pending(manager)  # conftest.py files may have been registered since
    for name, plugin in manager.list_name_plugin():
        if plugin is None:  # blocked
            continue
        if callable(getattr(plugin, hook, None)) and not manager.parse_hookimpl_opts(plugin, hook):
            raise PluginError(f"plugin {name!r}: `{hook}` needs @hookimpl above it to be a hook")
        caller = manager.subset_hook_caller(
            hook, [other for other in manager.get_plugins() if other is not plugin]
        )
        try:
            given = [one for several in caller() for one in several]
        except Exception as exc:  # code of others again
            raise PluginError(f"plugin {name!r} failed to give its {things}: {exc!r}") from exc
        yield from ((name, one) for one in given)
