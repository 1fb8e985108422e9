"""What a test asks for: its own input, with files, after what the eval file puts first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_agentv.evalfile.placed import Part, plain
from pytest_agentv.evalfile.sources import SCHEME
from pytest_agentv.evalfile.templates import count_values, has_template

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_agentv.evalfile.loading import Loading
    from pytest_agentv.evalfile.templates import Scope

_VALUE_SIZE = 100


class SharedInput:
    """The input of a file, which comes before that of each test; without templates it is one."""

    def __init__(self, part: Part, loading: Loading) -> None:
        self._part = part
        self._growth = loading.growth
        self._value = None if has_template(part.data) else plain(part.data)
        self._size = _VALUE_SIZE * count_values(part.data)

    def filled(self, scope: Scope) -> Any:
        """The input as it is for one test."""
        if self._value is not None:
            return self._value
        self._growth.add(self._size, by=self._part)
        return scope.filled_prompt(self._part)


def sole_prompt(document: Part) -> Part | None:
    """The prompt of an eval file of AgentV 5, if there is just one and it stands in the file.

    Of several nobody knows which one a session was given.
    """
    part = document.child("prompts") if "prompts" in document.data else None
    if part is not None and isinstance(part.data, list):
        part = next(part.elements()) if len(part.data) == 1 else None
    if part is not None and isinstance(part.data, dict):
        key = next((one for one in ("prompt", "raw") if one in part.data), None)
        part = part.child(key) if key else None
    if part is None or not isinstance(part.data, (str, list)):
        return None
    is_file = isinstance(part.data, str) and part.data.startswith(SCHEME)
    return None if is_file else part


def whole_input(own: Any, *, files: Sequence[str], first: Any) -> Any:
    """The input of a test: as it is written if there is nothing to add, else messages."""
    if files and (own is None or isinstance(own, str)):
        texts = [] if own is None else [{"type": "text", "value": own}]
        content = [*({"type": "file", "value": file} for file in files), *texts]
        own = [{"role": "user", "content": content}]
    return own if first is None else [*_messages(first), *_messages(own)]


def _messages(value: Any) -> list[Any]:
    if value is None:
        return []
    if isinstance(value, list):
        return value
    is_message = isinstance(value, dict) and "role" in value
    return [value if is_message else {"role": "user", "content": value}]
