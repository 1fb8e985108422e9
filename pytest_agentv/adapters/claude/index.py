"""Scanning a session: who said what where, and what the session says of itself.

It decides everything that takes a look at the whole file: which records belong to one response,
which are copies, which branch was abandoned, which prompts reached the model.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from pytest_agentv.adapters.claude.about import About
from pytest_agentv.adapters.claude.branches import Branches
from pytest_agentv.adapters.claude.known import KNOWN_ATTACHMENTS, KNOWN_SUBTYPES, KNOWN_TYPES
from pytest_agentv.adapters.claude.prompts import (
    HUMAN,
    SLASH,
    Prompt,
    is_command_output,
    prompts_of,
    text_of,
)
from pytest_agentv.adapters.claude.queue import PromptQueue, Queued
from pytest_agentv.adapters.claude.records import SYNTHETIC, IndexBlock, IndexRecord
from pytest_agentv.adapters.claude.stream_json import (
    RunResult,
    StreamRecord,
)
from pytest_agentv.adapters.claude.thread import Entry, Thread
from pytest_agentv.adapters.recent import RecentIds
from pytest_agentv.adapters.records import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from pytest_agentv.adapters.bulk import BulkFile
    from pytest_agentv.adapters.claude.draft import Draft
    from pytest_agentv.adapters.claude.records import Record
    from pytest_agentv.adapters.records import Drift, Place, RecordFile

_ORPHAN = "tool result without a call"
# Records of these types are part of the conversation, or stand in it.
_TOLD = frozenset(("assistant", "user", "system"))
_NO = frozenset((None, False))


class _OpenSlash(NamedTuple):
    """A slash command of which it is not known yet whether the model got it."""

    number: int
    record: IndexRecord
    text: str


class Index:
    """What a scan finds out about a session file."""

    def __init__(
        self,
        main: Thread | Draft,
        drift: Drift,
        *,
        sidechain_is_main: bool = False,
        keep_sidechains: bool = False,
    ) -> None:
        self.drift = drift
        self.left_out: Counter[str] = Counter()
        self.main = main
        self.sidechains: dict[str, Thread] = {}
        self.about = About()
        self.opening: str | None = None
        self.result = RunResult()
        self.spawned_by: dict[str, str] = {}
        self._sidechain_is_main = sidechain_is_main
        self._keep_sidechains = keep_sidechains
        self._agent_of: dict[int, str] = {}
        self._uuids = RecentIds()
        self._texts: set[int] = set()
        self._branches = Branches()
        self._queue = PromptQueue()
        self._open_slash: _OpenSlash | None = None
        # The id of the last prompt, or record of a response.
        self._last: str | None = None
        # Whether ``_begin`` was done for all records that are decoded already.
        self._have_begun = False

    @property
    def has_sidechains(self) -> bool:
        """Whether there are records of sub-agents in the file."""
        return bool(self.sidechains or self.left_out["sub-agent record"])

    def scan(self, file: BulkFile[IndexRecord] | BulkFile[Record]) -> None:
        """Take in every record of a file."""
        handler_of, other = self._handlers().get, self._other
        for run in file.runs():
            self._have_begun = self._begin_all(run.records)
            for place, record in zip(run.places, run.records, strict=False):
                handler_of(record.type, other)(record, place)
            self.main.catch_up()
        self._finish(file.path)

    def look(self, file: RecordFile[IndexRecord], *, until: Callable[[Index], bool]) -> None:
        """Take in the records of a file before ``until`` is content."""
        handlers = self._handlers()
        for place, record in file.records():
            handlers.get(record.type, self._other)(record, place)
            if until(self):
                return
        self._finish(file.path)

    def _handlers(self) -> dict[str | None, Callable[[IndexRecord, Place], None]]:
        return {
            "assistant": self._assistant,
            "user": self._user,
            "system": self._system,
            "attachment": self._attachment,
            "queue-operation": self._queue_operation,
            "progress": self._progress,
            "custom-title": self._about_session,
            "ai-title": self._about_session,
            "summary": self._about_session,
            "cost-state": self._about_session,
            "result": self._result,
        }

    def _begin_all(self, records: Sequence[IndexRecord]) -> bool:
        """Do for many records at once what ``_begin`` does for one, if they are as most are.

        If one of them needs a closer look, nothing is done, and the answer is no.
        """
        told = [record for record in records if record.type in _TOLD]
        if (
            self._sidechain_is_main
            or {record.is_sidechain for record in told} - _NO
            or {record.parent_tool_use_id for record in told} != {None}
            or {record.session_id for record in told} != {self.about.session_id}
        ):
            return False
        ids = [record.uuid for record in told]
        if len(told) < len(records):
            others = [record for record in records if record.type not in _TOLD]
            if "summary" in [record.type for record in others]:
                return False  # what it is of depends on which records stand before it
            attached = [record for record in others if record.type == "attachment"]
            ids += [record.uuid for record in attached if _is_queued_prompt(record)]
        if None in ids or not self._uuids.add_all(ids):
            return False
        self.about.name_session(self.about.session_id, len(told))
        self.about.take(told)
        return True

    def _begin(self, record: IndexRecord) -> Thread | Draft | None:
        """The thread a record belongs to; None for a repeated one and for a thread not wanted."""
        if self._is_copy(record):
            self.left_out["repeated record"] += 1
            return None
        self.about.name_session(record.session_id)
        if bool(record.is_sidechain or record.parent_tool_use_id) is not self._sidechain_is_main:
            return self._sidechain(record)
        self.about.take([record])
        return self.main

    def _is_copy(self, record: IndexRecord) -> bool:
        if self._have_begun or record.uuid is None:
            return False
        return not self._uuids.add(record.uuid)

    def _sidechain(self, record: IndexRecord) -> Thread | Draft | None:
        if not self._keep_sidechains:
            self.left_out["sub-agent record"] += 1
            return None
        above = self._agent_of.get(hash(record.parent_uuid))
        agent = record.agent_id or record.parent_tool_use_id or above or record.uuid or "unknown"
        self._agent_of[hash(record.uuid)] = agent
        return self.sidechains.setdefault(agent, Thread())

    def _assistant(self, record: IndexRecord, place: Place) -> None:
        thread = self.main if self._have_begun else self._begin(record)
        if thread is None:
            return
        if thread is self.main:
            self._last = record.uuid
            if self._open_slash is not None:
                self._settle_slash()
        message = record.message
        if message is None:
            self.drift.note("assistant record without a message", place[2])
            return
        if record.is_api_error_message:
            content = message.content
            said = content if isinstance(content, list) else [IndexBlock("text", text=content)]
            if not self._is_repeated(record, thread, said):
                thread.add(Entry.API_ERROR, place, record)
            return
        if message.model == SYNTHETIC:
            self.left_out["synthetic message"] += 1
            return
        if self.about.model is None and thread is self.main:
            self.about.model = message.model
        key = message.id or record.request_id or record.uuid or f"line {place[2]}"
        thread.add_response(key, place, record)

    def _user(self, record: IndexRecord, place: Place) -> None:
        thread = self.main if self._have_begun else self._begin(record)
        if thread is None:
            return
        content = record.message.content if record.message is not None else None
        if content is None:
            self.drift.note("user record without content", place[2])
            return
        said: list[IndexBlock] = []
        if isinstance(content, list):
            for block in content:
                if block.type == "tool_result" and block.tool_use_id:
                    thread.add_result(block.tool_use_id, place, record, block)
                elif block.type == "tool_result":
                    self.drift.note(_ORPHAN, place[2])
                elif block.type is None:
                    self.drift.note("content without a type", place[2])
                else:
                    said.append(block)
        else:
            said.append(IndexBlock(type="text", text=content))
        if not said:
            return
        if self._is_repeated(record, thread, said):
            return
        self._said(record, thread, said, place)

    def _is_repeated(
        self, record: IndexRecord, thread: Thread | Draft, said: list[IndexBlock]
    ) -> bool:
        """Whether the same was said at the same time before, in the same thread; if so, count it.

        A resumed session is written again with new uuids, its records cut into their blocks.
        """
        if record.timestamp is None or not said:
            return False
        identities = {
            hash((id(thread), record.timestamp, block.type, block.text)) for block in said
        }
        if identities <= self._texts:
            self.left_out["repeated record"] += 1
            return True
        self._texts |= identities
        return False

    def _said(
        self,
        record: IndexRecord,
        thread: Thread | Draft,
        said: list[IndexBlock],
        place: Place,
    ) -> None:
        texts = [block.text for block in said if block.text is not None]
        injected = _is_injected(record)
        prompts = prompts_of(texts, injected=injected)
        prompt = prompts[-1] if prompts else Prompt(HUMAN, "")
        self._queue.delivered(prompt.text)
        if thread is self.main:
            self._last = record.uuid
            self._settle_slash(is_local=bool(texts) and is_command_output(texts[0]))
        if prompt.origin == SLASH:
            number = thread.add(Entry.SLASH_PROMPT, place, record)
            if thread is self.main:
                self._open_slash = _OpenSlash(number, record, prompt.text)
            return
        thread.add(Entry.INJECTED if injected else Entry.USER, place, record)
        if prompt.origin == HUMAN and thread is self.main:
            self._typed(record, prompt.text)

    def _settle_slash(self, *, is_local: bool = False) -> None:
        """Decide on the last slash command: the record after it shows who answered it."""
        slash, self._open_slash = self._open_slash, None
        if slash is None:
            return
        self.main.set_entry(slash.number, Entry.SLASH_LOCAL if is_local else Entry.SLASH_PROMPT)
        if not is_local:
            self._typed(slash.record, slash.text)

    def _typed(self, record: IndexRecord, text: str) -> None:
        """A person typed a text for the model."""
        if not text.strip():
            return
        if self.opening is None:
            self.opening = text.strip()
        if record.parent_uuid and record.uuid:
            self._branches.note_prompt(record.parent_uuid, record.uuid, text)

    def _system(self, record: IndexRecord, place: Place) -> None:
        thread = self.main if self._have_begun else self._begin(record)
        if thread is None:
            return
        if isinstance(record, StreamRecord) and self.about.model is None:
            self.about.model = record.model
        if record.subtype == "local_command":
            said = [IndexBlock(record.subtype, text=text_of(record.content))]
            if not self._is_repeated(record, thread, said):
                thread.add(Entry.LOCAL_COMMAND, place, record)
        else:
            is_known = record.subtype in KNOWN_SUBTYPES
            self._leave_out(_named("system record", record.subtype), place, is_known=is_known)

    def _attachment(self, record: IndexRecord, place: Place) -> None:
        attachment = record.attachment
        if attachment is None or not _is_queued_prompt(record):
            kind = attachment.type if attachment is not None else None
            is_known = kind in KNOWN_ATTACHMENTS
            self._leave_out(_named("attachment", kind), place, is_known=is_known)
        elif self._is_copy(record):
            self.left_out["repeated record"] += 1
        elif bool(record.is_sidechain) is not self._sidechain_is_main:
            self.left_out["sub-agent record"] += 1
        else:
            text = text_of(attachment.prompt)
            said = [IndexBlock(attachment.type, text=text)]
            if not self._is_repeated(record, self.main, said) and self._queue.attached(text):
                self.main.add(Entry.QUEUED, place, record)

    def _leave_out(self, what: str, place: Place, *, is_known: bool) -> None:
        """A record of no message; of a kind that nobody knows, one might have been lost."""
        if is_known:
            self.left_out[what] += 1
        else:
            self.drift.note(what, place[2])

    def _progress(self, record: IndexRecord, place: Place) -> None:
        del place
        self.left_out["progress record"] += 1
        if record.data is not None and record.data.agent_id and record.parent_tool_use_id:
            self.spawned_by[record.data.agent_id] = record.parent_tool_use_id

    def _queue_operation(self, record: IndexRecord, place: Place) -> None:
        text = text_of(record.content)
        operation = record.operation
        if operation == "enqueue":
            self._queue.enqueue(Queued(text, place, record))
        elif operation == "dequeue":
            self._queue.dequeue()
        elif operation == "popAll":
            self._queue.pop_all(text)
        elif operation == "remove":
            queued = self._queue.remove(text)
            if queued is not None:
                queued.record.parent_uuid = self._last  # where the model got it, in which branch
                self.main.add(Entry.QUEUED, queued.place, queued.record)
        else:
            self.drift.note(f"queue operation {shown(operation)}", place[2])

    def _about_session(self, record: IndexRecord, place: Place) -> None:
        """A record that says something of the session as a whole."""
        del place
        self.left_out[f"{record.type} record"] += 1
        self.about.say(record, self._uuids)

    def _result(self, record: IndexRecord, place: Place) -> None:
        """The end of a run; only a stream has such records."""
        if isinstance(record, StreamRecord):
            self.result.take(record)
        else:
            self._other(record, place)

    def _other(self, record: IndexRecord, place: Place) -> None:
        if record.type in KNOWN_TYPES:
            self.left_out[f"{record.type} record"] += 1
        else:
            self.drift.note(f"record type {shown(record.type)}", place[2])

    def _finish(self, path: Path) -> None:
        self._settle_slash()
        self.about.finish(self._uuids)
        threads = (self.main, *self.sidechains.values())
        orphans = [line for thread in threads for line in thread.orphan_results()]
        if orphans:
            self.drift.note(_ORPHAN, min(orphans), len(orphans))
        # Only the scan needed these; what comes now has a use for the memory.
        self._uuids, self._texts = RecentIds(), set()
        dead = self._branches.dead_records(path)
        self._branches = Branches()
        if dead:
            self.left_out["message of an abandoned branch"] += self.main.drop(dead)


@lru_cache(maxsize=1000)
def _named(what: str, kind: str | None) -> str:
    return f"{what} {shown(kind)}"


def _is_queued_prompt(record: IndexRecord) -> bool:
    """Whether a record is an attachment that says that the model got a queued prompt."""
    return record.attachment is not None and record.attachment.type == "queued_command"


def _is_injected(record: IndexRecord) -> bool:
    """Whether the client itself says that no person typed a record."""
    return bool(
        record.is_meta
        or record.is_compact_summary
        or record.is_visible_in_transcript_only
        or (record.origin is not None and record.origin.kind not in (None, "human"))
        or (isinstance(record, StreamRecord) and record.is_synthetic)
    )
