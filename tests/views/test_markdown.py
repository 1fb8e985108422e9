"""Markdown: whatever a session holds stays inside its fence."""

from __future__ import annotations

from hostile_texts import FOREIGN_TEXTS
from hypothesis import given, settings
from markdown_it import MarkdownIt
from sample_transcripts import patient
from shown_sessions import SHOWN

from pytest_agentv import Attachment, Message, Source, ToolCall, Transcript
from pytest_agentv.report.clean import visible
from pytest_agentv.views.markdown import markdown

_OURS = {
    "heading_open", "heading_close", "paragraph_open", "paragraph_close", "inline", "fence",
    "table_open", "table_close", "thead_open", "thead_close", "tbody_open", "tbody_close",
    "tr_open", "tr_close", "th_open", "th_close", "td_open", "td_close",
}  # fmt: skip
_IN_LINES = {"text", "code_inline"}


def shown(transcript: Transcript) -> str:
    return b"".join(markdown(transcript)).decode()


@settings(patient, max_examples=80)
@given(FOREIGN_TEXTS, FOREIGN_TEXTS)
def test_no_text_of_a_session_means_anything(text: str, name: str) -> None:
    call = ToolCall(tool=name, kind=name, input={name: text}, output=text, status=name)
    transcript = Transcript(
        source=Source(provider=name, session_id=text, title=text, cwd=name),
        output=(
            Message(
                role=name,
                content=text,
                thinking=text,
                timestamp=name,
                agent_id=text,
                tool_calls=(call, ToolCall(tool="x", args={"command": text})),
                attachments=(Attachment(kind=name, name=text),),
            ),
        ),
    )

    tokens = MarkdownIt("commonmark").enable("table").parse(shown(transcript))

    assert {token.type for token in tokens} <= _OURS
    inline = [child for token in tokens for child in token.children or ()]
    assert {child.type for child in inline} <= _IN_LINES
    fences = [token.content for token in tokens if token.type == "fence"]
    if text.strip("\n"):
        assert visible(text).rstrip("\n") + "\n" in fences


def test_a_session_is_readable() -> None:
    text = shown(SHOWN)

    for part in ("## 2. User", "### Tool call: `Bash`", "```sh\nnpm test\n```", "exit code 1"):
        assert part in text
    assert "Never answered" in text
