"""Sessions of Cline, Roo Code and Kilo Code: a folder per task, or a pair of files.

The extensions keep a task as the conversation that the model had, and as a list of what the
screen showed. The command line client of 2026 keeps the messages and a file of notes.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_agentv.adapters.base import SessionSummary
from pytest_agentv.adapters.cline import PROVIDER
from pytest_agentv.adapters.cline.beside import (
    CONVERSATIONS,
    MESSAGES,
    SCREEN,
    Beside,
    messages_of,
    totals,
)
from pytest_agentv.adapters.cline.history import History
from pytest_agentv.adapters.cline.tools import TOOLS, unlisted_tool
from pytest_agentv.adapters.cline.ui import Screen
from pytest_agentv.adapters.places import InUsersHome, folders_in
from pytest_agentv.adapters.probe import probe
from pytest_agentv.adapters.projects import file_sessions
from pytest_agentv.adapters.records import Drift, read_json
from pytest_agentv.adapters.session import ToldSession
from pytest_agentv.adapters.told import Told
from pytest_agentv.config.paths import user_home
from pytest_agentv.errors import Location, SessionUnreadable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pytest_agentv.adapters.base import ReadOptions, SessionRef
    from pytest_agentv.adapters.probe import Probe

__all__ = ["TOOLS", "ClineAdapter", "unlisted_tool"]

_EXTENSIONS = ("saoudrizwan.claude-dev", "rooveterinaryinc.roo-cline", "kilocode.kilo-code")
# Editors that can run them.
_EDITORS = ("Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf")
_SERVERS = (".vscode-server", ".vscode-server-insiders", ".cursor-server")
_MARKS = ("<task>", "<environment_details>", "<user_message>")
_ROLES = ("user", "assistant")
# So many items of a list tell what it is.
_ENOUGH = 5


class ClineAdapter(InUsersHome):
    """Tasks of Cline, Roo Code and Kilo Code, and sessions of Cline's command line client."""

    name = "cline"
    provider = PROVIDER
    tested = ("3.0.0", "3.80.0")
    # The tasks of editors lie elsewhere and are found too.
    usual_home = ".cline"
    home_variables = ("CLINE_DIR",)

    def session_id_of(self, path: Path) -> str:
        """The name of the task's folder, or of the file without its ending."""
        if path.name in (*CONVERSATIONS, SCREEN):
            return path.parent.name
        return path.name.removesuffix(".json").removesuffix(".messages")

    def claims(self, path: Path) -> bool:
        """Whether a file is a conversation of theirs, in any of its forms."""
        found = probe(path)
        return _is_document(found) or _is_manifest(found, path) or _is_list(found.items)

    def claims_folder(self, path: Path) -> bool:
        """Whether a folder is a task."""
        names = (*CONVERSATIONS, SCREEN, f"{path.name}{MESSAGES}")
        return not probe(path).names.isdisjoint(names)

    def sessions(self, home: Path, *, project: Path | None = None) -> Iterator[SessionRef]:
        """Each task and session once."""
        files = _files(home, os.environ, is_usual=home == self.home(os.environ))
        return file_sessions(files, project, _folder_of, id_of=self.session_id_of)

    def summarize(self, ref: SessionRef) -> SessionSummary:
        """Start, folder and first prompt."""
        told = _read(self, ref)
        return SessionSummary(told.started, told.cwd, told.opening)

    def read(self, ref: SessionRef, options: ReadOptions) -> ToldSession:
        """The session as a stream."""
        del options
        return ToldSession(_read(self, ref), ref, tested=self.tested[1])


def _read(adapter: ClineAdapter, ref: SessionRef) -> Told:
    drift = Drift()
    path = _conversation(ref.path)
    told = Told(drift, PROVIDER)
    value = read_json(path, drift)
    if isinstance(value, dict) and not isinstance(value.get("messages"), list):
        path = messages_of(path)
        value = read_json(path, drift)
    beside = Beside(path)
    told.session_id = adapter.session_id_of(path)
    told.version, told.title = beside.version, beside.title
    if isinstance(value, list) and (path.name == SCREEN or _is_screen(value)):
        Screen(told).read(value)
    else:
        _read_history(told, beside, value, path)
    told.cwd = told.cwd or beside.cwd
    return told


def _read_history(told: Told, beside: Beside, value: Any, path: Path) -> None:
    messages = value.get("messages") if isinstance(value, dict) else value
    if not isinstance(messages, list):
        raise SessionUnreadable("holds no list of messages", at=Location(path))
    if isinstance(value, dict):
        if isinstance(value.get("sessionId"), str):
            told.session_id = value["sessionId"]
        beside.look_into(value.get("system_prompt"))
        told.left_out["system prompt"] += bool(value.get("system_prompt"))
    history = History(told, beside)
    history.read(messages)
    if beside.screen:
        spending, costs = totals(beside.screen)
        if not history.states_tokens:
            told.usage = spending.total()
        for cost in costs if told.cost_usd is None else ():
            told.costs(cost)


def _conversation(path: Path) -> Path:
    """The file to read of a task's folder."""
    if not path.is_dir():
        return path
    names = [path / name for name in (*CONVERSATIONS, f"{path.name}{MESSAGES}", SCREEN)]
    return next((one for one in names if one.is_file()), names[0])


def _is_document(found: Probe) -> bool:
    """Whether a file is the messages of the newest era."""
    return {"version", "sessionId", "agent"} <= found.fields.keys() and found.begins(
        "messages", b"["
    )


def _is_manifest(found: Probe, path: Path) -> bool:
    """Whether a file is the notes on a session of the newest era, whose messages lie beside."""
    return {"session_id", "messages_path", "source"} <= found.fields.keys() and messages_of(
        path
    ).is_file()


def _is_list(items: list[Any]) -> bool:
    """Whether the items of a list are messages, or entries of a screen."""
    first = items[:_ENOUGH]
    if not first or not all(isinstance(one, dict) for one in first):
        return False
    return _is_screen(first) or _is_history(first)


def _is_screen(items: list[Any]) -> bool:
    return bool(items) and all(
        isinstance(one, dict)
        and type(one.get("ts")) in (int, float)
        and one.get("type") in ("say", "ask")
        and isinstance(one.get(one["type"]), str)
        for one in items[:_ENOUGH]
    )


def _is_history(messages: list[dict[str, Any]]) -> bool:
    if not all(one.get("role") in _ROLES or one.get("type") == "reasoning" for one in messages):
        return False
    if all(type(one.get("ts")) in (int, float) and "content" in one for one in messages):
        return True
    # Older tasks have no times; what the client puts around prompts is its own.
    first = messages[0].get("content")
    blocks = first if isinstance(first, list) else [{"text": first}]
    texts = [one.get("text") for one in blocks if isinstance(one, dict)]
    return any(isinstance(text, str) and text.lstrip().startswith(_MARKS) for text in texts)


def _files(home: Path, environ: Mapping[str, str], *, is_usual: bool) -> Iterator[Path]:
    for folder in folders_in(home / "data" / "sessions"):
        yield folder / f"{folder.name}.messages.json"
    for place in (home / "data" / "tasks", home / "tasks"):
        yield from _tasks(place)
    for storage in _storages(environ) if is_usual else ():
        for extension in _EXTENSIONS:
            yield from _tasks(storage / extension / "tasks")


def _tasks(place: Path) -> Iterator[Path]:
    for task in folders_in(place):
        path = _conversation(task)
        if path.is_file():
            yield path


def _storages(environ: Mapping[str, str]) -> Iterator[Path]:
    """Where editors let extensions keep files, on every system."""
    user = user_home(environ)
    if sys.platform == "win32":
        base = environ.get("APPDATA")
        root = Path(base) if base else user and user / "AppData" / "Roaming"
    elif sys.platform == "darwin":
        root = user and user / "Library" / "Application Support"
    else:
        base = environ.get("XDG_CONFIG_HOME")
        root = Path(base) if base else user and user / ".config"
    if root is not None:
        for editor in _EDITORS:
            yield root / editor / "User" / "globalStorage"
    for server in _SERVERS if user is not None else ():
        assert user is not None
        yield user / server / "data" / "User" / "globalStorage"


def _folder_of(ref: SessionRef) -> str | None:
    """The folder that a session ran in; the notes beside it mostly say so."""
    noted = Beside(ref.path).cwd
    return _read(ClineAdapter(), ref).cwd if noted is None else noted
