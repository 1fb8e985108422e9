"""Finding the values of Kubernetes secrets: base64, each under a key of its own."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_agentv.redact.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

# In small letters; without it there is no such secret.
SIGN = re.compile(r"kind:[ \t]*[\"']?secret\b")

_LINE = r"(?:[ \t]*(?:[0-9]{1,6}[ \t]*[→|\t:]|[+>-])?)"
_KIND = re.compile(rf"^{_LINE}[ \t]*kind:[ \t]*[\"']?Secret[\"']?[ \t]*\r?$", re.MULTILINE)
_DATA = re.compile(rf"^{_LINE}[ \t]*(?:data|stringData):[ \t]*\r?$", re.MULTILINE)
_VALUE = re.compile(
    rf"^{_LINE}[ \t]+[\w.-]{{1,253}}:[ \t]*[\"']?(?P<secret>[^\s\"'{{}}|>][^\s\"']{{3,8192}})[\"']?[ \t]*\r?$",
    re.MULTILINE,
)
_END = re.compile(r"^(?:[ \t]*[0-9]{1,6}[→|\t:]|[+>-])?(?:---|[A-Za-z][\w-]*:)", re.MULTILINE)


def manifest_values_in(text: str) -> Iterator[Span]:
    """All values of the secrets that stand in a text as YAML."""
    start = 0
    while start < len(text):
        end = text.find("\n---", start + 1)
        end = len(text) if end < 0 else end
        # The data may stand before the kind or after it, within the same document.
        if _KIND.search(text, start, end):
            for data in _DATA.finditer(text, start, end):
                over = _END.search(text, data.end(), end)
                for value in _VALUE.finditer(text, data.end(), over.start() if over else end):
                    yield Span(value.start("secret"), value.end("secret"), "kubernetes-secret")
        start = end
