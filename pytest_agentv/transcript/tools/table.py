"""The form of a vendor's tool table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from typing import TypeAlias


class Tool(NamedTuple):
    """Kind of a tool, and which of its native arguments is which canonical one."""

    kind: str
    arguments: tuple[tuple[str, str], ...] = ()

    def canonical(self, native: Any) -> dict[str, Any]:
        """The canonical arguments of a call; the first native name that is there wins."""
        if type(native) is not dict:
            return {}
        found: dict[str, Any] = {}
        for canonical, name in self.arguments:
            value = native.get(name)
            if (type(value) is str or _are_texts(value, canonical)) and canonical not in found:
                found[canonical] = value
        return found


Table: TypeAlias = dict[str, Tool]


def _are_texts(value: Any, canonical: str) -> bool:
    return canonical == "paths" and type(value) is list and all(type(path) is str for path in value)


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
