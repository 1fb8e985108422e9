"""The types of what stands in an entry: each says in plain words what is wrong with a value."""

from __future__ import annotations

import math
from difflib import get_close_matches
from typing import Annotated, Any, get_args

from pydantic import BeforeValidator
from pydantic_core import PydanticCustomError

from pytest_agentv.graders.phrases import shown
from pytest_agentv.graders.scopes import ScopeName

_SCOPES = get_args(ScopeName)


def wrong(sentence: str) -> PydanticCustomError:
    """The error of a value, as a validator raises it."""
    # Braces would be taken for places to fill in.
    return PydanticCustomError("agentv", "{sentence}", {"sentence": sentence})


def check_range(least: int | None, most: int | None) -> None:
    """Refuse a range in which no number lies, and one in which all do."""
    if least == 0 and most is None:
        raise wrong("`min` 0 without `max` says nothing")
    if least is not None and most is not None and least > most:
        raise wrong(f"`min` {least} is more than `max` {most}")


def _text(value: Any) -> Any:
    if isinstance(value, str):
        return value
    if isinstance(value, (list, dict)):
        raise wrong(f"must be a text, not a {'list' if isinstance(value, list) else 'mapping'}")
    raise wrong(f"must be a text, not {shown(value)}; quote it")


def _full_text(value: Any) -> Any:
    if value == "":
        raise wrong("must not be empty: every text holds an empty one")
    return _text(value)


def _word(value: Any) -> Any:
    if isinstance(value, str) and not value.strip():
        raise wrong("must not be blank: blanks around a text do not count")
    return _text(value)


def _glob(value: Any) -> Any:
    if isinstance(value, str) and value.isspace():
        raise wrong("must not be blank: nothing is called so")
    return _full_text(value)


def _members(value: Any) -> Any:
    if not isinstance(value, (list, tuple)):
        raise wrong(f"must be a list of texts, not {shown(value)}")
    if not value:
        raise wrong("must not be empty: list at least one text")
    return tuple(value)


def _limit(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise wrong(f"must be a number, not {shown(value)}")
    if not 0 <= value <= _LARGEST:  # nor is NaN
        raise wrong(f"must be a finite number of at least 0, not {shown(value)}")
    return float(value)


def _share(value: Any) -> Any:
    share = _limit(value)
    if share > 1:
        raise wrong(f"must be a number from 0 to 1, not {shown(value)}")
    return share


def _threshold(value: Any) -> Any:
    share = _share(value)
    if share == 0:
        raise wrong("must be above 0: everything reaches 0")
    return share


def _count(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise wrong(f"must be a whole number of at least 0, not {shown(value)}")
    return int(value)


def _scope(value: Any) -> Any:
    if value in _SCOPES:
        return value
    close = get_close_matches(value, _SCOPES, n=1) if isinstance(value, str) else []
    hint = f"; did you mean {close[0]!r}?" if close else ""
    raise wrong(f"must be one of {', '.join(_SCOPES)}, not {shown(value)}{hint}")


_LARGEST = math.nextafter(math.inf, 0)

AnyText = Annotated[str, BeforeValidator(_text)]
Text = Annotated[str, BeforeValidator(_full_text)]
Word = Annotated[str, BeforeValidator(_word)]
# Of tools, files and commands, with wildcards.
Glob = Annotated[str, BeforeValidator(_glob)]
Texts = Annotated[tuple[Text, ...], BeforeValidator(_members)]
Globs = Annotated[tuple[Glob, ...], BeforeValidator(_members)]
Limit = Annotated[float, BeforeValidator(_limit)]
Share = Annotated[float, BeforeValidator(_share)]
Threshold = Annotated[float, BeforeValidator(_threshold)]
Count = Annotated[int, BeforeValidator(_count)]
Scope = Annotated[ScopeName, BeforeValidator(_scope)]
