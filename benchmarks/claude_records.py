"""The records of a Claude Code session file: keys, their order, ids, parents and time.

Two client versions, because no single one writes everything: progress records end before 2.1.94,
attachment records begin there, and the common keys moved from the front to the back.
Knows nothing about what is said in the session.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from session_file import SessionFile
from synthetic_text import ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from claude_tools import Exchange


@dataclass(frozen=True)
class Client:
    """What differs between the client versions that the generator imitates."""

    version: str
    model: str
    agent_tool: str
    is_new: bool
    """Common keys last, attachments instead of progress, final usage on every record."""


OLD = Client("2.1.62", "claude-opus-4-6", "Task", is_new=False)
NEW = Client("2.1.205", "claude-opus-4-8", "Agent", is_new=True)


@dataclass(frozen=True)
class Usage:
    """The tokens of one API response, as the API names them."""

    input: int
    cache_write: int
    cache_read: int
    output: int

    def plus(self, other: Usage) -> Usage:
        """Return the sum of both."""
        return Usage(
            self.input + other.input,
            self.cache_write + other.cache_write,
            self.cache_read + other.cache_read,
            self.output + other.output,
        )

    def json(self, *, final: bool, iterations: bool) -> str:
        """Return the final form, or the shorter one that is written while tokens still arrive."""
        tokens = (
            f'"input_tokens":{self.input},"cache_creation_input_tokens":{self.cache_write},'
            f'"cache_read_input_tokens":{self.cache_read}'
        )
        kept = f'"ephemeral_5m_input_tokens":{self.cache_write},"ephemeral_1h_input_tokens":0'
        if not final:
            return (
                f'{{{tokens},"cache_creation":{{{kept}}},"output_tokens":{self.output},'
                '"service_tier":"standard","inference_geo":"not_available"}'
            )
        step = (
            f'{{{tokens},"output_tokens":{self.output},"cache_creation":{{{kept}}},'
            '"type":"message"}'
        )
        return (
            f'{{{tokens},"output_tokens":{self.output},"server_tool_use":'
            '{"web_search_requests":0,"web_fetch_requests":0},"service_tier":"standard",'
            f'"cache_creation":{{{kept}}},"inference_geo":"",'
            f'"iterations":[{step if iterations else ""}],"speed":"standard"}}'
        )


class Recorder(SessionFile):
    """Appends records to one file and keeps the parent chain."""

    def __init__(
        self, out: BinaryIO, rng: Random, *, client: Client, session_id: str | None
    ) -> None:
        super().__init__(out, rng, session_id=session_id)
        self.client = client
        self.agent_id: str | None = None
        self.prompt_id = self.uuid()
        self.last: str | None = None

    def now(self) -> str:
        """Return the time now; one in 25 is late to be written, as in real files."""
        late = self.rng.randrange(400) if self.rng.random() < 0.04 else 0
        return self.timestamp(late=late)

    def link(self, body: str, *, uuid: str, parent: str | None, prompt_id: bool = False) -> None:
        """Append a record of the chain and make it the place where the chain goes on."""
        client = self.client
        above = "null" if parent is None else f'"{parent}"'
        head = f'"parentUuid":{above},"isSidechain":{"true" if self.agent_id else "false"},'
        agent = f'"agentId":"{self.agent_id}",' if self.agent_id else ""
        place = (
            f'"cwd":"{ROOT}","sessionId":"{self.session_id}","version":"{client.version}",'
            '"gitBranch":"main"'
        )
        if client.is_new:
            prompt = f'"promptId":"{self.prompt_id}",' if prompt_id else ""
            entry = '"userType":"external","entrypoint":"cli",'
            self.write(f"{head}{prompt}{agent}{body},{entry}{place}")
        else:
            slug = '"slug":"quiet-turning-orchard",'
            self.write(f'{head}"userType":"external",{place},{agent}{slug}{body}')
        self.last = uuid

    def user(self, content: str, *, after: str = "") -> str:
        """Append a user record; `content` is JSON, `after` more keys. Returns its uuid."""
        uuid = self.uuid()
        self._link_user(f'{{"role":"user","content":{content}}}', uuid, self.last, after)
        return uuid

    def tool_result(self, exchange: Exchange, *, call_id: str, parent: str) -> None:
        """Append the answer of a tool call; sub-agents write no twin but that of an error."""
        failed = exchange.is_error
        if failed:
            block = (
                f'{{"type":"tool_result","content":{exchange.content},"is_error":true,'
                f'"tool_use_id":"{call_id}"}}'
            )
        else:
            flag = "" if failed is None else ',"is_error":false'
            block = (
                f'{{"tool_use_id":"{call_id}","type":"tool_result",'
                f'"content":{exchange.content}{flag}}}'
            )
        twin = f',"toolUseResult":{exchange.twin}' if failed or self.agent_id is None else ""
        message = f'{{"role":"user","content":[{block}]}}'
        after = f'{twin},"sourceToolAssistantUUID":"{parent}"'
        self._link_user(message, self.uuid(), parent, after)

    def _link_user(self, message: str, uuid: str, parent: str | None, after: str) -> None:
        body = (
            f'"type":"user","message":{message},"uuid":"{uuid}","timestamp":"{self.now()}"{after}'
        )
        self.link(body, uuid=uuid, parent=parent, prompt_id=True)

    def assistant(self, message: str, *, request_id: str, parent: str | None) -> str:
        """Append one block of an API response and return its uuid."""
        uuid = self.uuid()
        body = (
            f'"message":{message},"requestId":"{request_id}","type":"assistant",'
            f'"uuid":"{uuid}","timestamp":"{self.now()}"'
        )
        self.link(body, uuid=uuid, parent=parent)
        return uuid

    def progress(self, data: str, *, tool_use_id: str, call_id: str) -> None:
        """Append what the client showed while a call was running (old clients)."""
        uuid = self.uuid()
        body = (
            f'"type":"progress","data":{data},"toolUseID":"{tool_use_id}",'
            f'"parentToolUseID":"{call_id}","uuid":"{uuid}","timestamp":"{self.now()}"'
        )
        self.link(body, uuid=uuid, parent=self.last)

    def attachment(self, attachment: str) -> None:
        """Append context that the client added on its own (new clients)."""
        uuid = self.uuid()
        body = (
            f'"attachment":{{{attachment}}},"type":"attachment","uuid":"{uuid}",'
            f'"timestamp":"{self.now()}"'
        )
        self.link(body, uuid=uuid, parent=self.last)

    def system(self, subtype: str, fields: str, *, after: str) -> None:
        """Append a system record; `after` are the keys that follow its uuid."""
        uuid = self.uuid()
        body = (
            f'"type":"system","subtype":"{subtype}",{fields},'
            f'"timestamp":"{self.now()}","uuid":"{uuid}",{after}'
        )
        self.link(body, uuid=uuid, parent=self.last)

    def compact_boundary(self, tokens: int) -> None:
        """Append the cut of a compaction: the chain starts anew, the link is only logical."""
        uuid = self.uuid()
        body = (
            f'"logicalParentUuid":"{self.last}","type":"system","subtype":"compact_boundary",'
            f'"content":"Conversation compacted","isMeta":false,"timestamp":"{self.now()}",'
            f'"uuid":"{uuid}","level":"info",'
            f'"compactMetadata":{{"trigger":"auto","preTokens":{tokens}}}'
        )
        self.link(body, uuid=uuid, parent=None)

    def queue(self, operation: str, content: str | None = None) -> None:
        """Append a change of the queue of prompts that were typed while the agent worked."""
        tail = "" if content is None else f',"content":"{content}"'
        self.write(
            f'"type":"queue-operation","operation":"{operation}","timestamp":"{self.now()}",'
            f'"sessionId":"{self.session_id}"{tail}'
        )

    def snapshot(self, message_id: str, files: Sequence[str], *, update: bool) -> None:
        """Append the list of undo backups of files."""
        now = self.now()
        backups = ",".join(
            f'"{path}":{{"backupFileName":"{self.rng.getrandbits(64):016x}@v1","version":1,'
            f'"backupTime":"{now}"}}'
            for path in files
        )
        self.write(
            f'"type":"file-history-snapshot","messageId":"{message_id}","snapshot":'
            f'{{"messageId":"{message_id}","trackedFileBackups":{{{backups}}},'
            f'"timestamp":"{now}"}},"isSnapshotUpdate":{"true" if update else "false"}'
        )

    def metadata(self, kind: str, fields: str) -> None:
        """Append a record about the whole session, such as its title."""
        self.write(f'"type":"{kind}",{fields},"sessionId":"{self.session_id}"')
