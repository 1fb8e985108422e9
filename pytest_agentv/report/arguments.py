"""What a tool was given, as a text for people."""

from __future__ import annotations

import json
from typing import Any


def given(value: Any) -> str:
    """A text as it is, anything else as JSON; nothing, if nothing was given."""
    if value is None or value == {}:
        return ""
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, indent=2, ensure_ascii=False)
    except RecursionError:
        return "(nested too deeply to be shown)"
