"""What became of a tool call."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pytest_agentv.adapters.clock import milliseconds
from pytest_agentv.adapters.conversation import Result
from pytest_agentv.adapters.copilot.records import ErrorRecord, ResultRecord
from pytest_agentv.transcript.model import Attachment

if TYPE_CHECKING:
    from datetime import datetime

    from pytest_agentv.adapters.conversation import OpenCall
    from pytest_agentv.adapters.copilot.records import Binary, Data

# Copilot writes no exit code of its own; the result of a shell ends with it.
_EXIT_CODE = re.compile(
    r"<(?:exited|shellId: [^<>\n]{1,80} completed) with exit code (-?\d{1,10})>\s*\Z"
)
_EXIT_CODE_LENGTH = 160
_LAST_CHARACTERS = (">", "\n")
_SHELLS = ("bash", "powershell", "shell")
_STATUS_BY_CODE = {
    "denied": "denied",
    "rejected": "denied",
    "cancelled": "cancelled",
    "canceled": "cancelled",
    "aborted": "cancelled",
    "timeout": "timeout",
}


def result_of(data: Data, call: OpenCall, answered: datetime | None, waited: int) -> Result:
    """The result of a call; ``waited``: milliseconds in which a person was asked."""
    output = output_of(data)
    exit_code = exit_code_of(output, call)
    duration = _duration(call.called, answered, waited)
    source = None if duration is None else "timestamps"
    return Result(output, _status(data, call, exit_code), exit_code, duration, source)


def output_of(data: Data) -> str:
    """The text a tool returned, or why it returned none."""
    if isinstance(data.result, ResultRecord) and data.result.content is not None:
        return data.result.content  # as nearly always
    for said in (data.result, data.error):
        if isinstance(said, str):
            return said
        if isinstance(said, ErrorRecord) and said.message is not None:
            return said.message
    return ""


def permission_status(kind: str | None) -> str | None:
    """What a person's answer makes of a call; None if it is permitted."""
    if kind is None or kind.startswith("approve"):
        return None
    return "cancelled" if kind == "cancelled" else "denied"


def attachment_of(binary: Binary, *, call_id: str | None = None) -> Attachment:
    """An image or a file, described."""
    return Attachment(
        kind=(binary.type or "file")[:40],
        media_type=binary.mime_type,
        size=_decoded_size(bytes(binary.data)),
        name=binary.display_name or binary.path or binary.file_path,
        call_id=call_id,
    )


def _status(data: Data, call: OpenCall, exit_code: int | None) -> str:
    if call.result is not None and call.result.status != "unknown":
        return call.result.status  # somebody was asked and said no
    if data.success is False:
        code = data.error.code if isinstance(data.error, ErrorRecord) else None
        return _STATUS_BY_CODE.get(code or "", "error")
    if exit_code:
        return "error"
    return "unknown" if data.success is None else "ok"


def exit_code_of(output: str, call: OpenCall) -> int | None:
    """The exit code at the end of what a shell returned."""
    if output[-1:] not in _LAST_CHARACTERS or not (
        call.kind == "shell" or call.tool.endswith(_SHELLS)
    ):
        return None
    found = _EXIT_CODE.search(output, max(0, len(output) - _EXIT_CODE_LENGTH))
    return int(found.group(1)) if found else None


def _duration(called: datetime | None, answered: datetime | None, waited: int) -> int | None:
    if called is None or answered is None or answered < called:
        return None
    return max(0, milliseconds(called, answered) - waited)


def _decoded_size(data: bytes) -> int | None:
    """The size of what a JSON text of base64 holds."""
    if data[:1] != b'"':
        return None
    encoded = data[1:-1]
    return max(0, len(encoded) * 3 // 4 - encoded[-2:].count(b"="))
