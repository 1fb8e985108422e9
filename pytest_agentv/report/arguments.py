"""What a tool was given, as a text for people."""

from __future__ import annotations

import json
from typing import Any


def given(value: Any) -> str:
    """A text as it is, anything else as JSON; nothing, if nothing was given."""
    if value is None or value == {}:
        return ""
    return value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)
