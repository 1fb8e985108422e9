"""Tokens that no single provider owns."""

from __future__ import annotations

from pytest_agentv.redact.rule import tokens

TOKENS = tokens(
    ("jwt", "ey", r"[\w-]{14,}\.ey[\w/\\-]{14,}\.(?:[\w/\\-]{10,4096}={0,2})?"),
    ("jwt", "eyJ", r"[\w-]{8,}\.(?:eyJ|[\w-]{8})[\w/\\+-]{4,}(?:\.[\w/\\+-]{0,4096}={0,2}){1,3}"),
    ("jwt", "ZXlK", r"[A-Za-z0-9+/_-]{60,8000}={0,2}"),
    ("aws-presigned-url", "X-Amz-Signature= X-Amz-Credential= X-Amz-Security-Token=", r"[\w%/+=.-]{20,2000}"),
    ("azure-sas-signature", "sig=", r"[A-Za-z0-9%+/]{30,100}(?:=|%3[Dd])?"),
    ("gcs-signature", "X-Goog-Signature= X-Goog-Credential=", r"[\w%/+=.@-]{20,2000}"),
    ("ntlm-token", "TlRMTVNTUAAD TlRMTVNTUAAB", r"[\w+/-]{20,4000}={0,2}"),
    ("paserk-key", "k1. k2. k3. k4.", r"(?:secret|local|seal)[a-z-]{0,12}\.[\w.-]{20,400}"),
    ("paseto-token", "v1. v2. v3. v4.", r"(?:public|local)\.[\w-]{30,4000}(?:\.[\w-]+)?"),
)  # fmt: skip

CONTEXTS = ()
