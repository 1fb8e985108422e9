"""Finding values by the name before them, in any notation: INI, JSON, YAML, XML, code, flags, URLs."""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING

from pytest_agentv.redact.names import name_pattern, rule_for
from pytest_agentv.redact.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAME_BEFORE = 60
_NAME_CHARS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-")
_NAME_REST = re.compile(r"[\w.-]{0,60}", re.ASCII)
# Between the name and its value: the rest of a phrase or a type, quotes, an operator, quotes.
_OPERATOR = re.compile(
    r"""
    (?P<phrase>[\w \t.-]{0,24}?)
    (?:\\{0,4}["'`])?\]?\)?[ \t]{0,5}
    (?: :[ \t]{0,3}[A-Za-z_][\w\[\]<>|.? ]{0,30}?[ \t]{0,3}=      # name: str =
      | (?:or|\|\||\?\?)(?=[ \t]{1,3}["'])                            # or "a default"
      | =>|->|:{1,3}=|[?+.|&!<>]?={1,3}|(?:\?\?|\|\||&&)=|::?|\uff1a|>|\(|,|\|
    )
    [ \t]{0,8}(?:[|>][-+]?)?(?:\r?\n[ \t]{0,24})?
    (?:[0-9]{1,6}[ \t]*[→|\t:][ \t]*)?                           # the number of a line
    (?:(?:bearer|basic|token|apikey|secret)[ \t]{1,3})?
    (?:[bfrnu@$]{0,2}(?P<quote>\\{0,4}(?:\"{3}|'{3}|["'`])))?
    """,
    re.VERBOSE | re.IGNORECASE,
)
# A variable without a value, as in a file that others fill in; the next line is another one.
_EMPTY = re.compile(r"=[ \t]*\r?\n\Z")
# Signs that stand between words of any text, too.
_LOOSE = re.compile(r"[,(][^=:]*$")
_QUOTED = {
    '"': re.compile(r'[^"\\\n]{1,4096}(?:\\.[^"\\\n]{0,4096}){0,64}'),
    "'": re.compile(r"[^'\\\n]{1,4096}(?:\\.[^'\\\n]{0,4096}){0,64}"),
    "`": re.compile(r"[^`\\\n]{1,4096}"),
}
_UNTIL_BACKSLASH = re.compile(r"[^\"'`\\\n]{1,4096}")
_BARE = re.compile(r"[^\s\"'`<>,;(){}\[\]&\\]{1,4096}")
# After `password: ` no other parameter of an address follows.
_BARE_IN_TEXT = re.compile(r"[^\s\"'`<>,;(){}\[\]\\]{1,4096}")
# As in a file of environment variables, or in a shell, where more commands may follow.
_TO_LINE_END = re.compile(r"(?:[^\s\"'`;&|]|[;&|](?![\s;&|]|$)){1,4096}", re.MULTILINE)
_ENV_NAME = re.compile(r"[A-Z][A-Z0-9_]{2,60}", re.ASCII)
# As names have them in one word: cache_key.
_KEYS_OF_OTHERS = re.compile(
    r"\b(?:cache|public|primary|foreign|sort|partition|lookup|idempotency|dedup\w*|csrf) \Z",
    re.IGNORECASE,
)
_PHRASE_BEFORE = 20
_CALLS = frozenset("([")
_IDENTIFIER = re.compile(r"[A-Za-z_]+", re.ASCII)
# What the name of a test does not have.
_NO_OUTCOME = re.compile(r"(?![^/]*/)(?:.*[#@!$%^&]|(?=.*[0-9])(?=.*[a-z])(?=.*[A-Z]))", re.ASCII)
_PAIR = re.compile(
    r"""["']?(?<![A-Za-z])(?:name|key|id|header|field|parameter(?:name|key))["']?[ \t]*[:=][ \t]*["'](?P<name>[^"'\n]{1,80})["']
    [,;\s]{1,12}["']?(?:value|val|default|secret|data|parametervalue|plaintext)["']?[ \t]*[:=][ \t]*["'](?P<value>[^"'\n]{4,4096})["']""",
    re.VERBOSE | re.IGNORECASE,
)

# The same in YAML, as for the environment of a container.
_YAML_PAIR = re.compile(
    r"""(?<![A-Za-z])(?:name|key)[ \t]*:[ \t]*["']?(?P<name>[\w.-]{1,80})["']?[ \t]*\r?\n[ \t]*(?:[0-9]{1,6}[ \t]*[→|\t:])?[ \t+-]*value[ \t]*:[ \t]*["']?(?P<value>[^\s"'<>{}]{4,4096})""",
    re.IGNORECASE,
)
# A variable of Terraform, whose value stands within it.
_VARIABLE = re.compile(
    r"""\bvariable[ \t]{1,4}"(?P<name>[\w-]{1,80})"[ \t]{0,4}\{(?:[^{}"]{0,200}"[^"\n]{0,200}"){0,4}?[^{}"]{0,200}?\bdefault[ \t]{0,20}=[ \t]{0,4}"(?P<value>[^"\n]{4,4096})\""""
)

# Commands that set a variable without a sign: of fish, of csh, of Windows, of Dockerfiles. Only
# these are surely commands: people write "set" in sentences, too.
_COMMAND = re.compile(
    r"""
    (?: (?<![\w.-])(?i:(?P<sure>set(?:[ \t]{1,4}--?[a-z]{1,12}){1,4}|setenv|setx(?:[ \t]{1,4}/[a-z]){0,2})|set)
      | (?:^|(?<=["'`]))[ \t]{0,24}(?:[0-9]{1,6}[ \t]*[→|\t:][ \t]*)?[+-]?[ \t]{0,24}(?P<docker>ENV)
    )
    [ \t]{1,8}(?P<name>[A-Za-z_][\w.]{1,80})[ \t]{1,8}
    (?: "(?P<double>[^"\n]{4,4096})" | '(?P<single>[^'\n]{4,4096})'
      | (?!\$)(?P<bare>[^\s"'`;|&()<>\\]{4,4096})(?=[ \t\r]{0,8}(?:$|[;|&)"'`\\]))
    )
    """,
    re.VERBOSE | re.MULTILINE | re.ASCII,
)


def assigned_in(text: str) -> Iterator[Span]:
    """All values in a text that their names show to be secrets."""
    lower = text.lower()
    if len(lower) != len(text):  # a letter that becomes two
        lower = "".join(one.lower() if one.isascii() else one for one in text)
    done = 0
    for found in name_pattern().finditer(lower):
        if found.start() < done:
            continue
        span = _assigned(text, found.start(), found.end())
        if span is not None:
            yield span
            done = span.end
    if "value" in lower or "secret" in lower or "variable" in lower:
        yield from _pairs(text)
    if "set" in lower or "ENV" in text:
        yield from _set_by_commands(text)


def _assigned(text: str, start: int, end: int) -> Span | None:
    rest = _NAME_REST.match(text, end)
    after = rest.end() if rest else end
    operator = _operator(text, after)
    if operator is None:
        return None
    begin = operator.end()
    quote = operator["quote"]
    if quote is None and operator[0].endswith((" ", "\t")) and ":" in operator[0]:
        value = _BARE_IN_TEXT.match(text, begin)
    else:
        value = _value(text, begin, quote)
    while start > 0 and text[start - 1] in _NAME_CHARS and end - start < _NAME_BEFORE:
        start -= 1
    if value is None or _KEYS_OF_OTHERS.search(text, max(0, start - _PHRASE_BEFORE), start):
        return None
    name = text[start:after] + operator["phrase"]
    found = value.group()
    env = False
    if not quote:
        if text[value.end() : value.end() + 1] in _CALLS:
            return None  # a call
        env = operator[0] == "="
        if env and _ENV_NAME.fullmatch(text[start:after]):
            found = (_TO_LINE_END.match(text, begin) or value).group()
        elif env and _IDENTIFIER.fullmatch(found):
            return None  # a variable
        if not env and name.lower() == "pass" and not (name != "PASS" and _NO_OUTCOME.match(found)):
            return None  # the outcome of a test
        found = found.rstrip(".:")
    loose = _LOOSE.search(operator[0]) is not None or quote == "`"
    rule = rule_for(name, found, quoted=bool(quote), env=env, loose=loose)
    return None if rule is None else Span(begin, begin + len(found), rule)


def _operator(text: str, after: int) -> re.Match[str] | None:
    """What sets a value; None if none is set."""
    operator = _OPERATOR.match(text, after)
    if operator is None or (operator["quote"] is None and _EMPTY.search(operator[0])):
        return None
    return operator


def _value(text: str, begin: int, quote: str | None) -> re.Match[str] | None:
    if quote is None:
        return _BARE.match(text, begin)
    if quote[0] == "\\":
        return _UNTIL_BACKSLASH.match(text, begin)
    return _QUOTED[quote[-1]].match(text, begin)


def _pairs(text: str) -> Iterator[Span]:
    for found in chain(*(one.finditer(text) for one in (_PAIR, _YAML_PAIR, _VARIABLE))):
        rule = rule_for(found["name"], found["value"], quoted=True)
        if rule is not None:
            yield Span(found.start("value"), found.end("value"), rule)


def _set_by_commands(text: str) -> Iterator[Span]:
    for found in _COMMAND.finditer(text):
        group = next(one for one in ("double", "single", "bare") if found[one] is not None)
        env = bool(found["sure"] or found["docker"])
        rule = rule_for(found["name"], found[group], quoted=group != "bare", env=env)
        if rule is not None:
            yield Span(found.start(group), found.end(group), rule)
