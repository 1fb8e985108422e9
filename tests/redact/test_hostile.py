"""Texts that are made to take long, and odd ones."""

from __future__ import annotations

import pytest
from planted import KEY
from runaway import no_runaway

from pytest_agentv.redact import Redactor

_UNITS = [
    "password=", "password: ", "token", "eyJ", "-----BEGIN RSA PRIVATE KEY-----\n",
    "-----END RSA PRIVATE KEY-----\n", "\\u0041", "%41", "A1b2", "://", "a:b@", "http://a:", '\\"',
    "/home/d/", "a@b.", "1.", "1:", 'api_key="', "ghp_", "curl -u a:", "mysql -p", "::",
    "kind: Secret\ndata:\n  a: bcdef\n", "Private-Lines: 1\n", "&#65;", "\x1b[31m", "secret_",
    "Cookie: a=b; ", "aBcDeFg", "\u0130", "C:\\Users\\", "\\\\a\\b", "aGVsbG8gd29ybGQg", "=\n",
    "a_live_", "a_key_A1b2", "$2b$12$", "$6$a$", "$krb5tgs$1$a", "$argon2id$v=1$m=1",
    "connect('a', ",
    "http://a/hooks/b/",
    '{"kind": "Secret", "data": {"a": "b', "kind: Secret\n data:\n  ", "curl \\\n -u a", "a1-",
    "||= ", "API_KEY=\n",
    "pw:", "seed phrase: ", "mnemonic: abc def ", 'variable "token" {', "token a1B2",
    "enable secret 5 ",
    "/user:a ", "psexec -p ", "-password 'a", "securestring 'a", "\u5bc6\u7801\uff1a", "\\u5bc6",
    "<password><value>", "_key", "acme_", "--key a1",
]  # fmt: skip


@pytest.mark.parametrize("unit", _UNITS)
def test_no_text_takes_for_ever(unit: str) -> None:
    # A search that runs away takes minutes for this; all of these take tenths of a second.
    with no_runaway():
        Redactor("research", key=KEY).text(unit * (40_000 // len(unit)))


def test_letters_that_change_their_length_move_nothing() -> None:
    text = "\u0130" * 50 + ' password = "hunter2!x" ' + "\ud800"
    clean = Redactor("secrets").text(text)
    assert clean == "\u0130" * 50 + ' password = "[REDACTED:password]" ' + "\ud800"


def test_a_secret_in_a_very_long_line_is_found() -> None:
    token = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    for filler in ("x" * 50_000, "word " * 10_000, "k=v&" * 10_000):
        assert token not in Redactor("secrets").text(f"{filler} {token} {filler}")


def test_very_many_known_values_are_bounded() -> None:
    redactor = Redactor("secrets")
    for number in range(300):
        redactor.value({"password": f"Kq82Lm{number:04}Zp"})
    assert redactor.text("it was Kq82Lm0042Zp") == "it was [REDACTED:password]"


def test_thousands_of_secrets_may_come_one_by_one() -> None:
    redactor = Redactor("secrets")
    values = [f"Kq82Lm{number * 7919 % 10_007:05}Zp{'x9Wq' * 10}" for number in range(3000)]
    with no_runaway():  # if all known values are looked at for each, it takes minutes
        for value in values:
            redactor.text(f"password={value}")
    both = redactor.text(f"{values[0]}{values[-1]}")
    assert both == "[REDACTED:password][REDACTED:password]"


def test_thousands_of_secrets_may_stand_among_other_lines() -> None:
    redactor = Redactor("secrets")
    with no_runaway():  # if each is looked for in all lines before it, it takes minutes
        for number in range(4000):
            lines = "\n".join(f"test {number} {one} of those that passed" for one in range(40))
            clean = redactor.text(f"{lines}\npassword=Kq82Lm{number * 7919 % 10_007:05}Zp")
            assert clean == f"{lines}\npassword=[REDACTED:password]"


def test_of_known_values_at_one_place_the_longest_is_taken() -> None:
    redactor = Redactor("secrets")
    for value in ("Kq82LmZp77", "Kq82LmZp77xW4", "Zp77xW4Rt55"):
        redactor.text(f"password={value}")
        redactor.text("something else")
    assert redactor.text("Kq82LmZp77xW4Rt55") == "[REDACTED:password]Rt55"
    assert redactor.text("Kq82LmZp77") == "[REDACTED:password]"
