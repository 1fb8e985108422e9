"""Tool calls that a model wrote into its text, because its prompt told it how.

Three ways are known: ``<function=NAME><parameter=KEY>VALUE</parameter></function>``,
``<tool_call>{JSON}</tool_call>``, and a block between backticks that ends a text.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import msgspec

_FUNCTION = re.compile(
    r"<function=([^<>\s]{1,100})>(.*?)(?:\n</function>|</function>(?=\s*(?:\Z|<))|\Z)", re.DOTALL
)
_PARAMETER = re.compile(
    r"<parameter=([^<>\s]{1,100})>(.*?)</parameter>(?=\s*(?:<parameter=|\Z))", re.DOTALL
)
_TOOL_CALL = re.compile(r"<tool_call>\s*(\{.*?\})\s*(?:</tool_call>|\Z)", re.DOTALL)
_CALL_TAGS = re.compile(r"</?tool_call>")
_TICKS = re.compile(r"```[a-z_]*[ \t]*\n(.*)\n```\s*\Z", re.DOTALL)
_THOUGHTS = re.compile(r"\A\s*<think(?:ing)?>(.*?)</think(?:ing)?>\s*", re.DOTALL)
_RESPONSE = re.compile(r"<tool_response>\n?(.*?)\n?</tool_response>", re.DOTALL)
# What stands before a result in the text of the message that brings it.
_RESULT = re.compile(
    r"\A(?:OBSERVATION:\n|Observation: |EXECUTION RESULT of \[[^\]\n]{1,100}\]:\n)"
)
_CODE = re.compile(r"\A<returncode>(-?\d{1,10})</returncode>")
_FINISHED = re.compile(
    r"\[(?:The command completed|Command finished) with exit code (-?\d{1,10})\.?\]"
)
_PROMPT_END = re.compile(r"bash-\$\s*\Z")
# An exit code is among the last lines of an output.
_END = 500


class Written(NamedTuple):
    """A call as it was written."""

    name: str
    arguments: Any


def thoughts_of(text: str) -> tuple[str, str | None]:
    """A text without the thoughts that it begins with, and these."""
    found = _THOUGHTS.match(text)
    return (text, None) if found is None else (text[found.end() :], found[1].strip() or None)


def written_calls(text: str, *, ticks: bool = False) -> tuple[str, list[Written]]:
    """A text without the calls in it, and these; ``ticks``: a block at its end is one."""
    if "<function=" in text:
        calls = [Written(name, _parameters(body)) for name, body in _FUNCTION.findall(text)]
        if calls:
            return _CALL_TAGS.sub("", _FUNCTION.sub("", text)).strip(), calls
    if "<tool_call>" in text:
        decoded = [(found, _decoded(found[1])) for found in _TOOL_CALL.finditer(text)]
        calls = [call for _, call in decoded if call is not None]
        if calls:
            return _TOOL_CALL.sub("", text).strip(), calls
    if ticks and (block := _TICKS.search(text)):
        # The last block only: the greedy text in it must not begin in an earlier one.
        start = text.rfind("```", 0, text.rstrip().rfind("```"))
        command = text[start:].partition("\n")[2].rstrip().removesuffix("```").strip()
        del block
        return text[:start].strip(), [Written("bash", {"command": command})]
    return text, []


def written_results(text: str) -> list[str]:
    """The results that a text brings, without what marks them: mostly one."""
    several = _RESPONSE.findall(text)
    return several or [_RESULT.sub("", text, count=1)]


def brings_result(text: str) -> bool:
    """Whether a text is marked as the result of a call."""
    return bool(
        _RESULT.match(text)
        or _CODE.match(text)
        or _PROMPT_END.search(text[-_END:])
        or "<tool_response>" in text
    )


def exit_code_in(text: str) -> int | None:
    """The exit code that an output says, in the words of the agents that say it."""
    found = _CODE.match(text)
    if found is None:
        found = next(reversed(list(_FINISHED.finditer(text[-_END:]))), None)
    return None if found is None else int(found[1])


def _parameters(body: str) -> dict[str, str]:
    return {name: _value(value) for name, value in _PARAMETER.findall(body)}


def _value(text: str) -> str:
    """A value of several lines stands between line ends that are not part of it."""
    is_framed = len(text) > 1 and text.startswith("\n") and text.endswith("\n")
    return text[1:-1] if is_framed else text


def _decoded(text: str) -> Written | None:
    try:
        value = msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None
    if not isinstance(value, dict) or not isinstance(value.get("name"), str):
        return None
    return Written(value["name"], value.get("arguments"))
