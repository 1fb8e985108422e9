"""What Gemini CLI and Qwen Code write alike: parts of Google's API, results of tools, tokens."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_agentv.adapters.spending import usage_of
from pytest_agentv.adapters.values import blocks_of, json_text, status_of, text_of
from pytest_agentv.transcript.model import Attachment

if TYPE_CHECKING:
    from pytest_agentv.transcript.model import Usage

# What stands below the output of the shell: of its lines all but the exit code are optional, and
# since 2026 that is left out if it is 0.
_EXIT_CODE = re.compile(
    r"(?:^|\n)Exit Code: (?P<code>-?\d{1,10}|\(none\))"
    r"(?:\n(?:Error|Signal|Background PIDs|Process Group PGID|PGID): ?[^\n]*)*\s*\Z"
)
_SIGNAL = re.compile(r"\nSignal: (?!\(none\)|0\b)\w+(?:\n[^\n]*){0,3}\Z")
_TAIL = 1000
_TIMED_OUT = (
    "Command was automatically cancelled because it exceeded the timeout",
    "Command timed out after",
)
_STOPPED = "Command was cancelled by user"
_REFUSED = (
    "User did not allow tool call",
    "denied by policy",
    "Tool execution denied",
    "was denied by the user",
    "user declined",
)
# Statuses of calls that are not over, and of those that are.
_GOES_ON = frozenset({"validating", "scheduled", "executing", "awaiting_approval"})
_STATUSES = {"success": "ok", "error": "error", "cancelled": "cancelled", "canceled": "cancelled"}


class Outcome(NamedTuple):
    """How a call ended."""

    status: str
    exit_code: int | None


def parts_of(content: Any) -> list[dict[str, Any]]:
    """A content as parts: a text, a part, or a list of both."""
    return [_part(one) for one in blocks_of(content)]


def _part(block: dict[str, Any]) -> dict[str, Any]:
    text = block.get("text")
    return block if text is None or isinstance(text, str) else {**block, "text": text_of(text)}


def text_of_parts(parts: list[dict[str, Any]], *, thoughts: bool = False) -> str:
    """What the parts say, or what was thought; a text may be cut into parts anywhere."""
    return "".join(
        part["text"]
        for part in parts
        if isinstance(part.get("text"), str) and bool(part.get("thought")) is thoughts
    )


def attachments_of_parts(
    parts: list[dict[str, Any]], *, call_id: str | None = None
) -> list[Attachment]:
    """Images and files among the parts, described."""
    found = []
    for part in parts:
        data = part.get("inlineData") or part.get("fileData")
        if isinstance(data, dict):
            media, name = data.get("mimeType"), data.get("displayName") or data.get("fileUri")
            found.append(
                Attachment(
                    kind=str(media or "file").partition("/")[0][:40],
                    media_type=media if isinstance(media, str) else None,
                    name=name if isinstance(name, str) else None,
                    call_id=call_id,
                )
            )
    return found


def output_of(parts: list[dict[str, Any]]) -> str | None:
    """What a tool answered; None if the parts hold no answer."""
    texts = []
    for part in parts:
        response = part.get("functionResponse")
        if response is not None:
            is_known = isinstance(response, dict)
            texts.append(_response_text(response.get("response") if is_known else response))
        elif isinstance(part.get("text"), str):
            texts.append(part["text"])
    return "\n".join(filter(None, texts)) if texts else None


def _response_text(response: Any) -> str:
    if isinstance(response, dict):
        for name in ("output", "error", "result"):
            value = response.get(name)
            if isinstance(value, str):
                return value
            if value is not None:
                response = value
                break
    if response is None:
        return ""
    return response if isinstance(response, str) else json_text(response)


def outcome(status: str | None, output: str, *, is_shell: bool) -> Outcome | None:
    """How a call ended, by its status and what the client wrote below its output; None: not yet.

    A command that failed has the status ``success``: the call of the shell did not fail.
    """
    told = _STATUSES.get(status or "")
    if told is None and status in _GOES_ON:
        return None
    tail = output[-_TAIL:]
    found = _EXIT_CODE.search(tail) if is_shell else None
    code = int(found["code"]) if found and found["code"] != "(none)" else None
    if told == "cancelled" or (told == "error" and _is_refused(output)):
        return Outcome("denied" if _is_refused(output) else "cancelled", code)
    if is_shell and any(sign in output[:_TAIL] or sign in tail for sign in _TIMED_OUT):
        return Outcome("timeout", code)
    if is_shell and output.startswith(_STOPPED):
        return Outcome("cancelled", code)
    if told == "ok" and (code or (is_shell and _SIGNAL.search(tail))):
        return Outcome("error", code)
    return Outcome(told or status_of(code), code)


def _is_refused(output: str) -> bool:
    return any(sign in output[:_TAIL] for sign in _REFUSED)


def usage(
    *, prompt: Any, cached: Any, candidates: Any, thoughts: Any, tool: Any, total: Any
) -> Usage | None:
    """Tokens of a response: the prompt includes the cache, the candidates no thoughts.

    Other services than Google's may count thoughts among the candidates: the total tells.
    """
    counts = [value if type(value) is int else None for value in (prompt, cached, candidates)]
    if not any(counts) and not thoughts:
        return None  # the service says nothing
    prompt, cached, candidates = counts
    stated = thoughts if type(thoughts) is int else None
    thoughts, tool = stated or 0, tool if type(tool) is int else 0
    if prompt is not None:
        prompt += tool
    is_included = bool(thoughts) and total == (prompt or 0) + (candidates or 0)
    return usage_of(
        input=prompt,
        output=None
        if candidates is None and not thoughts
        else (candidates or 0) + (0 if is_included else thoughts),
        cached=cached,
        reasoning=stated,
    )
