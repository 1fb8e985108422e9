"""What the name of a value says of it: a password, a key, a provider's token, or nothing of the kind."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from pytest_agentv.redact.patterns import pattern
from pytest_agentv.redact.rules import CONTEXTS
from pytest_agentv.redact.rules.vendors import VENDORS
from pytest_agentv.redact.spans import PSEUDONYM
from pytest_agentv.redact.values import (
    entropy,
    has_words,
    is_code,
    is_hex,
    is_name,
    is_path,
    is_plain,
    is_random,
    is_template,
    is_uuid,
)
from pytest_agentv.redact.words import any_of

if TYPE_CHECKING:
    from collections.abc import Callable

# What a password is called in languages that do not write in ASCII.
PASSWORDS_ELSEWHERE = (
    "contraseña",
    "пароль",
    "密码",
    "密碼",
    "口令",
    "パスワード",
    "비밀번호",
    "비번",
    "암호",
    "패스워드",
)
# Words that may stand in the name of a secret.
WORDS = (
    "passw", "passphrase", "passcode", "passwd", "pswd", "pwd", *PASSWORDS_ELSEWHERE, "senha", "mot_de_passe", "mot de passe", "kennwort", "passwort",
    "secret", "token", "credential", "apikey", "api_key", "api-key", "api key", "apitoken", "accesskey", "access_key", "access-key",
    "accountkey", "sharedaccesskey", "privatekey", "private_key", "private-key", "signing", "encryption", "masterkey", "master_key", "licensekey", "license_key",
    "auth", "bearer", "cookie", "session", "jwt", "webhook", "signature", "salt", "key", "api", "access", "client", "connectionstring", "dsn", "cred", "pin", "pat", "otp", "crumb", "seed", "mnemonic", "nonce", "pass", "storepass", "keypass", "subscription", "certificate", "key-data", "license", "private",
)  # fmt: skip

_PASSWORD = re.compile(
    rf"{'|'.join(PASSWORDS_ELSEWHERE)}|pass(?:w(?:or[dt]|d)s?|phrase|code|wd)?$|passwor[dt]|passphrase|passwd|pswd|pwd$|^pwd|_pwd|senha|kennwort|mot.?de.?passe|storepass|keypass|_pass(?:_|$)|^pass(?:_|$)|_pw$|^pw$"
)
_STRONG = re.compile(
    r"secret|(?:^|_)(?:api|access|auth|account|private|signing|encryption|master|license|subscription|storage|service|shared_access|app|application|consumer|client|deploy|admin|server|session|security|ssh|rsa|hmac|jwt|cookie|webhook|validation|decryption|recovery|management|function|user|personal|bot|integration|ingest|write|read)_?(?:secret_?)?(?:key|token|pat)s?(?:$|_)|credential|(?:^|_)(?:tokens?|apikey|apitoken|bearer|authtoken|pat|jwt)$|_token(?:_|$)|^token_|authorization|mnemonic|key_data|^x_(?:\w{1,40}_)?(?:key|token|auth|secret)$|crumb$"
)
_WEAK = re.compile(
    r"key|token|auth|signature|cookie|salt|access|client|api|dsn|private|webhook|cred|otp|crumb|seed|license|nonce"
)
# Names of what goes with secrets and is none.
_NONE = re.compile(
    r"(?:^|_)(?:(?<!secret_)ids?|names?|urls?|uris?|endpoint|host|port|paths?|files?|filename|dir|folder|types?|kind|counts?|len(?:gth)?|size|limits?|max|min|total|usage|used|budget|fields?|labels?|title|desc(?:ription)?"
    r"|hash(?:es)?|digest|checksum|sha|sha1|sha256|sha384|sha512|md5|h1|etag|fingerprint|expir\w*|ttl|timeout|at|on|date|time|timestamp|age|prefix|suffix|regex|pattern|format|policy|version|revision|commit|env|var|variable|status|state|mode|method|algorithm|alg|class|model|schema|table|column|index|row|cache|provider|manager|store|handler|service|factory|helper|utils?|error|message|text|placeholder|hint|help|prompt|form|input|reset|strength|rules?|length|stream|stats|metrics|cost|price|rate|scope|scopes|audience|issuer|required|enabled|disabled|valid|invalid|ok|found|missing|present|exists|set|count|public|pub|integrity|resolved|parent|trace|span|request|message|event|tool_use|uuid|guid|arn|region|zone|owner|email|user|username|login)$"
    r"|public_?key|pub_?key|public_token|accessor|accessib|(?:^|_)chars(?:et)?$|alphabet|primary_key|foreign_key|cache_key|sort_key|partition_key|idempotency|primary|keyboard|keyword|keys$|monkeys?(?:$|_)|hotkey|tokeniz|max_token|tokens_|_tokens|tokenid|token_count|token_type|token_usage|next_page|page_token|continuation|csrf|xsrf|nonce_str|author|authent|oauth_callback|client_version|client_name|session_key$|sess_key|react_key|map_key|lookup_key|dict_key|object_key|s3_key|bucket_key|row_key|group_key|i18n|locale|message_key|storage_key$|local_storage|query_key|publishable|(?:^|_)(?:gpg|pgp|apt|host|hash|lock|dedup\w*|feature|flag|registry|build|config|setting|metric|state|etag|event|topic|item|node|index|shard|field|column|json|redis|task|job|team|channel|thread|conversation|translation)_?key$"
)


_SHORTEST, _LONGEST = 4, 4096
_SHORTEST_OF_PROVIDERS = 12
_BEGINNING = 64


class Kind(NamedTuple):
    """What a name says: how strong, and the rules of those whose name is in it."""

    password: bool
    strong: bool
    weak: bool


def kind_of(name: str) -> Kind | None:
    """What kind of value a name announces; None if it says nothing."""
    key = snake(name)
    if not key:
        return None
    password = _PASSWORD.search(key) is not None
    excluded = _NONE.search(key) is not None
    strong = _STRONG.search(key) is not None
    weak = _WEAK.search(key) is not None
    if excluded:
        return None
    return Kind(password, strong, weak) if password or strong or weak else None


@lru_cache(maxsize=4096)
def snake(name: str) -> str:
    """A name in small letters with underscores between its words."""
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    return re.sub(r"[\W_]+", "_", parted.lower()).strip("_")


class _ByProvider(NamedTuple):
    """A rule by the names that call for it; ``words`` are in them as they are."""

    id: str
    words: tuple[str, ...]
    names: Callable[[], re.Pattern[str]]
    value: Callable[[], re.Pattern[str]]

    def is_named_in(self, name: str) -> bool:
        return any(word in name for word in self.words) and bool(self.names().search(name))


def _word_in(name: str) -> str:
    """The longest word of a pattern of names, in which nothing but a sign is optional."""
    return max(reversed(re.split(r"\.\??", name)), key=len)


@cache
def _providers() -> tuple[_ByProvider, ...]:
    return tuple(
        _ByProvider(
            one.id,
            tuple(map(_word_in, one.names)),
            pattern("|".join(one.names)),
            pattern(one.value, re.ASCII | re.IGNORECASE),
        )
        for one in CONTEXTS
    )


@cache
def name_pattern() -> re.Pattern[str]:
    """Finds, in small letters, a word that may be part of the name of a secret."""
    named = {word for one in _providers() for word in one.words if len(word) > 2}
    return re.compile(any_of(sorted({*WORDS, *named})))


def rule_for(  # noqa: PLR0911 (one question after another)
    name: str, value: str, *, quoted: bool, env: bool = False, loose: bool = False
) -> str | None:
    """The rule by which a value with such a name is a secret; None if it is none.

    ``env``: the value stands as in a file of environment variables, where nothing else can stand.
    ``loose``: between name and value is a sign that stands in running text too, as a comma.
    """
    if not _SHORTEST <= len(value) <= _LONGEST:
        return None
    kind, providers = _about(name)
    if kind is None and not providers:
        return None
    if (not quoted and _is_no_value(name, value, env=env)) or is_template(value):
        return None
    # What a pseudonym brings in is random, and no part of a key.
    bare = PSEUDONYM.sub("", value)
    if len(bare) >= _SHORTEST_OF_PROVIDERS and not _is_wordy(bare):
        for provider in providers:
            if provider.value().fullmatch(bare):
                return provider.id
    if kind is None:
        return None
    if kind.password:
        # In a shell and in much code, pwd is the folder one is in.
        sure = (quoted or env) and not loose and name != "pwd"
        return "password" if _is_password(value, sure=sure) else None
    if kind.strong or (kind.weak and _is_own_key(name, bare)):
        sure = not loose if is_uuid(bare) else (quoted or env) and not loose
        return "secret" if _is_key(bare, sure=sure) else None
    return "generic-api-key" if _is_surely_key(bare) else None


def _is_no_value(name: str, value: str, *, env: bool) -> bool:
    """Whether what stands without quotes after a name is a sentence, code, or the name again."""
    if _is_foreign(value[:_BEGINNING]) or value.endswith(f".{name.strip()}"):
        return True
    return not env and is_code(value)


@lru_cache(maxsize=4096)
def _about(name: str) -> tuple[Kind | None, tuple[_ByProvider, ...]]:
    """What a name says, and the rules of the providers that are named in it."""
    lower = name.lower()
    return kind_of(name), tuple(one for one in _providers() if one.is_named_in(lower))


def _is_own_key(name: str, value: str) -> bool:
    """Whether a key, which may be that of a table or a cache, is one that somebody gave out.

    So it is if the name of who gave it is in its name, or if it is set as environment variables
    are.
    """
    if is_vendors(name):
        return True
    return name.isupper() and name.endswith("_KEY") and (is_hex(value) or is_uuid(value))


@lru_cache(maxsize=4096)
def is_vendors(name: str) -> bool:
    """Whether somebody who gives out keys is named in a name."""
    return _vendors().search(re.sub(r"[\W_]+", "", name.lower())) is not None


@cache
def _vendors() -> re.Pattern[str]:
    return re.compile(any_of(VENDORS))


def _is_wordy(value: str) -> bool:
    return value.isalpha() and is_name(value)


def _is_password(value: str, *, sure: bool) -> bool:
    if " " in value.strip() and not sure:
        return False
    if sure:
        return not value.isspace() and not _is_label(value) and not is_path(value)
    # In running text a word after "password:" is a word.
    return len(value) >= 6 and not is_plain(value) and not is_name(value) and not _is_foreign(value)


def _is_foreign(value: str) -> bool:
    """Whether it is words of a language that has no passwords in its letters."""
    others = sum(not one.isascii() for one in value)
    return 2 * others > len(value) or (others > 0 and not any(one.isdigit() for one in value))


def _is_label(value: str) -> bool:
    """Whether a quoted text is what people read: "Enter your password"."""
    if "passw" in value.lower() and _ROUTE.fullmatch(value):
        return True
    if _is_foreign(value):
        return True
    if value.count(" ") > _MOST_SPACES:
        return True  # a sentence
    return (value.count(" ") >= 1 and is_name(value)) or value.lower() in _LABELS


_MOST_SPACES = 4
# As pages and routes name what is about passwords: "#add-password", "users/passwords#edit".
_ROUTE = re.compile(r"[#.][\w-]+|[\w-]+(?:/[\w-]+)+(?:#\w+)?", re.ASCII)
_LABELS = frozenset(
    {"password", "passwd", "pwd", "secret", "token", "pass", "username", "user", "text", "hidden", "current-password", "new-password", "admin-password", "key", "apikey", "api_key", "api-key", "auth", "bearer", "basic", "oauth", "oauth2", "cookie", "session"}
)  # fmt: skip


def _is_key(value: str, *, sure: bool) -> bool:
    if len(value) < 8 or " " in value or not value.isascii() or is_plain(value):
        return False
    if is_uuid(value):
        return sure
    if is_hex(value):
        return len(value) >= 16 and len(set(value)) > 5
    if is_random(value, least=8, bits=2.8):
        return len(value) >= 10 or (sure and any(one.isdigit() for one in value))
    # A name in quotes may be a weak secret: "my-signing-secret-2024".
    return False


def _is_surely_key(value: str) -> bool:
    if len(value) < 16 or not value.isascii():
        return False
    if is_hex(value) or is_uuid(value) or has_words(value):
        return False
    if not is_random(value, least=16, bits=3.3):
        return False
    has = [any(test(one) for one in value) for test in (str.isdigit, str.islower, str.isupper)]
    return sum(has) == 3 or (
        has[0] and len(value) >= 20 and entropy(value) > 3.6 and "/" not in value
    )
