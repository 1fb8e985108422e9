"""What a span says was said: in attributes of JSON, in numbered attributes, or in its events."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from pytest_agentv.adapters.records import UNREADABLE
from pytest_agentv.adapters.values import json_text, text_of
from pytest_agentv.jsontext import too_deep
from pytest_agentv.transcript.model import Attachment

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_agentv.adapters.otlp.spans import Span

_NUMBERED = re.compile(
    r"(?:gen_ai\.(prompt|completion)|llm\.(input|output)_messages)\.(\d{1,6})\.(?:message\.)?(.+)"
)
_CALL = re.compile(r"tool_calls\.(\d{1,4})\.(?:tool_call\.)?(?:function\.)?(id|name|arguments)")
_EVENT_ROLES = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
    "gen_ai.choice": "assistant",
}
_ROLES = {"human": "user", "ai": "assistant", "model": "assistant", "developer": "system"}
# What a message has at least one of; else it is shown as it stands.
_MESSAGE = frozenset({"role", "parts", "content", "tool_calls", "tool_call_id", "id", "name"})
_BINARY = ("blob", "uri", "file", "image", "image_url")


class Said(msgspec.Struct, gc=False):
    """One message of a conversation."""

    role: str
    texts: list[str] = []
    thoughts: list[str] = []
    # Id, name and arguments of calls; id and text of results.
    calls: list[tuple[str | None, str, Any]] = []
    results: list[tuple[str | None, str]] = []
    # Calls of nobody knows what.
    unnamed: int = 0
    attachments: list[Attachment] = []

    @property
    def text(self) -> str:
        """What it says."""
        return "\n".join(text for text in self.texts if text)


class Content(msgspec.Struct, gc=False):
    """What a model was given, and what it answered."""

    given: list[Said] = []
    answered: list[Said] = []


def content_of(span: Span) -> Content:
    """All that a span says was said, by the newest form in which it says anything."""
    found = Content(
        _messages(span.attributes.get("gen_ai.input.messages")),
        _messages(span.attributes.get("gen_ai.output.messages"), role="assistant"),
    )
    if span.attributes.get("gen_ai.system_instructions"):
        found.given.insert(0, Said("system"))
    if found.given or found.answered:
        return found
    found = _of_events(span.events)
    if found.given or found.answered:
        return found
    found = _of_numbers(span.attributes)
    if found.given or found.answered:
        return found
    return Content(
        _messages(span.attributes.get("gen_ai.prompt")),
        _messages(span.attributes.get("gen_ai.completion"), role="assistant"),
    )


def _messages(value: Any, *, role: str = "user") -> list[Said]:
    value = decoded_value(value)
    if isinstance(value, str):
        return [Said(role, [value])] if value else []
    values = value if isinstance(value, list) else [value]
    return [
        _said(one, role=role) if isinstance(one, dict) else Said(role, [text_of(one)])
        for one in values
        if one is not None
    ]


def _said(message: dict[str, Any], *, role: str = "user") -> Said:
    """A message with parts, or in the form of OpenAI's chat."""
    stated = message.get("role")
    role = stated if isinstance(stated, str) else role
    said = Said(_ROLES.get(role, role))
    parts = message.get("parts")
    if message and not _MESSAGE & message.keys():
        parts = [json_text(message)]
    if parts is not None and not isinstance(parts, list):
        parts = [parts]
    for part in _parts(message.get("content")) if parts is None else parts:
        _add_part(said, part)
    calls = decoded_value(message.get("tool_calls"))
    for one in calls if isinstance(calls, list) else ():
        call = one if isinstance(one, dict) else {}
        function = call.get("function")
        named = function if isinstance(function, dict) else call
        _add_call(said, call.get("id"), named.get("name"), named.get("arguments"))
    if said.role in ("tool", "function"):
        answered = _id(message.get("tool_call_id") or message.get("id"))
        if not said.results:
            said.results.append((answered, said.text))
        said.texts = []
    return said


def _parts(content: Any) -> list[Any]:
    """The parts of a content; a person may also have typed what looks like JSON."""
    if isinstance(content, str):
        parts = decoded_value(content) if content.startswith("[{") else None
        if isinstance(parts, list) and all(
            isinstance(one, dict) and "type" in one for one in parts
        ):
            return parts
        return [{"type": "text", "content": content}]
    return content if isinstance(content, list) else [content]


def _add_part(said: Said, part: Any) -> None:
    if not isinstance(part, dict):
        said.texts.append(text_of(part))
        return
    kind = part.get("type")
    content = part.get("content", part.get("text"))
    if kind in ("text", "input_text", "output_text"):
        said.texts.append(text_of(content))
    elif kind in ("reasoning", "thinking"):
        said.thoughts.append(text_of(part.get("thinking", content)))
    elif kind in ("tool_call", "tool_use", "server_tool_call"):
        arguments = part.get("arguments", part.get("input"))
        _add_call(said, part.get("id"), part.get("name"), arguments)
    elif kind in ("tool_call_response", "tool_result", "server_tool_call_response"):
        # The schema says "response", examples of the conventions say "result".
        answer = part.get("response", part.get("result", content))
        said.results.append((_id(part.get("id") or part.get("tool_use_id")), text_of(answer)))
    elif kind in _BINARY:
        media_type = part.get("mime_type")
        named = media_type if isinstance(media_type, str) else None
        said.attachments.append(
            Attachment(kind=str(part.get("modality") or kind)[:40], media_type=named)
        )
    elif content is not None:
        said.texts.append(text_of(content))
    else:
        said.attachments.append(Attachment(kind="unknown"))


def _add_call(said: Said, id_: Any, name: Any, arguments: Any) -> None:
    if isinstance(name, str) and name:
        said.calls.append((_id(id_), name, decoded_value(arguments)))
    else:
        said.unnamed += 1


def _of_events(events: Iterable[tuple[str, dict[str, Any]]]) -> Content:
    found = Content()
    for name, attributes in events:
        if name == "gen_ai.content.prompt":
            found.given += _messages(attributes.get("gen_ai.prompt"))
        elif name == "gen_ai.content.completion":
            found.answered += _messages(attributes.get("gen_ai.completion"), role="assistant")
        elif name in _EVENT_ROLES:
            message = decoded_value(attributes.get("message"))
            said = _said(
                {**attributes, **message} if isinstance(message, dict) else attributes,
                role=_EVENT_ROLES[name],
            )
            (found.answered if name == "gen_ai.choice" else found.given).append(said)
        else:
            found.given += _messages(attributes.get("gen_ai.input.messages"))
            output = attributes.get("gen_ai.output.messages")
            found.answered += _messages(output, role="assistant")
    return found


def _of_numbers(attributes: dict[str, Any]) -> Content:
    """``gen_ai.prompt.0.role`` and the like: a message is spread over attributes."""
    given: dict[int, dict[str, Any]] = {}
    answered: dict[int, dict[str, Any]] = {}
    for name, value in attributes.items():
        found = _NUMBERED.fullmatch(name)
        if found is None:
            continue
        side = given if (found[1] == "prompt" or found[2] == "input") else answered
        message = side.setdefault(int(found[3]), {})
        call = _CALL.fullmatch(found[4])
        if call is None:
            message[found[4]] = value
        else:
            calls = message.setdefault("calls", {})
            calls.setdefault(int(call[1]), {})[call[2]] = value
    for message in (*given.values(), *answered.values()):
        calls = message.pop("calls", {})
        message["tool_calls"] = [calls[number] for number in sorted(calls)]
    return Content(
        [_said(given[number]) for number in sorted(given)],
        [_said(answered[number], role="assistant") for number in sorted(answered)],
    )


def decoded_value(value: Any) -> Any:
    """A value that may be written as a text of JSON."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            decoded = msgspec.json.decode(value)
        except (*UNREADABLE, UnicodeEncodeError):
            return value
        return value if too_deep(decoded) else decoded
    return value


def _id(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
