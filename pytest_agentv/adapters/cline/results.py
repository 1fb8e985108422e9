"""What became of a call, by the words of its result: the older eras have no flag for it."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import msgspec

from pytest_agentv.adapters.records import UNREADABLE
from pytest_agentv.adapters.values import text_of

_EXIT_CODE = re.compile(
    r"(?:Command failed with exit code|Command executed successfully \(exit code|Exit code:"
    r"|exited with (?:exit )?code|exit code)[ :]*(-?\d{1,10})"
)
# The code stands in the first lines; what follows is the command's own output.
_HEAD = 600
_OUTPUT = "\nOutput:"
_STATUSES = {"denied": "denied", "error": "error", "approved": "ok"}
_STARTS = (
    ("The user denied this operation", "denied"),
    ("The tool execution failed", "error"),
    ("[ERROR]", "error"),
    ("Error:", "error"),
    ("<error>", "error"),
    ("Missing value for required parameter", "error"),
    ("Invalid JSON argument", "error"),
    ("This tool cannot be used in PLAN MODE", "error"),
    ("This is likely because the SEARCH block", "error"),
    ("The command was terminated after exceeding", "timeout"),
    ("Command execution timed out", "timeout"),
    ("Process terminated by signal", "error"),
)
_BLOCKED = re.compile(r"Access to .{1,500} is blocked by the \.\w+ file settings")
_FEEDBACK = ("The user denied", "The user provided", "The user has provided", "Command is still")
_SHELLS = ("execute_command", "run_commands", "command")
_SPEECH = ("attempt_completion", "plan_mode_respond", "plan_mode_response", "ask_followup_question")


class Outcome(NamedTuple):
    """A result in our words."""

    output: str
    status: str
    exit_code: int | None = None


def outcome_of(tool: str, text: str, *, is_error: bool | None = None) -> Outcome:
    """What the text of a result says; of a shell only its exit code says how it went."""
    said = text.lstrip()
    status = _said_status(said)
    head = said[:_HEAD].partition(_OUTPUT)[0]
    found = _EXIT_CODE.search(head) if tool in _SHELLS else None
    exit_code = None if found is None else int(found[1])
    if status is None and exit_code is not None:
        status = "error" if exit_code else "ok"
    if status is None and "Process terminated by signal" in head and tool in _SHELLS:
        status = "error"
    if status is None and is_error:
        status = "error"
    if status is None:
        status = "unknown" if tool in _SHELLS and is_error is None else "ok"
    return Outcome(text, status, exit_code)


def _said_status(said: str) -> str | None:
    for start, status in _STARTS:
        if said.startswith(start):
            return status
    if _BLOCKED.match(said):
        return "error"
    if said.startswith('{"status":'):
        try:
            value = msgspec.json.decode(said)
        except UNREADABLE:
            return None
        stated = value.get("status") if isinstance(value, dict) else None
        return _STATUSES.get(stated) if isinstance(stated, str) else None
    return None


def may_hold_words_of_a_person(tool: str, text: str) -> bool:
    """Whether what a person typed may stand in a result: an answer, or a comment on a call."""
    return tool in _SPEECH or text.lstrip().startswith(_FEEDBACK)


def operations_of(content: Any) -> Outcome | None:
    """The result of the newest era: each thing that a call did, and whether it succeeded."""
    if isinstance(content, str) and content.startswith('{"query":'):
        try:
            content = msgspec.json.decode(content)
        except UNREADABLE:
            return None
    done = content if isinstance(content, list) else [content]
    if not done or not all(isinstance(one, dict) and "query" in one for one in done):
        return None
    texts = []
    failed = False
    for one in done:
        error = one.get("error")
        # A search that finds nothing has no success either, but no error.
        failed |= bool(error)
        texts.append("\n".join(filter(None, (text_of(one.get("result")), text_of(error)))))
    codes = [int(found[1]) for text in texts if (found := _EXIT_CODE.search(text[:_HEAD]))]
    exit_code = next((code for code in codes if code), None) if failed else None
    return Outcome("\n".join(texts), "error" if failed else "ok", exit_code)
