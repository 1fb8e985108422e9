"""Plugins: what they add, and what is said about one that does not fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pluggy
import pytest
from fake_adapters import FakeAdapter

from pytest_agentv import hookimpl
from pytest_agentv.errors import DuplicateName, PluginError
from pytest_agentv.plugins import plugin_manager, registry

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from pytest_agentv import Adapter


class Plugin:
    """Adds the adapters it was given."""

    def __init__(self, *names: str) -> None:
        self._names = names

    @hookimpl
    def agentv_adapters(self) -> Iterable[Adapter]:
        return [FakeAdapter(name) for name in self._names]


def _names(manager: pluggy.PluginManager) -> list[str]:
    return [adapter.name for adapter in registry(manager).adapters]


def test_our_own_adapters_come_as_a_plugin_like_any_other() -> None:
    assert plugin_manager().has_plugin("pytest-agentv")
    assert "claude" in [adapter.name for adapter in registry().adapters]


def test_a_registered_plugin_adds_its_adapters() -> None:
    manager = plugin_manager()
    before = _names(manager)
    manager.register(Plugin("zeta", "beta"), "mine")
    assert _names(manager) == sorted([*before, "beta", "zeta"])


def test_a_manager_is_new_each_time() -> None:
    manager = plugin_manager()
    before = _names(plugin_manager())
    manager.register(Plugin("mine"), "mine")
    assert _names(plugin_manager()) == before
    assert "mine" not in [adapter.name for adapter in registry().adapters]


def test_a_plugin_may_add_nothing() -> None:
    manager = plugin_manager()
    before = _names(manager)

    class Nothing:
        @hookimpl
        def agentv_adapters(self) -> None:
            return None

    manager.register(Plugin(), "empty list")
    manager.register(Nothing(), "None")
    manager.register(object(), "no hook at all")
    assert _names(manager) == before


def test_a_module_can_be_a_plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "agentv_module_plugin.py").write_text(
        "from fake_adapters import FakeAdapter\n"
        "from pytest_agentv import hookimpl\n"
        "@hookimpl\n"
        "def agentv_adapters():\n"
        "    yield FakeAdapter('from-a-module')\n",
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(tmp_path)
    manager = plugin_manager()
    manager.register(__import__("agentv_module_plugin"))
    assert "from-a-module" in _names(manager)


def test_two_plugins_with_the_same_name_are_an_error_that_names_both_in_order() -> None:
    # Often enough that an order left to chance would show.
    for number in range(8):
        manager = plugin_manager()
        manager.register(Plugin("same"), f"first-{number}")
        manager.register(Plugin("same"), f"second-{number}")
        with pytest.raises(DuplicateName) as caught:
            registry(manager)
        assert str(caught.value) == (
            f"adapter 'same' comes from two plugins: 'first-{number}' and 'second-{number}'"
        )


def test_nobody_can_take_the_name_of_one_of_ours() -> None:
    manager = plugin_manager()
    manager.register(Plugin("claude"), "mine")
    with pytest.raises(DuplicateName, match="'claude' comes from two plugins") as caught:
        registry(manager)
    assert "'pytest-agentv'" in str(caught.value)
    assert "'mine'" in str(caught.value)


class Fails:
    """Raises when it is asked."""

    @hookimpl
    def agentv_adapters(self) -> Iterable[Adapter]:
        raise ZeroDivisionError("no adapters today")


class FailsLate:
    """Raises when what it returned is looked at."""

    @hookimpl
    def agentv_adapters(self) -> Iterator[Adapter]:
        yield FakeAdapter("one")
        raise ZeroDivisionError("no adapters today")


@pytest.mark.parametrize("plugin", [Fails(), FailsLate()])
def test_a_hook_that_fails_is_an_error_that_names_its_plugin(plugin: object) -> None:
    manager = plugin_manager()
    manager.register(Plugin("good"), "good")
    manager.register(plugin, "bad")
    with pytest.raises(PluginError) as caught:
        registry(manager)
    assert str(caught.value) == (
        "plugin 'bad' failed to give its adapters: ZeroDivisionError('no adapters today')"
    )
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


class ReturnsOne:
    """Returns an adapter where a list of them is expected."""

    @hookimpl
    def agentv_adapters(self) -> Adapter:
        return FakeAdapter("one")


class ReturnsClasses:
    """Returns the class where an instance is expected."""

    @hookimpl
    def agentv_adapters(self) -> list[type]:
        return [FakeAdapter]


@pytest.mark.parametrize("plugin", [ReturnsOne(), ReturnsClasses()])
def test_a_hook_that_returns_something_else_is_an_error_that_names_its_plugin(
    plugin: object,
) -> None:
    manager = plugin_manager()
    manager.register(plugin, "bad")
    with pytest.raises(PluginError, match=r"^plugin 'bad'"):
        registry(manager)


class Misspelt:
    """Means ``agentv_adapters``."""

    @hookimpl
    def agentv_adapter(self) -> Iterable[Adapter]:
        return [FakeAdapter("never-seen")]


def test_a_misspelt_hook_is_an_error_that_names_its_plugin() -> None:
    manager = plugin_manager()
    manager.register(Misspelt(), "typo")
    with pytest.raises(PluginError, match=r"typo.*agentv_adapter\b"):
        registry(manager)


class WantsMore:
    """Asks for an argument that the hook does not have."""

    @hookimpl
    def agentv_adapters(self, config: object) -> Iterable[Adapter]:
        del config
        return []


def test_a_hook_that_wants_other_arguments_is_refused_when_it_registers() -> None:
    with pytest.raises(pluggy.PluginValidationError, match="config"):
        plugin_manager().register(WantsMore(), "wants more")


def _install(folder: Path, *, name: str, source: str) -> None:
    """Put a package with an entry point where Python finds it, as pip would."""
    (folder / f"{name}.py").write_text(source, encoding="utf-8")
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", "utf-8")
    (info / "entry_points.txt").write_text(f"[agentv]\n{name} = {name}\n", "utf-8")


def test_an_installed_plugin_is_found_by_its_entry_point(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _install(
        tmp_path,
        name="agentv_installed_plugin",
        source="from fake_adapters import FakeAdapter\n"
        "from pytest_agentv import hookimpl\n"
        "@hookimpl\n"
        "def agentv_adapters():\n"
        "    return [FakeAdapter('installed')]\n",
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert "installed" in [adapter.name for adapter in registry().adapters]


@pytest.mark.parametrize(
    ("name", "source"),
    [
        pytest.param("agentv_crash", "raise RuntimeError('at import')\n", id="crashes"),
        pytest.param("agentv_needy", "import agentv_no_such_module\n", id="lacks a module"),
        pytest.param(
            "agentv_typo",
            "from pytest_agentv import hookimpl\n"
            "@hookimpl\n"
            "def agentv_adaptors():\n"
            "    return []\n",
            id="misspells the hook",
        ),
        pytest.param(
            "agentv_wants",
            "from pytest_agentv import hookimpl\n"
            "@hookimpl\n"
            "def agentv_adapters(config):\n"
            "    return []\n",
            id="wants other arguments",
        ),
    ],
)
def test_an_installed_plugin_that_does_not_fit_is_an_error_that_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, source: str
) -> None:
    _install(tmp_path, name=name, source=source)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(PluginError, match=name):
        plugin_manager()
