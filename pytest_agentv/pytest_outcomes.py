"""What the exceptions of pytest say of an assertion that is a Python function."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_agentv.graders.functions import Outcomes

if TYPE_CHECKING:
    from types import TracebackType


def _is_timeout(error: BaseException) -> bool:
    """Whether pytest-timeout raised it, wherever the function was at that moment."""
    traceback: TracebackType | None = error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_globals.get("__name__") == "pytest_timeout":
            return True
        traceback = traceback.tb_next
    return False


OUTCOMES = Outcomes(
    failures=(AssertionError, pytest.fail.Exception),
    skips=(pytest.skip.Exception,),
    refused=(pytest.xfail.Exception,),  # of which pytest makes a kind of failure
    is_timeout=_is_timeout,
)
