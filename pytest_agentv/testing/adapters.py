"""A check that an adapter keeps its contract, on one real or synthetic session.

Everything that the rest of the package relies on: claiming, determinism, the laws of a transcript,
and that broken input never raises anything but a SessionError.
"""

from __future__ import annotations

import io
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, get_args

import msgspec

from pytest_agentv.adapters.base import Adapter, ReadOptions, SessionRef
from pytest_agentv.errors import SessionError
from pytest_agentv.transcript.model import Kind, Origin, Role, Status
from pytest_agentv.transcript.stream import load
from pytest_agentv.transcript.writing import dumps, write_stream

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    """Assert that an adapter keeps its contract on a session file; return the transcript.

    ``golden`` is a file with the transcript it should be, as readable JSON. It is written with
    ``update_golden``, which ``pytest --agentv-update-golden`` sets on ``agentv_check_adapter``.
    """
    assert isinstance(adapter, Adapter), f"{adapter!r} lacks a part of the Adapter protocol"
    options = ReadOptions(include_subagents=include_subagents)
    before = session.read_bytes()
    assert adapter.claims(session), f"{adapter.name} does not claim {session}"
    transcript = load(adapter.read(_ref(session), options))
    _check_laws(adapter, transcript)
    _check_streaming(adapter, session, options, transcript)
    _check_broken_input(adapter, before, options, session.suffix)
    assert session.read_bytes() == before, "reading a session must not change it"
    if golden is not None:
        _check_golden(transcript, golden, update=update_golden)
    return transcript


def _ref(path: Path) -> SessionRef:
    return SessionRef(path.stem, path, path.stat().st_size, path.stat().st_mtime)


def _check_streaming(
    adapter: Adapter, session: Path, options: ReadOptions, transcript: Transcript
) -> None:
    streamed = io.BytesIO()
    write_stream(streamed, adapter.read(_ref(session), options))
    assert streamed.getvalue() == dumps(transcript), "the same session must give the same bytes"


def _check_laws(adapter: Adapter, transcript: Transcript) -> None:
    assert transcript.source.provider == adapter.provider, (
        f"a transcript's provider is {transcript.source.provider!r}, not {adapter.provider!r}"
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
    adapter: Adapter, content: bytes, options: ReadOptions, suffix: str
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"00000000-0000-0000-0000-000000000000{suffix}"
        for broken in _broken(content):
            path.write_bytes(broken)
            _check_broken_file(adapter, path, options)


def _check_broken_file(adapter: Adapter, path: Path, options: ReadOptions) -> None:
    try:
        adapter.claims(path)
    except Exception as exc:
        raise AssertionError(f"claims must not raise on a broken file: {exc!r}") from exc
    try:
        transcript = load(adapter.read(_ref(path), options))
    except SessionError:
        return
    except Exception as exc:
        problem = "a broken file must raise nothing but a SessionError"
        raise AssertionError(f"{problem}: {exc!r}") from exc
    assert transcript.output, "a session without messages must be a SessionError"


def _broken(content: bytes) -> Iterator[bytes]:
    yield b""
    yield b"\x00\xff\xfe binary \x80"
    yield content[: len(content) // 2]
    lines = content.split(b"\n")
    for number in range(min(len(lines), _MAX_MUTATED_LINES)):
        yield b"\n".join(lines[:number] + lines[number + 1 :])
        yield b"\n".join([*lines[:number], b'{"torn": ', *lines[number + 1 :]])


def _check_golden(transcript: Transcript, golden: Path, *, update: bool) -> None:
    actual = msgspec.json.format(dumps(transcript).strip(), indent=2) + b"\n"
    if update:
        golden.write_bytes(actual)
        return
    assert golden.exists(), f"{golden} is missing; --agentv-update-golden writes it"
    assert actual.decode() == golden.read_text(encoding="utf-8"), (
        f"the transcript differs from {golden}; --agentv-update-golden accepts it"
    )
