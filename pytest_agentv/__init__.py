"""Grade recorded AI coding sessions with pytest.

pytest loads this module in every run of every project that has the plugin installed, so nothing
is imported before somebody asks for it (PEP 562).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_agentv.adapters.base import Adapter, ReadOptions, SessionRef, SessionSummary
    from pytest_agentv.adapters.records import Drift, RecordFile
    from pytest_agentv.errors import AgentvError, NotGradable, SessionError, TranscriptError
    from pytest_agentv.graders.base import CaseFacts, Grader
    from pytest_agentv.graders.functions import assertion
    from pytest_agentv.graders.grade import Evidence, Grade
    from pytest_agentv.hookspecs import hookimpl
    from pytest_agentv.transcript.model import (
        Attachment,
        Message,
        Source,
        TokenUsage,
        ToolCall,
        Transcript,
        Usage,
    )
    from pytest_agentv.transcript.reading import loads, read_heads, read_transcripts
    from pytest_agentv.transcript.stream import Head, SessionStream, Tail, load
    from pytest_agentv.transcript.writing import dumps, write_stream

_HOMES = {
    "adapters.base": ("Adapter", "ReadOptions", "SessionRef", "SessionSummary"),
    "adapters.records": ("Drift", "RecordFile"),
    "errors": ("AgentvError", "NotGradable", "SessionError", "TranscriptError"),
    "graders.base": ("CaseFacts", "Grader"),
    "graders.functions": ("assertion",),
    "graders.grade": ("Evidence", "Grade"),
    "hookspecs": ("hookimpl",),
    "transcript.model": (
        "Attachment",
        "Message",
        "Source",
        "TokenUsage",
        "ToolCall",
        "Transcript",
        "Usage",
    ),
    "transcript.reading": ("loads", "read_heads", "read_transcripts"),
    "transcript.stream": ("Head", "SessionStream", "Tail", "load"),
    "transcript.writing": ("dumps", "write_stream"),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "Adapter",
    "AgentvError",
    "Attachment",
    "CaseFacts",
    "Drift",
    "Evidence",
    "Grade",
    "Grader",
    "Head",
    "Message",
    "NotGradable",
    "ReadOptions",
    "RecordFile",
    "SessionError",
    "SessionRef",
    "SessionStream",
    "SessionSummary",
    "Source",
    "Tail",
    "TokenUsage",
    "ToolCall",
    "Transcript",
    "TranscriptError",
    "Usage",
    "assertion",
    "dumps",
    "hookimpl",
    "load",
    "loads",
    "read_heads",
    "read_transcripts",
    "write_stream",
]


def __getattr__(name: str) -> object:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
