"""Ids as clients write them."""

from __future__ import annotations

import re

UUID_PATTERN = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
UUID = re.compile(UUID_PATTERN)


def is_uuid(text: str) -> bool:
    """Whether a text is a UUID and nothing else."""
    return UUID.fullmatch(text) is not None
