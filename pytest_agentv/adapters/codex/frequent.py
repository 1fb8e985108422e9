"""Records that sessions are full of, each kind with its own few fields.

A line is first decoded as one of these: the decoder itself finds the kind by its tags, and skips
what nobody reads. What is none of them, or has a field of another type, is decoded once more, as
a record of any kind. A field of theirs has the name and the meaning that it has there.
"""

from typing import Any, TypeAlias

import msgspec

from pytest_agentv.adapters.clock import Time
from pytest_agentv.adapters.codex.records import (
    Duration,
    FoundTools,
    McpResult,
    Number,
    Output,
    Part,
    Settings,
    TokenInfo,
    WebResult,
)


class _Kind(msgspec.Struct, gc=False, tag_field="type"):
    """What has its kind as its type."""

    @property
    def type(self) -> str:
        """The kind by its name."""
        return str(self.__struct_config__.tag)


class Said(_Kind, gc=False, tag="message"):
    """A message: an item."""

    id: str | None = None
    role: str | None = None
    content: str | list[Part] | None = None


class Thought(_Kind, gc=False, tag="reasoning"):
    """What the model thought: an item. Mostly encrypted, which is skipped."""

    id: str | None = None
    content: str | list[Part] | None = None
    summary: str | list[Part] | None = None


class FunctionCall(_Kind, gc=False, tag="function_call"):
    """A call with arguments."""

    id: str | None = None
    name: str | None = None
    namespace: str | None = None
    arguments: Any = None
    call_id: str | None = None


class CustomCall(_Kind, gc=False, tag="custom_tool_call"):
    """A call with a text of its own form."""

    id: str | None = None
    name: str | None = None
    namespace: str | None = None
    input: Any = None
    call_id: str | None = None


class FunctionOutput(_Kind, gc=False, tag="function_call_output"):
    """The output of a call, left as it is: most of a session is output, and need not be decoded."""

    id: str | None = None
    call_id: str | None = None
    output: msgspec.Raw = msgspec.Raw(b"null")


class CustomOutput(_Kind, gc=False, tag="custom_tool_call_output"):
    """The output of a custom call."""

    id: str | None = None
    name: str | None = None
    call_id: str | None = None
    output: Output = None


class Search(_Kind, gc=False, tag="web_search_call"):
    """A search of the web by the model's host."""

    id: str | None = None
    name: str | None = None
    namespace: str | None = None
    action: Any = None
    call_id: str | None = None


class ToolSearch(_Kind, gc=False, tag="tool_search_call"):
    """A search for tools."""

    id: str | None = None
    name: str | None = None
    namespace: str | None = None
    arguments: Any = None
    call_id: str | None = None


class ToolsFound(_Kind, gc=False, tag="tool_search_output"):
    """What a search for tools found."""

    call_id: str | None = None
    tools: list[FoundTools] | None = None


class Snapshot(_Kind, gc=False, tag="ghost_snapshot"):
    """Where the repository stood."""


class TokenCount(_Kind, gc=False, tag="token_count"):
    """All tokens so far: an event."""

    info: TokenInfo | None = None


class ShownPrompt(_Kind, gc=False, tag="user_message"):
    """A prompt, as the screen shows it."""

    message: str | None = None
    kind: str | None = None


class ShownAnswer(_Kind, gc=False, tag="agent_message"):
    """A text of a response, as the screen shows it."""

    message: str | None = None


class ShownThought(_Kind, gc=False, tag="agent_reasoning"):
    """A thought, as the screen shows it."""

    text: str | None = None


class TurnStarted(_Kind, gc=False, tag="task_started"):
    """A turn begins."""

    turn_id: str | None = None


class TurnComplete(_Kind, gc=False, tag="task_complete"):
    """A turn is over."""

    turn_id: str | None = None


class TurnAborted(_Kind, gc=False, tag="turn_aborted"):
    """A turn is over before its end."""


class RolledBack(_Kind, gc=False, tag="thread_rolled_back"):
    """Turns are taken back."""

    num_turns: Number | None = None


class SettingsApplied(_Kind, gc=False, tag="thread_settings_applied"):
    """Settings of the thread changed."""

    thread_settings: Settings | None = None


class ContextCompacted(_Kind, gc=False, tag="context_compacted"):
    """The model goes on with a summary: a mere echo."""


class CallEnd(_Kind, gc=False):
    """How a call ended."""

    id: str | None = None
    call_id: str | None = None
    status: Any = None
    exit_code: Number | None = None
    duration: Duration | None = None
    success: bool | None = None
    result: McpResult | str | None = None


class CommandEnd(CallEnd, gc=False, tag="exec_command_end"):
    """How a command ended."""


class PatchEnd(CallEnd, gc=False, tag="patch_apply_end"):
    """Whether a patch was applied."""


class McpEnd(CallEnd, gc=False, tag="mcp_tool_call_end"):
    """What a server answered."""


class SearchEnd(_Kind, gc=False, tag="web_search_end"):
    """What a search of the web found."""

    action: Any = None
    results: list[WebResult] | None = None


class TurnContext(msgspec.Struct, gc=False):
    """The settings of a turn, which have no type."""

    type: None = None
    turn_id: str | None = None
    cwd: str | None = None
    model: str | None = None
    summary: str | list[Part] | None = None


class Compacted(msgspec.Struct, gc=False):
    """A summary of what was said, which has no type."""

    type: None = None


class World(msgspec.Struct, gc=False):
    """What the client knows of its surroundings."""


FrequentItem: TypeAlias = (
    Said
    | Thought
    | FunctionCall
    | FunctionOutput
    | CustomCall
    | CustomOutput
    | Search
    | ToolSearch
    | ToolsFound
    | Snapshot
)
FrequentEvent: TypeAlias = (
    TokenCount
    | ShownPrompt
    | ShownAnswer
    | ShownThought
    | TurnStarted
    | TurnComplete
    | TurnAborted
    | RolledBack
    | SettingsApplied
    | ContextCompacted
    | CommandEnd
    | PatchEnd
    | McpEnd
    | SearchEnd
)


class ItemRecord(_Kind, gc=False, tag="response_item"):
    """An item in its wrapper."""

    payload: FrequentItem
    timestamp: Time | None = None


class EventRecord(_Kind, gc=False, tag="event_msg"):
    """An event in its wrapper."""

    payload: FrequentEvent
    timestamp: Time | None = None


class ContextRecord(_Kind, gc=False, tag="turn_context"):
    """The settings of a turn in their wrapper."""

    payload: TurnContext
    timestamp: Time | None = None


class CompactedRecord(_Kind, gc=False, tag="compacted"):
    """A summary in its wrapper."""

    payload: Compacted
    timestamp: Time | None = None


class WorldRecord(_Kind, gc=False, tag="world_state"):
    """The surroundings in their wrapper."""

    payload: World
    timestamp: Time | None = None


FrequentRecord: TypeAlias = ItemRecord | EventRecord | ContextRecord | CompactedRecord | WorldRecord
