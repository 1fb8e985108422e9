"""The fields of Copilot's events that are read; all others are skipped unread.

Every event has the same envelope. What its type tells is in ``data``, one struct for all types:
a name means the same wherever it stands, with few exceptions, which have several types here.
"""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from pytest_agentv.adapters.clock import Time

Tokens = Annotated[int, Meta(ge=0, le=2**53)]


class Context(msgspec.Struct, rename="camel", gc=False):
    """Where a session runs."""

    cwd: str | None = None
    git_root: str | None = None
    branch: str | None = None


class ToolRequest(msgspec.Struct, rename="camel", gc=False):
    """A call as the model asked for it."""

    tool_call_id: str | None = None
    name: str | None = None
    arguments: Any = None
    mcp_server_name: str | None = None


class Binary(msgspec.Struct, rename="camel", gc=False):
    """An image or a file, attached by a person or returned by a tool."""

    type: str | None = None
    mime_type: str | None = None
    display_name: str | None = None
    path: str | None = None
    file_path: str | None = None
    # Never decoded: only its length counts.
    data: msgspec.Raw = msgspec.Raw()


class ResultRecord(msgspec.Struct, rename="camel", gc=False):
    """What a tool returned, or how a question for a permission was answered (``kind``)."""

    content: str | None = None
    kind: str | None = None
    binary_results_for_llm: list[Binary] | None = None


class ErrorRecord(msgspec.Struct, gc=False):
    """Why a tool returned nothing."""

    message: str | None = None
    code: str | None = None


class UsageRecord(msgspec.Struct, rename="camel", gc=False):
    """Tokens of one model in one run; the input includes what was read from the cache."""

    input_tokens: Tokens | None = None
    output_tokens: Tokens | None = None
    cache_read_tokens: Tokens | None = None
    cache_write_tokens: Tokens | None = None
    reasoning_tokens: Tokens | None = None


class ModelMetrics(msgspec.Struct, gc=False):
    """What one model did in one run."""

    usage: UsageRecord | None = None


class TokenCount(msgspec.Struct, rename="camel", gc=False):
    """A number of tokens."""

    token_count: Tokens | None = None


class TokenDetails(msgspec.Struct, gc=False):
    """Tokens of all models in one run; here the input is what was not in the cache."""

    input: TokenCount | None = None
    output: TokenCount | None = None
    cache_read: TokenCount | None = None
    cache_write: TokenCount | None = None


class Notification(msgspec.Struct, rename="camel", gc=False):
    """What a notification is about."""

    type: str | None = None
    shell_id: str | None = None
    exit_code: Annotated[int, Meta(ge=-(2**53), le=2**53)] | None = None


class PermissionRequest(msgspec.Struct, rename="camel", gc=False):
    """What a person is asked."""

    tool_call_id: str | None = None


class Data(msgspec.Struct, rename="camel", gc=False):
    """What an event tells."""

    # Of a session and its runs.
    session_id: str | None = None
    copilot_version: str | None = None
    selected_model: str | None = None
    new_model: str | None = None
    current_model: str | None = None
    context: Context | str | None = None
    cwd: str | None = None
    branch: str | None = None
    model_metrics: dict[str, ModelMetrics] | None = None
    token_details: TokenDetails | None = None
    # Of messages.
    content: str | None = None
    transformed_content: str | None = None
    source: str | None = None
    is_autopilot_continuation: bool | None = None
    attachments: list[Binary] | None = None
    message_id: str | None = None
    model: str | None = None
    output_tokens: Tokens | None = None
    reasoning_text: str | None = None
    chunk_index: int | None = None
    tool_requests: list[ToolRequest] | None = None
    message: str | None = None
    kind: Notification | str | None = None
    # Of calls.
    parent_tool_call_id: str | None = None
    tool_call_id: str | None = None
    tool_name: str | None = None
    mcp_server_name: str | None = None
    # The same as in the request, hence decoded only if there was none.
    arguments: msgspec.Raw = msgspec.Raw()
    success: bool | None = None
    result: ResultRecord | str | None = None
    error: ErrorRecord | str | None = None
    request_id: str | None = None
    permission_request: PermissionRequest | None = None


class Event(msgspec.Struct, rename="camel", gc=False):
    """One line of a session."""

    type: str | None = None
    data: Data | None = None
    id: str | None = None
    timestamp: Time | None = None
    agent_id: str | None = None
