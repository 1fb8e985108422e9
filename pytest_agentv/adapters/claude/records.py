"""The fields of Claude Code's records that we read, and no others.

What a struct does not name is skipped without being decoded. So there are two of each: one to
find out which records make up which message, and one with all that they say.
"""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from pytest_agentv.adapters.clock import Time

# What a message names as its model if the client wrote it in the model's place.
SYNTHETIC = "<synthetic>"

Tokens = Annotated[int, Meta(ge=0, le=2**53)]


class IndexBlock(msgspec.Struct, gc=False):
    """A content block, as far as the order of messages depends on it."""

    type: str | None = None
    id: str | None = None
    tool_use_id: str | None = None
    text: str | None = None


class IndexMessage(msgspec.Struct, gc=False):
    """A message, as far as the order of messages depends on it."""

    id: str | None = None
    model: str | None = None
    content: str | list[IndexBlock] | None = None


class QueuedPrompt(msgspec.Struct, gc=False, rename="camel"):
    """An attachment; of one type, a prompt that was typed while the agent worked."""

    type: str | None = None
    prompt: Any = None
    command_mode: str | None = None


class PromptOrigin(msgspec.Struct, gc=False):
    """Who wrote a user record, where the client says so."""

    kind: str | None = None


class Progress(msgspec.Struct, gc=False, rename="camel"):
    """What a progress record tells of: a sub-agent at work, among others."""

    agent_id: str | None = None


class IndexRecord(msgspec.Struct, gc=False, rename="camel"):
    """Any record, as far as the order of messages depends on it."""

    parent_uuid: str | None = None
    is_sidechain: bool | None = None
    type: str | None = None
    message: IndexMessage | None = None
    uuid: str | None = None
    timestamp: Time | None = None
    session_id: str | None = None
    version: str | None = None
    cwd: str | None = None
    git_branch: str | None = None
    request_id: str | None = None
    is_meta: bool | None = None
    is_compact_summary: bool | None = None
    is_visible_in_transcript_only: bool | None = None
    is_api_error_message: bool | None = None
    origin: PromptOrigin | None = None
    agent_id: str | None = None
    subtype: str | None = None
    content: Any = None
    operation: str | None = None
    attachment: QueuedPrompt | None = None
    data: Progress | None = None
    parent_tool_use_id: str | None = msgspec.field(default=None, name="parentToolUseID")
    custom_title: str | None = None
    ai_title: str | None = None
    summary: str | None = None
    leaf_uuid: str | None = None
    total_cost_usd: float | None = msgspec.field(default=None, name="totalCostUSD")
    has_unknown_model_cost: bool | None = None


class UsageRecord(msgspec.Struct, gc=False):
    """Tokens as the API reports them: ``input_tokens`` are those outside the cache."""

    input_tokens: Tokens | None = None
    output_tokens: Tokens | None = None
    cache_creation_input_tokens: Tokens | None = None
    cache_read_input_tokens: Tokens | None = None


class Block(IndexBlock, gc=False):
    """A content block of any type."""

    thinking: str | None = None
    name: str | None = None
    input: Any = None
    content: Any = None
    is_error: bool | None = None
    source: Any = None
    title: str | None = None


class BlockMessage(IndexMessage, gc=False):
    """A message with its content."""

    # Lists are invariant, but nobody ever adds a block to one.
    content: str | list[Block] | None = None  # type: ignore[assignment]
    stop_reason: str | None = None
    usage: UsageRecord | None = None


class ToolUseResult(msgspec.Struct, gc=False, rename="camel"):
    """What the client knows of a tool's run; the shape differs by tool, these fields do not."""

    duration_ms: float | None = None
    total_duration_ms: float | None = None
    duration_seconds: float | None = None
    interrupted: bool | None = None
    agent_id: str | None = None
    background_task_id: str | None = None
    persisted_output_path: str | None = None


class Record(IndexRecord, gc=False):
    """Any record with all that it says."""

    message: BlockMessage | None = None
    tool_use_result: ToolUseResult | str | list[msgspec.Raw] | None = msgspec.field(
        default=None, name="toolUseResult"
    )
    tool_denial_kind: str | None = msgspec.field(default=None, name="toolDenialKind")


class WrittenBlock(Block, gc=False):
    """A content block whose result is left as JSON: most of a session is results."""

    content: msgspec.Raw = msgspec.Raw(b"null")


class WrittenMessage(BlockMessage, gc=False):
    """A message with such blocks."""

    content: str | list[WrittenBlock] | None = None  # type: ignore[assignment]


class WrittenRecord(Record, gc=False):
    """Any record with all that it says, as most are."""

    message: WrittenMessage | None = None
