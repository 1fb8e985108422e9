"""Sessions of Factory's Droid: lines of JSON with blocks as Anthropic's API has them.

A file of settings beside has the model and the tokens.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from pytest_agentv.adapters.base import SessionSummary
from pytest_agentv.adapters.clock import Time  # noqa: TC001 (a struct needs it at run time)
from pytest_agentv.adapters.places import files_below
from pytest_agentv.adapters.probe import probe
from pytest_agentv.adapters.projects import file_sessions
from pytest_agentv.adapters.records import Drift, RecordFile, read_document, shown
from pytest_agentv.adapters.session import ToldSession
from pytest_agentv.adapters.spending import usage_of
from pytest_agentv.adapters.told import Told
from pytest_agentv.adapters.values import ENCODED_CONTENT, attachments_of, blocks_of, text_of
from pytest_agentv.config.paths import user_home
from pytest_agentv.errors import SessionError
from pytest_agentv.transcript.model import TokenUsage
from pytest_agentv.transcript.tools.patches import described_patch
from pytest_agentv.transcript.tools.table import MCP, Reader, Tool, unlisted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_agentv.adapters.base import ReadOptions, SessionRef
    from pytest_agentv.transcript.model import Usage
    from pytest_agentv.transcript.tools.table import Table

PROVIDER = "droid"
_FILE = ("path", "file_path")
_EDIT = Tool("edit", (_FILE, ("content", "new_str"), ("content", "new_string")))
TOOLS: Table = {
    "Execute": Tool("shell", (("command", "command"),)),
    "KillProcess": Tool("other"),
    "Read": Tool("read", (_FILE,)),
    "Create": Tool("write", (_FILE, ("content", "content"))),
    "Write": Tool("write", (_FILE, ("content", "content"))),
    "Edit": _EDIT,
    "MultiEdit": _EDIT,
    "ApplyPatch": Reader(described_patch),
    "LS": Tool("search", (("path", "directory_path"), ("path", "path"))),
    "Grep": Tool("search", (("pattern", "pattern"), ("path", "path"))),
    "Glob": Tool("search", (("pattern", "pattern"), ("path", "folder"), ("path", "path"))),
    "WebSearch": Tool("web_search", (("query", "query"),)),
    "FetchUrl": Tool("fetch", (("url", "url"),)),
    "Task": Tool("task", (("content", "prompt"),)),
    "Skill": Tool("skill"),
    "TodoWrite": Tool("todo"),
    "ExitSpecMode": Tool("other", (("content", "plan"),)),
    "AskUser": Tool("other", (("content", "questionnaire"),)),
    "GenerateDroid": Tool("other"),
    "ProposeMission": Tool("other"),
}

_SETTINGS = ".settings.json"
_PASSED = ("todo_state", "session_end", "compaction_state", "session_event", "agent_state")
_INJECTED = ("<system-reminder>", "<system-notification>", "<context>")
_EXIT_CODE = re.compile(r"\[Process exited with code (-?\d{1,10})\]|Exit code: (-?\d{1,10})")
_TAIL = 400
_CANCELLED = ("Request cancelled by user", "Request interrupted by user")


def unlisted_tool(name: str) -> Tool:
    """A tool that is not in the table: a server's name stands before three underscores."""
    return MCP if "___" in name else unlisted(name)


class _Usage(msgspec.Struct, gc=False):
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None

    def usage(self) -> Usage | None:
        """Tokens of a response, as the API counts them: the cache is beside the input."""
        read, written = self.cache_read_input_tokens, self.cache_creation_input_tokens
        fresh = self.input_tokens
        return usage_of(
            input=None if fresh is None else fresh + (read or 0) + (written or 0),
            output=self.output_tokens,
            cached=read,
            cache_write=written,
        )


class _Message(msgspec.Struct, gc=False):
    role: str | None = None
    content: Any = None
    model: str | None = None
    # What answered; the settings beside name the model of the last response only.
    model_id: str | None = msgspec.field(default=None, name="modelId")
    usage: _Usage | None = None
    visibility: str | None = None
    # What models of other APIs thought, mostly a second time.
    reasoning: str | None = msgspec.field(default=None, name="chatCompletionReasoningContent")


class _Record(msgspec.Struct, rename="camel", gc=False):
    type: str | None = None
    id: str | None = None
    timestamp: Time | None = None
    message: _Message | None = None
    visibility: str | None = None
    title: str | None = None
    session_title: str | None = None
    cwd: str | None = None


class _Total(msgspec.Struct, rename="camel", gc=False):
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_creation_tokens: int | None = None
    cache_read_tokens: int | None = None
    thinking_tokens: int | None = None


class _Settings(msgspec.Struct, rename="camel", gc=False):
    model: str | None = None
    token_usage: _Total | None = None


class DroidAdapter:
    """Sessions of Factory's Droid."""

    name = "droid"
    provider = PROVIDER
    # Of the form: the client does not say its version.
    tested = ("1", "2")

    def home(self, environ: Mapping[str, str]) -> Path | None:
        """The user's folder .factory, below FACTORY_HOME_OVERRIDE if that is set."""
        configured = environ.get("FACTORY_HOME_OVERRIDE")
        user = Path(configured) if configured else user_home(environ)
        return user and user / ".factory"

    def claims(self, path: Path) -> bool:
        """Whether a file begins a session, and has messages or nothing yet."""
        records = probe(path).records
        starts = [one for one in records if one.get("type") == "session_start"]
        if not starts or not all(isinstance(one.get("id"), str) for one in starts):
            return False
        messages = [one for one in records if one.get("type") == "message"]
        return all(isinstance(one.get("message"), dict) for one in messages) and (
            bool(messages) or any(name in starts[0] for name in ("cwd", "owner", "title"))
        )

    def sessions(self, home: Path, *, project: Path | None = None) -> Iterator[SessionRef]:
        """All sessions, or those of one project."""
        files = files_below(home / "sessions", ".jsonl")
        return file_sessions(files, project, lambda ref: self.summarize(ref).project)

    def summarize(self, ref: SessionRef) -> SessionSummary:
        """Start, folder and first prompt."""
        told = _read(ref, until_prompt=True)
        return SessionSummary(told.started, told.cwd, told.opening)

    def read(self, ref: SessionRef, options: ReadOptions) -> ToldSession:
        """The session as a stream."""
        del options
        return ToldSession(_read(ref), ref, tested=self.tested[1])


def _read(ref: SessionRef, *, until_prompt: bool = False) -> Told:
    told = Told(Drift(), PROVIDER)
    settings = _settings(ref.path)
    told.session_id = ref.path.stem
    with RecordFile(ref.path, _Record, told.drift) as file:
        for (_, _, line), record in file.records():
            if record.type == "session_start":
                told.session_id = record.id or told.session_id
                told.title = record.session_title or record.title
                told.cwd = record.cwd
            elif record.type == "message" and record.message is not None:
                message = record.message
                named = message.model_id or message.model
                message.model = named or settings.model or told.model
                _message(told, record, message, line)
            elif record.type in _PASSED:
                told.left_out[f"{record.type} record"] += 1
            else:
                told.drift.note(f"record type {shown(record.type)}", line)
            if until_prompt and told.opening is not None:
                break
    told.model = told.model or settings.model
    told.usage = _total(settings.token_usage)
    return told


def _settings(path: Path) -> _Settings:
    try:
        return read_document(path.with_name(path.stem + _SETTINGS), _Settings, Drift())
    except SessionError:
        return _Settings()


def _total(stated: _Total | None) -> TokenUsage | None:
    """The tokens of a session: the cache is beside the input, and thoughts beside the output."""
    if stated is None or stated.input_tokens is None:
        return None
    thoughts = stated.thinking_tokens
    read, written = stated.cache_read_tokens, stated.cache_creation_tokens
    output = stated.output_tokens
    usage = usage_of(
        input=stated.input_tokens + (read or 0) + (written or 0),
        output=None if output is None else output + (thoughts or 0),
        cached=read,
        cache_write=written,
        reasoning=thoughts,
    )
    if usage is None:
        return None
    figures = {name: getattr(usage, name) for name in usage.__struct_fields__}
    return TokenUsage(**figures, output_complete=None if usage.output is None else True)


def _message(told: Told, record: _Record, message: _Message, line: int) -> None:
    objects = blocks_of(message.content)
    if message.role == "assistant":
        _say(told, record, message, objects, line)
        return
    if message.role != "user":
        told.drift.note(f"message role {shown(message.role)}", line)
        return
    for block in objects:
        kind = block.get("type")
        if kind == "tool_result":
            _result(told, record, block, line)
        elif kind not in ("text", *ENCODED_CONTENT):
            told.drift.note(f"content of type {shown(kind)}", line)
    texts = [text_of(block) for block in objects if block.get("type") == "text"]
    injected = [text for text in texts if text.lstrip().startswith(_INJECTED)]
    typed = "\n\n".join(text for text in texts if text.strip() and text not in injected)
    told.left_out["context of a prompt"] += len(injected)
    if "user_only" in (message.visibility, record.visibility) and typed:
        # An error of the service, which the model never got.
        told.system(typed, line=line, time=record.timestamp)
    elif typed or attachments_of(objects):
        said = told.user(typed, line=line, time=record.timestamp, id=record.id)
        said.attachments = attachments_of(objects)


def _say(
    told: Told, record: _Record, message: _Message, blocks: list[dict[str, Any]], line: int
) -> None:
    texts = [text_of(block) for block in blocks if block.get("type") == "text"]
    thoughts = [text_of(one.get("thinking")) for one in blocks if one.get("type") == "thinking"]
    told.assistant(
        "\n\n".join(filter(None, texts)),
        thinking="\n\n".join(filter(None, thoughts)) or message.reasoning or None,
        line=line,
        time=record.timestamp,
        id=record.id,
        model=message.model,
        usage=message.usage.usage() if message.usage else None,
    )
    for block in blocks:
        if block.get("type") == "tool_use" and isinstance(block.get("name"), str):
            id_ = block.get("id")
            named = id_ if isinstance(id_, str) else None
            told.call(block["name"], block.get("input"), id=named, line=line, time=record.timestamp)
        elif block.get("type") not in ("text", "thinking", "redacted_thinking"):
            told.drift.note(f"content of type {shown(block.get('type'))}", line)


def _result(told: Told, record: _Record, block: dict[str, Any], line: int) -> None:
    id_ = block.get("tool_use_id")
    call = told.waiting(id_ if isinstance(id_, str) else "")
    if call is None:
        told.drift.note("tool result without a call", line)
        return
    output = text_of(block.get("content"))
    code = None
    if call.kind == "shell" and (found := _EXIT_CODE.search(output, max(0, len(output) - _TAIL))):
        code = int(found[1] or found[2])
    flag = block.get("is_error")
    status = "cancelled" if output.startswith(_CANCELLED) else None
    told.answer(
        call,
        output,
        # Without a flag it went well: the client sets one where it did not.
        is_error=flag if isinstance(flag, bool) else False,
        status=status,
        exit_code=code,
        time=record.timestamp,
    )
