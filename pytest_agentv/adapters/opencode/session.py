"""What the messages of an OpenCode session mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_agentv.adapters.opencode.records import Info, Part, State, moment
from pytest_agentv.adapters.records import shown
from pytest_agentv.adapters.spending import usage_beside_caches
from pytest_agentv.transcript.model import Attachment

if TYPE_CHECKING:
    from pytest_agentv.adapters.opencode.records import About, Store, Stored
    from pytest_agentv.adapters.told import Told
    from pytest_agentv.transcript.model import Usage

# About what the client did: step-finish repeats the tokens and the cost of its message.
_PASSED = frozenset(("step-start", "step-finish", "snapshot", "patch", "retry", "agent"))
_MESSAGE = "msg_"
_MAX_NESTING = 20
_DENIED = (
    "The user rejected permission to use",
    "The user has specified a rule which prevents you",
    "The user has specifically restricted access",
    "rejected permission",
)
_ABORTED = ("Tool execution aborted", "The user dismissed this question")
# What the client writes below the output of a command that it ended.
_TIMED_OUT = ("(Command timed out after", "terminated command after exceeding timeout")
_STOPPED = ("(Command was aborted)", "User aborted the command")
_TAIL = 1000


class Teller:
    """Says what messages mean, those of sub-agents too if that is wanted."""

    def __init__(self, told: Told, store: Store, *, include_subagents: bool) -> None:
        self._told = told
        self._store = store
        self._include = include_subagents
        self._seen: set[str] = set()

    def session(self, about: About, *, until_opening: bool = False) -> None:
        """The main thread."""
        told = self._told
        told.session_id, told.version, told.title = about.id, about.version, about.title
        told.cwd = about.directory
        self._seen.add(about.id or "")
        for stored in self._store.messages(about.id or ""):
            if about.revert is not None and _is_taken_back(stored, about):
                told.left_out["message taken back"] += 1
                if not stored.parts:
                    self._paid(stored.info)
                    continue
            self._message(stored, None, 0)
            if until_opening and told.opening is not None:
                return
        for child in self._store.children(about.id or "") if self._include else []:
            self._agent(child, 0)
        if told.started is None and about.time is not None:
            told.started = moment(about.time.created)

    def _message(self, stored: Stored, agent_id: str | None, nesting: int) -> None:
        role = stored.info.role
        if role == "user":
            self._user(stored.info, stored.parts, agent_id)
        elif role == "assistant":
            self._response(stored.info, stored.parts, agent_id)
            for part in stored.parts if self._include else []:
                child = ((part.state and part.state.metadata) or {}).get("sessionId")
                if isinstance(child, str):
                    self._agent(child, nesting)
        else:
            self._told.drift.note(f"message of role {shown(role)}", 1)

    def _agent(self, session_id: str, nesting: int) -> None:
        if session_id in self._seen or nesting >= _MAX_NESTING:
            return
        self._seen.add(session_id)
        for stored in self._store.messages(session_id):
            self._message(stored, session_id, nesting + 1)

    def _user(self, info: Info, parts: list[Part], agent_id: str | None) -> None:
        told = self._told
        if any(part.type == "compaction" for part in parts):
            told.left_out["compaction"] += 1
            return
        origin, text = _said(parts)
        self._note_left_out(parts, origin)
        if agent_id is not None:
            origin = "injected"
        time = moment(info.time.created if info.time else None)
        said = told.user(text, origin=origin, time=time, id=info.id, agent_id=agent_id)
        for part in parts:
            if part.type == "file":
                said.attachments.append(_attachment(part.mime, part.filename))
            elif part.type not in _PASSED | {"text", "subtask", "shell"}:
                told.drift.note(f"part of type {shown(part.type)}", 1)

    def _note_left_out(self, parts: list[Part], origin: str) -> None:
        """Texts that are no part of what a message says."""
        for part in parts:
            if part.ignored:
                self._told.left_out["text that the model did not get"] += 1
            elif part.synthetic and origin == "human":
                self._told.left_out["text put in by the client"] += 1

    def _response(self, info: Info, parts: list[Part], agent_id: str | None) -> None:
        told = self._told
        if info.summary is True:  # what was said before, told again for a new context
            told.left_out["compaction"] += 1
            if agent_id is None:
                self._paid(info)
            return
        if agent_id is None:
            told.costs(info.cost)
        if told.cwd is None and info.path is not None:
            told.cwd = info.path.cwd
        texts = [part.text for part in parts if part.type == "text" and not part.ignored]
        thoughts = [part.text for part in parts if part.type == "reasoning"]
        told.assistant(
            "\n\n".join(filter(None, texts)),
            thinking="\n\n".join(filter(None, thoughts)) or None,
            time=moment(info.time.created if info.time else None),
            id=info.id,
            model=info.model_id,
            usage=_usage(info.tokens or {}),
            agent_id=agent_id,
        )
        for part in parts:
            if part.type == "tool":
                self._call(part)
            elif part.type == "file":
                current = told.conversation.current
                if current is not None:
                    current.attachments.append(_attachment(part.mime, part.filename))
            elif part.type not in _PASSED | {"text", "reasoning", "compaction", "subtask"}:
                told.drift.note(f"part of type {shown(part.type)}", 1)
        told.at(moment(info.time.completed if info.time else None))
        self._failed(info)

    def _paid(self, info: Info) -> None:
        """A response of the main thread that is no part of the conversation was paid for."""
        if info.role == "assistant":
            self._told.costs(info.cost)
            self._told.spending.add(_usage(info.tokens or {}))

    def _failed(self, info: Info) -> None:
        """An error of the service; that a person stopped a response is none."""
        if info.error is None or info.error.get("name") == "MessageAbortedError":
            return
        data = info.error.get("data")
        message = data.get("message") if isinstance(data, dict) else info.error.get("message")
        name = info.error.get("name") or info.error.get("type")
        self._told.system(": ".join(one for one in (name, message) if isinstance(one, str)))

    def _call(self, part: Part) -> None:
        told = self._told
        state = part.state or State()
        if part.tool is None:
            told.drift.note("tool call without a name", 1)
            return
        start, end = (state.time.start, state.time.end) if state.time else (None, None)
        call = told.call(part.tool, state.input, id=part.call_id, time=moment(start))
        if state.status not in ("completed", "error"):
            if state.status not in ("pending", "streaming", "running"):
                told.drift.note(f"tool call {shown(state.status)}", 1)
            return
        output = state.error if state.status == "error" and state.error else state.output or ""
        metadata = state.metadata or {}
        exit_code = metadata.get("exit")
        took = None if start is None or end is None or end < start else round(end - start)
        told.answer(
            call,
            output,
            status=_status(state.status, output, is_shell=call.kind == "shell"),
            exit_code=exit_code if type(exit_code) is int else None,
            time=moment(end),
            duration_ms=took,
        )
        current = told.conversation.current
        for one in state.attachments or []:
            if not isinstance(one, dict):
                told.drift.note("attachment that is no object", 1)
            elif current is not None:
                name, mime = one.get("filename"), one.get("mime")
                current.attachments.append(_attachment(mime, name, call_id=part.call_id))


def _said(parts: list[Part]) -> tuple[str, str]:
    """Where a user message comes from, and what it says."""
    texts = [part for part in parts if part.type == "text" and part.text and not part.ignored]
    typed = [part.text or "" for part in texts if not part.synthetic]
    ran = [part.text or "" for part in parts if part.type == "shell"]
    tasks = [part.prompt for part in parts if part.type == "subtask" and part.prompt]
    if ran:
        return "command", "\n\n".join(ran)
    if typed or tasks or not texts:
        return "human", "\n\n".join(typed or tasks)
    return "injected", "\n\n".join(part.text or "" for part in texts)


def _is_taken_back(stored: Stored, about: About) -> bool:
    """Whether a message, or parts at its end, are taken back; the latter are dropped here."""
    revert, id_ = about.revert, stored.info.id or ""
    if revert is None or revert.message_id is None or id_ < revert.message_id:
        return False
    if not (id_.startswith(_MESSAGE) and revert.message_id.startswith(_MESSAGE)):
        return False  # ids that somebody redacted have no order
    kept: list[Part] = []
    if stored.info.id == revert.message_id and revert.part_id is not None:
        kept = [part for part in stored.parts if (part.id or "") < revert.part_id]
    stored.parts[:] = kept
    return True


def _status(status: str, output: str, *, is_shell: bool) -> str:
    tail = output[-_TAIL:]
    if status == "error":
        if any(sign in output[:_TAIL] for sign in _DENIED):
            return "denied"
        return "cancelled" if any(sign in tail for sign in _ABORTED) else "error"
    if is_shell and any(sign in tail for sign in _TIMED_OUT):
        return "timeout"
    return "cancelled" if is_shell and any(sign in tail for sign in _STOPPED) else "ok"


def _usage(tokens: dict[str, Any]) -> Usage | None:
    """Tokens of a response; OpenCode counts caches beside the input, reasoning in the output.

    Where a total says that reasoning was counted beside the output, it is added.
    """
    cache = tokens.get("cache")
    cache = cache if isinstance(cache, dict) else {}
    names = ("input", "output", "reasoning", "total")
    fresh, output, reasoning, total = (_whole(tokens.get(name)) for name in names)
    read, written = _whole(cache.get("read")), _whole(cache.get("write"))
    parts = (fresh, output, reasoning, read, written)
    if reasoning and total == sum(part or 0 for part in parts):
        output = (output or 0) + reasoning
    return usage_beside_caches(
        fresh=fresh, cached=read, cache_write=written, output=output, reasoning=reasoning
    )


def _whole(value: Any) -> int | None:
    """A count, which JavaScript may have written as 3.0."""
    is_whole = type(value) is int or (type(value) is float and value.is_integer())
    return int(value) if is_whole else None


def _attachment(mime: Any, name: Any, *, call_id: str | None = None) -> Attachment:
    media = mime if isinstance(mime, str) else None
    return Attachment(
        kind=(media or "file").partition("/")[0][:40],
        media_type=media,
        name=name if isinstance(name, str) else None,
        call_id=call_id,
    )
