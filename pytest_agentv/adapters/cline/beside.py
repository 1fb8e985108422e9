"""What lies beside a conversation.

Times and tokens are in the list of what the screen showed, folder and model in notes on the task.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import msgspec

from pytest_agentv.adapters.clock import from_epoch, from_text
from pytest_agentv.adapters.records import UNREADABLE, Drift, read_json
from pytest_agentv.adapters.spending import Spending, usage_of
from pytest_agentv.errors import SessionError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from pathlib import Path

    from pytest_agentv.transcript.model import Usage

CONVERSATIONS = ("api_conversation_history.json", "claude_messages.json")
SCREEN = "ui_messages.json"
MESSAGES = ".messages.json"
_MAX_NOTE = 16 << 20
_PER_SECOND = 1000
_FOLDER = re.compile(r"# Current (?:Working|Workspace) Directory \(([^\n]{1,4096}?)\) Files")
# Of the newest era, in its system prompt.
_WORKING = re.compile(r"Working Directory: (\S[^\n]{0,4095})")
_MODEL = re.compile(r"<model>([^<>\n]{1,200})</model>")
_FOLDER_NAMES = ("workspace", "cwdOnTaskInitialization", "cwd", "workspace_root")
_REQUESTS = ("api_req_started", "deleted_api_reqs", "subagent_usage")


class Beside:
    """Notes on one session; all may be missing."""

    def __init__(self, path: Path) -> None:
        is_task = path.name in (*CONVERSATIONS, SCREEN)
        self.notes = list(_task_notes(path.parent) if is_task else _manifest(path))
        self.screen = _list(path.with_name(SCREEN)) if path.name in CONVERSATIONS else []
        self._starts = _starts(self.screen)
        metadata = _object(path.with_name("task_metadata.json")) if is_task else {}
        self._models = _models(metadata)
        self.version = _version(metadata)
        self.cwd = self._first(*_FOLDER_NAMES)
        self.model: str | None = None

    @property
    def title(self) -> str | None:
        """What the list of tasks calls it; older tasks have no name but their prompt."""
        for note in self.notes:
            metadata = note.get("metadata")
            if isinstance(metadata, dict) and isinstance(metadata.get("title"), str):
                return str(metadata["title"])
        return None

    @property
    def times(self) -> tuple[datetime | None, datetime | None]:
        """When a session of the newest era began and ended."""
        first = self.notes[0] if self.notes else {}
        return from_text(first.get("started_at")), from_text(first.get("ended_at"))

    def look_around(self, surroundings: str) -> None:
        """Take in what the client told the model of the editor."""
        if self.cwd is None and (found := _FOLDER.search(surroundings)):
            self.cwd = found[1]
        if found := _MODEL.search(surroundings):
            self.model = found[1].strip()

    def look_into(self, prompt: Any) -> None:
        """Take in what a system prompt says of the folder."""
        if self.cwd is None and isinstance(prompt, str) and (found := _WORKING.search(prompt)):
            self.cwd = found[1].rstrip()

    def time_of(self, number: int) -> datetime | None:
        """When a message of the conversation began, by what was shown then."""
        return self._starts.get(number)

    def model_at(self, time: datetime | None) -> str | None:
        """The model that was in use."""
        if self.model is not None or not self._models:
            return self.model
        past = 0 if time is None else bisect_right(self._models, time, key=itemgetter(0))
        return self._models[max(past, 1) - 1][1]

    def _first(self, *names: str) -> str | None:
        values = (note.get(name) for note in self.notes for name in names)
        return next((value for value in values if isinstance(value, str) and value), None)


def requests_of(entry: dict[str, Any]) -> tuple[Usage | None, Any]:
    """Tokens of the request that an entry of the screen is about, and its cost, if it is one."""
    condensed = entry.get("contextCondense")
    if isinstance(condensed, dict):
        return None, condensed.get("cost")
    if entry.get("say") not in _REQUESTS:
        return None, None
    stated = decoded_text(entry.get("text"))
    fresh = _count(stated.get("tokensIn"))
    read, written = _count(stated.get("cacheReads")), _count(stated.get("cacheWrites"))
    usage = usage_of(
        # What came from the cache, and what went there, is not in their figure.
        input=None if fresh is None else fresh + (read or 0) + (written or 0),
        output=_count(stated.get("tokensOut")),
        cached=read,
        cache_write=written,
    )
    return usage, stated.get("cost", stated.get("totalCost"))


def totals(screen: list[dict[str, Any]]) -> tuple[Spending, list[Any]]:
    """Tokens of all requests that were shown, and what each of them cost."""
    spending = Spending()
    costs = []
    for entry in screen:
        usage, cost = requests_of(entry)
        if usage is not None:
            spending.add(usage)
        costs.append(cost)
    return spending, costs


def decoded_text(text: Any) -> dict[str, Any]:
    """The object that a text of an entry is; an empty one if it is none."""
    if not isinstance(text, str) or text[:1] != "{":
        return {}
    try:
        value = msgspec.json.decode(text)
    except (*UNREADABLE, UnicodeEncodeError):
        return {}
    return value if isinstance(value, dict) else {}


def shown_at(entry: dict[str, Any]) -> datetime | None:
    """When an entry was shown."""
    return from_epoch(entry.get("ts"), per_second=_PER_SECOND)


def manifest_of(path: Path) -> Path:
    """The notes on a session of the newest era, by the file of its messages."""
    return path.with_name(f"{path.name.removesuffix(MESSAGES)}.json")


def messages_of(path: Path) -> Path:
    """The messages of a session of the newest era, by the file of its notes."""
    return path.with_name(f"{path.stem}{MESSAGES}")


def _task_notes(task: Path) -> Iterator[dict[str, Any]]:
    item = _object(task / "history_item.json")
    if item:
        yield item
    for listed in (
        _object(task.parent / "_index.json").get("entries"),
        _list(task.parent.parent / "state" / "taskHistory.json"),
    ):
        for note in listed if isinstance(listed, list) else ():
            if isinstance(note, dict) and note.get("id") == task.name:
                yield note


def _manifest(path: Path) -> Iterator[dict[str, Any]]:
    if path.name.endswith(MESSAGES):
        note = _object(manifest_of(path))
        if note:
            yield note


def _starts(screen: list[dict[str, Any]]) -> dict[int, datetime]:
    """The first entry after a message names that message: the next one began with it."""
    starts: dict[int, datetime] = {}
    for entry in screen:
        index, time = entry.get("conversationHistoryIndex"), shown_at(entry)
        if type(index) is int and time is not None and time < starts.get(index + 1, _LATEST):
            starts[index + 1] = time
    return starts


_LATEST = from_epoch(253402300799) or NotImplemented


def _models(metadata: dict[str, Any]) -> list[tuple[datetime, str]]:
    used = metadata.get("model_usage")
    found = []
    for one in used if isinstance(used, list) else ():
        time = shown_at(one) if isinstance(one, dict) else None
        if time is not None and isinstance(one.get("model_id"), str):
            found.append((time, str(one["model_id"])))
    return sorted(found)


def _version(metadata: dict[str, Any]) -> str | None:
    noted = metadata.get("environment_history")
    last = noted[-1] if isinstance(noted, list) and noted else None
    version = last.get("cline_version") if isinstance(last, dict) else None
    return version if isinstance(version, str) else None


def _count(value: Any) -> int | None:
    return value if type(value) is int else None


def _object(path: Path) -> dict[str, Any]:
    value = _note(path)
    return value if isinstance(value, dict) else {}


def _list(path: Path) -> list[dict[str, Any]]:
    value = _note(path)
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _note(path: Path) -> Any:
    try:
        return read_json(path, Drift(), limit=_MAX_NOTE)
    except SessionError:
        return None
