"""Tokens that no single provider owns."""

from __future__ import annotations

from pytest_agentv.redact.rule import token, tokens

# Letters of both cases with digits, as no name has them; and longer runs without capitals.
_MIXED = r"(?=[a-z0-9-]*[A-Z])(?=[A-Za-z-]*[0-9])[A-Za-z0-9-]{20,512}(?![A-Za-z0-9_])"
# Names of functions may have a number or two.
_DIGITS = r"(?=(?:[A-Za-z-]*[0-9]){3})"
_RUN = r"(?=[a-z]*[0-9])[a-z0-9]{32,512}(?![A-Za-z0-9_])"
_PREFIX = r"[a-z][a-z0-9]{0,15}(?:_[a-z0-9]{1,12}){0,2}"
# What stands in the beginning of tokens of any provider. Identifiers have beginnings, too, but
# other words in them: `toolu_…`, `msg_…`.
_SURE = ("live", "prod", "pat", "sk", "secret")
_LIKELY = ("key", "token", "api", "access", "test")

_PREFIXED = (
    *(token("prefixed-token", rf"{_PREFIX}_{one}_(?:[a-z0-9]{{1,8}}_)?(?:{_MIXED}|{_RUN})", inside=f"_{one}_") for one in _SURE),
    *(token("prefixed-token", rf"{_PREFIX}_{one}_(?:[a-z0-9]{{1,8}}_)?{_DIGITS}{_MIXED}", inside=f"_{one}_") for one in _LIKELY),
)  # fmt: skip

# As the files of users have them: whoever has one can guess the password.
_HASHES = tokens(
    r"""
password-hash  *$1$*  \$1\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}(?![/A-Za-z0-9])
password-hash  *$apr1$*  \$apr1\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}(?![/A-Za-z0-9])
password-hash  *$2*  \$2[abxy]?\$[0-9]{2}\$[./A-Za-z0-9]{53}(?![/A-Za-z0-9])
password-hash  *$5$*  \$5\$(?:rounds=[0-9]{1,9}\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{43}(?![/A-Za-z0-9])
password-hash  *$6$*  \$6\$(?:rounds=[0-9]{1,9}\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{86}(?![/A-Za-z0-9])
password-hash  *$8$*  \$8\$[./A-Za-z0-9]{14}\$[./A-Za-z0-9]{43}(?![/A-Za-z0-9])
password-hash  *$9$*  \$9\$[./A-Za-z0-9]{14}\$[./A-Za-z0-9]{43}(?![/A-Za-z0-9])
password-hash  *$y$*  \$y\$[./A-Za-z0-9]{1,20}\$[./A-Za-z0-9]{1,86}\$[./A-Za-z0-9]{43}(?![/A-Za-z0-9])
password-hash  *$gy$*  \$gy\$[./A-Za-z0-9]{1,20}\$[./A-Za-z0-9]{1,86}\$[./A-Za-z0-9]{43}(?![/A-Za-z0-9])
password-hash  *$7$*  \$7\$[./A-Za-z0-9]{1,20}\$[./A-Za-z0-9]{1,86}\$[./A-Za-z0-9]{43}(?![/A-Za-z0-9])
password-hash  *$argon2*  \$argon2(?:id|i|d)\$v=[0-9]{1,3}\$m=[0-9]{1,9}(?:,[a-z]=[0-9]{1,9}){0,4}(?:\$(?!argon2)[A-Za-z0-9+/]{8,200}){2}
password-hash  *$krb5*  \$krb5(?:asrep|tgs|pa)\$[0-9]{1,2}\$[\w@.*$:/-]{1,300}\$[0-9A-Fa-f]{32,8000}
password-hash  *$krb5*  \$krb5(?:asrep|tgs|pa)\$[0-9]{1,2}\$[0-9A-Fa-f]{32}\$[0-9A-Fa-f]{32,8000}
password-hash  pbkdf2_sha256$ pbkdf2_sha512$ pbkdf2_sha1$  [0-9]{1,8}\$[\w.+/-]{1,64}\$[A-Za-z0-9+/]{27,120}={0,2}
"""
)

_BY_START = tokens(
    r"""
jwt                  ey              [\w-]{14,}\.ey[\w/\\-]{14,}\.(?:[\w/\\-]{10,4096}={0,2})?
jwt                  eyJ             [\w-]{8,}\.(?:eyJ|[\w-]{8})[\w/\\+-]{4,}(?:\.[\w/\\+-]{0,4096}={0,2}){1,3}
jwt                  ZXlK            [A-Za-z0-9+/_-]{60,8000}={0,2}
aws-presigned-url    X-Amz-Signature= X-Amz-Credential= X-Amz-Security-Token=  [\w%/+=.-]{20,2000}
azure-sas-signature  sig=            [A-Za-z0-9%+/]{30,100}(?:=|%3[Dd])?
gcs-signature        X-Goog-Signature= X-Goog-Credential=  [\w%/+=.@-]{20,2000}
ntlm-token           TlRMTVNTUAAD TlRMTVNTUAAB  [\w+/-]{20,4000}={0,2}
paserk-key           k1. k2. k3. k4.  (?:secret|local|seal)[a-z-]{0,12}\.[\w.-]{20,400}
paseto-token         v1. v2. v3. v4.  (?:public|local)\.[\w-]{30,4000}(?:\.[\w-]+)?
prefixed-token       key_live_ key_test_ secret-live- secret-test- secret_live_ secret_test_  (?=[\w=-]*[0-9])[\w=-]{20,120}
"""
)

TOKENS = _BY_START + _PREFIXED + _HASHES

CONTEXTS = ()
