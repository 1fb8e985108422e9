"""Edits as models write them for Aider: blocks of search and replace in the text of a response."""

from __future__ import annotations

_FENCE = ("```", "````", "<source>", "<code>", "<pre>", "<codeblock>", "<sourcecode>")
_SEARCH, _DIVIDE, _REPLACE = "<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE"


def edits_in(text: str) -> dict[str, str]:
    """The files that a response edits by blocks of search and replace, with the new text."""
    edits: dict[str, list[str]] = {}
    path = ""
    before: list[str] = []
    new: list[str] = []
    state = ""
    for line in text.split("\n"):
        if line.rstrip() == _SEARCH:
            path = _path_in(before) or path
            state, new = "search", []
        elif state == "search" and line.rstrip() == _DIVIDE:
            state = "replace"
        elif state == "replace" and line.rstrip() == _REPLACE:
            if path:
                edits.setdefault(path, []).append("\n".join(new))
            state, before = "", []
        elif state == "replace":
            new.append(line)
        elif not state:
            before = [*before[-2:], line]
    return {name: "\n".join(texts) for name, texts in edits.items()}


def _path_in(before: list[str]) -> str:
    """The name of a file in the lines before a block, around the fence."""
    for line in reversed(before):
        name = line.strip().rstrip(":").strip("`*# ").rstrip(":")
        if name and not line.startswith(_FENCE) and " " not in name.strip():
            return name
    return ""
