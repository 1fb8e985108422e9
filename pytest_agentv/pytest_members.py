"""Fixtures of an assertion that has others as members: of a score, and of a set."""

from __future__ import annotations

from typing import Any

import pytest


class MembersFixtures(dict[str, Any]):
    """Fixtures by their names, each set up when a member asks for it.

    So one that skips takes its member out, and not all the others with it.
    """

    def __init__(self, request: pytest.FixtureRequest) -> None:
        super().__init__()
        self._request = request

    def __missing__(self, name: str) -> Any:
        __tracebackhide__ = True
        try:
            return self._request.getfixturevalue(name)
        except pytest.xfail.Exception as exc:  # alone, the member is not graded either
            pytest.skip(str(exc))
