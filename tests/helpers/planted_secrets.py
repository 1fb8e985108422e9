"""Secrets that are made up, and sessions that hold one in every place where a text can be."""

from __future__ import annotations

import base64
import json
import string
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any

from sample_transcripts import FULL

from pytest_agentv import dumps

if TYPE_CHECKING:
    from collections.abc import Callable

_ALPHANUMERIC = string.ascii_letters + string.digits
# Texts that say of a value that it is a secret, which by its form it is not.
_NAMED: tuple[Callable[[str], str], ...] = (
    'password = "{}"'.format,
    lambda secret: json.dumps({"env": {"DB_PASSWORD": secret}}),
    "curl -u dev:{} https://devbox/".format,
)
# So much of a secret in one piece is a leak.
_PIECE = 16


@dataclass
class Planter:
    """Makes secrets, each another one, and remembers them."""

    seed: int = 1
    # The parts that nobody may read.
    secrets: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._random = Random(self.seed)  # noqa: S311 (the same ones each time)

    def secret(self) -> str:
        """A token of one of several kinds, by turns."""
        made = self._kinds()[len(self.secrets) % len(self._kinds())]()
        self.secrets.append(made)
        return made

    def text(self) -> str:
        """A text with a secret in it: plain, inside of JSON, escaped, or as base64."""
        forms: list[Callable[[str], str]] = [
            lambda secret: f"use {secret} here",
            lambda secret: json.dumps({"token": secret, secret: ["x", {"y": secret}]}),
            lambda secret: f"export KEY={secret}\nnext",
            lambda secret: json.dumps(json.dumps({"a": f"first\n{secret}\n"})),
            lambda secret: base64.b64encode(f"the token is {secret}, keep it".encode()).decode(),
            lambda secret: "".join(f"\\u{ord(one):04x}" for one in secret),
        ]
        turn = len(self.secrets) % (len(forms) + len(_NAMED))
        if turn < len(_NAMED):
            return _NAMED[turn](self.password())
        return forms[turn - len(_NAMED)](self.secret())

    def password(self) -> str:
        """A secret that only its name or its place gives away."""
        made = f"Zq7{self.letters(17)}"
        self.secrets.append(made)
        return made

    def everywhere(self, value: Any) -> Any:
        """A JSON value with a secret at each place of a text, keys of free objects included."""
        if isinstance(value, str):
            return f"{value} {self.text()}" if value else self.text()
        if isinstance(value, list):
            return [self.everywhere(one) for one in value]
        if isinstance(value, dict):
            return {name: self.everywhere(one) for name, one in value.items()}
        return value

    def leaks(self, text: str) -> list[str]:
        """The secrets of which a piece can be read in a text."""
        return [one for one in self.secrets if any(piece in text for piece in _forms(one))]

    def _kinds(self) -> list[Callable[[], str]]:
        return [
            lambda: f"ghp_{self.letters(36)}",
            lambda: f"sk_live_{self.letters(24)}",
            lambda: f"xoxb-{self._digits(12)}-{self._digits(13)}-{self.letters(24)}",
            lambda: f"glpat-{self.letters(20)}",
            lambda: f"npm_{self.letters(36)}",
            lambda: f"hf_{self.letters(34)}",
        ]

    def letters(self, count: int) -> str:
        """Letters and digits that no rule knows as anything."""
        return "".join(self._random.choices(_ALPHANUMERIC, k=count))

    def _digits(self, count: int) -> str:
        return "".join(self._random.choices(string.digits, k=count))


def planted(planter: Planter) -> dict[str, Any]:
    """A session with a secret at each place of a text; what it is graded by stays known."""
    session: dict[str, Any] = planter.everywhere(json.loads(dumps(FULL)))
    session["schema_version"] = "1.0"
    session["test_id"] = None
    session["privacy"] = None
    message, call = session["output"][0], session["output"][0]["tool_calls"][0]
    call["input"][planter.secret()] = {planter.text(): [planter.text()]}
    call["output"] = f"{'x ' * 900}{planter.text()}{' y' * 900} {planter.text()}"
    message["content"] = f"{'long ' * 11}{planter.text()} {'text ' * 400}{planter.text()}"
    # Several secrets across the lengths at which texts are cut.
    message["thinking"] = "".join(f"{planter.secret()} " for _ in range(60))
    session["output"].append({**message, "role": "assistant", "agent_id": None})
    session["drift"][planter.secret()] = 2
    return session


def _forms(secret: str) -> list[str]:
    """Pieces of a secret, and of what base64 and escapes make of it."""
    whole = [secret, *(base64.b64encode(f"{'x' * n}{secret}".encode()).decode() for n in range(3))]
    escaped = "".join(f"\\u{ord(one):04x}" for one in secret)
    middle = [one[len(one) // 3 :][:_PIECE] for one in whole]
    return [*middle, secret[-_PIECE:], escaped, escaped.replace("\\", "\\\\")]
