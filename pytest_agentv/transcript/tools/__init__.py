"""What a tool call is in every vendor's words: its canonical kind and arguments.

A vendor's table stands in a module here, or beside its adapter, in the module that the catalogue
names; it is imported with the vendor's first call. Adapters use these tables, and so does the
reader of foreign transcripts, so that a call gets the same kind by whichever way it comes in.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from pytest_agentv.catalogue import BY_PROVIDER
from pytest_agentv.transcript.tools.table import MCP, OTHER, Tool, unlisted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pytest_agentv.transcript.tools.table import Description, Reader, Table


def describe(
    tool: str, arguments: Any, provider: str | None, namespace: str | None = None
) -> Description:
    """Kind and canonical arguments of a call; without a known provider any vendor's name fits.

    ``namespace`` is the group or server that a session names beside the tool.
    """
    return tool_of(tool, provider, namespace).described(arguments)


def tool_of(tool: str, provider: str | None, namespace: str | None = None) -> Tool | Reader:
    """What is known of a tool, for those who describe many calls of it."""
    entry = (_TABLES.get(provider or "") or _table(provider or "")).get(tool)
    if entry is None or namespace:
        entry = _entry(tool, provider or "", namespace)
    return entry


def _entry(tool: str, provider: str, namespace: str | None) -> Tool | Reader:
    table = _table(provider)
    # Models slip: a mark of their own format, or the group of all tools, gets into a name.
    name = tool.partition("<|")[0].strip().removeprefix("functions.")
    if namespace and namespace != "functions":
        if namespace.startswith("mcp__"):
            return MCP
        return table.get(f"{namespace}__{name}") or table.get(name) or _of_group(namespace)
    return table.get(name) or _unlisted(provider, name)


def _of_group(namespace: str) -> Tool:
    from pytest_agentv.transcript.tools.codex import OWN_NAMESPACES  # noqa: PLC0415 (as all tables)

    return OTHER if namespace in OWN_NAMESPACES else MCP


def _table(provider: str) -> Table:
    known = _TABLES.get(provider)
    if known is None and provider in BY_PROVIDER:
        known = _TABLES[provider] = _vendor(provider).TOOLS
    return _every_tool() if known is None else known


@cache
def _every_tool() -> Table:
    """The tools of all vendors: of whom a call is, nobody knows.

    A name means what it means to the clients whose transcripts others write, if it is theirs.
    """
    others = [_table(provider) for provider in BY_PROVIDER if provider not in _WRITTEN_BY_OTHERS]
    return _merged(others) | _merged([_table(provider) for provider in _WRITTEN_BY_OTHERS])


def _unlisted(provider: str, name: str) -> Tool | Reader:
    if provider not in BY_PROVIDER:
        return unlisted(name)
    rule: Callable[[str], Tool | Reader] = getattr(_vendor(provider), "unlisted_tool", unlisted)
    return rule(name)


@cache
def _vendor(provider: str) -> Any:
    """The module that has a vendor's table."""
    if provider in _WRITTEN_BY_OTHERS:
        return import_module(f"{__name__}.{BY_PROVIDER[provider].name}")
    return BY_PROVIDER[provider].imported()


def _merged(tables: Iterable[Table]) -> Table:
    """All tables in one.

    A name that two vendors have means the same kind of tool; the arguments of both are taken. A
    tool that needs a look at its arguments is the more careful reader, and wins.
    """
    merged: Table = {}
    for table in tables:
        for name, tool in table.items():
            known = merged.get(name)
            if isinstance(known, Tool) and isinstance(tool, Tool):
                merged[name] = Tool(known.kind, (*known.arguments, *tool.arguments))
            elif known is None or isinstance(known, Tool):
                merged[name] = tool
    return merged


_WRITTEN_BY_OTHERS = ("claude-cli", "codex-cli", "copilot-cli")
# Those that were needed so far.
_TABLES: dict[str, Table] = {}
