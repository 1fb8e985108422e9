"""A session for views: of all that a transcript can hold, and texts that try to get out."""

from __future__ import annotations

from pytest_agentv import Attachment, Message, Source, TokenUsage, ToolCall, Transcript, Usage

_PATCH = "*** Begin Patch\n*** Update File: a.py\n*** End Patch"

SHOWN = Transcript(
    test_id="adds-jwt",
    source=Source(
        provider="claude-cli",
        session_id="0763061e-9c91-4dee-9373-3bd69c817fd4",
        model="claude-opus-4-6",
        version="2.1.62",
        title="JWT | `auth`",
        timestamp="2026-03-29T21:10:00.000Z",
        ended_at="2026-03-29T21:20:00.000Z",
        git_branch="main",
        cwd="/home/user/projects/myapp",
    ),
    input="Add JWT",
    output=(
        Message(
            id="u-0",
            line=2,
            role="user",
            origin="injected",
            content="<context># Not a heading</context>",
            timestamp="2026-03-29T21:10:00.000Z",
        ),
        Message(
            id="u-1",
            line=3,
            role="user",
            origin="human",
            content="Add JWT\n```\n<script>alert(1)</script>\n````\x1b[31m",
            timestamp="2026-03-29T21:10:01.000Z",
            attachments=(Attachment(kind="image", media_type="image/png", size=12, name="a.png"),),
        ),
        Message(
            id="msg_1",
            line=4,
            role="assistant",
            content="I look first.",
            thinking="Routes, then tests.",
            model="claude-opus-4-6",
            timestamp="2026-03-29T21:10:05.000Z",
            usage=Usage(input=1500, output=31, cached=800, cache_write=20, reasoning=7),
            tool_calls=(
                ToolCall(
                    id="toolu_1",
                    line=5,
                    tool="Bash",
                    kind="shell",
                    input={"command": "npm test"},
                    args={"command": "npm test"},
                    output="1 failed\n~~~\n```",
                    status="error",
                    exit_code=1,
                    duration_ms=1500,
                    duration_source="timestamps",
                    timestamp="2026-03-29T21:10:06.000Z",
                ),
                # The same id once more, and a text instead of an object.
                ToolCall(
                    id="toolu_1",
                    tool="apply_patch",
                    kind="edit",
                    input=_PATCH,
                    args={"path": "a.py"},
                    output="",
                    status="ok",
                ),
            ),
        ),
        Message(
            id="sub_1",
            role="user",
            origin="injected",
            content="Find the tests",
            agent_id="a-1",
        ),
        Message(
            id="sub_2",
            role="assistant",
            content="They are in tests/.",
            model="claude-haiku-4-5",
            usage=Usage(input=10, output=5),
            agent_id="a-1",
        ),
        Message(
            id="msg_2",
            line=9,
            role="assistant",
            model="claude-opus-4-6",
            timestamp="2026-03-29T21:11:00.000Z",
            tool_calls=(
                ToolCall(tool="mcp__db__query", kind="mcp", input={"q": [1, None, {"x": "é"}]}),
                ToolCall(id="toolu_3", tool="Bash", kind="shell", status="cancelled"),
            ),
        ),
        Message(id="msg_3", role="assistant", timestamp="2026-03-29T21:12:00.000Z"),
        Message(
            id="msg_4",
            role="assistant",
            content="Done: token [REDACTED:aws] for [REDACTED:email].",
            timestamp="2026-03-29T21:13:00.000Z",
        ),
        Message(id="s-1", role="system", content="Bye"),
        Message(id="u-2", role="user", origin="human", content="Thanks"),
    ),
    token_usage=TokenUsage(input=1510, output=36, cached=800, output_complete=True),
    duration_ms=600_000,
    cost_usd=0.125,
    privacy={
        "profile": "research",
        "redactionApplied": True,
        "anonymizationApplied": False,
        "rulesApplied": ["aws", "email"],
        "redactionCount": 2,
        "contentPolicy": {"includeFileContents": False, "toolOutput": "truncated"},
    },
    drift={"record type 'x'": 3},
    left_out={"progress record": 7},
)
