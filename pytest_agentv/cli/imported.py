"""What commands say of sessions that they read or imported, for people and for programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_agentv.cli.console import count, say
from pytest_agentv.errors import Location
from pytest_agentv.importing import describe_drift

if TYPE_CHECKING:
    from pytest_agentv.importing import Imported
    from pytest_agentv.transcript.stream import Tail

# Where transcripts go unless somebody says otherwise.
DEFAULT_FOLDER = Path(".agentv") / "transcripts"


def sentence(imported: Imported) -> str:
    """An import for people: where the transcript is, and how much is in it."""
    messages = count(imported.messages, "message")
    calls = count(imported.tool_calls, "tool call")
    redactions = (imported.privacy or {}).get("redactionCount")
    redacted = "" if redactions is None else f", {count(redactions, 'redaction')}"
    return f"{imported.path}: {messages}, {calls}{redacted}"


def as_json(imported: Imported) -> dict[str, Any]:
    """An import for programs."""
    return {
        "path": str(imported.path),
        "session": str(imported.session),
        "session_id": imported.session_id,
        "provider": imported.provider,
        "messages": imported.messages,
        "tool_calls": imported.tool_calls,
        "drift": imported.drift,
        "privacy": imported.privacy,
    }


def warn_of_drift(session: Path, read: Imported | Tail) -> None:
    """One line on what was not understood of a session."""
    if read.drift:
        found = describe_drift(read.drift, read.drift_lines)
        say(f"warning: {Location(session)}: not all of it is understood: {found}")
