"""Finding the values of Kubernetes secrets, each under a key of its own: in YAML and in JSON."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_agentv.redact.spans import Span
from pytest_agentv.redact.values import is_template

if TYPE_CHECKING:
    from collections.abc import Iterator

RULE = "kubernetes-secret"
KIND = "secret"
# Where the values of a secret stand in its manifest.
HOLDERS = ("data", "stringData")
# In small letters; without it there is no such secret. Its quotes may be escaped.
SIGN = re.compile(r"kind(?:\\{0,8}[\"'])?[ \t]*:[ \t]*(?:\\{0,8}[\"'])?secret\b")

# Numbers of lines and signs of a diff.
_LINE = r"(?:[ \t]*[0-9]{1,6}[ \t]*[→|\t:]|[+>-])?"
_KIND = re.compile(
    rf"^{_LINE}[ \t]*(?:-[ \t]+)?kind:[ \t]*[\"']?Secret[\"']?[ \t]*\r?$",
    re.MULTILINE | re.IGNORECASE,
)
_DATA = re.compile(
    rf"^{_LINE}(?P<indent>[ \t]*(?:-[ \t]+)?)(?:data|stringData):[ \t]*\r?$", re.MULTILINE
)
_ENTRY = re.compile(
    rf"^{_LINE}(?P<indent>[ \t]*)(?:[\w.-]{{1,253}}:[ \t]*(?:[|>][-+]?[ \t]*\r?\n{_LINE}[ \t]+)?)?"
    r"[\"']?(?P<secret>[^\s\"'{}|>#][^\s\"']{3,8192})?",
    re.MULTILINE,
)
_JSON_KIND = re.compile(r"\"kind\"\s{0,8}:\s{0,8}\"(\w{1,60})\"")
_JSON_DATA = re.compile(r"\"(?:data|stringData)\"\s{0,8}:\s{0,8}\{(?P<pairs>[^{}]{0,65536})\}")
_JSON_PAIR = re.compile(r"\"[^\"\n]{1,253}\"\s{0,8}:\s{0,8}\"(?P<secret>[^\"\s]{4,8192})\"")


def manifest_values_in(text: str) -> Iterator[Span]:
    """All values of the secrets that stand in a text."""
    yield from _in_yaml(text)
    yield from _in_json(text)


def _in_yaml(text: str) -> Iterator[Span]:
    start = 0
    while start < len(text):
        end = text.find("\n---", start + 1)
        end = len(text) if end < 0 else end
        # The data may stand before the kind or after it, within the same document.
        if _KIND.search(text, start, end):
            for data in _DATA.finditer(text, start, end):
                yield from _below(text, data, end)
        start = end


def _below(text: str, data: re.Match[str], end: int) -> Iterator[Span]:
    """The values that stand deeper than the name of what holds them."""
    at = data.end() + 1
    while at < end and (entry := _ENTRY.match(text, at, end)) is not None:
        line_end = text.find("\n", entry.end())
        line_end = end if line_end < 0 else min(line_end, end)
        if text[entry.end("indent") : line_end].strip():
            if len(entry["indent"]) <= len(data["indent"]):
                return
            if entry["secret"] and not is_template(entry["secret"]):
                yield Span(entry.start("secret"), entry.end("secret"), RULE)
        at = line_end + 1


def _in_json(text: str) -> Iterator[Span]:
    kinds = {one.lower() for one in _JSON_KIND.findall(text)}
    # Of several kinds, nobody knows here whose data it is.
    if KIND in kinds and kinds <= {KIND, "list"}:
        for data in _JSON_DATA.finditer(text):
            for pair in _JSON_PAIR.finditer(text, data.start("pairs"), data.end("pairs")):
                if not is_template(pair["secret"]):
                    yield Span(pair.start("secret"), pair.end("secret"), RULE)
