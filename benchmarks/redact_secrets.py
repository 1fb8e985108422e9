"""Measures what redaction finds: made-up secrets of many kinds, and texts that only look like them.

python benchmarks/redact_secrets.py --seed 1 --each 10
"""

from __future__ import annotations

import argparse
from collections import Counter

from look_alikes import look_alikes
from made_up_secrets import is_common, left_in, secrets

from pytest_agentv.redact import Redactor

COMMON_TARGET, OVERALL_TARGET, TOUCHED_TARGET = 0.98, 0.90, 0.20


def main() -> None:
    """Print the figures, and what was missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", type=int, default=10, help="samples of each kind")
    arguments = parser.parse_args()
    found, total, missed = recall(arguments.seed, each=arguments.each)
    touched, tried, wrong = over_redaction(arguments.seed, each=arguments.each)
    print(f"secrets: {total['all']} of {len(total) - 2} kinds")
    for name, target in (("common", COMMON_TARGET), ("all", OVERALL_TARGET)):
        print(f"recall, {name}: {found[name] / total[name]:.4f} (target {target})")
    print(f"look-alikes: {tried['all']}, touched {touched['all'] / tried['all']:.4f}"
          f" (target {TOUCHED_TARGET})")  # fmt: skip
    print(f"identifiers, hashes, paths, models, times: {tried['protected']},"
          f" touched {touched['protected']} (target 0)")  # fmt: skip
    for what, examples in (("missed", missed), ("touched", wrong)):
        for kind, count in examples.most_common():
            print(f"  {what}: {kind} {count}")


def recall(seed: int, *, each: int) -> tuple[Counter[str], Counter[str], Counter[str]]:
    """How many were found and how many there were, of each kind and all; and what was missed."""
    found: Counter[str] = Counter()
    total: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    for sample in secrets(seed, each=each):
        names = [sample.kind, "all", *(["common"] if is_common(sample.kind) else [])]
        total.update(names)
        if left_in(sample, Redactor("secrets").value(sample.value)):
            missed[f"{sample.kind} ({sample.position})"] += 1
        else:
            found.update(names)
    return found, total, missed


def over_redaction(seed: int, *, each: int) -> tuple[Counter[str], Counter[str], Counter[str]]:
    """How many look-alikes were touched, how many there were, and which."""
    touched: Counter[str] = Counter()
    tried: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    for kind, protected, text in look_alikes(seed, each=each):
        names = ["all", *(["protected"] if protected else [])]
        tried.update(names)
        if Redactor("secrets").text(text) != text:
            touched.update(names)
            wrong[kind] += 1
    return touched, tried, wrong


if __name__ == "__main__":
    main()
