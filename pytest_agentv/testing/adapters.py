"""A check that an adapter keeps its contract, on one real or synthetic session.

Everything that the rest of the package relies on: claiming, determinism, the laws of a transcript,
and that broken input never raises anything but a SessionError.
"""

from __future__ import annotations

import io
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, get_args

import msgspec

from pytest_agentv.adapters.base import (
    Adapter,
    ReadOptions,
    SessionRef,
    claims,
    lacking,
    provider_of,
    refs_of,
)
from pytest_agentv.errors import SessionError
from pytest_agentv.transcript.model import Kind, Origin, Role, Status
from pytest_agentv.transcript.stream import load
from pytest_agentv.transcript.writing import dumps, write_stream

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_agentv.transcript.model import Message, ToolCall, Transcript

_CANONICAL = frozenset({"path", "paths", "command", "query", "url", "pattern", "content"})
_MAX_MUTATED_LINES = 50


class AdapterCheck(Protocol):
    """The type of :func:`check_adapter`, and of the fixture ``agentv_check_adapter``."""

    def __call__(
        self,
        adapter: Adapter,
        session: Path,
        *,
        golden: Path | None = None,
        include_subagents: bool = False,
    ) -> Transcript:
        """Check an adapter on a session."""


def check_adapter(
    adapter: Adapter,
    session: Path,
    *,
    golden: Path | None = None,
    include_subagents: bool = False,
    update_golden: bool = False,
) -> Transcript:
    """Assert that an adapter keeps its contract on a session file or folder; return the transcript.

    ``golden`` is a file with the transcript it should be, as readable JSON. It is written with
    ``update_golden``, which ``pytest --agentv-update-golden`` sets on ``agentv_check_adapter``.
    Of a file that holds several sessions all are checked, ``golden`` is a list of them, and the
    first is returned.
    """
    why = lacking(adapter)
    assert not why, f"{adapter!r} is no adapter: {why}"
    options = ReadOptions(include_subagents=include_subagents)
    before = _content(session)
    is_claimed = claims(adapter, session, is_folder=session.is_dir())
    assert is_claimed, f"{adapter.name} does not claim {session}"
    transcripts = []
    for ref in refs_of(adapter, session):
        transcript = load(adapter.read(ref, options))
        _check_laws(provider_of(adapter, ref), transcript)
        _check_streaming(adapter, ref, options, transcript)
        adapter.summarize(ref)
        transcripts.append(transcript)
    assert transcripts, "a file without a session must be a SessionError"
    for path, content in before.items():
        lines = _MAX_MUTATED_LINES // len(before)
        _check_broken_input(adapter, session, path, _broken(content, lines), options)
    assert _content(session) == before, "reading a session must not change it"
    if golden is not None:
        _check_golden(transcripts, golden, update=update_golden)
    return transcripts[0]


def _content(session: Path) -> dict[Path, bytes]:
    """The bytes of a session's file, or of all files of its folder."""
    paths = sorted(session.rglob("*")) if session.is_dir() else [session]
    return {path: path.read_bytes() for path in paths if path.is_file()}


def _check_streaming(
    adapter: Adapter, ref: SessionRef, options: ReadOptions, transcript: Transcript
) -> None:
    streamed = io.BytesIO()
    write_stream(streamed, adapter.read(ref, options))
    assert streamed.getvalue() == dumps(transcript), "the same session must give the same bytes"


def _check_laws(provider: str, transcript: Transcript) -> None:
    assert transcript.source.provider == provider, (
        f"a transcript's provider is {transcript.source.provider!r}, not {provider!r}"
    )
    assert transcript.output, "a session without messages must be a SessionError"
    prompts = [prompt.strip() for prompt in transcript.prompts if prompt.strip()]
    if not any(message.agent_id for message in transcript.output):
        assert transcript.input == (prompts[0] if prompts else None), (
            "input must be the first prompt a person typed"
        )
    for message in transcript.output:
        _check_message(message)
    usage = transcript.token_usage
    if usage is not None and usage.input is not None:
        assert (usage.cached or 0) + (usage.cache_write or 0) <= usage.input, (
            "input includes what was read from the cache and written to it"
        )


def _check_message(message: Message) -> None:
    assert message.role in get_args(Role), f"unknown role {message.role!r}"
    assert message.origin in (None, *get_args(Origin)), f"unknown origin {message.origin!r}"
    if message.role != "user":
        assert message.origin is None, "only user messages have an origin"
    for call in message.tool_calls:
        _check_call(call)


def _check_call(call: ToolCall) -> None:
    assert call.kind in get_args(Kind), f"unknown kind {call.kind!r}"
    assert call.status in get_args(Status), f"unknown status {call.status!r}"
    assert set(call.args) <= _CANONICAL, f"arguments that are not canonical: {call.args}"
    if call.exit_code:
        assert call.status != "ok", "a non-zero exit code is never ok"
    if call.output is None:
        assert call.status not in ("ok", "error"), "without an answer the outcome is unknown"


def _check_broken_input(
    adapter: Adapter, session: Path, file: Path, contents: Iterable[bytes], options: ReadOptions
) -> None:
    """Check what becomes of a session when a file of it is broken in many ways."""
    with tempfile.TemporaryDirectory() as folder:
        if session.is_dir():
            copy = Path(shutil.copytree(session, Path(folder) / session.name))
            path = copy / file.relative_to(session)
        else:
            ending = "".join(session.suffixes)
            copy = path = Path(folder) / f"00000000-0000-0000-0000-000000000000{ending}"
        for broken in contents:
            path.write_bytes(broken)
            _check_broken_session(adapter, copy, options)


def _check_broken_session(adapter: Adapter, path: Path, options: ReadOptions) -> None:
    try:
        claims(adapter, path, is_folder=path.is_dir())
    except Exception as exc:
        raise AssertionError(f"claims must not raise on a broken file: {exc!r}") from exc
    try:
        transcripts = [load(adapter.read(ref, options)) for ref in refs_of(adapter, path)]
    except SessionError:
        return
    except Exception as exc:
        problem = "a broken file must raise nothing but a SessionError"
        raise AssertionError(f"{problem}: {exc!r}") from exc
    for transcript in transcripts:
        assert transcript.output, "a session without messages must be a SessionError"


def _broken(content: bytes, max_lines: int) -> Iterator[bytes]:
    yield b""
    yield b"\x00\xff\xfe binary \x80"
    yield content[: len(content) // 2]
    lines = content.split(b"\n")
    for number in range(min(len(lines), max_lines)):
        yield b"\n".join(lines[:number] + lines[number + 1 :])
        yield b"\n".join([*lines[:number], b'{"torn": ', *lines[number + 1 :]])


def _check_golden(transcripts: list[Transcript], golden: Path, *, update: bool) -> None:
    lines = [dumps(transcript).strip() for transcript in transcripts]
    whole = lines[0] if len(lines) == 1 else b"[%b]" % b",".join(lines)
    actual = msgspec.json.format(whole, indent=2) + b"\n"
    if update:
        golden.write_bytes(actual)
        return
    assert golden.exists(), f"{golden} is missing; --agentv-update-golden writes it"
    assert actual.decode() == golden.read_text(encoding="utf-8"), (
        f"the transcript differs from {golden}; --agentv-update-golden accepts it"
    )
