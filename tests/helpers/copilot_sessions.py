"""Synthetic sessions of Copilot CLI, event by event, in the keys and shapes the client writes.

Ids and times are made up but always the same, so a test can name them.
"""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from itertools import count
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pytest_agentv import Transcript

    # The fixture that reads a session, or a file of one.
    Read: TypeAlias = Callable[..., Transcript]

Json: TypeAlias = dict[str, Any]

SESSION_ID = "c0910000-0000-4000-8000-000000000001"
MODEL = "claude-sonnet-4.6"
START = datetime(2026, 6, 25, 9, tzinfo=timezone.utc)


def said(transcript: Transcript) -> list[tuple[str, str]]:
    """Who said what: a user message by its origin, any other by its role."""
    return [(message.origin or message.role, message.content) for message in transcript.output]


def request(call_id: str, tool: str, arguments: Any, **fields: Any) -> Json:
    """A call as the model asks for it."""
    asked = {"toolCallId": call_id, "name": tool, "arguments": arguments, "type": "function"}
    return {**asked, **fields}


def tokens(
    whole: int = 5000, output: int = 50, *, cached: int = 4000, written: int = 0, **fields: Any
) -> Json:
    """Tokens of a model in one run: ``whole`` is all input, what was cached included."""
    usage = {
        "inputTokens": whole,
        "outputTokens": output,
        "cacheReadTokens": cached,
        "cacheWriteTokens": written,
        "reasoningTokens": 0,
        **fields,
    }
    return {"requests": {"count": 1, "cost": 1}, "usage": usage}


class Session:
    """A session file in the making; every method appends events, a second apart.

    ``fields`` of a method replace keys of the event's data or add to them; one that is None is
    left out.
    """

    def __init__(self, session_id: str = SESSION_ID, *, model: str = MODEL) -> None:
        self.session_id = session_id
        self.model = model
        self.events: list[Json | bytes] = []
        self.now = START
        self.agent_id: str | None = None
        self._ids: Iterator[int] = count(1)
        self._last: str | None = None

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.now += timedelta(seconds=seconds)

    def time(self) -> str:
        return f"{self.now.isoformat(timespec='milliseconds')[:-6]}Z"

    def raw(self, line: bytes) -> None:
        """Append a line as it is."""
        self.events.append(line)

    def event(self, type_: str, data: Any, **envelope: Any) -> Json:
        """Append any event; the last one can still be changed in place."""
        event_id = f"{next(self._ids):08x}-0000-4000-8000-000000000000"
        if isinstance(data, dict):
            data = {key: value for key, value in data.items() if value is not None}
        event = {
            "type": type_,
            "data": data,
            "id": event_id,
            "timestamp": self.time(),
            "parentId": self._last,
            **({} if self.agent_id is None else {"agentId": self.agent_id}),
            **envelope,
        }
        self.events.append(event)
        self._last = event_id
        self.wait(1)
        return event

    def start(self, **fields: Any) -> Json:
        context = {"cwd": "/home/dev/shop", "gitRoot": "/home/dev/shop", "branch": "main"}
        data = {
            "sessionId": self.session_id,
            "version": 1,
            "producer": "copilot-agent",
            "copilotVersion": "1.0.64",
            "startTime": self.time(),
            "context": context,
            "alreadyInUse": False,
        }
        return self.event("session.start", {**data, **fields})

    def resume(self, **fields: Any) -> Json:
        data = {"resumeTime": self.time(), "eventCount": len(self.events)}
        return self.event("session.resume", {**data, **fields})

    def shutdown(self, metrics: Json | None = None, **fields: Any) -> Json:
        data = {
            "shutdownType": "routine",
            "totalPremiumRequests": 1,
            "totalApiDurationMs": 1500,
            "modelMetrics": {self.model: tokens()} if metrics is None else metrics,
            "currentModel": self.model,
        }
        return self.event("session.shutdown", {**data, **fields})

    def user(self, content: str, **fields: Any) -> Json:
        reminder = "<system_reminder>\nTables: todos\n</system_reminder>"
        data = {
            "content": content,
            "transformedContent": f"<current_datetime>{self.time()}</current_datetime>\n\n"
            f"{content}\n\n{reminder}",
            "attachments": [],
            "interactionId": "interaction-1",
        }
        return self.event("user.message", {**data, **fields})

    def assistant(self, content: str = "", *requests: Json, **fields: Any) -> Json:
        number = len(self.events)
        data = {
            "messageId": f"message-{number}",
            "model": self.model,
            "content": content,
            "toolRequests": list(requests),
            "interactionId": "interaction-1",
            "outputTokens": 50,
        }
        return self.event("assistant.message", {**data, **fields})

    def tool_start(self, call_id: str, tool: str, arguments: Any, **fields: Any) -> Json:
        data = {"toolCallId": call_id, "toolName": tool, "arguments": arguments}
        return self.event("tool.execution_start", {**data, **fields})

    def tool_complete(self, call_id: str, output: str | None = "", **fields: Any) -> Json:
        data: Json = {"toolCallId": call_id, "model": self.model, "success": True}
        if output is not None:
            data["result"] = {"content": output, "detailedContent": output}
        return self.event("tool.execution_complete", {**data, **fields})

    def call(
        self, call_id: str, tool: str, arguments: Any, output: str | None = "", **fields: Any
    ) -> None:
        """A call in its three appearances; ``fields`` are those of its end."""
        self.assistant("", request(call_id, tool, arguments))
        self.tool_start(call_id, tool, arguments)
        self.tool_complete(call_id, output, **fields)

    def failed_call(self, call_id: str, tool: str, arguments: Any, message: str, code: str) -> None:
        self.call(
            call_id, tool, arguments, None, success=False, error={"message": message, "code": code}
        )

    def permission(self, call_id: str, kind: str, *, seconds: float) -> None:
        """A person is asked, and answers after so many seconds."""
        asked = {"kind": "shell", "toolCallId": call_id, "fullCommandText": "make"}
        request_id = f"permission-{call_id}"
        self.event("permission.requested", {"requestId": request_id, "permissionRequest": asked})
        self.wait(seconds - 1)
        data = {"requestId": request_id, "toolCallId": call_id, "result": {"kind": kind}}
        self.event("permission.completed", data)

    def hook(self, kind: str = "preToolUse") -> None:
        data = {"hookInvocationId": "hook-1", "hookType": kind}
        self.event("hook.start", {**data, "input": {"cwd": "/home/dev/shop"}})
        self.event("hook.end", {**data, "success": True})

    def lines(self) -> list[bytes]:
        return [
            event
            if isinstance(event, bytes)
            else json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode()
            for event in self.events
        ]

    def write(self, path: Path, *, final_newline: bool = True) -> Path:
        """Write the file, with the folders above it."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"\n".join(self.lines()) + (b"\n" if final_newline else b""))
        return path

    def write_in(self, home: Path, *, workspace: str | None = None) -> Path:
        """Write the file where the client does, with the file beside it if there is one."""
        path = self.write(home / "session-state" / self.session_id / "events.jsonl")
        if workspace is not None:
            path.with_name("workspace.yaml").write_text(workspace, encoding="utf-8")
        return path


def plain(session_id: str = SESSION_ID, *, prompt: str = "Add a login page") -> Session:
    """A session of one prompt and one answer."""
    session = Session(session_id)
    session.start()
    session.user(prompt)
    session.assistant("Done.")
    session.shutdown()
    return session


def old_document(**fields: Any) -> Json:
    """A session before 0.0.342, which was one JSON document."""
    arguments = json.dumps({"command": "ls"})
    function = {"name": "bash", "arguments": arguments}
    return {
        "sessionId": SESSION_ID,
        "startTime": "2025-10-01T10:00:00.000Z",
        "selectedModel": "claude-sonnet-4.5",
        "chatMessages": [
            {"role": "user", "content": "<context>/home/dev</context>"},
            {"role": "user", "content": "List the files\n\n<reminder>be brief</reminder>"},
            {
                "role": "assistant",
                "content": "I look.",
                "tool_calls": [{"id": "call-1", "type": "function", "function": function}],
            },
            {
                "role": "tool",
                "tool_call_id": "call-1",
                "content": "a.txt\n<exited with exit code 0>",
            },
            {"role": "assistant", "content": "There is one file."},
        ],
        "timeline": [
            {"id": "1", "timestamp": "2025-10-01T10:00:01.000Z", "type": "info", "text": "Hello"},
            {
                "id": "2",
                "timestamp": "2025-10-01T10:00:02.000Z",
                "type": "user",
                "text": "List the files",
                "expandedText": "List the files",
                "mentions": [],
            },
            {
                "id": "3",
                "timestamp": "2025-10-01T10:00:05.000Z",
                "type": "tool_call_completed",
                "callId": "call-1",
                "name": "bash",
                "arguments": {"command": "ls"},
                "result": {"type": "success", "log": "a.txt"},
            },
            {
                "id": "4",
                "timestamp": "2025-10-01T10:00:07.000Z",
                "type": "copilot",
                "text": "There is one file.",
            },
        ],
        **fields,
    }
