"""Events: a session as one document of small typed events, for those who share and collect them.

The document names the agent, the environment, what was redacted and what it took. What no session
states, as the operating system, is null. Its JSON Schema lies beside this module.
"""

from __future__ import annotations

import json
import uuid
from hashlib import sha256
from importlib import metadata, resources
from typing import TYPE_CHECKING, Any

from pytest_agentv.views.calls import CallIds
from pytest_agentv.views.encoding import encode, joined, opened
from pytest_agentv.views.entries import answered_at, is_answered
from pytest_agentv.views.receipts import privacy_block, redactions_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pytest_agentv.transcript.model import Attachment, Message, ToolCall
    from pytest_agentv.transcript.stored import AnyTranscript

_VERSION = "0.1.0"
_PACKAGE = "pytest-agentv"
# The names that others know our clients by.
_AGENTS = {"claude-cli": "claude-code", "codex-cli": "codex", "copilot-cli": "copilot"}
# The form knows no other status.
_STATUSES = {
    "ok": "ok",
    "error": "error",
    "denied": "denied",
    "timeout": "timeout",
    "cancelled": "error",
}
_ROLES = frozenset({"user", "assistant", "system", "tool"})


def events_document(
    transcript: AnyTranscript,
    *,
    submitter: Mapping[str, Any] | None = None,
    captured_at: str | None = None,
) -> Iterator[bytes]:
    """A session as one line of JSON, in pieces.

    ``submitter`` stands in it only if it is given.
    """
    count = sum(1 for _ in _plain_events(transcript.output))
    about = {
        "schemaVersion": _VERSION,
        "transcriptId": transcript_id(transcript),
        "source": _source(transcript),
        "session": _session(transcript, captured_at=captured_at),
        **({} if submitter is None else {"submitter": dict(submitter)}),
        "privacy": privacy_block(transcript.privacy),
        "metrics": _metrics(transcript, events=count),
    }
    yield opened(about, "events")
    yield from joined(events(transcript))
    yield b"]}\n"


def events(transcript: AnyTranscript) -> Iterator[dict[str, Any]]:
    """The events of a session in order: a message, then each of its calls with its result."""
    for number, event in enumerate(_plain_events(transcript.output), 1):
        yield {
            "id": f"ev_{number:03}",
            "seq": number,
            **event,
            "redactions": redactions_in(event, transcript.privacy),
        }


def events_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of the document."""
    text = resources.files("pytest_agentv.views").joinpath("events.schema.json").read_text("utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def transcript_id(transcript: AnyTranscript) -> str:
    """A UUID in the form of version 4: of one session always the same, of no two the same."""
    first = transcript.output[0] if transcript.output else None
    named = encode([transcript.source, transcript.input, first])
    return str(uuid.UUID(bytes=sha256(named).digest()[:16], version=4))


def _plain_events(messages: Iterable[Message]) -> Iterator[dict[str, Any]]:
    ids = CallIds()
    for message in messages:
        about = {"timestamp": message.timestamp}
        of_agent = {} if message.agent_id is None else {"agentId": message.agent_id}
        role = message.role if message.role in _ROLES else "system"
        if message.thinking:
            yield {
                **about, "type": "reasoning", "role": role, "text": message.thinking, **of_agent
            }  # fmt: skip
        if message.content or not (message.thinking or message.tool_calls or message.attachments):
            yield {
                **about, "type": _type(message), "role": role, "text": message.content, **of_agent
            }  # fmt: skip
        for attachment in message.attachments:
            yield {
                **about, "type": "meta", "role": role, "text": _described(attachment), **of_agent
            }  # fmt: skip
        for call in message.tool_calls:
            for event in _call_events(message, call, id_=ids.new(call)):
                yield {**event, **of_agent}


def _type(message: Message) -> str:
    if message.role == "assistant":
        return "assistant_message"
    # Context that a client puts in is no turn of a person's.
    if message.role == "user" and message.origin in (None, "human"):
        return "user_message"
    return "system"


def _call_events(message: Message, call: ToolCall, *, id_: str) -> Iterator[dict[str, Any]]:
    yield {
        "timestamp": call.timestamp or message.timestamp,
        "type": "tool_call",
        "role": "assistant",
        "tool": {"name": call.tool, "callId": id_, "input": call.input},
    }
    if is_answered(call):
        yield {
            "timestamp": answered_at(call),
            "type": "tool_result",
            "role": "tool",
            "tool": {
                "name": call.tool,
                "callId": id_,
                "output": call.output,
                "status": _STATUSES.get(call.status),
                "durationMs": call.duration_ms,
            },
        }


def _described(attachment: Attachment) -> str:
    size = None if attachment.size is None else f"{attachment.size} bytes"
    parts = (attachment.kind, attachment.name, attachment.media_type, size)
    return f"[attachment: {', '.join(one for one in parts if one)}]"


def _source(transcript: AnyTranscript) -> dict[str, Any]:
    provider = transcript.source.provider
    return {
        "agent": _AGENTS.get(provider, provider),
        "agentVersion": transcript.source.version,
        "adapter": f"{_PACKAGE}/{provider.removesuffix('-cli')}",
        "adapterVersion": metadata.version(_PACKAGE),
    }


def _session(transcript: AnyTranscript, *, captured_at: str | None) -> dict[str, Any]:
    source = transcript.source
    repo = {"name": None, "remote": None, "commit": None, "branch": source.git_branch}
    return {
        "startedAt": source.timestamp,
        "endedAt": source.ended_at,
        "capturedAt": captured_at,
        "environment": {
            "os": None,
            "shell": None,
            "cwd": source.cwd,
            "repo": None if source.git_branch is None else repo,
        },
    }


def _metrics(transcript: AnyTranscript, *, events: int) -> dict[str, Any]:
    usage = transcript.token_usage
    return {
        "eventCount": events,
        "messageCount": len(transcript.output),
        "toolCallCount": sum(len(one.tool_calls) for one in transcript.output),
        "durationMs": transcript.duration_ms,
        "tokens": usage and {"input": usage.input, "output": usage.output},
    }
