"""Codex's records: the fields we need, and no others.

Since 0.32 a line is a wrapper with a type and a payload; before, it was the bare item. All types
of payloads share one struct, so that a line is decoded once.
"""

from typing import Annotated, Any, TypeAlias

import msgspec

from pytest_agentv.adapters.clock import Time

# More is no count of anything, and would not fit into 64 bits when added up.
Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 53)]
# Whole numbers may have hundreds of digits, which no other program could read.
Number = Annotated[int, msgspec.Meta(ge=-(1 << 53), le=1 << 53)]


class Part(msgspec.Struct, gc=False):
    """One part of a message's content, of a summary, or of a tool's output."""

    type: str | None = None
    text: str | None = None
    image_url: str | None = None


class Git(msgspec.Struct, gc=False):
    """Where a repository stood."""

    branch: str | None = None


class Tokens(msgspec.Struct, gc=False):
    """Tokens as the API counts them: the input includes what came from the cache."""

    input_tokens: Count | None = None
    cached_input_tokens: Count | None = None
    cache_write_input_tokens: Count | None = None
    output_tokens: Count | None = None
    reasoning_output_tokens: Count | None = None
    total_tokens: Count | None = None


class TokenInfo(msgspec.Struct, gc=False):
    """All tokens so far, and those of the last response."""

    total_token_usage: Tokens | None = None
    last_token_usage: Tokens | None = None


class Duration(msgspec.Struct, gc=False):
    """How long something took."""

    secs: Number | None = None
    nanos: Number | None = None


class McpOk(msgspec.Struct, gc=False, rename="camel"):
    """What an MCP server answered."""

    is_error: bool | None = None


class McpResult(msgspec.Struct, gc=False):
    """The answer of an MCP server, or why there is none."""

    ok: McpOk | None = msgspec.field(default=None, name="Ok")
    err: Any = msgspec.field(default=None, name="Err")
    is_error: bool | None = msgspec.field(default=None, name="isError")


class WebResult(msgspec.Struct, gc=False):
    """One thing that a web search found."""

    title: str | None = None
    url: str | None = None
    snippet: str | None = None


class FoundTool(msgspec.Struct, gc=False):
    """A tool that a search for tools found."""

    name: str | None = None


class FoundTools(msgspec.Struct, gc=False):
    """A tool, or a group of them."""

    name: str | None = None
    tools: list[FoundTool] | None = None


class Settings(msgspec.Struct, gc=False):
    """Settings of a thread."""

    model: str | None = None


# What a tool gave: a text, or parts of several types.
Output: TypeAlias = str | list[Part] | Part | None


class Item(msgspec.Struct, gc=False):
    """What the model is told, says and does: messages, thoughts, calls and their outputs."""

    type: str | None = None
    id: str | None = None
    role: str | None = None
    content: str | list[Part] | None = None
    # Of a thought; a turn's settings have one as well, which is a word.
    summary: str | list[Part] | None = None
    name: str | None = None
    namespace: str | None = None
    arguments: Any = None
    input: Any = None
    action: Any = None
    call_id: str | None = None
    output: Output = None
    status: Any = None
    tools: list[FoundTools] | None = None


class Payload(Item, gc=False):
    """What a wrapper holds: an item, or an event, or something about the session."""

    # Of a session and its turns.
    timestamp: Time | None = None
    session_id: str | None = None
    forked_from_id: str | None = None
    parent_thread_id: str | None = None
    subagent_history_start_ordinal: Number | str | None = None
    history_base: Any = None
    cwd: str | None = None
    cli_version: str | None = None
    source: Any = None
    git: Git | None = None
    model: str | None = None
    turn_id: str | None = None
    num_turns: Number | None = None
    thread_id: str | None = None
    thread_name: str | None = None
    thread_settings: Settings | None = None

    # Of events.
    message: str | None = None
    kind: str | None = None
    text: str | None = None
    summary_text: list[str] | None = None
    info: TokenInfo | None = None
    exit_code: Number | None = None
    duration: Duration | None = None
    success: bool | None = None
    result: McpResult | str | None = None
    results: list[WebResult] | None = None
    new_thread_id: str | None = None
    agent_thread_id: str | None = None
    agent_path: str | None = None
    event_id: str | None = None
    item: "Payload | None" = None

    # Of what a response took.
    response_id: str | None = None
    usage: Tokens | None = None


class Record(Item, gc=False):
    """One line: a payload in its wrapper, or the bare item."""

    timestamp: Time | None = None
    payload: Payload | None = None
    ordinal: Number | str | None = None
    # Of bare files: lines between the items, and the repository, which their head names.
    record_type: str | None = None
    git: Git | None = None


def parts_of(content: str | list[Part] | None) -> list[Part]:
    """The parts of a content, which may be a mere text."""
    return [Part(text=content)] if isinstance(content, str) else content or []
