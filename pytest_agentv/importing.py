"""Importing: one session into one transcript file, whole or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from pytest_agentv.adapters.base import calling
from pytest_agentv.adapters.discovery import default_name
from pytest_agentv.errors import AgentvError, Location, OutputError, SessionUnreadable
from pytest_agentv.files import atomic_write
from pytest_agentv.transcript.writing import write_stream

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_agentv.adapters.base import Adapter, ReadOptions, SessionRef


class Imported(msgspec.Struct, frozen=True):
    """What an import wrote."""

    path: Path
    session: Path
    session_id: str | None
    provider: str
    messages: int
    tool_calls: int
    drift: dict[str, int]
    drift_lines: dict[str, int]


def import_session(
    adapter: Adapter,
    ref: SessionRef,
    options: ReadOptions,
    *,
    output: Path,
    is_folder: bool = False,
    test_id: str | None = None,
    overwrite: bool = False,
    strict: bool = False,
) -> Imported:
    """Read a session and write its transcript; with ``strict`` drift is an error.

    ``output`` is a file or a folder, in which the transcript gets a name by its session's id; a
    folder that does not exist yet is known by ``is_folder``.
    """
    with calling(adapter):
        stream = adapter.read(ref, options)
        source = stream.head.source
    if is_folder or output.is_dir():
        output = place_in(output, adapter, source.session_id, ref.path)
    if output.exists() and output.samefile(ref.path):
        raise OutputError("is the session itself", at=Location(output))
    with atomic_write(output, overwrite=overwrite) as file:
        with calling(adapter):
            written = write_stream(file, stream, test_id=test_id)
            tail = stream.tail
        if strict and tail.drift:
            found = describe_drift(tail.drift, tail.drift_lines)
            raise SessionUnreadable(f"not all of it is understood: {found}", at=Location(ref.path))
    return Imported(
        path=output,
        session=ref.path,
        session_id=source.session_id,
        provider=source.provider,
        messages=written.messages,
        tool_calls=written.tool_calls,
        drift=dict(tail.drift),
        drift_lines=dict(tail.drift_lines),
    )


def place_in(folder: Path, adapter: Adapter, session_id: str | None, path: Path) -> Path:
    """Where a transcript goes: by the beginning of its id, or by all of it if that is taken.

    Ids that begin with a time are alike for sessions that began together.
    """
    short = folder / default_name(adapter, session_id, path)
    if not short.is_file():
        return short
    from pytest_agentv.transcript.reading import read_heads  # noqa: PLC0415 (hardly ever needed)

    try:
        held = [head.source.session_id for head in read_heads(short)]
    except AgentvError:
        return short
    is_of_another = bool(held) and session_id is not None and session_id not in held
    return folder / default_name(adapter, session_id, path, length=64) if is_of_another else short


def describe_drift(drift: dict[str, int], lines: dict[str, int]) -> str:
    """Drift in words: each reason, how often, and where first."""
    return ", ".join(
        f"{reason}: {count}" + (f" (first: line {lines[reason]})" if reason in lines else "")
        for reason, count in sorted(drift.items())
    )
