"""The catalogue: every grader is in it, by each of its names, and is loaded when it is used."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pkgutil import iter_modules

import pytest

from pytest_agentv import graders
from pytest_agentv.assertion_types import AssertionTypes
from pytest_agentv.errors import PluginError
from pytest_agentv.evalfile.tables import COMMON
from pytest_agentv.graders.base import Grader
from pytest_agentv.graders.catalogue import CATALOGUE


def test_every_grader_is_catalogued_by_each_of_its_types() -> None:
    modules = [
        import_module(f"pytest_agentv.graders.{one.name}") for one in iter_modules(graders.__path__)
    ]
    found = {
        (name, one)
        for module in modules
        for one in vars(module).values()
        if isinstance(one, type) and issubclass(one, Grader) and one.__module__ == module.__name__
        for name in one.types
    }
    assert {(one.assertion, one.load()) for one in CATALOGUE} == found
    assert len(CATALOGUE) == len(found)


def test_no_grader_takes_a_key_that_every_assertion_may_have() -> None:
    common = {"type", *COMMON.names, *COMMON.aliases}
    assert [one.assertion for one in CATALOGUE if common & set(one.load().model_fields)] == []


def test_a_grader_is_loaded_when_it_is_used() -> None:
    code = (
        "import sys\n"
        "from pytest_agentv.plugins import assertion_types, plugin_manager\n"
        "types = assertion_types(plugin_manager())\n"
        "assert 'tool-trajectory' in list(types)\n"
        "names = ('pytest_agentv.graders.text', 'pytest_agentv.graders.trajectory')\n"
        "loaded = [[one in sys.modules for one in names]]\n"
        "types.get('contains')\n"
        "loaded += [[one in sys.modules for one in names]]\n"
        "print(loaded)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, encoding="utf-8"
    )
    assert done.stdout.strip() == "[[False, False], [True, False]]"


def test_a_grader_of_others_that_cannot_be_built_is_an_error_of_its_plugin() -> None:
    class Strange:
        """Nothing that a key could hold."""

    class Broken(Grader):
        types = ("broken",)
        value: Strange

    with pytest.raises(PluginError, match=r"plugin 'mine': Broken cannot be used: "):
        AssertionTypes().add(Broken, plugin="mine")
