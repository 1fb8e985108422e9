"""The form of a vendor's tool table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

# Kind and canonical arguments of one call.
Description: TypeAlias = tuple[str, dict[str, Any]]


class Tool(NamedTuple):
    """Kind of a tool, and which of its native arguments is which canonical one."""

    kind: str
    arguments: tuple[tuple[str, str], ...] = ()

    def described(self, native: Any) -> Description:
        """Kind and canonical arguments of a call; the first native name that is there wins."""
        found: dict[str, Any] = {}
        if type(native) is not dict:
            return self.kind, found
        for canonical, name in self.arguments:
            value = native.get(name)
            if canonical == "paths":
                value = _paths(value)
            elif type(value) is not str:
                continue
            if value is not None and canonical not in found:
                found[canonical] = value
        return self.kind, found


class Reader(NamedTuple):
    """A tool whose calls need a look at their arguments: they decide on the kind, or hold code."""

    described: Callable[[Any], Description]


Table: TypeAlias = "dict[str, Tool | Reader]"


def _paths(value: Any) -> list[str] | None:
    """Several paths; also a single one that stands where several may."""
    if type(value) is str:
        return [value]
    if type(value) is list and all(type(path) is str for path in value):
        return value
    return None


# Tools nobody has a table for: arguments that have a usual name are taken by it.
_USUAL = (
    ("path", "path"),
    ("path", "file_path"),
    ("path", "filePath"),
    ("paths", "paths"),
    ("command", "command"),
    ("query", "query"),
    ("url", "url"),
    ("url", "uri"),
    ("pattern", "pattern"),
    ("content", "content"),
)
MCP = Tool("mcp", _USUAL)
OTHER = Tool("other", _USUAL)


def unlisted(name: str) -> Tool:
    """A tool that no table has: of a server if its name begins as those of most clients do."""
    return MCP if name.startswith("mcp__") else OTHER
