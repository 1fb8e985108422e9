"""Finding secrets by where they stand: in URLs, headers, cookies, command lines, files of logins."""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING, NamedTuple

from pytest_agentv.redact.names import PASSWORDS_ELSEWHERE
from pytest_agentv.redact.patterns import pattern
from pytest_agentv.redact.spans import Span
from pytest_agentv.redact.values import (
    has_words,
    is_code,
    is_hex,
    is_name,
    is_plain,
    is_random,
    is_template,
    is_uuid,
)

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
    return not is_template(value) and value.lower().strip("'\"<>[]{}") not in _USUAL


# What follows a flag where people write about it.
_PROSE = frozenset(
    ["a", "an", "and", "argument", "arguments", "as", "be", "can", "cannot", "does", "flag", "flags", "for", "from", "has", "if", "in", "instead", "is", "may", "must", "not", "of", "on", "option", "options", "or", "parameter", "parameters", "require", "required", "requires", "should", "so", "switch", "that", "the", "to", "was", "when", "which", "will", "with", "without"]
)  # fmt: skip


def _argument(value: str) -> bool:
    if value.lower().rstrip(".,:") in _PROSE:
        return False
    return _any(value) and not value.startswith("-") and not is_code(value)


def _mixed(value: str) -> bool:
    return _any(value) and len(value) >= 8 and not is_name(value) and not is_plain(value)


def _random(value: str) -> bool:
    return _any(value) and is_random(value, least=16)


def _random_no_id(value: str) -> bool:
    return _random(value) and not is_uuid(value)


# What words of a sentence do not have.
_UNUSUAL = re.compile(r"[0-9]|\w[!@#$%^&*+=~]+\w")


def _spoken(value: str) -> bool:
    bare = value.rstrip(".,!?;:")
    if not _any(bare) or len(bare) < 6 or is_name(bare) or is_plain(bare):
        return False
    return _UNUSUAL.search(bare) is not None


def _quoted(value: str) -> bool:
    """Whether a word in quotes is a password, and not what is wrong with one."""
    return _any(value) and value.lower() not in _FAULTS and not is_plain(value)


_FAULTS = frozenset(
    ["invalid", "incorrect", "wrong", "missing", "expired", "weak", "correct", "valid", "short", "long", "blank", "wrong.", "strong", "secure", "unset"]
)  # fmt: skip


def _spoken_argument(value: str) -> bool:
    return _argument(value) and _spoken(value.strip("'\""))


def _spoken_key(value: str) -> bool:
    """Whether a value that only a space parts from its name is as random as no word is."""
    bare = value.rstrip(".,=")
    if not _any(bare) or is_plain(bare) or is_code(bare) or bare.startswith("0x"):
        return False
    if is_uuid(bare):
        return True
    if is_hex(bare):
        return len(bare) >= _HEX_KEY and len(set(bare)) > _FEW
    if has_words(bare) or not is_random(bare, least=14, bits=3.3):
        return False
    has = [any(test(one) for one in bare) for test in (str.isdigit, str.islower, str.isupper)]
    return sum(has) == len(has) or (has[0] and len(bare) >= _LONG_KEY)


_HEX_KEY, _LONG_KEY, _FEW = 32, 20, 5


def _network(value: str) -> bool:
    return _any(value) and (value.startswith("$") or _UNUSUAL.search(value) is not None)


def _is_phrase(value: str) -> bool:
    """Whether words are those of a wallet: none of them joins the others to a sentence."""
    words = re.findall("[a-z]+", value.lower())
    return len(words) in _PHRASES and _JOINING.isdisjoint(words)


_PHRASES = frozenset({12, 15, 18, 21, 24})
_JOINING = frozenset(
    ["the", "and", "for", "with", "that", "this", "from", "are", "was", "not", "has", "have", "will", "should", "which"]
)  # fmt: skip


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


_LOGIN_FLAG = r"(?<![\w-])(?:-u|-U|--user|--proxy-user|-a|--auth|--login)(?:\s{1,4}|=)?"
_ARGUMENT = r"""(?:"(?P<quoted>[^"\n]{1,400})"|'[^'\n]{1,400}'|[^\s"'`|;&<>()]{1,400})"""
_DATABASES = r"(?:postgres(?:ql)?|mysql|mariadb|mongodb|redis|rediss|amqps?|mssql|sqlserver|oracle|cockroachdb|clickhouse|jdbc:\w+)"

STRUCTURES = (
    Structure(
        "url-password",
        ("://",),
        _pattern(
            r"(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,30}://[^\s:/@\"'<>`\\]{0,128}(?:@[\w.-]{1,100})?:(?P<secret>[^\s/@\"'<>`\\]{1,256})@"
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
            r"""authorization["'`]?\]?\s*(?:[:=,]|=>)\s*[bf]?\\?["'`]?\s*(?:[a-z][\w-]{1,24}\s{1,4})?
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
            rf"""{_LOGIN_FLAG}(?P<quote>["'])?(?![0-9]{{1,5}}:[0-9]{{1,5}}(?![\w-]))(?P<user>[^\s:"'|;&]{{0,128}})["']?:["']?
            (?!\s|(?P=user)(?:[\s"']|$))(?P<secret>(?(quote)[^"'\n]{{1,256}}|[^\s"'|;&]{{1,256}}))"""
        ),
        _any,
    ),
    Structure(
        # A key that is the user, with no password.
        "user-flag",
        ("curl", "http ", "https ", "wget", "--user", "-u "),
        _pattern(rf"""{_LOGIN_FLAG}["']?(?P<secret>[^\s:"'|;&]{{8,256}}):["']?(?=\s|$)"""),
        _mixed,
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
        # -Password 'x' of PowerShell; in a diff words may follow the sign.
        "password-flag",
        ("-password", "-passwd", "-pass ", "-pwd", "-pw ", "-token", "-secret", "-apikey", "-passphrase"),
        _pattern(
            rf"(?<![\w-])-(?:password|passwd|pass|pwd|pw|token|secret|apikey|passphrase)(?:\s{{1,4}}|=|:)(?P<secret>{_ARGUMENT})"
        ),
        _spoken_argument,
    ),
    Structure(
        "key-flag",
        ("--key",),
        _pattern(r"(?<![\w-])--key(?:\s{1,4}|=)[\"']?(?P<secret>[\w+/=.~-]{14,512})"),
        _spoken_key,
    ),
    Structure(
        "password-flag",
        ("/rp", "/pass", "/user:", "psexec", "--oauth2-bearer", "/p:"),
        _pattern(
            rf"""(?:\bschtasks\b[^\n]{{0,300}}?\s/rp\s{{1,4}}
            |\bcmdkey\b[^\n]{{0,200}}?\s/pass:
            |\bnet\s{{1,4}}use\s[^\n]{{0,200}}?/user:\S{{1,80}}\s{{1,4}}
            |\bpsexec(?:64)?(?:\.exe)?\b[^\n]{{0,200}}?\s-p\s{{1,4}}
            |--oauth2-bearer[\s=]{{1,4}})(?P<secret>{_ARGUMENT})"""
        ),
        _argument,
    ),
    Structure(
        "password-argument",
        ("securestring", "networkcredential", "pscredential"),
        _pattern(
            r"""(?:convertto-securestring\s{1,4}(?:-string\s{1,4})?(?=[^\n]{0,300}-asplaintext)
            |(?:networkcredential|pscredential)\b[^\n"']{0,40}["'][^"'\n]{0,100}["']\s{0,4},\s{0,4})["'](?P<secret>[^"'\n]{3,200})["']"""
        ),
        _any,
    ),
    Structure(
        "password-argument",
        ("connect", "drivermanager"),
        _pattern(
            r"""(?:\b(?:mysqli?|pg|oci|odbc|sqlsrv|db2|maxdb)_p?connect|dbi(?:->|\.|::)connect|\bnew\s{1,4}mysqli|drivermanager\.getconnection)\s{0,4}\(\s{0,4}
            (?:["'][^"'\n]{0,200}["']\s{0,4},\s{0,4}){2}["'](?P<secret>[^"'\n]{3,128})["']"""
        ),
        _any,
    ),
    Structure(
        "unattend-password",
        ("password>",),
        _pattern(r"<(?:\w{0,30}:)?\w{0,30}password>\s{0,40}<value>(?P<secret>[^<>\n]{3,400})</value>"),
        _any,
    ),
    Structure(
        "network-password",
        ("enable ", "community", "pac key", "-server key", "pre-shared-key", "key-string", "wpa-psk", "username "),
        _pattern(
            r"""(?:\benable\s{1,4}(?:secret|password)|\busername\s{1,4}\S{1,64}\s{1,4}(?:privilege\s{1,4}[0-9]{1,2}\s{1,4})?(?:secret|password)|\bsnmp-server\s{1,4}community
            |\bpac\s{1,4}key|\b(?:tacacs|radius)-server\s{1,4}key|\bpre-shared-key(?:\s{1,4}(?:local|remote|ascii-text))?|\bkey-string|\bwpa-psk\s{1,4}ascii)
            \s{1,4}(?:[0-9]\s{1,4})?(?P<secret>[^\s"'<>]{5,128})"""
        ),
        _network,
    ),
    Structure(
        "seed-phrase",
        ("mnemonic", "phrase", "seed"),
        _pattern(
            r"""(?:mnemonic|(?:seed|recovery|secret|backup)[ _-]?(?:phrase|words)|\bseed)[\w "'`*]{0,12}(?:[:=]|=>|\bis\b)[\s"'`\[]{0,6}(?P<secret>(?:[a-z]{3,8}[ ,\t"']{1,4}){11,23}[a-z]{3,8})(?![a-z])"""
        ),
        _is_phrase,
    ),
    Structure(
        "webhook-url",
        ("hooks/", "webhook/", "hook/"),
        _pattern(r"https?://[^\s/\"'<>`\\]{4,200}/(?:[\w.-]{1,60}/){0,3}(?:web)?hooks?/(?:[\w@.-]{1,100}/){0,4}?(?P<secret>(?=[\w-]{0,200}[0-9])[\w-]{20,200})(?![\w-])"),
        _random_no_id,
    ),
    Structure(
        "secret-in-text",
        ("token", "secret", "key", "pat "),
        _pattern(
            r"""(?:token|secret|\bpat|(?:api|access|auth|private|secret|account|client|service|admin|master|license|subscription|security|encryption|signing)[ _-]?key)["'`]?(?:\s{1,3}(?:is|was|of|to|value))?\s{1,3}
            ["'`(]?(?P<secret>[\w+/=.~-]{14,512})(?![\w(\[])"""
        ),
        _spoken_key,
    ),
    Structure(
        # Of many languages only the sign says that a value follows: PW:x, ID/PW(x).
        "password-in-text",
        ("pw",),
        _pattern(
            r"(?<![a-z0-9])(?:[a-z0-9]{1,20}[_/&-])?pw\s{0,2}[:=(>]\s{0,2}[\"'`]?(?P<secret>[^\s\"'`()<>{}\[\],;\\]{6,64})"
        ),
        _spoken,
    ),
    Structure(
        "password-in-text",
        ("password", "passphrase", "passcode"),
        _pattern(
            r"""\b(?:password|passphrase|passcode)(?:\s{1,3}(?:for|of)\s{1,3}(?:the\s{1,3})?(?:user(?:name)?\s{1,3})?["'`]?[\w.@-]{1,60}["'`]?)?\s{1,3}(?:is|was)\s{1,3}(?P<quote>["'`])(?P<secret>[^\s"'`]{4,128})(?P=quote)"""
        ),
        _quoted,
    ),
    Structure(
        "password-in-text",
        PASSWORDS_ELSEWHERE,
        _pattern(
            rf"(?:{'|'.join(PASSWORDS_ELSEWHERE)})\s{{1,3}}(?P<secret>[^\s\"'`()<>{{}}\[\]=:*\\][^\s\"'`()<>{{}}\[\]\\]{{5,127}})"
        ),
        _spoken,
    ),
    Structure(
        "password-in-text",
        ("password", "passcode", "passphrase", "passwort", "pwd"),
        _pattern(
            r"\b(?:password|passcode|passphrase|passwort|pwd)(?:\s{1,3}(?:for|of|in)\s{1,3}\S{1,40}(?=\s{1,3}(?:is|was)\s))?(?:\s{1,3}(?:is|was|ist|to|of))?(?:\s{1,3}(?:still|now|currently))?\s{1,3}[\"'`(]?(?P<secret>[^\s\"'`()<>{}\[\]=:*\\][^\s\"'`()<>{}\[\]\\]{5,127})"
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
