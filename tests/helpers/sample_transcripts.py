"""Transcripts for tests: the sample of the wire form, one with every field, and any at all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from pytest_agentv import Attachment, Message, Source, TokenUsage, ToolCall, Transcript, Usage

_Value = TypeVar("_Value")

Read = Callable[[bytes], list[Transcript]]
"""Writes these bytes to a file and reads its transcripts: the fixture ``read``."""

patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""For tests with ``transcripts``: a busy machine decides nothing."""

PROMPT = "Add JWT authentication to the Express API"

# The sample of the documentation: what a session does not say is null, or absent in a message.
SAMPLE = Transcript(
    source=Source(
        provider="claude-cli",
        session_id="0763061e-9c91-4dee-9373-3bd69c817fd4",
        model="claude-opus-4-6",
        version="2.1.62",
        timestamp="2026-03-29T21:10:11.969Z",
        ended_at="2026-03-29T21:10:56.969Z",
        git_branch="main",
        cwd="/home/user/projects/myapp",
    ),
    input=PROMPT,
    output=(
        Message(
            id="u-1",
            line=4,
            role="user",
            origin="human",
            content=PROMPT,
            timestamp="2026-03-29T21:10:11.969Z",
        ),
        Message(
            id="msg_1",
            line=7,
            role="assistant",
            content="I'll add JWT auth...",
            thinking="First the routes.",
            model="claude-opus-4-6",
            timestamp="2026-03-29T21:10:14.000Z",
            usage=Usage(input=15000, output=310, cached=8000),
            tool_calls=(
                ToolCall(
                    id="toolu_1",
                    line=8,
                    tool="Read",
                    kind="read",
                    input={"file_path": "/src/index.ts"},
                    args={"path": "/src/index.ts"},
                    output="import express",
                    status="ok",
                    duration_ms=45,
                    timestamp="2026-03-29T21:10:15.000Z",
                ),
            ),
        ),
    ),
    token_usage=TokenUsage(
        input=15000, output=3200, cached=8000, cache_write=0, output_complete=True
    ),
    duration_ms=45000,
)

SAMPLE_LINE = (
    b'{"schema_version":"1.0","test_id":null,'
    b'"source":{"provider":"claude-cli","session_id":"0763061e-9c91-4dee-9373-3bd69c817fd4",'
    b'"model":"claude-opus-4-6","version":"2.1.62","title":null,'
    b'"timestamp":"2026-03-29T21:10:11.969Z","ended_at":"2026-03-29T21:10:56.969Z",'
    b'"git_branch":"main","cwd":"/home/user/projects/myapp"},'
    b'"input":"Add JWT authentication to the Express API",'
    b'"output":['
    b'{"id":"u-1","line":4,"role":"user","origin":"human",'
    b'"content":"Add JWT authentication to the Express API",'
    b'"timestamp":"2026-03-29T21:10:11.969Z"},'
    b'{"id":"msg_1","line":7,"role":"assistant","content":"I\'ll add JWT auth...",'
    b'"thinking":"First the routes.","model":"claude-opus-4-6",'
    b'"timestamp":"2026-03-29T21:10:14.000Z",'
    b'"usage":{"input":15000,"output":310,"cached":8000},'
    b'"tool_calls":[{"id":"toolu_1","line":8,"tool":"Read","kind":"read",'
    b'"input":{"file_path":"/src/index.ts"},"args":{"path":"/src/index.ts"},'
    b'"output":"import express","status":"ok","exit_code":null,"duration_ms":45,'
    b'"duration_source":null,"timestamp":"2026-03-29T21:10:15.000Z"}]}],'
    b'"token_usage":{"input":15000,"output":3200,"cached":8000,"cache_write":0,'
    b'"reasoning":null,"output_complete":true},'
    b'"duration_ms":45000,"cost_usd":null,"privacy":null,"drift":{},"left_out":{}}\n'
)

# Every field has a value, and none has its default.
FULL = Transcript(
    test_id="adds-jwt",
    source=Source(
        provider="claude-cli",
        session_id="s-1",
        model="claude-opus-4-6",
        version="2.1.62",
        title="JWT",
        timestamp="2026-03-29T21:10:11.969Z",
        ended_at="2026-03-29T21:10:56.969Z",
        git_branch="main",
        cwd="/home/user/projects/myapp",
    ),
    input=PROMPT,
    output=(
        Message(
            id="m-1",
            line=3,
            role="user",
            origin="human",
            content=PROMPT,
            thinking="hm",
            model="claude-opus-4-6",
            timestamp="2026-03-29T21:10:11.969Z",
            usage=Usage(input=100, output=20, cached=30, cache_write=40, reasoning=5),
            tool_calls=(
                ToolCall(
                    id="t-1",
                    line=4,
                    tool="Bash",
                    kind="shell",
                    input={"command": "npm test"},
                    args={"command": "npm test"},
                    output="1 failed",
                    status="error",
                    exit_code=1,
                    duration_ms=900,
                    duration_source="tool",
                    timestamp="2026-03-29T21:10:20.000Z",
                ),
            ),
            attachments=(
                Attachment(
                    kind="image", media_type="image/png", size=12, name="a.png", call_id="t-1"
                ),
            ),
            agent_id="a-1",
        ),
    ),
    token_usage=TokenUsage(
        input=100, output=20, cached=30, cache_write=40, reasoning=5, output_complete=False
    ),
    duration_ms=45000,
    cost_usd=0.125,
    privacy={"profile": "secrets"},
    drift={"record type 'x'": 3, "unreadable line": 1},
    left_out={"progress record": 7},
)

# Line separators that are no newline, a mark that is no blank, what looks like our own syntax.
_ODD = (
    "",
    " ",
    "\x00",
    "\x1b[31m",
    "\x7f\x85\xa0",
    "a\nb\r\nc",
    "\u2028\u2029\u200b",
    "\ufeff",
    "\N{REPLACEMENT CHARACTER}\U0010ffff",
    "\N{GRINNING FACE}",
    '"\\/',
    ',"output":[',
    '{"schema_version":"1.0"}',
)
_texts = st.text(st.characters(codec="utf-8"), max_size=20) | st.sampled_from(_ODD)
_numbers = st.integers(-(2**63), 2**64 - 1)
_counts = st.integers(0, 2**64 - 1)
_floats = st.floats(allow_nan=False, allow_infinity=False)
_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | _numbers | _floats | _texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_texts, inner, max_size=3),
    max_leaves=5,
)
_objects = st.dictionaries(_texts, _values, max_size=3)
_tallies = st.dictionaries(_texts, _numbers, max_size=4)


def _maybe(strategy: st.SearchStrategy[_Value]) -> st.SearchStrategy[_Value | None]:
    return st.none() | strategy


_some_text = _maybe(_texts)
_some_count = _maybe(_counts)
_figures = {
    "input": _some_count,
    "output": _some_count,
    "cached": _some_count,
    "cache_write": _some_count,
    "reasoning": _some_count,
}
_calls = st.builds(
    ToolCall,
    id=_some_text,
    line=_maybe(_numbers),
    tool=_texts,
    kind=_texts,
    input=_values,
    args=_objects,
    output=_some_text,
    status=_texts,
    exit_code=_maybe(_numbers),
    duration_ms=_some_count,
    duration_source=_some_text,
    timestamp=_some_text,
)
_attachments = st.builds(
    Attachment,
    kind=_texts,
    media_type=_some_text,
    size=_some_count,
    name=_some_text,
    call_id=_some_text,
)
_messages = st.builds(
    Message,
    id=_some_text,
    line=_maybe(_numbers),
    role=_texts,
    origin=_some_text,
    content=_texts,
    thinking=_some_text,
    model=_some_text,
    timestamp=_some_text,
    usage=_maybe(st.builds(Usage, **_figures)),
    tool_calls=st.lists(_calls, max_size=2).map(tuple),
    attachments=st.lists(_attachments, max_size=2).map(tuple),
    agent_id=_some_text,
)
_sources = st.builds(
    Source,
    provider=_texts,
    session_id=_some_text,
    model=_some_text,
    version=_some_text,
    title=_some_text,
    timestamp=_some_text,
    ended_at=_some_text,
    git_branch=_some_text,
    cwd=_some_text,
)

transcripts = st.builds(
    Transcript,
    test_id=_some_text,
    source=_sources,
    input=_some_text,
    output=st.lists(_messages, max_size=3).map(tuple),
    token_usage=_maybe(
        st.builds(TokenUsage, **_figures, output_complete=_maybe(st.booleans())),
    ),
    duration_ms=_some_count,
    cost_usd=_maybe(_floats),
    privacy=_maybe(_objects),
    drift=_tallies,
    left_out=_tallies,
)
"""Any transcript, however odd its texts and numbers."""
