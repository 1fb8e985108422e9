"""Tests that were graded on several sessions of one provider: how often they pass."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from pytest_agentv.report.clean import one_line
from pytest_agentv.report.tally import UNKNOWN_RATE
from pytest_agentv.results.outcomes import outcome_of
from pytest_agentv.results.repeats import percent, repeats

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_agentv.report.tally import ItemFacts
    from pytest_agentv.results.model import Repeats

# Of pass@k and pass^k this k is shown, if there are as many sessions.
_SHOWN_K = 3


def repeats_in(items: Iterable[ItemFacts]) -> list[Repeats]:
    """Of every test that a provider did more than once, in order of their names."""
    groups: dict[tuple[str, str, str], dict[str, list[str]]] = defaultdict(dict)
    for item in items:
        if not item.of_group and item.provider is not None and item.session is not None:
            sessions = groups[item.file, item.case, item.provider]
            sessions.setdefault(item.session, []).append(item.verdict)
    return [
        repeats(*key, map(outcome_of, sessions.values()))
        for key, sessions in sorted(groups.items())
        if len(sessions) > 1
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
