"""Tool calls that a model wrote into its text, because its prompt told it how.

Three ways are known: ``<function=NAME><parameter=KEY>VALUE</parameter></function>``,
``<tool_call>{JSON}</tool_call>``, and a block between backticks that ends a text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAME = re.compile(r"[^<>\s]{1,100}(?=>)")
_FUNCTION, _FUNCTION_END = "<function=", "</function>"
_PARAMETER, _PARAMETER_END = "<parameter=", "</parameter>"
_TOOL_CALL, _TOOL_CALL_END = "<tool_call>", "</tool_call>"
_RESPONSE, _RESPONSE_END = "<tool_response>", "</tool_response>"
_TICKS = "```"
_THOUGHTS = re.compile(r"\A\s*<think(?:ing)?>(.*?)</think(?:ing)?>\s*", re.DOTALL)
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
_BLANK = re.compile(r"\s*")


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
    for find in (_functions, _tool_calls, *([_last_block] if ticks else [])):
        found = list(find(text))
        if found:
            rest, position = [], 0
            for start, end, _ in found:
                rest.append(text[position:start])
                position = end
            rest.append(text[position:])
            said = "".join(rest).replace(_TOOL_CALL, "").replace(_TOOL_CALL_END, "")
            return said.strip(), [call for _, _, call in found]
    return text, []


def written_results(text: str) -> list[str]:
    """The results that a text brings, without what marks them: mostly one."""
    several = [
        text[start:end].removeprefix("\n").removesuffix("\n")
        for start, end in _between(text, _RESPONSE, _RESPONSE_END)
    ]
    return several or [_RESULT.sub("", text, count=1)]


def brings_result(text: str) -> bool:
    """Whether a text is marked as the result of a call."""
    return bool(
        _RESULT.match(text)
        or _CODE.match(text)
        or _PROMPT_END.search(text[-_END:])
        or _RESPONSE in text
    )


def exit_code_in(text: str) -> int | None:
    """The exit code that an output says, in the words of the agents that say it."""
    found = _CODE.match(text)
    if found is None:
        found = next(reversed(list(_FINISHED.finditer(text[-_END:]))), None)
    return None if found is None else int(found[1])


def _functions(text: str) -> Iterator[tuple[int, int, Written]]:
    """Calls as ``<function=…>``: where each begins and ends, and what it is."""
    start = text.find(_FUNCTION)
    while start >= 0:
        name = _NAME.match(text, start + len(_FUNCTION))
        if name is None:
            start = text.find(_FUNCTION, start + 1)
            continue
        # A value may hold the end of a function, but not where one could end.
        end = _end(text, name.end(), _FUNCTION_END, "<")
        body = text[name.end() + 1 : len(text) if end < 0 else end]
        after = len(text) if end < 0 else end + len(_FUNCTION_END)
        yield start, after, Written(name[0], dict(_parameters(body)))
        start = text.find(_FUNCTION, after)


def _parameters(body: str) -> Iterator[tuple[str, str]]:
    start = body.find(_PARAMETER)
    while start >= 0:
        name = _NAME.match(body, start + len(_PARAMETER))
        end = -1 if name is None else _end(body, name.end(), _PARAMETER_END, _PARAMETER)
        if name is None or end < 0:
            return
        yield name[0], _value(body[name.end() + 1 : end])
        start = body.find(_PARAMETER, end)


def _end(text: str, position: int, mark: str, following: str) -> int:
    """Where a mark stands that nothing follows but white space, or what is expected there."""
    end = text.find(mark, position)
    while end >= 0:
        after = _BLANK.match(text, end + len(mark))
        assert after is not None
        if after.end() == len(text) or text.startswith(following, after.end()):
            return end
        end = text.find(mark, end + 1)
    return -1


def _tool_calls(text: str) -> Iterator[tuple[int, int, Written]]:
    for start, end in _between(text, _TOOL_CALL, _TOOL_CALL_END, may_be_open=True):
        call = _decoded(text[start:end])
        if call is not None:
            yield start - len(_TOOL_CALL), min(len(text), end + len(_TOOL_CALL_END)), call


def _last_block(text: str) -> Iterator[tuple[int, int, Written]]:
    """The block between backticks that a text ends with."""
    end = text.rstrip().removesuffix(_TICKS)
    start = end.rfind(_TICKS)
    if len(end) < len(text.rstrip()) and end.endswith("\n") and start >= 0:
        command = end[start:].partition("\n")[2].strip()
        if command:
            yield start, len(text), Written("bash", {"command": command})


def _between(
    text: str, mark: str, end_mark: str, *, may_be_open: bool = False
) -> Iterator[tuple[int, int]]:
    start = text.find(mark)
    while start >= 0:
        start += len(mark)
        end = text.find(end_mark, start)
        if end < 0 and not may_be_open:
            return
        yield start, len(text) if end < 0 else end
        start = -1 if end < 0 else text.find(mark, end)


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
