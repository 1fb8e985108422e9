"""Tests that were graded on several sessions of one provider: how often they pass."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from pytest_agentv.report.clean import one_line
from pytest_agentv.report.tally import UNKNOWN_RATE, case_outcomes
from pytest_agentv.results.repeats import percent, repeats

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_agentv.report.tally import ItemFacts
    from pytest_agentv.results.model import Outcome, Repeats

# Of pass@k and pass^k this k is shown, if there are as many sessions.
_SHOWN_K = 3


def repeats_in(items: Iterable[ItemFacts]) -> list[Repeats]:
    """Of every test that a provider did more than once, in order of their names."""
    groups: dict[tuple[str, str, str], list[Outcome]] = defaultdict(list)
    for (file, case, provider, session), outcome in case_outcomes(items).items():
        if provider is not None and session is not None:
            groups[file, case, provider].append(outcome)
    return [
        repeats(*key, outcomes) for key, outcomes in sorted(groups.items()) if len(outcomes) > 1
    ]


def repeat_rows(groups: Sequence[Repeats]) -> list[tuple[str, ...]]:
    """Cells of a table: the test, its provider, and figures."""
    files = Counter((one.test_id, one.target) for one in groups)
    return [
        (
            one_line(one.test_id if files[one.test_id, one.target] == 1 else _whole_name(one)),
            one_line(one.target),
            *_figures(one),
        )
        for one in groups
    ]


def _whole_name(one: Repeats) -> str:
    return f"{one.eval_file}::{one.test_id}"


def _figures(one: Repeats) -> tuple[str, ...]:
    counts = [(one.errors, "error" + "s" * (one.errors != 1)), (one.skipped, "skipped")]
    others = ", ".join(f"{count} {what}" for count, what in counts if count)
    passed = f"{one.passed}/{one.runs} passed"
    if one.pass_rate is None or one.wilson_low is None or one.wilson_high is None:
        return (passed, UNKNOWN_RATE, "", "", "", others)
    k = min(_SHOWN_K, one.runs)
    return (
        passed,
        percent(one.pass_rate),
        f"[{percent(one.wilson_low)}, {percent(one.wilson_high)}]",
        f"pass@{k} {percent(one.pass_at_k[k - 1])}",
        f"pass^{k} {percent(one.pass_hat_k[k - 1])}",
        others,
    )
