"""Copies of what is written already: records of a response that say nothing new.

An editor that resumes a session writes its history again, record by record, with new ids.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_agentv.adapters.claude.messages import NOTHING_TO_KEEP
from pytest_agentv.adapters.claude.records import UsageRecord
from pytest_agentv.adapters.claude.usage import largest

if TYPE_CHECKING:
    from pytest_agentv.adapters.claude.records import Block, Record
    from pytest_agentv.transcript.model import Message, Usage


def says_nothing_new(record: Record, message: Message) -> bool:
    """Whether a record adds nothing to the message of its response.

    Only a message of one text and one thought at most shows what its blocks were.
    """
    said = record.message
    if said is None:
        return True
    if said.usage is not None and not _holds(message.usage, said.usage):
        return False
    if not isinstance(said.content, list):
        return said.content in (None, "", message.content)
    calls = {call.id for call in message.tool_calls}
    return all(_is_told(block, message, calls) for block in said.content)


def _is_told(block: Block, message: Message, calls: set[str | None]) -> bool:
    if block.type == "text":
        return block.text in (None, "", message.content)
    if block.type == "thinking":
        return block.thinking in (None, "", message.thinking)
    if block.type == "tool_use":
        return block.id is not None and block.id in calls
    return block.type in NOTHING_TO_KEEP


def _holds(told: Usage | None, usage: UsageRecord) -> bool:
    """Whether tokens that are told already are no less than a record's."""
    if told is None:
        return False
    fresh = told.input
    if fresh is not None:
        fresh -= (told.cached or 0) + (told.cache_write or 0)
    as_recorded = UsageRecord(fresh, told.output, told.cache_write, told.cached)
    return largest(as_recorded, usage) == as_recorded
