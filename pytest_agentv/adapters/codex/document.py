"""Sessions of the first Codex, which was written in TypeScript: one JSON document each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from pytest_agentv.adapters.codex.records import Record  # noqa: TC001 (a struct needs it)
from pytest_agentv.adapters.records import read_document
from pytest_agentv.errors import SessionError
from pytest_agentv.files import open_regular

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytest_agentv.adapters.records import Drift

# The session's own object stands first in the document.
_START = 200


class _Document(msgspec.Struct):
    session: Record | None = None
    items: list[Record] = []


def is_document(path: Path) -> bool:
    """Whether a file may be such a document; never raises for what a file holds."""
    try:
        with open_regular(path) as file:
            start = file.read(_START)
    except (SessionError, OSError):
        return False
    start = start.lstrip(b"\xef\xbb\xbf \t\r\n")
    return start.startswith(b"{") and start[1:].lstrip().startswith(b'"session"')


def document_records(path: Path, drift: Drift) -> Iterator[tuple[int, int, Record]]:
    """The records of a document: its head, then its items. All are on one line."""
    document = read_document(path, _Document, drift)
    if document.session is not None:
        yield 1, 0, document.session
    for item in document.items:
        yield 1, _size(item), item


def _size(item: Record) -> int:
    """Bytes of an item, about."""
    texts = [part.text or "" for part in item.content or [] if not isinstance(part, str)]
    return 200 + sum(map(len, texts)) + len(item.output if isinstance(item.output, str) else "")
