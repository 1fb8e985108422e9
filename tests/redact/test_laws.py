"""What holds for every text and every value."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote

from hypothesis import given, settings
from hypothesis import strategies as st
from planted import KEY, tokens

from pytest_agentv.redact import PROFILES, Redactor

_FEW = settings(max_examples=40, deadline=None)
_WORDS = st.sampled_from(
    ["password", "=", ":", " ", "\n", '"', "token", "\\u0041", "%41", "/home/somebody/x", "a@b.io",
     "10.1.2.3", "s3cr3tV4lue", "[REDACTED:x]", "user-0123456789ab", "-----BEGIN PRIVATE KEY-----",
     "\x1b[1m", "\\", "://", "u:p@h", "ж", "\ud800", "curl -u a:b9x", "secret", "İ", "ß", "{", "}"]
)  # fmt: skip
_TEXTS = st.one_of(st.text(max_size=80), st.lists(_WORDS, max_size=14).map("".join))
_VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), _TEXTS),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(_TEXTS, inner, max_size=4)
    ),
    max_leaves=8,
)


def _wrapped(token: str, how: int) -> object:
    return [
        token,
        {token: {"a": [token]}},
        json.dumps({"x": json.dumps({"y": token})}),
        "".join(f"\\u{ord(one):04x}" for one in token),
        quote(f"a {token} b", safe=""),
        base64.b64encode(f"it is {token}".encode()).decode(),
        base64.urlsafe_b64encode(f"?>? {token}".encode()).decode(),
        f"first\\n{token}\\nlast",
        f"+{token}\n-{token}",
        ["a", [f"x={token}"]],
    ][how]


@_FEW
@given(token=tokens(), how=st.integers(0, 9), before=_TEXTS, after=_TEXTS)
def test_no_token_survives_in_any_position(token: str, how: int, before: str, after: str) -> None:
    value = {"before": before, "held": _wrapped(token, how), "after": after}
    clean = json.dumps(Redactor("secrets").value(value), ensure_ascii=False)
    written = [token, "".join(f"\\\\u{ord(one):04x}" for one in token)]
    written += [
        base64.b64encode(b"\0" * shift + token.encode()).decode()[4:-4] for shift in range(3)
    ]
    assert not any(one in clean for one in written)


@_FEW
@given(value=_VALUES, profile=st.sampled_from(list(PROFILES)))
def test_redacting_twice_changes_nothing(value: object, profile: str) -> None:
    once = Redactor(profile, key=KEY).value(value)
    assert Redactor(profile, key=KEY).value(once) == once


@_FEW
@given(text=_TEXTS, profile=st.sampled_from(list(PROFILES)))
def test_one_key_gives_one_result(text: str, profile: str) -> None:
    assert Redactor(profile, key=KEY).text(text) == Redactor(profile, key=KEY).text(text)


@_FEW
@given(token=tokens(), text=_TEXTS)
def test_a_secret_beside_any_text_is_found(token: str, text: str) -> None:
    assert token not in Redactor("research", key=KEY).text(f"{text} {token} {text}")
