"""Files that people take for sessions of Codex: saying what they are instead."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import msgspec

from pytest_agentv.adapters.records import Drift, RecordFile

if TYPE_CHECKING:
    from pathlib import Path

_ABSENT = msgspec.Raw()


class _Keys(msgspec.Struct):
    """Keys that tell; but for the type only whether they are there counts."""

    type: str | None = None
    session_id: msgspec.Raw = _ABSENT
    ts: msgspec.Raw = _ABSENT
    text: msgspec.Raw = _ABSENT
    id: msgspec.Raw = _ABSENT
    thread_name: msgspec.Raw = _ABSENT
    updated_at: msgspec.Raw = _ABSENT
    schema_version: msgspec.Raw = _ABSENT


_KINDS = {
    ("session_id", "ts", "text"): "is Codex's history of prompts, not a session",
    ("id", "thread_name", "updated_at"): "is Codex's list of session names, not a session",
    ("schema_version",): "is a transcript already, not a session",
}
_PRINTED = ("thread.", "turn.", "item.")


def lookalike(path: Path) -> str | None:
    """What a file is, if it is one of those; it has no record of a session's."""
    with RecordFile(path, _Keys, Drift()) as file:
        for _, keys in islice(file.records(), 1):
            if keys.type is not None and keys.type.startswith(_PRINTED):
                return "is the output of codex exec --json, not the session it was printed for"
            for names, sentence in _KINDS.items():
                if all(getattr(keys, name) for name in names):
                    return sentence
    return None
