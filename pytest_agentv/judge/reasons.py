"""Why a client of a provider gave no answer: one sentence, whatever it raised.

By what its errors hold, not by their types: those belong to packages that may not be there.
"""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from pytest_agentv.judge.secrets import without_keys

if TYPE_CHECKING:
    from collections.abc import Iterator

_LONGEST = 300
# How deep clients wrap errors in others, at most.
_DEEPEST = 8
# What follows is advice on pydantic-ai, which the user does not call.
_NO_KEY = re.compile(r"Set the `(\w+)` environment variable.*", re.DOTALL)
_REFUSAL = re.compile(r"Refusal: (['\"])(.*)\1", re.DOTALL)


def reason_of(error: BaseException) -> str:
    """The reason behind an error, which clients wrap in others; without keys, and not long."""
    text = without_keys(" ".join(_sentence(error).split())) or type(error).__name__
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1].rstrip()}…"


def _sentence(error: BaseException) -> str:
    status = getattr(error, "status_code", None)
    if isinstance(status, int):
        return _of_server(status, getattr(error, "body", None))
    said = _said(error)
    if said.startswith("Content filter"):
        refusal = _REFUSAL.search(said)
        return f"it refused: {refusal[2]}" if refusal else f"it was stopped: {said}"
    if said.startswith("Model token limit"):
        return "its answer was cut off; `max_tokens` in [tool.agentv.judge] may be too low"
    if said.startswith("Exceeded maximum output retries"):
        return f"its answer does not fit: {_misfit(error)}"
    if isinstance(error, LookupError | TypeError | AttributeError):
        return f"its answer could not be read ({type(error).__name__}: {said})"
    inner = "" if error.__cause__ is None else _said(error.__cause__)
    return said if not inner or inner in said else f"{said} ({inner})"


def _said(error: BaseException) -> str:
    """The words of an error, without the whole response or the advice that some append to it."""
    return _NO_KEY.sub(r"\1 is not set", str(getattr(error, "message", None) or error))


def _of_server(status: int, body: Any) -> str:
    """What a server said that gave an error; a page for browsers says nothing."""
    names = {one.value: f" {one.phrase}" for one in HTTPStatus}
    said = body
    for key in ("error", "message"):
        said = said.get(key, said) if isinstance(said, dict) else said
    told = said if isinstance(said, str) and not said.lstrip().startswith("<") else ""
    return f"the server answered {status}{names.get(status, '')}" + (f": {told}" if told else "")


def _misfit(error: BaseException) -> str:
    """What is wrong with an answer, by the innermost error that says so."""
    said = ""
    for one in _causes(error):
        problems = getattr(one, "errors", None)
        if callable(problems):
            first = problems()[0]
            place = ".".join(map(str, first["loc"]))
            return f"{place}: {first['msg']}" if place else str(first["msg"])
        said = said or _said(one)
    return said or "nobody says why"


def _causes(error: BaseException) -> Iterator[BaseException]:
    cause = error.__cause__
    for _ in range(_DEEPEST):
        if cause is None:
            return
        yield cause
        cause = cause.__cause__
