"""OpenAI chat messages: a row for each thread, as training sets have them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_agentv.views.calls import CallIds, arguments_of
from pytest_agentv.views.encoding import encode, joined, opened
from pytest_agentv.views.threads import threads

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_agentv.transcript.model import Message
    from pytest_agentv.transcript.stored import AnyTranscript


def chat_messages(messages: Iterable[Message], *, ids: CallIds) -> Iterator[dict[str, Any]]:
    """Messages as the chat API has them: results are messages of the role ``tool``.

    A call that was never answered has no such message.
    """
    for message in messages:
        calls = [(ids.new(call), call) for call in message.tool_calls]
        chat: dict[str, Any] = {"role": message.role, "content": message.content}
        if message.thinking:
            chat["reasoning_content"] = message.thinking
        if calls:
            chat["tool_calls"] = [
                {
                    "id": id_,
                    "type": "function",
                    "function": {
                        "name": call.tool,
                        "arguments": encode(arguments_of(call)).decode(),
                    },
                }
                for id_, call in calls
            ]
        yield chat
        for id_, call in calls:
            if call.output is not None:
                yield {"role": "tool", "tool_call_id": id_, "content": call.output}


def openai_rows(transcript: AnyTranscript) -> Iterator[bytes]:
    """Rows of a session as JSON lines, in pieces: the main thread, then each sub-agent."""
    source = transcript.source
    for agent_id, messages in threads(transcript.output).items():
        about = {
            "id": source.session_id,
            "instance_id": transcript.test_id,
            "provider": source.provider,
            "model": source.model,
        }
        if agent_id is not None:
            about["agent_id"] = agent_id
        yield opened(about, "messages")
        yield from joined(chat_messages(messages, ids=CallIds()))
        yield b"]}\n"
