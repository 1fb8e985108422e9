"""Comparing vendors' version numbers."""

from __future__ import annotations

import re


def is_newer(version: str, tested: str) -> bool:
    """Whether a version comes after the newest one an adapter was tested with."""
    return _numbers(version) > _numbers(tested)


def _numbers(version: str) -> tuple[int, ...]:
    leading = re.match(r"\d{1,9}(?:\.\d{1,9})*", version)
    return tuple(int(part) for part in leading.group().split(".")) if leading else ()
