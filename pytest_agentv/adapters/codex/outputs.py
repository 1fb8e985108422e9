"""What became of a call, from the text that the model got as its output.

Codex keeps no flag of success. An output begins with a few lines on exit code and time, in one of
several forms, or with one of the client's own phrases. Only these are looked at: what follows is
the tool's, and may quote anything.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from pytest_agentv.adapters.clock import FOREVER
from pytest_agentv.adapters.codex.records import McpOk, Number
from pytest_agentv.adapters.conversation import Result
from pytest_agentv.jsontext import is_utf8

if TYPE_CHECKING:
    from pytest_agentv.adapters.codex.records import Part

# How nearly all commands end, in the two forms that are most frequent: much faster to match.
_ENDED = re.compile(
    r"(?:Chunk ID: [^\n]{0,40}\nWall time: ([0-9.]{1,20}) seconds\n"
    r"Process exited with code (-?[0-9]{1,10})\n(?:Original token count: [0-9]{1,12}\n)?"
    r"|Exit code: (-?[0-9]{1,10})\nWall time: ([0-9.]{1,20}) seconds\n)"
    r"(?:Total output lines: [0-9]{1,12}\n)?Output:\n?"
)
# The same of those that ended well, in an output that is JSON still.
_ENDED_WELL = re.compile(
    rb'"(?:Chunk ID: [^\\"]{0,40}\\nWall time: ([0-9]{1,9}(?:[.][0-9]{1,9})?) seconds\\n'
    rb"Process exited with code 0\\n(?:Original token count: [0-9]{1,12}\\n)?"
    rb"|Exit code: 0\\nWall time: ([0-9]{1,9}(?:[.][0-9]{1,9})?) seconds\\n)"
    rb"(?:Total output lines: [0-9]{1,12}\\n)?Output:(?:\\n)?"
)
# Those that failed or go on.
_ENDED_OTHERWISE = re.compile(
    rb'"(?:Chunk ID: [^\\"]{0,40}\\nWall time: ([0-9]{1,9}(?:[.][0-9]{1,9})?) seconds\\n'
    rb"(?:Process exited with code (-?[0-9]{1,10})"
    rb'|Process running with session ID ([^\\"\x80-\xff]{1,40}))\\n'
    rb"(?:Original token count: [0-9]{1,12}\\n)?"
    rb"|Exit code: (-?[0-9]{1,10})\\nWall time: ([0-9]{1,9}(?:[.][0-9]{1,9})?) seconds\\n)"
    rb"(?:Total output lines: [0-9]{1,12}\\n)?Output:(?:\\n)?"
)
_HEADER = re.compile(
    r"(?:Script (completed|failed|terminated)\n)?"
    r"(?:Script running with cell ID ([^\n]{1,40})\n)?"
    r"(?:Chunk ID: [^\n]{0,40}\n)?"
    r"(?:Exit code: (-?[0-9]{1,10})\n)?"
    r"(?:Wall time:? ([0-9.]{1,20}) seconds?\n)?"
    r"(?:Process exited with code (-?[0-9]{1,10})\n)?"
    r"(?:Process running with session ID ([^\n]{1,40})\n)?"
    r"(?:Original token count: [0-9]{1,12}\n)?"
    r"(?:Total output lines: [0-9]{1,12}\n)?"
    r"Output:\n?"
)
_HEADER_STARTS = ("Exit code: ", "Chunk ID: ", "Wall time", "Script ", "Process ")
_ABORTED = re.compile(
    r"(?:Wall time: ([0-9.]{1,20}) seconds\n)?aborted(?: by user)?(?: after ([0-9.]{1,20})s)?"
)
_SANDBOX_CODE = re.compile(r"exit code: (-?[0-9]{1,10})\b")
_TIMED_OUT = "command timed out after "
_TIMEOUT_CODE = 124
# How far into an output the client's own words reach.
_PHRASES = 1000

_PHRASED: dict[str, tuple[str, ...]] = {
    "denied": (
        "exec command rejected by user",
        "patch rejected",
        "rejected by user",
        "rejected: ",
        "command rejected",
        "execution denied",
        "approval denied",
        "approval policy is ",
        "user rejected MCP tool call",
        "This action was rejected due to unacceptable risk",
        "writing is blocked by read-only sandbox",
        "writing outside of the project",
    ),
    "cancelled": (
        "user cancelled MCP tool call",
        "[Request interrupted by user",
        "request_user_input was cancelled",
    ),
    "timeout": (_TIMED_OUT,),
    "error": (
        "failed in sandbox",
        "execution error: ",
        "apply_patch verification failed",
        "invalid patch",
        "unsupported call",
        "unsupported custom tool call",
        "unsupported tool",
        "failed to parse function arguments",
        "failed to parse",
        "exec_command failed",
        "write_stdin failed",
        "tool call error",
        "tool call failed",
        "collab spawn failed",
        "unable to locate image",
        "unable to process image",
        "Script error:",
        "Error: ",
        "error: ",
    ),
}
_OF_SCRIPT = {"completed": "ok", "failed": "error", "terminated": "cancelled"}
# Why an MCP server gave no answer comes after this, quoted or not.
_NO_ANSWER = "err: "
# All of an MCP server's answer, as old versions write it.
_ANSWER = '{"content":['
# An error may quote why: these words of the client's make it something else.
_WITHIN = {"denied": "Rejected(", "timeout": "timed out awaiting"}


class Outcome(Result, gc=False):
    """What an output tells: the result of its call, and maybe that there is more to come."""

    output: str | msgspec.Raw = ""
    status: str = "ok"
    # The process or script that goes on; another call will tell how it ended.
    running: str | None = None
    # The status is that of a script, whatever became of what it ran.
    is_script: bool = False

    @property
    def text(self) -> str:
        """The output as a text."""
        return self.output if isinstance(self.output, str) else _decode_text(self.output)


class _Metadata(msgspec.Struct, gc=False):
    exit_code: Number
    duration_seconds: float | None = None


class _Structured(msgspec.Struct, gc=False):
    output: str
    metadata: _Metadata


_decode = msgspec.json.Decoder(_Structured).decode
_decode_text = msgspec.json.Decoder(str).decode
_decode_answer = msgspec.json.Decoder(McpOk).decode


def of_command(output: msgspec.Raw) -> Outcome | None:
    """What the output of a command tells that ended or goes on; None for any other.

    The rest of the output stays the JSON that it is: the decoder has seen that it is one, but for
    characters that are none.
    """
    found = _ENDED_WELL.match(output) or _ENDED_OTHERWISE.match(output)
    if found is None:
        return None
    rest = b'"' + memoryview(output)[found.end() :]
    if not (rest.isascii() or is_utf8(rest)):
        return None
    if found.re is _ENDED_WELL:
        # Only one group is there: the time, in one of two places.
        milliseconds = round(float(found[found.lastindex or 0]) * 1000)
        return Outcome(msgspec.Raw(rest), "ok", 0, milliseconds, "tool")
    waited, exited, session, exit_code, took = found.groups()
    if session is not None:
        # The time is how long the client waited, not how long it took.
        return Outcome(msgspec.Raw(rest), "unknown", running=session.decode())
    code = int(exited or exit_code)
    if code == _TIMEOUT_CODE:  # why it ended stands in the text
        return None
    milliseconds = round(float(waited or took) * 1000)
    return Outcome(msgspec.Raw(rest), "error" if code else "ok", code, milliseconds, "tool")


def outcome_of(text: str) -> Outcome:
    """What one text tells: its header taken off, the rest is the tool's output."""
    found = _ENDED.match(text)
    if found is not None:
        seconds, exited, exit_code, took = found.groups()
        return _finished(text[found.end() :], int(exited or exit_code), seconds or took)
    if text.startswith(_HEADER_STARTS):
        found = _HEADER.match(text)
        if found is not None:
            return _with_header(text, found)
    elif text.startswith(_ANSWER):
        return Outcome(text, "error" if _is_failure(text) else "ok")
    elif text.startswith("{") and '"metadata"' in text:
        try:
            structured = _decode(text)
        except (msgspec.MsgspecError, RecursionError):
            pass
        else:
            metadata = structured.metadata
            seconds = metadata.duration_seconds
            return _finished(structured.output, metadata.exit_code, seconds)
    return _in_words(text)


def outcome_of_parts(parts: list[Part]) -> Outcome:
    """What an output in parts tells; the first of them may be the header."""
    texts = [part.text for part in parts if part.text is not None]
    if not texts:
        return Outcome("")
    outcome = outcome_of(texts[0])
    outcome.output = "\n".join([outcome.text, *texts[1:]] if outcome.output else texts[1:])
    return outcome


def milliseconds_of(seconds: float | str | None) -> int | None:
    """Seconds as the client writes them; None if they cannot be."""
    if seconds is None:
        return None
    try:
        measured = float(seconds) * 1000
    except ValueError:  # 1.2.3
        return None
    return round(measured) if 0 <= measured < FOREVER else None


def _with_header(text: str, found: re.Match[str]) -> Outcome:
    body = text[found.end() :]
    script, cell, exit_code, seconds, exited, session = found.groups()
    code = exit_code or exited
    if code is not None:
        return _finished(body, int(code), seconds)
    running = session or cell
    if running is not None:
        # The time is how long the client waited, not how long it took.
        return Outcome(body, "unknown", running=running)
    # Without an exit code it was no command, so a server's or the client's own words follow.
    outcome = (
        _in_words(body) if script is None else Outcome(body, _OF_SCRIPT[script], is_script=True)
    )
    return _timed(outcome, milliseconds_of(seconds))


def _finished(output: str, exit_code: int, seconds: float | str | None) -> Outcome:
    status = status_of_exit(exit_code, output) if exit_code else "ok"
    passed = milliseconds_of(seconds)
    return Outcome(output, status, exit_code, passed, None if passed is None else "tool")


def _timed(outcome: Outcome, milliseconds: int | None) -> Outcome:
    if milliseconds is not None:
        outcome.duration_ms, outcome.duration_source = milliseconds, "tool"
    return outcome


def status_of_exit(exit_code: int, output: str = "") -> str:
    """What an exit code means; the client says itself when it stopped a command."""
    if exit_code == _TIMEOUT_CODE and output.startswith(_TIMED_OUT):
        return "timeout"
    return "error" if exit_code else "ok"


def _is_failure(answer: str) -> bool:
    """Whether a server says that its tool failed."""
    try:
        return bool(_decode_answer(answer).is_error)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return False


def _in_words(text: str) -> Outcome:
    start = text[:_PHRASES]
    otherwise = "ok"
    if start.startswith(_NO_ANSWER):
        start = start.removeprefix(_NO_ANSWER).removeprefix('"')
        otherwise = "error"
    aborted = _ABORTED.match(start)
    if aborted is not None and "\n" not in start[aborted.end() :]:
        return _timed(Outcome(text, "cancelled"), milliseconds_of(aborted[1] or aborted[2]))
    status = next((one for one, said in _PHRASED.items() if start.startswith(said)), otherwise)
    if status == "error":
        status = next((said for said, phrase in _WITHIN.items() if phrase in start), status)
    code = _SANDBOX_CODE.search(start) if start.startswith("failed in sandbox") else None
    return Outcome(text, status, int(code[1]) if code else None)
