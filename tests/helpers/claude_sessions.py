"""Synthetic Claude Code sessions, record by record, in the keys and shapes the client writes.

Ids and times are made up but always the same, so a test can name them.
"""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from itertools import count
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from pytest_agentv import Transcript

    # The fixture that reads a session, or a file of one.
    Read: TypeAlias = Callable[..., Transcript]

Json: TypeAlias = dict[str, Any]

SESSION_ID = "5e550000-0000-4000-8000-000000000001"
MODEL = "claude-opus-4-6"
START = datetime(2026, 3, 2, 9, tzinfo=timezone.utc)

# From this version on the common keys stand behind a record's own ones.
_COMMON_KEYS_LAST = (2, 1, 94)


def text(words: str) -> Json:
    return {"type": "text", "text": words}


def thinking(thought: str) -> Json:
    return {"type": "thinking", "thinking": thought, "signature": "c2lnbmF0dXJl"}


def tool_use(call_id: str, name: str, arguments: Any) -> Json:
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def image(data: str = "aW1hZ2U=", media_type: str = "image/png") -> Json:
    source = {"type": "base64", "media_type": media_type, "data": data}
    return {"type": "image", "source": source}


def document(data: str = "JVBERi0xLjQ=", **fields: Any) -> Json:
    source = {"type": "base64", "media_type": "application/pdf", "data": data}
    return {"type": "document", "source": source, **fields}


def tokens(fresh: int = 3, output: int = 50, *, written: int = 100, cached: int = 1000) -> Json:
    """Tokens as the API names them: ``fresh`` are the input tokens outside the cache."""
    return {
        "input_tokens": fresh,
        "cache_creation_input_tokens": written,
        "cache_read_input_tokens": cached,
        "output_tokens": output,
        "service_tier": "standard",
    }


def said(transcript: Transcript) -> list[tuple[str, str]]:
    """Who said what: a user message by its origin, any other by its role."""
    return [(message.origin or message.role, message.content) for message in transcript.output]


class Session:
    """A session file in the making; every method appends records.

    ``fields`` of a method replace a record's keys or add to them. A method that appends one
    record of the chain returns its uuid.
    """

    def __init__(
        self,
        session_id: str = SESSION_ID,
        *,
        version: str = "2.1.62",
        cwd: str = "/home/dev/shop",
        git_branch: str = "main",
        model: str = MODEL,
    ) -> None:
        self.session_id = session_id
        self.version = version
        self.cwd = cwd
        self.git_branch = git_branch
        self.model = model
        self.records: list[Json | bytes] = []
        self.agent_id: str | None = None
        self.is_sidechain = False
        self.last: str | None = None
        self.now = START
        self._ids: Iterator[int] = count(1)
        self._uuid_end = "000000000000"

    def wait(self, seconds: float) -> None:
        """Let time pass; each record takes one second anyhow."""
        self.now += timedelta(seconds=seconds)

    def time(self) -> str:
        return f"{self.now.isoformat(timespec='milliseconds')[:-6]}Z"

    def uuid(self) -> str:
        return f"{next(self._ids):08x}-0000-4000-8000-{self._uuid_end}"

    def record(self, number: int = -1) -> Json:
        """A record that was appended, to be changed in place."""
        record = self.records[number]
        assert isinstance(record, dict)
        return record

    def raw(self, line: bytes) -> None:
        """Append a line as it is."""
        self.records.append(line)

    def about(self, type_: str, **fields: Any) -> None:
        """Append a record outside the chain: metadata, or a type nobody knows."""
        self.records.append({"type": type_, **fields, "sessionId": self.session_id})

    def link(self, body: Json, *, parent: str | None = "last", **fields: Any) -> str:
        """Append a record of the chain, after the last one or after ``parent``."""
        uuid = self.uuid()
        head = {
            "parentUuid": self.last if parent == "last" else parent,
            "isSidechain": self.is_sidechain,
        }
        if self.agent_id is not None:
            head["agentId"] = self.agent_id
        common = {
            "userType": "external",
            "cwd": self.cwd,
            "sessionId": self.session_id,
            "version": self.version,
            "gitBranch": self.git_branch,
        }
        own = {**body, "uuid": uuid, "timestamp": self.time()}
        numbers = tuple(int(part) for part in self.version.split("."))
        parts = [own, common] if numbers >= _COMMON_KEYS_LAST else [common, own]
        record = {**head, **parts[0], **parts[1], **fields}
        self.records.append(record)
        self.last = record["uuid"]
        self.wait(1)
        return str(record["uuid"])

    def user(self, content: str | list[Json], **fields: Any) -> str:
        body = {"type": "user", "message": {"role": "user", "content": content}}
        return self.link(body, **fields)

    prompt = user

    def meta(self, words: str, **fields: Any) -> str:
        """Text that the client injects, and says so."""
        return self.user([text(words)], isMeta=True, **fields)

    def response(
        self,
        message_id: str | None,
        *blocks: Json,
        usage: Json | None = None,
        stop_reason: str | None = "end_turn",
        model: str | None = None,
        request_id: str | None = "req_",
        **fields: Any,
    ) -> list[str]:
        """A response, or some of its blocks: one record per block, as the client writes it."""
        message: Json = {
            "model": model or self.model,
            **({} if message_id is None else {"id": message_id}),
            "type": "message",
            "role": "assistant",
            "content": [],
            "stop_reason": stop_reason,
            "stop_sequence": None,
            "usage": tokens() if usage is None else usage,
        }
        request = {} if request_id is None else {"requestId": f"{request_id}{message_id}"}
        return [
            self.link(
                {"message": {**message, "content": [block]}, **request, "type": "assistant"},
                **fields,
            )
            for block in blocks
        ]

    def tool_result(
        self,
        call_id: str,
        content: Any = "",
        *,
        is_error: bool | None = None,
        noted: Any = None,
        beside: Iterable[Json] = (),
        **fields: Any,
    ) -> str:
        """The answer of a call; ``noted``: what the client notes of it, ``beside``: more blocks."""
        block: Json = {"tool_use_id": call_id, "type": "tool_result", "content": content}
        if is_error is not None:
            block["is_error"] = is_error
        if noted is not None:
            fields = {"toolUseResult": noted, **fields}
        return self.user([block, *beside], **fields)

    def call(
        self,
        call_id: str,
        tool: str,
        arguments: Any,
        output: Any = "",
        *,
        is_error: bool | None = None,
        noted: Any = None,
        **fields: Any,
    ) -> str:
        """A response ``msg_<call id>`` of one call, and the call's answer."""
        self.response(f"msg_{call_id}", tool_use(call_id, tool, arguments), stop_reason="tool_use")
        return self.tool_result(call_id, output, is_error=is_error, noted=noted, **fields)

    def slash(self, name: str, arguments: str = "", *, expansion: str | None = None) -> str:
        """A slash command; its expansion is what the model gets."""
        uuid = self.user(
            f"<command-name>/{name}</command-name>\n"
            f"            <command-message>{name}</command-message>\n"
            f"            <command-args>{arguments}</command-args>"
        )
        if expansion is not None:
            self.meta(expansion)
        return uuid

    def local_command(self, name: str, stdout: str) -> None:
        """A slash command that the client answers itself."""
        self.meta(
            "Caveat: The messages below were generated by the user while running local commands. "
            "DO NOT respond to these messages or otherwise consider them in your response unless "
            "the user explicitly asks you to."
        )
        self.slash(name)
        self.user(f"<local-command-stdout>{stdout}</local-command-stdout>")

    def bash(self, command: str, stdout: str) -> None:
        """A line that the user ran in the shell with ``!``."""
        self.user(f"<bash-input>{command}</bash-input>")
        self.user(f"<bash-stdout>{stdout}</bash-stdout><bash-stderr></bash-stderr>")

    def task_notification(self, words: str, **fields: Any) -> str:
        """The answer of an agent that worked in the background."""
        return self.user(f"<task-notification>\n{words}\n</task-notification>", **fields)

    def system(self, subtype: str, **fields: Any) -> str:
        return self.link({"type": "system", "subtype": subtype, "level": "info"}, **fields)

    def compaction(self, summary: str, *, logical_parent: str | None = "last") -> None:
        """The cut of a compaction, and the summary that follows it."""
        above = self.last if logical_parent == "last" else logical_parent
        metadata = {"trigger": "auto", "preTokens": 155_000}
        self.system(
            "compact_boundary",
            parent=None,
            content="Conversation compacted",
            logicalParentUuid=above,
            compactMetadata=metadata,
        )
        self.user(summary, isVisibleInTranscriptOnly=True, isCompactSummary=True)

    def queue(self, operation: str, content: str | None = None) -> None:
        """A change of the queue of what was typed while the agent worked."""
        record = {"type": "queue-operation", "operation": operation, "timestamp": self.time()}
        said = {} if content is None else {"content": content}
        self.records.append({**record, "sessionId": self.session_id, **said})
        self.wait(1)

    def attachment(self, kind: str, *, sidechain: bool = False, **described: Any) -> str:
        attachment = {"type": kind, **described}
        return self.link({"attachment": attachment, "type": "attachment"}, isSidechain=sidechain)

    def progress(self, data: Json, *, call_id: str) -> str:
        body = {"type": "progress", "data": data, "toolUseID": call_id, "parentToolUseID": call_id}
        return self.link(body)

    def agent(self, agent_id: str | None, *, in_file: bool = False) -> Session:
        """A sub-agent with a file of its own, or as a side chain among this session's records."""
        agent = Session(
            self.session_id,
            version=self.version,
            cwd=self.cwd,
            git_branch=self.git_branch,
            model=self.model,
        )
        agent.agent_id, agent.is_sidechain, agent.now = agent_id, True, self.now
        if in_file:
            agent.records, agent._ids = self.records, self._ids
        else:
            agent._uuid_end = f"{sum((agent_id or '').encode()):012x}"
        return agent

    def write(self, path: Path, *, final_newline: bool = True) -> Path:
        """Write the file, with the folders above it."""
        lines = [
            record
            if isinstance(record, bytes)
            else json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode()
            for record in self.records
        ]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"\n".join(lines) + (b"\n" if final_newline else b""))
        return path

    def write_in(self, folder: Path) -> Path:
        """Write the file under its session's id."""
        return self.write(folder / f"{self.session_id}.jsonl")

    def write_agent(self, session_file: Path) -> Path:
        """Write this sub-agent's file where the client puts it."""
        return self.write(
            session_file.with_suffix("") / "subagents" / f"agent-{self.agent_id}.jsonl"
        )
