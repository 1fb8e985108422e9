"""What the exceptions of pytest say of an assertion that is a Python function."""

from __future__ import annotations

import pytest

from pytest_agentv.graders.functions import Outcomes

OUTCOMES = Outcomes(
    failures=(AssertionError, pytest.fail.Exception),
    skips=(pytest.skip.Exception,),
    refused=(pytest.xfail.Exception,),  # of which pytest makes a kind of failure
)
