"""What ``in:`` means: which texts of a transcript an assertion is about, and where they stand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytest_agentv.transcript.model import Message, ToolCall, Transcript

ScopeName = Literal["final", "any", "all", "user", "thinking", "tool-output", "transcript"]

# What a claim speaks of.
SUBJECTS: dict[ScopeName, str] = {
    "final": "the final answer",
    "any": "some answer",
    "all": "every answer",
    "user": "some prompt",
    "thinking": "some thinking",
    "tool-output": "some tool output",
    "transcript": "some text of the transcript",
}


class Passage(NamedTuple):
    """A text of a transcript: in which message, counted from 1, on which line of the session."""

    text: str
    message: int
    line: int | None


class Nothing(NamedTuple):
    """Why a scope has no text; ``unknown`` if the session may just not have kept any."""

    reason: str
    unknown: bool = False


def passages(transcript: Transcript, scope: ScopeName) -> list[Passage] | Nothing:
    """The texts of a scope, in order; never an empty list."""
    if scope == "final":
        return _final(transcript)
    if scope in ("any", "all"):
        found = [_of(one, number) for number, one in _answers(transcript) if one.content]
        return found or Nothing("the assistant said nothing")
    if scope == "user":
        return _prompts(transcript)
    if scope == "thinking":
        return _thinking(transcript)
    if scope == "tool-output":
        return _outputs(transcript)
    return list(_everything(transcript)) or Nothing("the transcript has no text")


def is_complete(transcript: Transcript, scope: ScopeName) -> bool:
    """Whether the session holds all texts of a scope: of some calls the output is not known."""
    if scope == "tool-output":
        messages: Iterable[Message] = (one for _, one in _main_thread(transcript))
    elif scope == "transcript":
        messages = transcript.output
    else:
        return True
    return all(call.output is not None for one in messages for call in one.tool_calls)


def _of(message: Message, number: int) -> Passage:
    return Passage(message.content, number, message.line)


def _main_thread(transcript: Transcript) -> Iterator[tuple[int, Message]]:
    for number, message in enumerate(transcript.output, 1):
        if message.agent_id is None:
            yield number, message


def _answers(transcript: Transcript) -> Iterator[tuple[int, Message]]:
    return ((number, one) for number, one in _main_thread(transcript) if one.role == "assistant")


def _final(transcript: Transcript) -> list[Passage] | Nothing:
    output = transcript.output
    for number in range(len(output), 0, -1):
        message = output[number - 1]
        if message.role == "assistant" and message.agent_id is None and message.content:
            return [_of(message, number)]
    return Nothing("there is no final answer")


def _prompts(transcript: Transcript) -> list[Passage] | Nothing:
    found = [
        _of(one, number)
        for number, one in _main_thread(transcript)
        if one.role == "user" and one.origin == "human" and one.content
    ]
    return found or Nothing("nobody typed a prompt")


def _thinking(transcript: Transcript) -> list[Passage] | Nothing:
    answers = list(_answers(transcript))
    found = [Passage(one.thinking, number, one.line) for number, one in answers if one.thinking]
    if found:
        return found
    # Clients leave thinking out, or keep it encrypted: then nobody knows what it was.
    if answers:
        return Nothing("the session does not hold what the assistant thought", unknown=True)
    return Nothing("the assistant said nothing")


def _outputs(transcript: Transcript) -> list[Passage] | Nothing:
    calls = [(number, call) for number, one in _main_thread(transcript) for call in one.tool_calls]
    found = [
        Passage(call.output, number, call.line) for number, call in calls if call.output is not None
    ]
    if found:
        return found
    if calls:
        return Nothing("the session does not hold what the tools returned", unknown=True)
    return Nothing("no tool was called")


def _everything(transcript: Transcript) -> Iterator[Passage]:
    """Every text of every thread."""
    for number, message in enumerate(transcript.output, 1):
        if message.thinking:
            yield Passage(message.thinking, number, message.line)
        if message.content:
            yield _of(message, number)
        for call in message.tool_calls:
            for text in _texts_of(call):
                yield Passage(text, number, call.line)


def _texts_of(call: ToolCall) -> Iterator[str]:
    yield call.tool
    yield from texts_in(call.input)
    if call.output is not None:
        yield call.output


def texts_in(value: Any) -> Iterator[str]:
    """The texts of a value at any depth, in order; without recursion, for it may be deep."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            waiting.extend(reversed(one.values()))
        elif isinstance(one, (list, tuple)):
            waiting.extend(reversed(one))
