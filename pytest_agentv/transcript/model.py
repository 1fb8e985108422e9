"""The types of a transcript. The wire form is exactly these fields, in this order.

Unknown is ``None``, never 0. Strings stand where a closed list of values might: a newer writer
may know a kind or a status that an older reader does not, and that must not cost the transcript.
No struct can be part of a cycle, so the garbage collector need not look at them (``gc=False``).
"""

import sys
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from pytest_agentv.transcript.query import CallQueries, TranscriptQueries

SCHEMA_VERSION = "1.0"

Kind = Literal[
    "shell", "read", "write", "edit", "search", "fetch",
    "web_search", "task", "skill", "todo", "mcp", "other",
]  # fmt: skip
Status = Literal["ok", "error", "denied", "cancelled", "timeout", "unknown"]
Role = Literal["user", "assistant", "system"]
Origin = Literal["human", "injected", "command"]

Count = Annotated[int, Meta(ge=0)]


class Usage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """Tokens of one model response; ``cached`` and ``cache_write`` are part of ``input``."""

    input: Count | None = None
    output: Count | None = None
    cached: Count | None = None
    cache_write: Count | None = None
    reasoning: Count | None = None


class TokenUsage(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Tokens of a whole session, each model response counted once.

    ``output_complete`` is false where the logged output tokens are a lower bound only.
    """

    input: Count | None = None
    output: Count | None = None
    cached: Count | None = None
    cache_write: Count | None = None
    reasoning: Count | None = None
    output_complete: bool | None = None


class Attachment(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """An image or document of a message, described; its bytes are not kept."""

    kind: str
    media_type: str | None = None
    size: Count | None = None
    name: str | None = None
    call_id: Annotated[
        str | None, Meta(description="the tool call whose result held it, if one did")
    ] = None


class ToolCall(CallQueries, msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One tool call with its result."""

    id: str | None = None
    line: Annotated[int | None, Meta(description="line in the session file")] = None
    tool: Annotated[str, Meta(description="the vendor's own name of the tool")]
    kind: Annotated[
        str,
        Meta(
            description="the canonical tool: shell read write edit search fetch web_search task "
            "skill todo mcp other"
        ),
    ] = "other"
    input: Annotated[Any, Meta(description="the arguments as the vendor wrote them")] = None
    args: Annotated[
        dict[str, Any],
        Meta(description="canonical arguments: path paths command query url pattern content"),
    ] = msgspec.field(default_factory=dict)
    output: str | None = None
    status: Annotated[str, Meta(description="ok error denied cancelled timeout unknown")] = (
        "unknown"
    )
    exit_code: int | None = None
    duration_ms: Count | None = None
    duration_source: Annotated[
        str | None,
        Meta(
            description="'tool': the tool's own clock; 'timestamps': from call to result, which "
            "includes waiting for a permission unless the client logs that"
        ),
    ] = None
    timestamp: str | None = None


class Message(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """One message of the conversation; an assistant message is one whole model response."""

    id: str | None = None
    line: Annotated[int | None, Meta(description="line in the session file")] = None
    role: Annotated[str, Meta(description="user assistant system")]
    origin: Annotated[str | None, Meta(description="of a user message: human injected command")] = (
        None
    )
    # A factory, because omit_defaults would drop an empty text: "" says that there is none.
    content: str = msgspec.field(default_factory=str)
    thinking: str | None = None
    model: str | None = None
    timestamp: str | None = None
    usage: Usage | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    agent_id: Annotated[
        str | None, Meta(description="the sub-agent that wrote it; absent on the main thread")
    ] = None

    if sys.version_info < (3, 11):

        def __post_init__(self) -> None:
            """Make empty tuples one: defaults are left out by identity, and 3.10 has several."""
            if not self.tool_calls:
                msgspec.structs.force_setattr(self, "tool_calls", ())
            if not self.attachments:
                msgspec.structs.force_setattr(self, "attachments", ())


class Source(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Where a transcript comes from."""

    provider: Annotated[str, Meta(description="claude-cli, codex-cli, copilot-cli, …")]
    session_id: str | None = None
    model: str | None = None
    version: Annotated[str | None, Meta(description="version of the vendor's client")] = None
    title: str | None = None
    timestamp: str | None = None
    ended_at: str | None = None
    git_branch: str | None = None
    cwd: str | None = None


class Transcript(TranscriptQueries, msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One session, normalized: what was asked, what was said and done, and what it took."""

    schema_version: str = SCHEMA_VERSION
    test_id: str | None = None
    source: Source
    input: Annotated[str | None, Meta(description="the first prompt a person typed")] = None
    output: Annotated[
        tuple[Message, ...], Meta(description="the whole conversation, that prompt included")
    ]
    token_usage: TokenUsage | None = None
    duration_ms: Count | None = None
    cost_usd: float | None = None
    privacy: Annotated[
        dict[str, Any] | None, Meta(description="the receipt of a redaction, if there was one")
    ] = None
    drift: Annotated[
        dict[str, int], Meta(description="what the adapter met and did not understand, counted")
    ] = msgspec.field(default_factory=dict)
    left_out: Annotated[
        dict[str, int],
        Meta(description="what the adapter understood and left out of the conversation, counted"),
    ] = msgspec.field(default_factory=dict)
