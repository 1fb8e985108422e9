"""Finding secrets by where they stand: in URLs, headers, cookies, command lines, files of logins."""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING, NamedTuple

from pytest_agentv.redact.patterns import pattern
from pytest_agentv.redact.spans import Span
from pytest_agentv.redact.values import is_code, is_name, is_plain, is_random, is_template

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Structure(NamedTuple):
    """A pattern whose group ``secret`` is one, if one of ``words`` is in the text in any case."""

    id: str
    words: tuple[str, ...]
    pattern: Callable[[], re.Pattern[str]]
    accepts: Callable[[str], bool]


def structures_in(text: str, lower: str) -> Iterator[Span]:
    """All secrets of a text that are known by where they stand."""
    for one in STRUCTURES:
        if any(word in lower for word in one.words):
            for found in one.pattern().finditer(text):
                if one.accepts(found["secret"]):
                    yield Span(found.start("secret"), found.end("secret"), one.id)


_USUAL = frozenset({"password", "pass", "passwd", "pwd", "secret", "token", "pw", "key", "user"})


def _any(value: str) -> bool:
    """Any value but one that stands for another, or a word for it."""
    return not is_template(value) and value.lower().strip("'\"") not in _USUAL


def _argument(value: str) -> bool:
    return _any(value) and not value.startswith("-") and not is_code(value)


def _mixed(value: str) -> bool:
    return _any(value) and len(value) >= 8 and not is_name(value) and not is_plain(value)


def _random(value: str) -> bool:
    return _any(value) and is_random(value, least=16)


# What words of a sentence do not have.
_UNUSUAL = re.compile(r"[0-9]|\w[!@#$%^&*+=~]+\w")


def _spoken(value: str) -> bool:
    bare = value.rstrip(".,!?;:")
    if not _any(bare) or len(bare) < 6 or is_name(bare) or is_plain(bare):
        return False
    return _UNUSUAL.search(bare) is not None


def _login(value: str) -> bool:
    """Whether it is base64 of a user and a password."""
    try:
        decoded = base64.b64decode(value + "=" * (-len(value) % 4), validate=True)
    except ValueError:
        return False
    user, colon, password = decoded.partition(b":")
    return bool(colon and password and user.isascii())


def _pattern(text: str) -> Callable[[], re.Pattern[str]]:
    return pattern(text, re.VERBOSE | re.IGNORECASE | re.ASCII)


_ARGUMENT = r"""(?:"(?P<quoted>[^"\n]{1,400})"|'[^'\n]{1,400}'|[^\s"'`|;&<>()]{1,400})"""
_DATABASES = r"(?:postgres(?:ql)?|mysql|mariadb|mongodb|redis|rediss|amqps?|mssql|sqlserver|oracle|cockroachdb|clickhouse|jdbc:\w+)"

STRUCTURES = (
    Structure(
        "url-password",
        ("://",),
        _pattern(
            r"(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,30}://[^\s:/@\"'<>`\\]{0,128}:(?P<secret>[^\s/@\"'<>`\\]{1,256})@"
        ),
        _any,
    ),
    Structure(
        "url-password",
        ("://",),
        # In the addresses of databases passwords with any sign are usual.
        _pattern(
            rf"(?<![a-z0-9+.-]){_DATABASES}(?:\+\w+)?://[^\s:/@\"'<>`\\]{{0,128}}:(?P<secret>[^\s\"'<>`\\]{{1,256}})@(?=[\w.-]+[:/,?\s\"'])"
        ),
        _any,
    ),
    Structure(
        "url-token",
        ("://",),
        _pattern(r"(?<![a-z0-9+.-])https?://(?P<secret>[\w~.%-]{20,400})(?::[^\s/@]{0,40})?@[\w.-]+"),
        _mixed,
    ),
    Structure(
        "authorization-header",
        ("authorization",),
        _pattern(
            r"""authorization["'`]?\]?\s*(?:[:=,]|=>)\s*[bf]?\\?["'`]?\s*(?:(?:bearer|token|digest|apikey|api-key|key|aws4-hmac-sha256|negotiate|splunk|genie\w*|klaviyo-api-key|discogs|bot|oauth)\s{1,4})?
            (?P<secret>[\w~+/=.:|!@-]{8,4096})"""
        ),
        _mixed,
    ),
    Structure(
        "basic-auth",
        ("basic",),
        _pattern(r"\bbasic\s{1,4}(?P<secret>[a-z0-9+/_-]{6,1024}={0,2})"),
        _login,
    ),
    Structure(
        "bearer-token",
        ("bearer",),
        _pattern(r"\bbearer[\s:=\"'\\]{1,6}(?P<secret>[\w~+/.-]{8,4096}={0,2})"),
        _mixed,
    ),
    Structure(
        "docker-auth",
        ("auth",),
        _pattern(r"""["']?_?auth["']?\s*[:=]\s*["']?(?P<secret>[a-z0-9+/]{8,1024}={0,2})"""),
        _login,
    ),
    Structure(
        "cookie",
        ("cookie",),
        _pattern(
            r"""(?:set-)?cookie["'`]?\s*[:=,]\s*\\?["'`]?\s*(?:[\w.%-]{1,64}=[^;\s"']{0,200};\s*){0,40}?
            [\w.%-]{1,64}=(?P<secret>[^;\s"'\\]{16,4096})"""
        ),
        _mixed,
    ),
    Structure(
        "cookie",
        ("sessionid=", "session=", "sid=", "phpsessid=", "jsessionid=", "connect.sid=", "auth="),
        _pattern(
            r"(?:session(?:id)?|connect\.sid|sid|phpsessid|jsessionid|auth)=(?P<secret>[\w%.~+/:-]{16,4096})"
        ),
        _mixed,
    ),
    Structure(
        "password-flag",
        ("--",),
        _pattern(
            rf"(?<![\w-])--(?:[\w-]*(?:passw(?:or)?d|passphrase|pass|secret|token|api-?key|access-?key|credentials?|pat|storepass|keypass))(?:\s{{1,4}}|=)(?P<secret>{_ARGUMENT})"
        ),
        _argument,
    ),
    Structure(
        "password-flag",
        ("sshpass", "mysql", "mariadb", "redis-cli", "docker login", "podman login", "mongo", "sqlcmd", "ldap", "zip", "7z", "twine", "az login", "storepass", "keypass", "oc login", "isql", "bcp", "influx", "lftp", "smbclient", "mongosh", "osql", "skopeo", "helm", "cf login", "ftp", "xfreerdp", "rdesktop", "plink", "pscp"),
        _pattern(
            rf"""\b(?:sshpass\s{{1,4}}-p\s{{0,4}}
            |(?:mysql|mariadb)(?:dump|admin|import|sh)?\b[^\n|;&]{{0,200}}?\s-p
            |redis-cli\b[^\n|;&]{{0,200}}?\s-a\s{{1,4}}
            |(?:docker|podman|skopeo|helm(?:\s+registry)?|az|oc|cf)\s+login\b[^\n|;&]{{0,200}}?\s-p\s{{1,4}}
            |(?:mongo(?:sh|dump|restore|import|export)?|twine\s+upload|influx|lftp|ftp)\b[^\n|;&]{{0,200}}?\s-p\s{{0,4}}
            |(?:sqlcmd|isql|osql|bcp)\b[^\n|;&]{{0,200}}?\s-P\s{{1,4}}
            |ldap(?:search|add|modify|delete|whoami|passwd)\b[^\n|;&]{{0,200}}?\s-w\s{{1,4}}
            |(?:zip|unzip)\b[^\n|;&]{{0,200}}?\s-P\s{{1,4}}
            |7z\b[^\n|;&]{{0,200}}?\s-p
            |(?:plink|pscp|psftp)\b[^\n|;&]{{0,200}}?\s-pw\s{{1,4}}
            |(?:xfreerdp|rdesktop)\b[^\n|;&]{{0,200}}?\s(?:/p:|-p\s{{1,4}})
            |smbclient\b[^\n|;&]{{0,200}}?%
            |-(?:store|key)pass\s{{1,4}})(?P<secret>{_ARGUMENT})"""
        ),
        _argument,
    ),
    Structure(
        "password-flag",
        ("pass:",),
        _pattern(r"(?:-pass(?:in|out)?|-k)\s{1,4}[\"']?pass:(?P<secret>[^\s\"']{1,200})"),
        _argument,
    ),
    Structure(
        "user-flag",
        ("curl", "http ", "https ", "wget", "--user", "-u "),
        _pattern(
            r"""(?:(?<![\w-])(?:-u|-U|--user|--proxy-user|-a|--auth|--login)(?:\s{1,4}|=)?)["']?[^\s:"'|;&]{1,128}:(?P<secret>[^\s"'|;&]{1,256})"""
        ),
        _any,
    ),
    Structure(
        "sudo-password",
        ("sudo",),
        _pattern(rf"\becho\s{{1,4}}(?:-[ne]\s{{1,4}})?(?P<secret>{_ARGUMENT})\s{{0,4}}\|\s{{0,4}}sudo\s[^\n]{{0,40}}?-S"),
        _argument,
    ),
    Structure(
        "netrc-password",
        ("login", "machine"),
        _pattern(
            r"""\b(?:machine\s{1,8}\S{1,200}|default)\s{1,8}(?:login\s{1,8}\S{1,200}\s{1,8})?(?:account\s{1,8}\S{1,200}\s{1,8})?password\s{1,8}(?P<secret>\S{1,256})"""
        ),
        _any,
    ),
    Structure(
        "password-in-text",
        ("password", "passcode", "passphrase", "passwort", "pwd"),
        _pattern(
            r"\b(?:password|passcode|passphrase|passwort|pwd)(?:\s{1,3}(?:is|was|ist|to|of))?(?:\s{1,3}(?:still|now|currently))?\s{1,3}[\"'`(]?(?P<secret>[^\s\"'`()<>{}\[\]=:\\][^\s\"'`()<>{}\[\]\\]{5,127})"
        ),
        _spoken,
    ),
    Structure(
        "identified-by",
        ("identified by", "with password", "encrypted password"),
        _pattern(r"(?:identified\s{1,4}by|with\s{1,4}(?:encrypted\s{1,4})?password|set\s{1,4}password\s{1,4}for\s.{1,60}?=)\s{1,4}(?:password\s{1,4})?['\"](?P<secret>[^'\"\n]{1,128})['\"]"),
        _any,
    ),
    Structure(
        "htpasswd",
        ("htpasswd",),
        _pattern(r"\bhtpasswd\s(?=[^\n]{0,20}-\w*b)[^\n|;&]{0,120}?\s\S{1,80}\s{1,4}(?P<secret>[^\s\"'|;&-][^\s\"'|;&]{0,128})(?=\s*$)"),
        _argument,
    ),
    Structure(
        "gitlab-incoming-mail-token",
        ("incoming+",),
        _pattern(r"\bincoming\+[\w.-]{0,128}?-[0-9]{1,12}-(?P<secret>(?:glimt-)?[\w-]{20,64}?)-(?:issue(?:-[0-9]+)?|merge-request)@"),
        _any,
    ),
    Structure(
        "sidekiq-url",
        ("contribsys.com",),
        _pattern(r"https?://(?P<secret>[0-9a-f]{8}:[0-9a-f]{8})@(?:gems|enterprise)\.contribsys\.com"),
        _any,
    ),
    Structure(
        "nuget-password",
        ("password",),
        _pattern(r"""<add\s{1,8}key=["'](?:cleartext)?password["']\s{1,8}value=["'](?P<secret>[^"'\n]{1,256})["']"""),
        _any,
    ),
)  # fmt: skip
