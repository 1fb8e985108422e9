"""What the first records of a session tell: where it ran, who began it, and with which prompt."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from pytest_agentv.adapters.codex.compressed import SUFFIX, open_session
from pytest_agentv.adapters.records import Drift, RecordFile
from pytest_agentv.errors import SessionError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

# Prompts come early; images and instructions before them may be large.
_MAX_RECORDS = 50
_MAX_BYTES = 4 << 20
# Of a compressed session, which costs more to read.
_MAX_UNPACKED = 1 << 20

_CONTEXT = "<environment_context>"
_CWD = re.compile(r"<cwd>([^<\n]+)</cwd>|^Current working directory: ([^\n]+)$", re.MULTILINE)
_CONTEXT_LENGTH = 10_000

# The app asks for titles in threads of their own; the wording around this line varies.
_TITLE = re.compile(r"^Generate a concise UI title \([^()\n]{1,40}\) for this task", re.MULTILINE)
_TITLE_START = "Generate a concise UI title"
_TITLE_WITHIN = 2_000


class _Part(msgspec.Struct):
    text: str | None = None


class _Item(msgspec.Struct):
    type: str | None = None
    content: list[_Part] | None = None


class _Payload(msgspec.Struct):
    type: str | None = None
    role: str | None = None
    content: list[_Part] | None = None
    cwd: str | None = None
    source: Any = None
    thread_source: Any = None
    message: str | None = None
    item: _Item | None = None


class _Record(msgspec.Struct):
    type: str | None = None
    payload: _Payload | None = None
    # Of the first versions, which wrote items as they are.
    role: str | None = None
    content: list[_Part] | None = None


class Beginning:
    """What is known after some records; None is what they do not say."""

    def __init__(self) -> None:
        self.cwd: str | None = None
        self.prompt: str | None = None
        self.source: Any = None
        self.thread_source: Any = None
        self._has_meta = False

    @property
    def is_child(self) -> bool:
        """Whether another thread or Codex itself began this one: sub-agents, reviews, memories."""
        # Whatever stands in them: {"subagent": {"thread_spawn": …}}, {"subagent": "review"}, …
        if isinstance(self.source, dict) and self.source.keys() & {"subagent", "internal"}:
            return True
        in_words = isinstance(self.source, str) and self.source.startswith("subagent")
        return in_words or self.thread_source in ("subagent", "memory_consolidation")

    @property
    def is_title_generation(self) -> bool:
        """Whether the prompt is Codex's own, for the title of another session."""
        if self.prompt is None:
            return False
        start = self.prompt[:_TITLE_WITHIN].lstrip()
        if _TITLE.search(start):
            return True
        return self.source == "exec" and start.startswith(_TITLE_START)

    def add(self, record: _Record) -> None:
        """Take one more record in."""
        payload = record.payload
        if payload is None:
            self._add_message(record.role, record.content)
        elif record.type == "session_meta":
            # Those after the first may be the parent's.
            if not self._has_meta:
                self._has_meta = True
                self.source, self.thread_source = payload.source, payload.thread_source
                self.cwd = payload.cwd or self.cwd
        elif record.type == "turn_context":
            self.cwd = self.cwd or payload.cwd
        elif record.type == "response_item":
            self._add_message(payload.role, payload.content)
        elif self.prompt is None and payload.type == "user_message":
            self.prompt = payload.message
        elif self.prompt is None and payload.item and payload.item.type == "UserMessage":
            self.prompt = _text(payload.item.content)

    def _add_message(self, role: str | None, content: list[_Part] | None) -> None:
        if self.cwd is None and role == "user":
            text = _text(content)[:_CONTEXT_LENGTH]
            found = _CWD.search(text) if _CONTEXT in text else None
            self.cwd = (found[1] or found[2]) if found else None


def read_beginning(path: Path, *, until: Callable[[Beginning], object]) -> Beginning:
    """Read records until enough is known, or a prompt should have come; never raises."""
    beginning = Beginning()
    if path.suffix == ".json":  # one document, from before there were records
        return beginning
    try:
        unpacked = open_session(path, limit=_MAX_UNPACKED) if path.suffix == SUFFIX else None
        with RecordFile(path, _Record, Drift(), file=unpacked) as file:
            for count, (place, record) in enumerate(file.records(), 1):
                beginning.add(record)
                if until(beginning) or count >= _MAX_RECORDS or place[0] >= _MAX_BYTES:
                    break
    except SessionError:
        pass
    return beginning


def _text(content: list[_Part] | None) -> str:
    return "\n".join(part.text for part in content or [] if part.text is not None)
