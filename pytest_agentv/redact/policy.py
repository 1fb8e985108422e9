"""The content policy: what is kept of tool outputs, file contents and thinking, whatever is in it.

It comes after redaction: a text that is cut before could keep half of a secret.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from pytest_agentv.redact.spans import MARK

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_agentv.redact.profiles import ContentPolicy
    from pytest_agentv.transcript.model import Message, ToolCall

# Arguments, native and canonical, that hold what is in files.
_CONTENTS = frozenset(
    {
        "content", "contents", "file_text", "new_string", "old_string", "new_str", "old_str",
        "insert_text", "new_source", "patch", "diff", "edits", "changes", "text", "input",
    }
)  # fmt: skip
_FILE_KINDS = frozenset({"write", "edit", "read"})
FILE_CONTENTS = "file-contents"
TOOL_OUTPUT = "tool-output"
TRUNCATED = "tool-output-truncated"
THINKING = "thinking"
# What stands where a text was cut.
CUT = f"… {MARK}{TRUNCATED}]"
# What stands where an output was; whatever else a session says instead is an output.
_TAKEN_AWAY = re.compile(
    rf"{re.escape(MARK)}({TOOL_OUTPUT}|{FILE_CONTENTS})(, [0-9]+ characters, [0-9]+ lines)?\]"
)


def kept(message: Message, policy: ContentPolicy, note: Callable[[str], None]) -> Message:
    """What is left of a message; ``note`` is told the rule of each thing that is taken away."""
    changes: dict[str, Any] = {}
    if message.thinking is not None and not policy.thinking:
        note(THINKING)
        changes["thinking"] = None
    if message.tool_calls:
        calls = tuple(_call(call, policy, note) for call in message.tool_calls)
        if any(new is not old for new, old in zip(calls, message.tool_calls, strict=True)):
            changes["tool_calls"] = calls
    return msgspec.structs.replace(message, **changes) if changes else message


def _call(call: ToolCall, policy: ContentPolicy, note: Callable[[str], None]) -> ToolCall:
    changes: dict[str, Any] = {}
    if not policy.include_file_contents and call.kind in _FILE_KINDS:
        for name in ("input", "args"):
            old = getattr(call, name)
            new = _without_contents(old, note if name == "input" else _ignored)
            if new is not old:
                changes[name] = new
    if call.output:
        output = _output(call, policy, note)
        if output is not call.output:
            changes["output"] = output
    return msgspec.structs.replace(call, **changes) if changes else call


def _ignored(_: str) -> None:
    """The canonical arguments repeat the native ones, and are not counted again."""


def _without_contents(value: Any, note: Callable[[str], None]) -> Any:
    mark = f"{MARK}{FILE_CONTENTS}]"
    if isinstance(value, str):  # a patch as the whole input
        if not value or value == mark:
            return value
        note(FILE_CONTENTS)
        return mark
    if not isinstance(value, dict):
        return value
    result = {
        key: mark if key in _CONTENTS and held not in ("", None, mark) else held
        for key, held in value.items()
    }
    hidden = sum(result[key] is not value[key] for key in value)
    for _ in range(hidden):
        note(FILE_CONTENTS)
    return result if hidden else value


def _output(call: ToolCall, policy: ContentPolicy, note: Callable[[str], None]) -> str:
    output = call.output or ""
    if _TAKEN_AWAY.fullmatch(output):
        return output
    if not policy.include_file_contents and call.kind == "read":
        note(FILE_CONTENTS)
        return _described(FILE_CONTENTS, output)
    if policy.tool_output == "none":
        note(TOOL_OUTPUT)
        return f"{MARK}{TOOL_OUTPUT}]"
    if policy.tool_output == "metadata-only":
        note(TOOL_OUTPUT)
        return _described(TOOL_OUTPUT, output)
    if policy.tool_output == "truncated":
        return _truncated(output, policy.output_limit, note)
    return output


def _described(rule: str, output: str) -> str:
    lines = output.count("\n") + 1
    return f"{MARK}{rule}, {len(output)} characters, {lines} lines]"


def _truncated(output: str, limit: int, note: Callable[[str], None]) -> str:
    if output.endswith(CUT):
        # A pseudonym that came in since then may be longer than the name.
        kept = output[: -len(CUT)]
        return output if len(kept) <= limit else kept[:limit] + CUT
    if len(output) <= limit:
        return output
    note(TRUNCATED)
    return output[:limit] + CUT
