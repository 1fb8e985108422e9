"""Trajectories of SWE-agent: ``*.traj``, of versions 0.x and 1.x, and demonstrations.

``history`` is the conversation, ``trajectory`` has a step for each response in it: what was done,
what came of it, and how long that took. Neither says whether it went well, nor when.
"""

from __future__ import annotations

import re
import shlex
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from pytest_agentv.adapters.base import SessionSummary
from pytest_agentv.adapters.chat import reasoning_of
from pytest_agentv.adapters.clock import FOREVER
from pytest_agentv.adapters.places import file_ref, files_below
from pytest_agentv.adapters.probe import probe
from pytest_agentv.adapters.projects import Project
from pytest_agentv.adapters.records import Drift, lenient, read_document, record_of, shown
from pytest_agentv.adapters.session import ToldSession
from pytest_agentv.adapters.spending import usage_of
from pytest_agentv.adapters.told import Told
from pytest_agentv.adapters.values import text_of
from pytest_agentv.transcript.model import TokenUsage
from pytest_agentv.transcript.tools.commands import described_command
from pytest_agentv.transcript.tools.table import Reader, Tool

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_agentv.adapters.base import ReadOptions, SessionRef
    from pytest_agentv.adapters.conversation import OpenCall
    from pytest_agentv.transcript.tools.table import Description, Table

PROVIDER = "swe-agent"

_PATH = ("path", "path")
_EDITOR = {
    "view": Tool("read", (_PATH,)),
    "create": Tool("write", (_PATH, ("content", "file_text"))),
    "str_replace": Tool("edit", (_PATH, ("content", "new_str"))),
    "insert": Tool("edit", (_PATH, ("content", "new_str"))),
    "undo_edit": Tool("edit", (_PATH,)),
}


def _words(native: Any) -> list[str]:
    """The words of a command that was given as a text, its name left out."""
    text = native.get("command") if isinstance(native, dict) else None
    if not isinstance(text, str):
        return []
    try:
        return shlex.split(text.partition("\n")[0])[1:]
    except ValueError:  # a quote that is not closed
        return text.partition("\n")[0].split()[1:]


def _command(tool: Tool, *order: str) -> Reader:
    """A tool that is called by a command line in text mode: its arguments by their order."""

    def described(native: Any) -> Description:
        kind, args = tool.described(native)
        found = dict(zip(order, _words(native), strict=False))
        return kind, {**found, **args}

    return Reader(described)


def _edited(native: Any) -> Description:
    """An edit: ``edit 4:6`` and the text that replaces these lines, or what the editor takes."""
    fields = native if isinstance(native, dict) else {}
    text = fields.get("command")
    args = {}
    content = next(
        (fields[name] for name in ("replace", "replacement_text", "new_str", "text")
         if isinstance(fields.get(name), str)), None,
    )  # fmt: skip
    if content is None and isinstance(text, str) and "\n" in text:
        content = text.partition("\n")[2].rstrip().removesuffix("end_of_edit").removesuffix("\n")
    if isinstance(fields.get("path"), str):
        args["path"] = fields["path"]
    return "edit", args if content is None else {**args, "content": content}


def _editor(native: Any) -> Description:
    """The editor that is one tool, and is told what to do: by arguments, or by a command line."""
    fields = native if isinstance(native, dict) else {}
    command = fields.get("command")
    words = _words(native)
    if isinstance(command, str) and command not in _EDITOR and words:
        fields = dict(zip(("command", "path"), words, strict=False))
        command = fields["command"]
    known = _EDITOR.get(command, Tool("other", (_PATH,))) if isinstance(command, str) else None
    return (known or Tool("other", (_PATH,))).described(fields)


_OTHER = Tool("other")
TOOLS: Table = {
    "bash": Reader(described_command),
    "execute_bash": Reader(described_command),
    "open": _command(Tool("read", (_PATH,)), "path"),
    "goto": _OTHER,
    "scroll_up": _OTHER,
    "scroll_down": _OTHER,
    "filemap": _command(Tool("read", (("path", "file_path"), _PATH)), "path"),
    "view_image": _command(Tool("read", (("path", "image_file"), _PATH)), "path"),
    "create": _command(Tool("write", (("path", "filename"), _PATH)), "path"),
    "edit": Reader(_edited),
    "insert": Reader(_edited),
    "str_replace_editor": Reader(_editor),
    "edit_anthropic": Reader(_editor),
    "search_dir": _command(
        Tool("search", (("pattern", "search_term"), ("path", "dir"))), "pattern", "path"
    ),
    "search_file": _command(
        Tool("search", (("pattern", "search_term"), ("path", "file"))), "pattern", "path"
    ),
    "find_file": _command(
        Tool("search", (("pattern", "file_name"), ("path", "dir"))), "pattern", "path"
    ),
    "submit": _OTHER,
    "exit_forfeit": _OTHER,
    "exit_cost": _OTHER,
    "exit_context": _OTHER,
    "exit_format": _OTHER,
    "think": Tool("other", (("content", "thought"),)),
}

# What the environment says of a command that it did not run, or not to its end.
_TIMED_OUT = re.compile(r"was cancelled because it took more than|EXECUTION TIMED OUT|TIMED OUT")
_REFUSED = re.compile(r"\AYour (?:bash )?command contained syntax errors and was NOT executed")
_BLOCKED = re.compile(r"\AOperation '.{0,200}' is not supported by this environment")
# What every observation ended with, in the prompts of versions up to 1.0.
_STATE = re.compile(r"\n?(?:\(Open file: [^\n]*\)\n\(Current directory: [^\n]*\)\n)?bash-\$\s*\Z")
_NO_OUTPUT = re.compile(
    r"\AYour (?:last )?command ran successfully and did not produce any output\.?"
)
# Each step of version 1.1 repeats the whole prompt.
_LIMIT = 256 << 20


class _Step(msgspec.Struct):
    action: str | None = None
    observation: Any = None
    response: str | None = None
    thought: str | None = None
    state: Any = None
    execution_time: float | None = None


class _Function(msgspec.Struct):
    name: str | None = None
    arguments: Any = None


class _Call(msgspec.Struct):
    id: str | None = None
    function: _Function | None = None


class _Item(msgspec.Struct):
    role: str | None = None
    content: Any = None
    thought: str | None = None
    action: str | None = None
    is_demo: bool | None = None
    message_type: str | None = None
    tool_calls: list[_Call] | None = None
    tool_call_ids: list[str] | None = None
    thinking_blocks: Any = None
    reasoning_content: str | None = None


class _Stats(msgspec.Struct):
    instance_cost: float | None = None
    tokens_sent: int | None = None
    tokens_received: int | None = None


class _Info(msgspec.Struct):
    model_stats: _Stats | None = None
    swe_agent_version: str | None = None


class _Attempt(msgspec.Struct):
    trajectory: list[_Step] | None = None
    history: list[_Item] | None = None
    info: _Info | None = None
    replay_config: Any = None


class _Document(_Attempt):
    attempts: list[_Attempt] | None = None


class _Name(msgspec.Struct):
    name: str | None = None


class _Agent(msgspec.Struct):
    model: _Name | None = None


class _Config(msgspec.Struct):
    agent: _Agent | None = None


class SweAgentAdapter:
    """Trajectories of SWE-agent, versions 0.x and 1.x."""

    name = "swe-agent"
    provider = PROVIDER
    tested = ("0.5.0", "1.1.0")

    def home(self, environ: Mapping[str, str]) -> Path | None:
        """SWE_AGENT_TRAJECTORY_DIR, else the folder trajectories where the command runs."""
        configured = environ.get("SWE_AGENT_TRAJECTORY_DIR")
        return Path(configured) if configured else Path("trajectories")

    def claims(self, path: Path) -> bool:
        """Whether a file has the steps or the history of SWE-agent."""
        found = probe(path)
        if "schema_version" in found.fields or "messages" in found.fields:
            return False
        attempts = found.value("attempts")
        if isinstance(attempts, list) and any(map(_is_attempt, attempts)):
            return True
        return _is_attempt({name: found.value(name) for name in ("history", "trajectory")})

    def sessions(self, home: Path, *, project: Path | None = None) -> Iterator[SessionRef]:
        """Every trajectory below a folder."""
        wanted = None if project is None else Project(project)
        for path in files_below(home, ".traj"):
            ref = file_ref(path.stem, path)
            if ref is not None and (wanted is None or wanted.has(_read(ref).cwd or "")):
                yield ref

    def summarize(self, ref: SessionRef) -> SessionSummary:
        """Folder and task."""
        told = _read(ref)
        return SessionSummary(None, told.cwd, told.opening)

    def read(self, ref: SessionRef, options: ReadOptions) -> ToldSession:
        """The session as a stream."""
        del options
        return ToldSession(_read(ref), ref, tested=self.tested[1])


def _is_attempt(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    steps, items = value.get("trajectory"), value.get("history")
    if isinstance(steps, list) and any(map(_is_step, steps[:3])):
        return True
    own = ("message_type", "is_demo", "thought", "action")
    return isinstance(items, list) and any(
        isinstance(one, dict) and isinstance(one.get("role"), str) and any(n in one for n in own)
        for one in items[:10]
    )


def _is_step(value: Any) -> bool:
    return isinstance(value, dict) and "action" in value and "observation" in value


def _read(ref: SessionRef) -> Told:
    drift = Drift()
    document = read_document(ref.path, _Document, drift, limit=_LIMIT)
    told = Told(drift, PROVIDER)
    told.session_id = ref.session_id
    attempts = document.attempts or []
    # The document itself is a copy of the best attempt; its figures are those of all.
    best: _Attempt = document
    if not (document.trajectory or document.history) and attempts:
        best = attempts[-1]
    if len(attempts) > 1:
        told.left_out["attempt"] = len(attempts) - 1
    _take_figures(told, document.info or best.info or _Info())
    config = document.replay_config or best.replay_config
    if isinstance(config, str):
        config = record_of(config.encode("utf-8", "replace"), _Config, Drift())
    elif isinstance(config, dict):
        config = lenient(config, _Config, Drift(), 1)
    if isinstance(config, _Config) and config.agent and config.agent.model:
        told.model = config.agent.model.name
    _Run(told, best).read()
    return told


def _take_figures(told: Told, info: _Info) -> None:
    told.version = info.swe_agent_version
    stats = info.model_stats
    if stats is None:
        return
    told.cost_usd = stats.instance_cost
    usage = usage_of(input=stats.tokens_sent, output=stats.tokens_received)
    if usage is not None:
        told.usage = TokenUsage(
            input=usage.input, output=usage.output, output_complete=usage.output is not None or None
        )


class _Run:
    """The conversation of one attempt."""

    def __init__(self, told: Told, attempt: _Attempt) -> None:
        self._told = told
        self._items = attempt.history or []
        self._steps = deque(attempt.trajectory or [])
        # The step of each call that waits for its result, by the call.
        self._step_of: list[tuple[OpenCall, _Step]] = []

    def read(self) -> None:
        for item in self._items:
            if item.is_demo:
                self._told.left_out["demonstration"] += 1
            elif item.role == "system":
                self._told.left_out["system prompt"] += 1
            elif item.role == "assistant":
                self._settle()
                self._assistant(item)
            elif item.role == "tool":
                self._tool(item)
            elif item.role == "user":
                self._user(item)
            else:
                self._told.drift.note(f"message role {shown(item.role)}", 1)
        self._settle()
        for step in self._steps:
            self._respond(step.thought or step.response or "", step.action, step)
            self._settle()

    def _assistant(self, item: _Item) -> None:
        step = self._step_for(item.action)
        text = item.thought if item.thought is not None else text_of(item.content)
        thinking = reasoning_of(
            {"reasoning_content": item.reasoning_content, "thinking_blocks": item.thinking_blocks}
        )
        calls = [one for one in item.tool_calls or () if one.function and one.function.name]
        if not calls:
            self._respond(text, item.action, step, thinking)
            return
        self._told.assistant(text.strip(), thinking=thinking)
        for one in calls:
            assert one.function is not None
            made = self._told.call(one.function.name or "", one.function.arguments, id=one.id)
            self._note(made, step)

    def _respond(
        self, text: str, action: str | None, step: _Step | None, thinking: str | None = None
    ) -> None:
        """A response whose one call, if there is any, is a command line."""
        self._told.assistant(text.strip(), thinking=thinking)
        command = (action or "").strip()
        if command:
            name = command.split(maxsplit=1)[0]
            tool = name if name in TOOLS else "bash"
            self._note(self._told.call(tool, {"command": command}), step)

    def _note(self, call: OpenCall, step: _Step | None) -> None:
        if step is None:
            return
        self._step_of.append((call, step))
        state = _state(step)
        self._told.cwd = self._told.cwd or state.get("working_dir")
        opened = state.get("open_file")
        if call.kind == "edit" and "path" not in call.args and opened not in (None, "", "n/a"):
            call.args = {**call.args, "path": opened}  # edits are of the file that is open

    def _step_for(self, action: str | None) -> _Step | None:
        """The step of the next response; those of another action are of responses not kept."""
        wanted = (action or "").strip()
        for index, step in enumerate(self._steps):
            if (step.action or "").strip() == wanted:
                for _ in range(index):
                    missed = self._steps.popleft()
                    self._respond(missed.thought or missed.response or "", missed.action, missed)
                    self._settle()
                return self._steps.popleft()
        return None

    def _user(self, item: _Item) -> None:
        call = self._told.waiting()
        text = text_of(item.content)
        if call is not None:
            self._answer(call, text)
        else:
            self._told.user(text, origin="human" if self._told.opening is None else "injected")

    def _tool(self, item: _Item) -> None:
        ids = item.tool_call_ids or []
        call = self._told.waiting(ids[0] if ids else None) or self._told.waiting()
        if call is None:
            self._told.drift.note("result without a call", 1)
        else:
            self._answer(call, text_of(item.content))

    def _answer(self, call: OpenCall, text: str) -> None:
        step = next((step for one, step in self._step_of if one is call), None)
        if step is not None and step.observation is not None:
            output = text_of(step.observation)
        else:
            output = _STATE.sub("", text)
            output = "" if _NO_OUTPUT.match(output) else output
        seconds = step.execution_time if step is not None else None
        took = None if seconds is None or not 0 <= seconds * 1000 < FOREVER else seconds * 1000
        self._told.answer(
            call, output, status=_status(output), duration_ms=None if took is None else round(took)
        )

    def _settle(self) -> None:
        """Calls whose result is in their step alone: the last one of versions up to 1.0."""
        for call, step in self._step_of:
            if call.result is None and not call.is_put_by and step.observation is not None:
                self._answer(call, "")
        self._step_of.clear()


def _state(step: _Step) -> dict[str, str]:
    """Where a step left the environment; a text of JSON in old versions."""
    state = step.state
    if isinstance(state, str):
        try:
            state = msgspec.json.decode(state)
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            return {}
    if not isinstance(state, dict):
        return {}
    return {name: value for name, value in state.items() if isinstance(value, str)}


def _status(output: str) -> str | None:
    if _TIMED_OUT.search(output[-2000:]):
        return "timeout"
    if _REFUSED.match(output):
        return "error"
    return "denied" if _BLOCKED.match(output) else None
