"""Whether a value is one that somebody would keep secret, and not a word, a name or a template."""

from __future__ import annotations

import math
import re
from collections import Counter

# What stands for a value, so that people put theirs there.
_TEMPLATE = re.compile(
    r"""
    \[.*\]?|<.*>?|\{.*\}?|\(.*\)?   # <your-key>, {{ key }}, [REDACTED:…]
    | \$\{.*|\$\(.*|\$[A-Za-z_]\w*|\$[0-9@*]|%\w+%|%[sdrv]|%\(\w+\)[sdr]|\*\*\w+|&[a-z_]\w*|@[\w.-]+@?
    | .*(?:\$\{|\{\{|<[\w -]+>|\$\().*
    | (?:process\.env|os\.environ|os\.getenv|getenv|env|ENV|import\.meta|secrets?|vars?|config|settings|self|this|ctx|args|opts|options|params|request|req|response|res|data|body|user|props|state|event)[.\[(\w]*[.\[(].*
    | ['"]\$\w+['"]
    | \s*\+\s.*|\s+\+.*|,\w+\s*:|\.\$.*|\w+:  # what stands between two texts, or before one
    | (?:true|false|null|none|nil|undefined|nan|yes|no|on|off|empty|required|optional|default|unknown|n/a|tbd|todo)
    | (?:str|string|int|integer|bool|boolean|bytes|float|number|object|any|text|char|varchar|secretstr|option(?:al)?|list|dict|array|map)(?:[\[<(?|].*)?
    | (?:\\(?:x1b|u001b|033|e)|\x1b)\].*  # what a terminal is told
    | (?:email|host|ip|path|user)-[0-9a-f]{12}  # a pseudonym
    | [x*.#?_=+~-]+
    | (.)\1+
    | (?:0x)?0+
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_EXAMPLE = re.compile(
    r"example|(?<![a-z])sample|your[-_. ]?|<your|x{4}|\*{3}|\.{3}|…|place.?holder|change.?me|change.?it|replace|redacted"
    r"|dummy|(?<![a-z])fake|(?<![a-z])mock|foo.?bar|lorem|insert|todo|hidden|masked|snip|omitted|removed|my[-_](?:secret|password|token|api|key)"
    r"|not[-_]?a?[-_]?(?:real|secret)|(?:secret|password|token|key)[-_ ]?here|goes[-_]?here",
    re.IGNORECASE,
)
_PLAIN_EXAMPLE = re.compile(
    r"EXAMPLE|x{5}|X{5}|\*{3}|\.{3}|…|your[-_]|YOUR[-_]|placeholder|PLACEHOLDER|REDACTED", re.ASCII
)
_HEX = re.compile(r"(?:0x)?[0-9a-f]+|(?:0x)?[0-9A-F]+", re.ASCII)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII | re.IGNORECASE)
# In groups as a UUID, with any letters, of which the last has digits as no word has.
_GROUPED = re.compile(
    r"[0-9a-z]{8}(?:-[0-9a-z]{4}){3}-(?=(?:[a-z]*[0-9]){2})[0-9a-z]{12}", re.ASCII | re.IGNORECASE
)
_NUMBER = re.compile(r"[0-9]+(?:[._,:-][0-9]+)*", re.ASCII)
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ]?[0-9:.,]*(?:Z|[+-][0-9:]+)?", re.ASCII)
_PATH = re.compile(
    r"(?:[A-Za-z]:)?[~.]{0,2}[/\\](?![A-Za-z0-9+/]{30,}={0,2}$).*|https?://.*|arn:[\w-]+:.*|(?:[\w@.-]+/)+[\w.-]+\.[a-z]{1,5}",
    re.ASCII | re.DOTALL,
)
_DIGEST = re.compile(r"(?:sha(?:1|224|256|384|512)|md5|h1)[-:][A-Za-z0-9+/=_-]+", re.ASCII)
# What clients and services call their messages, calls, requests and runs.
_IDENTIFIER = re.compile(
    r"(?:(?:srv)?toolu|msg|call|fc|ctc|resp|rs|req|ws|ci|ses|prt|thread|run|step|evt|batch|cmpl|chatcmpl|gen|PR|IC|MDEy)_(?:(?:bdrk|vrtx)_)?[A-Za-z0-9]{10,64}"
    r"|(?:chatcmpl|gen|ses|sess|run|req|exec)-[A-Za-z0-9-]{8,64}|SHA256:[A-Za-z0-9+/]{43}=?"
    r"|00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}|01[0-9A-HJKMNP-TV-Z]{24}"
    r"|(?:ami|vpc|subnet|sg|eni|vol|snap|rtb|igw|nat|acl|lt|eipalloc|i)-[0-9a-f]{8,17}",
    re.ASCII,
)
# Names are words, numbers and what stands between them. A word is a run of small letters after at
# most one big one, or big ones alone.
_NAME = re.compile(r"[\w\s.,/:;'\u2019()-]*[.!?…]*", re.ASCII)
_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+", re.ASCII)
_CALL = re.compile(
    r"[\w.]+[(\[].*|.*[)\]};]\s*|[*&!]?[A-Za-z_]\w*(?:(?:\.|->|::)[A-Za-z_]\w*)+|[a-z_]{2,40}=(?!=).*|[A-Za-z-]{2,40}=(?!=).+|[\w-]+(?:\|[\w-]+)+",
    re.ASCII | re.DOTALL,
)
_SHORT = 8
_LONG_WORD = re.compile(r"[A-Za-z0-9]{10,}", re.ASCII)
_CHANGES = re.compile(r"[0-9](?=[A-Za-z])|[A-Za-z](?=[0-9])", re.ASCII)
_MOST_CHANGES = 2
_DOTTED = 16
_MANY_CHANGES = 6
_LONG, _MANY_PARTS = 16, 5
_UNSPEAKABLE = re.compile("[b-df-hj-np-tv-xz]{2,}", re.IGNORECASE)


def entropy(text: str) -> float:
    """Bits for each character, by how often each comes."""
    total = len(text)
    return -sum(n / total * math.log2(n / total) for n in Counter(text).values())


def is_template(value: str) -> bool:
    """Whether a value stands for one, as ``<your-key>``, ``$KEY`` or ``null``."""
    return _TEMPLATE.fullmatch(value) is not None or _EXAMPLE.search(value) is not None


def is_example_token(text: str) -> bool:
    """Whether a text in the form of a token is one from a manual."""
    return _PLAIN_EXAMPLE.search(text) is not None or len(set(text[-16:])) < 4


def is_uuid(value: str) -> bool:
    """Whether it is a UUID, which most often names a thing."""
    return _UUID.fullmatch(value) is not None


def is_hex(value: str) -> bool:
    """Whether it is all hexadecimal digits, as hashes are."""
    return _HEX.fullmatch(value) is not None


def is_plain(value: str) -> bool:
    """Whether it is a number, a time, a path, a digest or an identifier, which are no secrets."""
    return any(one.fullmatch(value) for one in (_NUMBER, _TIME, _PATH, _DIGEST, _IDENTIFIER))


def is_path(value: str) -> bool:
    """Whether it is a path or an address."""
    return _PATH.fullmatch(value) is not None


def has_words(value: str) -> bool:
    """Whether words stand in it, with signs between: ``setup-uv-1-linux-gnu-f6c65b29``."""
    parts = re.split(r"[-_.:/]", value)
    return (
        len(parts) > 2 and sum(len(one) > 2 and one.isalpha() and is_name(one) for one in parts) > 1
    )


def is_code(value: str) -> bool:
    """Whether it is a call or a subscript, and so no value at all."""
    return _CALL.fullmatch(value) is not None and not _is_dotted_key(value)


def _is_dotted_key(value: str) -> bool:
    """Whether dots stand between random parts, and not between the names of attributes."""
    last = value.rpartition(".")[2]
    return len(last) >= _DOTTED and last.isalnum() and _is_mixed_up(last) and not is_name(last)


def is_name(value: str) -> bool:
    """Whether it is made of words and small numbers: ``main-window-2``, ``userTokenStore``."""
    if _NAME.fullmatch(value) is None or _GROUPED.fullmatch(value) is not None:
        return False
    parts = _PARTS.findall(value)
    numbers = [one for one in parts if one.isdigit()]
    if any(len(one) > 4 for one in numbers):
        return False
    if len(parts) > 2 and len(numbers) > 1 and (value.isalnum() or _is_mixed_up(value)):
        return False
    if numbers and (_is_broken_up(value) or _is_unspeakable(value, parts)):
        return False
    # Random letters change their case all the time, so that their "words" are short.
    words = len(parts) - len(numbers)
    letters = sum(map(len, parts)) - sum(map(len, numbers))
    return letters >= 3 * words or len(parts) <= 2


def _is_mixed_up(value: str) -> bool:
    """Whether letters and digits change places again and again within a word that is most of it."""
    return any(
        2 * len(one) > len(value) and len(_CHANGES.findall(one)) > _MOST_CHANGES
        for one in _LONG_WORD.findall(value)
    )


def _is_broken_up(value: str) -> bool:
    """Whether letters and digits change places in all of its parts, and none of them is a word."""
    if len(_CHANGES.findall(value)) < _MANY_CHANGES:
        return False
    return not any(one.isalpha() and len(one) > 2 for one in re.split(r"[\W_]", value))


def _is_unspeakable(value: str, parts: list[str]) -> bool:
    """Whether a run of letters in both cases is no words: several of its parts have no vowel."""
    if len(value) < _LONG or len(parts) < _MANY_PARTS or not value.isalnum():
        return False
    return sum(not one.isupper() and _UNSPEAKABLE.fullmatch(one) is not None for one in parts) > 1


def is_random(value: str, *, least: int = _SHORT, bits: float = 3.0) -> bool:
    """Whether a value is as random as keys are, and neither a name nor a hash nor a number."""
    if len(value) < least or is_plain(value) or is_name(value):
        return False
    return entropy(value) >= min(bits, math.log2(len(value)) * 0.8)
