"""What the messages of a Gemini session mean."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Any

from pytest_agentv.adapters.clock import elapsed, from_text
from pytest_agentv.adapters.gemini import PROVIDER
from pytest_agentv.adapters.gemini.log import SessionFile
from pytest_agentv.adapters.genai import (
    attachments_of_parts,
    outcome,
    output_of,
    parts_of,
    text_of_parts,
    usage,
)
from pytest_agentv.adapters.records import Drift, shown
from pytest_agentv.adapters.told import Told
from pytest_agentv.adapters.values import text_of
from pytest_agentv.errors import SessionError

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_agentv.adapters.gemini.log import Message
    from pytest_agentv.transcript.model import Usage

# For the screen: no part of the conversation.
_SHOWN = frozenset(("info", "warning", "error"))
# How texts begin that the client puts in: what it says of the machine, summaries, urges to go on.
_INJECTIONS = (
    "This is the Gemini CLI. We are setting up the context",
    "<session_context>",
    "<state_snapshot>",
    "System: Please continue",
    "Please continue.",
    "<hook_context>",
)
_RAN = "I ran the following shell command:"
_ABSOLUTE = re.compile(r"/|[A-Za-z]:[\\/]")
_SEPARATOR = re.compile(r"[\\/]")
_MAX_PATH = 4096
# So many paths are tried for the folder of a session.
_MAX_TRIED = 500
# What follows is the content of files that a prompt names.
_FILES = "--- Content from referenced files ---"


class Teller:
    """Says what messages mean, those of sub-agents too if that is wanted."""

    def __init__(self, told: Told, agents: dict[str, Path], project_hash: str | None) -> None:
        self._told = told
        self._agents = agents
        self._project_hash = project_hash
        self._tried = 0

    def message(self, message: Message, line: int | None, agent_id: str | None = None) -> None:
        """One message."""
        if message.type == "user":
            self._user(message, line, agent_id)
        elif message.type == "gemini":
            self._response(message, line, agent_id)
        elif message.type in _SHOWN:
            self._told.left_out[f"{message.type} message"] += 1
        else:
            self._told.drift.note(f"message of type {shown(message.type)}", line or 1)

    def remaining_agents(self) -> None:
        """Sub-agents that no call named."""
        for agent in list(self._agents):
            self._agent(agent)

    def _user(self, message: Message, line: int | None, agent_id: str | None) -> None:
        parts = parts_of(message.content)
        if parts and all("functionResponse" in part for part in parts):
            self._told.left_out["copy of a tool result"] += 1
            return
        typed = text_of_parts(parts_of(message.display_content))
        text = typed or _without_files(parts)
        origin = "human" if typed else _origin(text)
        said = self._told.user(
            text,
            origin=origin if agent_id is None else "injected",
            line=line,
            time=from_text(message.timestamp),
            id=message.id,
            agent_id=agent_id,
        )
        said.attachments.extend(attachments_of_parts(parts))

    def _response(self, message: Message, line: int | None, agent_id: str | None) -> None:
        parts = parts_of(message.content)
        thoughts = [_thought(one) for one in message.thoughts or []]
        thoughts.append(text_of_parts(parts, thoughts=True))
        self._told.assistant(
            text_of_parts(parts),
            thinking="\n\n".join(filter(None, thoughts)) or None,
            line=line,
            time=from_text(message.timestamp),
            id=message.id,
            model=message.model,
            usage=_usage(message.tokens or {}),
            agent_id=agent_id,
        )
        agents = [self._call(one, message, line) for one in message.tool_calls or []]
        for agent in agents:
            if agent is not None:
                self._agent(agent)

    def _call(self, call: Any, message: Message, line: int | None) -> str | None:
        """One call of a response with its result; the sub-agent that it started, if it says so."""
        if not isinstance(call, dict) or not isinstance(call.get("name"), str):
            self._told.drift.note("tool call without a name", line or 1)
            return None
        began, ended = from_text(message.timestamp), from_text(call.get("timestamp"))
        id_ = call.get("id") if isinstance(call.get("id"), str) else None
        made = self._told.call(call["name"], call.get("args"), id=id_, line=line, time=began)
        self._look_for_folder(call.get("args"))
        parts = parts_of(call.get("result"))
        output = output_of(parts)
        display = call.get("resultDisplay")
        if output is None and display is not None and not isinstance(display, dict):
            output = text_of(display)
        status = call.get("status") if isinstance(call.get("status"), str) else None
        ended_as = outcome(status, output or "", is_shell=made.kind == "shell")
        if ended_as is not None and (output is not None or status is not None):
            # The record of a response without text is written when its calls are over.
            took = elapsed(began, ended) or None
            self._told.answer(
                made,
                output,
                status=ended_as.status,
                exit_code=ended_as.exit_code,
                time=ended if took else None,
            )
            self._told.at(ended)
        current = self._told.conversation.current
        if current is not None:
            current.attachments.extend(attachments_of_parts(parts, call_id=id_))
        agent = call.get("agentId")
        return agent if isinstance(agent, str) else None

    def _look_for_folder(self, arguments: Any) -> None:
        """A session says the hash of its folder only: a path that a call names may lie in it."""
        told = self._told
        if told.cwd is not None or self._project_hash is None or not isinstance(arguments, dict):
            return
        for value in arguments.values():
            if isinstance(value, str) and self._tried < _MAX_TRIED:
                self._tried += bool(_ABSOLUTE.match(value))
                told.cwd = told.cwd or _hashed_folder(value, self._project_hash)

    def _agent(self, agent: str) -> None:
        path = self._agents.pop(agent, None)
        if path is None:
            return
        drift = Drift()
        try:
            for line, message in SessionFile(path, drift).messages():
                self.message(message, line, agent_id=agent)
        except SessionError:
            self._told.drift.note("sub-agent file that cannot be read", 1)
        for reason, times in drift.counts.items():
            self._told.drift.note(f"sub-agent: {reason}", 1, times)


def told_of(path: Path, agents: dict[str, Path], *, until_opening: bool = False) -> Told:
    """What a session tells, with those sub-agents whose files are given."""
    drift = Drift()
    told = Told(drift, PROVIDER)
    file = SessionFile(path, drift)
    teller = Teller(told, agents, file.about.project_hash)
    for line, message in file.messages():
        teller.message(message, line)
        if until_opening and told.opening is not None:
            break
    teller.remaining_agents()
    about = file.about
    told.session_id = about.session_id
    told.title = about.summary
    told.started = told.started or from_text(about.start_time)
    if file.taken_back:
        told.left_out["message taken back"] = file.taken_back
        for message in file.gone():
            if message.type == "gemini":
                told.spending.add(_usage(message.tokens or {}))
    return told


def _hashed_folder(path: str, project_hash: str) -> str | None:
    """The folder above a path, or the path itself, that has this hash."""
    if not _ABSOLUTE.match(path) or len(path) > _MAX_PATH:
        return None
    ends = [found.start() for found in _SEPARATOR.finditer(path) if found.start()]
    folders = (path[:end] for end in (*ends, len(path)))
    return next((one for one in folders if _hash(one) == project_hash), None)


def _hash(path: str) -> str:
    return hashlib.sha256(path.encode("utf-8", "surrogatepass")).hexdigest()


def _origin(text: str) -> str:
    start = text.lstrip()
    if start.startswith(_INJECTIONS):
        return "injected"
    return "command" if start.startswith(_RAN) else "human"


def _without_files(parts: list[dict[str, Any]]) -> str:
    """What was typed: parts that follow hold the files that it names."""
    for number, part in enumerate(parts):
        text = part.get("text")
        if number and isinstance(text, str) and text.strip().startswith(_FILES):
            return text_of_parts(parts[:number])
    return text_of_parts(parts)


def _thought(thought: Any) -> str:
    if not isinstance(thought, dict):
        return thought if isinstance(thought, str) else ""
    lines = (thought.get("subject"), thought.get("description"))
    return "\n".join(line for line in lines if isinstance(line, str) and line)


def _usage(tokens: dict[str, Any]) -> Usage | None:
    return usage(
        prompt=tokens.get("input"),
        cached=tokens.get("cached"),
        candidates=tokens.get("output"),
        thoughts=tokens.get("thoughts"),
        tool=tokens.get("tool"),
        total=tokens.get("total"),
    )
