"""Measures what redaction finds in the samples that another tool keeps with its rules.

The samples are not ours, and none is kept here. Kingfisher prints its own:

pip install kingfisher-bin==1.112.0
kingfisher rules list --format json > rules.json
python benchmarks/redact_public.py rules.json --half held
python benchmarks/redact_public.py rules.json --negatives site-packages/django
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from made_up_secrets import Sample, left_in

from pytest_agentv.redact import Redactor

if TYPE_CHECKING:
    from collections.abc import Iterator

POSITIONS = ("plain", "value", "key", "nested", "escaped", "base64", "lines")
# By their names these rules find what goes with a secret.
_NO_SECRET = re.compile(
    r"\b(?:client|account|app|application|project|tenant|user|org|organization|team|key|service)"
    r"[ -]?(?:id|sid)\b"
    r"|public|username|domain|\bur[li]\b|host|endpoint|e-?mail|hash\b|region|bucket",
    re.IGNORECASE,
)
_ABOUT_SECRETS = re.compile(
    r"passw|secret|token|api.?key|auth|credential|bearer|private|_key|cookie|session", re.IGNORECASE
)


class Positive(NamedTuple):
    """A sample of a rule: the text, and what of it is the secret by the pattern of the rule."""

    rule: str
    text: str
    secret: str


def main() -> None:
    """Print how much is found at each position, and how many lines without secrets are touched."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rules", type=Path, help="rules with their patterns and samples, as JSON")
    parser.add_argument("--half", choices=("seen", "held"), help="one half of those who are named")
    parser.add_argument("--show", action="store_true", help="the rules whose samples are missed")
    parser.add_argument("--negatives", type=Path, help="a folder of code without secrets")
    arguments = parser.parse_args()
    samples = [one for one in positives(arguments.rules) if arguments.half in (None, half(one))]
    for position in POSITIONS:
        missed = Counter(one.rule for one in samples if is_missed(one, position))
        found = len(samples) - missed.total()
        print(f"{position:<8} {found} of {len(samples)}: {found / max(1, len(samples)):.4f}")
        if arguments.show:
            print("\n".join(f"  {rule} {count}" for rule, count in missed.most_common()))
    if arguments.negatives:
        lines = negatives(arguments.negatives)
        touched = sum(Redactor("secrets").text(one) != one for one in lines)
        print(f"lines without secrets: {touched} of {len(lines)} touched")


def positives(path: Path) -> Iterator[Positive]:
    """The samples of all rules that find secrets."""
    for rule in json.loads(path.read_text(encoding="utf-8")):
        if not rule["visible"] or _NO_SECRET.search(rule["name"]):
            continue
        pattern = re.compile(_in_python(rule["pattern"]))
        for text in rule["examples"]:
            if (found := pattern.search(text)) is not None:
                named = found.groupdict().get("TOKEN")
                groups = [one for one in found.groups() if one]
                yield Positive(rule["id"], text, named or (groups or [found.group()])[0])


def _in_python(pattern: str) -> str:
    """A pattern of Rust in the words of Python."""
    for name, signs in _CLASSES.items():
        pattern = pattern.replace(f"[:{name}:]", signs)
    return re.sub(r"\(\?<(?![=!])", "(?P<", pattern).replace(r"\z", r"\Z")


_CLASSES = {"alnum": "A-Za-z0-9", "alpha": "A-Za-z", "digit": "0-9", "word": r"\w",
            "xdigit": "0-9A-Fa-f", "upper": "A-Z", "lower": "a-z", "space": r"\s"}  # fmt: skip


def half(sample: Positive) -> str:
    """In which half the one is who gave the secret; no name is in both."""
    name = sample.rule.split(".")[1]
    return "seen" if int(hashlib.sha256(name.encode()).hexdigest(), 16) % 2 else "held"


def is_missed(sample: Positive, position: str) -> bool:
    """Whether the secret is left, when its text stands at a position."""
    placed = _placed(sample.text, position)
    clean = Redactor("secrets").value(placed)
    return left_in(Sample(sample.rule, position, placed, sample.secret), clean)


def _placed(text: str, position: str) -> object:
    lines = enumerate(text.split("\n"), 1)
    return {
        "plain": text,
        "value": {"command": text},
        "key": {"headers": {text: True}},
        "nested": json.dumps({"a": json.dumps({"b": text})}),
        "escaped": "".join(f"\\u{ord(one):04x}" for one in text),
        "base64": base64.b64encode(text.encode()).decode(),
        "lines": "\n".join(f"{number:6}\t{line}" for number, line in lines),
    }[position]


def negatives(folder: Path) -> list[str]:
    """The lines of a folder's code that are about secrets, each once."""
    texts = (one.read_text(encoding="utf-8", errors="replace") for one in folder.rglob("*.py"))
    return sorted({one for text in texts for one in text.split("\n") if _ABOUT_SECRETS.search(one)})


if __name__ == "__main__":
    main()
