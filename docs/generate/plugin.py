"""Tables of the pytest plugin and of the hooks: options, settings, fixtures."""

from __future__ import annotations

import ast
import inspect
from typing import TYPE_CHECKING, Any, cast

from marked import code, coded, sentence, table

from pytest_agentv import hookspecs, pytest_plugin

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest


class _Parser:
    """Takes down what the plugin asks pytest for."""

    def __init__(self) -> None:
        self.options: dict[str, dict[str, Any]] = {}
        self.settings: dict[str, dict[str, Any]] = {}

    def getgroup(self, *_: str) -> _Parser:
        return self

    def addoption(self, name: str, **said: Any) -> None:
        self.options[name] = said

    def addini(self, name: str, **said: Any) -> None:
        self.settings[name] = said


def parts() -> dict[str, str]:
    """The tables by their names."""
    parser = _Parser()
    pytest_plugin.pytest_addoption(cast("pytest.Parser", parser))
    return {
        "pytest options": table(
            ["option", "does"],
            [[_option(name, said), _help(said)] for name, said in parser.options.items()],
        ),
        "pytest settings": table(
            ["setting", "means"],
            [[code(name), _help(said)] for name, said in parser.settings.items()],
        ),
        "fixtures": table(["fixture", "is"], _fixtures()),
        "hooks": table(["hook", "does"], _hooks()),
    }


def _option(name: str, said: dict[str, Any]) -> str:
    if "choices" in said:
        return ", ".join(code(f"{name}={one}") for one in said["choices"])
    if said.get("action") == "store_true":
        return code(name)
    return code(f"{name}={said.get('metavar', 'VALUE')}")


def _help(said: dict[str, Any]) -> str:
    return coded(sentence(said["help"]), said.get("choices", ()))


def _fixtures() -> Iterator[list[str]]:
    """Functions that are marked as fixtures, by what they say of themselves."""
    for node in ast.parse(inspect.getsource(pytest_plugin)).body:
        if isinstance(node, ast.FunctionDef) and any(
            "pytest.fixture" in ast.unparse(one) for one in node.decorator_list
        ):
            doc = (ast.get_docstring(node) or "").replace("``", "`")
            yield [code(node.name), coded(sentence(doc))]


def _hooks() -> Iterator[list[str]]:
    for name, value in vars(hookspecs).items():
        if hasattr(value, "agentv_spec"):
            parameters = ", ".join(inspect.signature(value).parameters)
            doc = (inspect.getdoc(value) or "").replace("``", "`")
            yield [code(f"{name}({parameters})"), sentence(doc)]
