"""Pages with generated parts: what stands between two marks is written by a program."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_PART = re.compile(
    r"^<!-- generated: (?P<name>[^>]+) -->\n.*?^<!-- /generated -->$", re.MULTILINE | re.DOTALL
)


class UnknownPart(Exception):
    """A page asks for a part that nobody writes."""


class Written(NamedTuple):
    """A page with its parts, and the names of these."""

    text: str
    parts: list[str]


def written(page: str, parts: Mapping[str, str]) -> Written:
    """The page with its parts as they should be."""
    found: list[str] = []

    def part(match: re.Match[str]) -> str:
        name = match["name"]
        if name not in parts:
            raise UnknownPart(name)
        found.append(name)
        return f"<!-- generated: {name} -->\n\n{parts[name].strip()}\n\n<!-- /generated -->"

    return Written(_PART.sub(part, page), found)


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; bars in its cells are no borders."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(_line(one) for one in lines) + "\n"


def _line(cells: Sequence[str]) -> str:
    if set(cells) == {"---"}:
        return "|" + "|".join(cells) + "|"
    return "| " + " | ".join(" ".join(one.split()).replace("|", "\\|") for one in cells) + " |"


def code(text: object) -> str:
    """A text as code."""
    return f"`{text}`"


# What is no prose in a help text: options, templates, globs, files, names with a colon or a dash.
_NO_PROSE = re.compile(
    r"`[^`]*`|\{\{.*?\}\}|\b[\w-]+:(?:<[^>]*>|\w+)|(?<![\w.-])--?[a-zA-Z][\w-]*"
    r"|[^\s(]*\*[^\s,;)]*|(?<!\w)[\w.-]*\w/[\w./-]*\w/?|(?<!\w)\.\w[\w/.-]*\w/?"
    r"|\b[\w-]+\.(?:\w+\.)?(?:jsonl|toml|html|ya?ml)\b|\b\w+_\w+(?:\.\w+)*"
)


def coded(text: str, words: Iterable[str] = ()) -> str:
    """A help text with code marked as such, and these words, too."""
    text = _NO_PROSE.sub(lambda match: match[0] if match[0][0] == "`" else code(match[0]), text)
    known = "|".join(map(re.escape, words))
    if known:
        outside = re.compile(rf"`[^`]*`|(?<![\w-])(?:{known})(?![\w-])")
        text = outside.sub(lambda match: match[0] if match[0][0] == "`" else code(match[0]), text)
    return text


def sentence(text: str) -> str:
    """The words of a help text, as they stand in a cell: no capital at the start, no stop."""
    text = " ".join(text.split()).removesuffix(".")
    first = text.split(" ", 1)[0]
    return text if first[1:].lower() != first[1:] else text[:1].lower() + text[1:]
