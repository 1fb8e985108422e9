"""Files that people take for sessions of Claude Code: saying what they are instead."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from pytest_agentv.adapters.records import Drift, RecordFile

if TYPE_CHECKING:
    from pathlib import Path

_ABSENT = msgspec.Raw()


class _Keys(msgspec.Struct):
    """Keys that tell; only whether they are there counts."""

    display: msgspec.Raw = _ABSENT
    pastedContents: msgspec.Raw = _ABSENT  # noqa: N815 (the vendor's name)
    loglines: msgspec.Raw = _ABSENT
    v: msgspec.Raw = _ABSENT
    agent: msgspec.Raw = _ABSENT
    ts: msgspec.Raw = _ABSENT
    schema_version: msgspec.Raw = _ABSENT


_KINDS = {
    ("display", "pastedContents"): "is Claude Code's history of prompts, not a session",
    ("loglines",): "is an export of a claude.ai session, not a session of Claude Code",
    ("v", "agent", "ts"): "is a condensed transcript of Entire's, not the session it was made from",
    ("schema_version",): "is a transcript already, not a session",
}


def lookalike(path: Path) -> str | None:
    """What a file is, if it is one of those; it has no record of a session's."""
    with RecordFile(path, _Keys, Drift()) as file:
        for _, keys in file.records():
            for names, sentence in _KINDS.items():
                if all(getattr(keys, name) for name in names):
                    return sentence
            break
    return None
