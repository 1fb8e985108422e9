"""Which lines of a text may hold a secret: a few looks at all of it, made for speed.

A line is suspicious for a run of characters as long as a token that begins like one, that is base64
of a text, or that a name stands before; for a word as ``password`` that a value may follow; for
escapes that may hide any of these. What is not suspicious is never looked at by any rule.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING

from pytest_agentv.redact.layers import base64_in, hides_letters, views
from pytest_agentv.redact.names import PASSWORDS_ELSEWHERE, name_pattern
from pytest_agentv.redact.tokens import shapes_in, tokens_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_agentv.redact.known import KnownValues

# A secret without a name has a run of at least so many of these characters.
_RUN = 14
_RUN_CHARS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+/=.~:!$%|-"
_CLASSES = bytes(97 if one in _RUN_CHARS else 32 for one in range(256))
_RUN_OF_CLASS = b"a" * _RUN
# How far before a run its name may begin.
_NAME_REACH = 80
# A value that a name makes a secret has a run of so many letters and digits.
_PIECE_OF_CLASS = b"a" * 10
_ALNUM_CLASSES = bytes(97 if one < 128 and chr(one).isalnum() else 32 for one in range(256))
_WORD_SIGNS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+/.:|-")
_WHOLE = re.compile(r"[\w+/.:|=%-]+", re.ASCII)
# An image, or something else that was encoded; tokens are shorter.
_LONG_WORD = 4096
_LETTERS = re.compile(r"[a-z][A-Z]{1,9}[a-z]{1,9}[A-Z]{1,9}[a-z]{1,9}[A-Z]")
_DIGIT = re.compile("[0-9]")

_NAMED = r"[\w.-]{0,60}(?:[ \t][\w \t.-]{0,23}?)?(?:\\{0,4}[\"'`])?[\])]?[ \t]{0,8}"
_OPENED = r"[?+.!<~-]{0,2}(?:[:\uff1a=>|(,&%]|->)[ \t:=>|&]{0,6}(?:\w{1,8}[ \t]{1,3})?(?:[brfu@]?\\{0,4}[\"'`]{1,3})?"
_LAST = r"(?:[:=>|(,\\]|->)?[ \t|>+\"'`-]*\r?$"
# Any value; one with a digit or a change of case; one that may be spoken.
_ANY_VALUE = re.compile(
    rf"{_NAMED}(?:{_OPENED}[^\s(){{}}$]|{_LAST})|[\w-]{{0,40}}[ \t]+\S"
    r"|[\w.-]{0,40}\\{0,4}[\"'][,; \t]{1,8}\\{0,4}[\"']?(?:\w{0,12}value|default|data|secret)",
    re.MULTILINE | re.IGNORECASE,
)
_MIXED_VALUE = re.compile(
    rf"{_NAMED}(?:{_OPENED}[^\s\"'`(){{}}$<]{{0,40}}?(?:[0-9]|[a-z][A-Z])|{_LAST})|[\w-]{{0,40}}[ \t]+[^\s\"'`]{{0,40}}?[0-9]",
    re.MULTILINE,
)
_CREDENTIAL = re.compile(r"[\s:=\"'\\]{0,6}(?=[\w~+/.-]{0,60}?[0-9A-Z=])[\w~+/.-]{6}")
_LOGIN = re.compile(r"[^\s/]{0,400}@")
_USER = re.compile(
    r"(?:(?:proxy-)?user|auth|login)?[= \t]{0,4}(?:\\{0,8}[\"'])?[^\s:\"'|;&]{0,128}[\"']?:\S"
)
_ALWAYS = re.compile("")
# A variable that a command sets without a sign.
_VARIABLE = re.compile(
    r"(?:[ \t]{1,4}(?:--?|/)[A-Za-z]{1,12}){0,4}[ \t]{1,8}[A-Z][A-Z0-9_]{2,60}[ \t]{1,8}[^\s=:]"
)
_SECRET = re.compile(r"[\\\"': \t]{0,24}secret", re.IGNORECASE)
# Names of secrets that may be short, and signs of places where they may stand without a name, each
# with what has to follow; by a part that they have in common, which most texts do not have.
_WORDS: dict[str, tuple[tuple[str, re.Pattern[str]], ...]] = {
    "pass": (
        ("passw", _ANY_VALUE),
        ("passphrase", _ANY_VALUE),
        ("passcode", _ANY_VALUE),
        ("pass:", _ALWAYS),
        ("pass=", _ALWAYS),
        ("pass ", re.compile(r"[=:]|-[a-z]")),
        ("pass'", _ANY_VALUE),
        ('pass"', re.compile(r"\s{0,4}[:\]]")),
        ("--pass", re.compile(r"[ \t=]")),
        ("mot_de_passe", _ANY_VALUE),
        ("mot de passe", _ANY_VALUE),
    ),
    "api": (("api_k", _MIXED_VALUE), ("apik", _MIXED_VALUE), ("api-k", _MIXED_VALUE)),
    " -": (
        (" -u", _USER),
        (" -a ", _ALWAYS),
        (" -p", re.compile(r"\s?\S")),
        (" -w ", _ALWAYS),
    ),
    "redential": (("redential", _MIXED_VALUE), ("workcredential", _ALWAYS)),
    "pw": (
        ("pwd", _ANY_VALUE),
        ("pw", re.compile(r"\s{0,2}[:=(>]\s{0,2}\S")),
        ("-pw ", _ALWAYS),
    ),
    "private": (
        ("private key", _ALWAYS),
        ("private-lines", _ALWAYS),
        ("private_k", _MIXED_VALUE),
        ("private-k", _MIXED_VALUE),
        ("privatek", _MIXED_VALUE),
    ),
    "kind": (("kind:", _SECRET), ('kind"', _SECRET), ("kind\\", _SECRET)),
    "contr": (("contribsys", _ALWAYS),),
    **{
        word: ((word, follows),)
        for word, follows in (
            ("secret", _MIXED_VALUE),
            ("token", _MIXED_VALUE),
            ("esskey", _MIXED_VALUE),
            ("ess_key", _MIXED_VALUE),
            ("uthorization", _CREDENTIAL),
            ("earer", _CREDENTIAL),
            ("asic ", _CREDENTIAL),
            ("sudo", re.compile(r"[^\n]{0,40}?-S")),
            ("://", _LOGIN),
            ("--", _USER),
            ("dentified by", _ALWAYS),
            ("a3-", re.compile(r"[A-Z0-9]{6}-")),
            ("$krb5", _ALWAYS),
            ("securestring", _ALWAYS),
            (
                "connect(",
                re.compile(r"[^\n]{0,200}?[\"'][^\"'\n]{1,100}[\"']\s{0,4},\s{0,4}[\"']"),
            ),
            ("community ", _ALWAYS),
            ("mnemonic", _ALWAYS),
            ("phrase", re.compile(r"[^\n]{0,12}[:=]")),
            ("hooks/", re.compile(r"[\w@./-]{20}")),
            ('variable "', re.compile(r"[\w-]{1,80}\"[ \t]{0,4}\{")),
            ("/rp ", _ALWAYS),
            ("/user:", re.compile(r"\S{1,80}\s")),
            ("set", _VARIABLE),
            ("setx", _VARIABLE),
            ("env", _VARIABLE),
            ("senha", _ANY_VALUE),
            ("kennwort", _ANY_VALUE),
        )
    },
}
# A flag as -p means a password only after some commands.
_COMMANDS = re.compile(
    r"sshpass|mysql|mariadb|redis-cli|\slogin\b|mongo|sqlcmd|isql|osql|bcp|ldap\w{3,8}\s|zip|7z|plink|pscp|psftp"
    r"|xfreerdp|rdesktop|twine|influx|ftp|psexec|curl|https?\s|wget|proxy",
    re.IGNORECASE,
)
# How far before a flag its command may stand, on the same line or on those that it goes on from.
_COMMAND_REACH = 240
_FLAGS = frozenset({" -u", " -a ", " -p", " -w "})


def suspicious_lines(text: str, known: KnownValues) -> set[str]:
    """The lines of a text that may hold a secret."""
    lines = _escaped(text, known)
    end = -1
    for at in sorted(suspicious_places(text, known)):
        if at > end:
            end = text.find("\n", at)
            if end < 0:
                end = len(text)
            lines.add(text[text.rfind("\n", 0, at) + 1 : end])
    return lines


def suspicious_places(text: str, known: KnownValues) -> Iterator[int]:
    """Where in a text a secret may be, in no order; escapes are not undone."""
    lower = text.lower()
    if len(lower) != len(text):
        lower = text.translate(_SMALL)
    yield from _word_places(text, lower)
    yield from _run_places(text, lower)
    yield from (one.start for one in known.spans(text))


_SMALL = {ord(big): ord(big.lower()) for big in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}


def _word_places(text: str, lower: str) -> Iterator[int]:
    for common, words in _WORDS.items():
        if common in lower:
            for word, follows in words:
                yield from _followed(text, lower, word, follows)
    if not text.isascii():
        for word in PASSWORDS_ELSEWHERE:
            yield from _followed(text, lower, word, _ANY_VALUE)


def _followed(text: str, lower: str, word: str, follows: re.Pattern[str]) -> Iterator[int]:
    """Where a word is that something follows."""
    at = lower.find(word)
    while at >= 0:
        after = at + len(word)
        if follows.match(text, after) and (word not in _FLAGS or _commands(text, at)):
            yield at
        at = lower.find(word, after)


def _commands(text: str, at: int) -> bool:
    begin = text.rfind("\n", 0, at)
    while begin > 0 and text[begin - 1] == "\\" and at - begin < _COMMAND_REACH:
        begin = text.rfind("\n", 0, begin)
    return _COMMANDS.search(text, max(begin, at - _COMMAND_REACH, 0), at) is not None


def _runs(text: bytes, classes: bytes, run: bytes) -> Iterator[tuple[int, int]]:
    """Where runs of characters of a class are that are at least as long as ``run``."""
    seen = text.translate(classes)
    find = seen.find
    at = find(run)
    while at >= 0:
        end = find(b" ", at)
        if end < 0:
            end = len(seen)
        yield at, end
        at = find(run, end)


def _run_places(text: str, lower: str) -> Iterator[int]:
    plain = text.encode("ascii", "replace")
    names = name_pattern().search
    done = 0
    for at, end in _runs(plain, _ALNUM_CLASSES, _PIECE_OF_CLASS):
        if at < done:
            continue
        piece = text[at:end]
        if piece.isalpha() and (piece.islower() or not _LETTERS.search(piece)):
            continue  # a name
        if names(lower, max(lower.rfind("\n", 0, at), at - _NAME_REACH, 0), end):
            yield at
        word = _word(text, at)
        done = word.end()
        if (len(word.group()) < _LONG_WORD and any(shapes_in(word.group()))) or base64_in(
            word.group()
        ):
            yield at
    yield from _token_places(text, plain)


def _word(text: str, at: int) -> re.Match[str]:
    """The word in which a place is."""
    start = at
    while start > 0 and at - start < _NAME_REACH and text[start - 1] in _WORD_SIGNS:
        start -= 1
    return _WHOLE.match(text, start) or _ALWAYS.match(text, start)  # type: ignore[return-value]


def _token_places(text: str, plain: bytes) -> Iterator[int]:
    runs: list[str] = []
    starts: list[int] = []
    for at, end in _runs(plain, _CLASSES, _RUN_OF_CLASS):
        run = text[at:end]
        if run.islower() and not _DIGIT.search(run) and not run.startswith(("hf_", "api_org_")):
            continue
        if at and text[at - 1] == "\\":  # the letter of an escape, as in \nghp_…
            run = " " + run[1:]
        runs.append(run)
        starts.append(at)
    if not runs:
        return
    ends = list(accumulate(len(run) + 1 for run in runs))
    for found in tokens_in("\n".join(runs)):
        yield starts[bisect_right(ends, found.start)]


def _escaped(text: str, known: KnownValues) -> set[str]:
    """Lines that are suspicious once their escapes are undone."""
    if not hides_letters(text):
        return set()
    return {
        line
        for line in text.split("\n")
        if hides_letters(line)
        and any(next(suspicious_places(view.text, known), None) is not None for view in views(line))
    }
