"""What pytest says of an assertion, as a verdict: the same for the terminal and for results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from pytest_agentv.results.model import Verdict

# As pytest counts them: an error is what failed outside of the call.
PytestOutcome = Literal["passed", "failed", "error", "skipped", "xfailed", "xpassed"]

_VERDICTS: dict[PytestOutcome, Verdict] = {
    "passed": "pass",
    "xpassed": "pass",
    "failed": "fail",
    "error": "error",
    "skipped": "skip",
}
# Reasons of expected failures that begin so are not a person's own.
_EXCUSES = ("gate", "baseline")
_XFAIL = "xfail"


def verdict_of(outcome: PytestOutcome, *, if_xfailed: Verdict) -> Verdict:
    """The verdict; of an expected failure pytest does not say what it was, so others must."""
    return if_xfailed if outcome == "xfailed" else _VERDICTS[outcome]


def excuse_of(verdict: Verdict, reason: str) -> str | None:
    """Why an expected failure was expected: ``xfail``, ``gate``, ``baseline``; None if it is soft.

    The reason is what pytest was told.
    """
    if verdict not in ("fail", "error"):
        return None
    first, _, _ = reason.partition(":")
    return first if first in _EXCUSES else _XFAIL
