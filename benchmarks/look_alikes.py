"""Texts that look like secrets and are none: hashes, ids, paths, templates, words about secrets."""

from __future__ import annotations

import base64
import random
import re
import uuid
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_HEX = "0123456789abcdef"
_ALNUM = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
_BLANK = re.compile(r"\{(uuid|words|[hAdl][0-9]+)\}")
# What must never be touched: identifiers, hashes, paths, model names, times.
_PROTECTED = {
    "uuid": "{uuid}",
    "session id": '"sessionId": "{uuid}"',
    "request": '"request_id": "req_011{A24}"',
    "message id": '"id": "msg_01{A22}"',
    "tool id": '"tool_use_id": "toolu_01{A22}"',
    "call id": "call_{A24}",
    "git commit": "commit {h40}",
    "short commit": "{h7}..{h7}",
    "git index": "index {h7}..{h7} 100644",
    "sha256": "sha256:{h64}",
    "sha256 sum": "{h64}  dist/app-1.0.tar.gz",
    "md5": '"md5": "{h32}"',
    "integrity": '"integrity": "sha512-{A86}=="',
    "lock": '"resolved": "https://registry.npmjs.org/left-pad/-/left-pad-1.3.0.tgz#{h40}"',
    "cargo lock": 'checksum = "{h64}"',
    "poetry lock": '{file = "x-1.0.whl", hash = "sha256:{h64}"}',
    "go sum": "golang.org/x/oauth2 v0.15.0 h1:{A43}=",
    "docker digest": "alpine@sha256:{h64}",
    "etag": 'ETag: "{h32}"',
    "trace": "traceparent: 00-{h32}-{h16}-01",
    "model": '"model": "claude-sonnet-4-5-20250929"',
    "model 2": "model = gpt-5.1-codex-max-2025-11-19",
    "model 3": "models/gemini-2.5-pro-preview-06-05",
    "time": '"timestamp": "2026-03-29T21:10:11.969Z"',
    "epoch": '"created_at": 17{d11}',
    "path": "/home/dev/projects/app/src/auth/token_store.py:{d3}",
    "windows path": "C:\\Users\\dev\\AppData\\Local\\Temp\\tmp{l8}\\out.json",
    "hashed file": "dist/assets/index-{A8}.js",
    "cache folder": "~/.cache/uv/archive-v0/{A21}/lib",
    "url": "https://github.com/acme/app/pull/{d3}/files#diff-{h64}",
    "account": '"account_id": "{d12}"',
    "version": "v{d1}.{d2}.{d1}-rc.{d1}+build.{d4}",
    "cache key": '"cache_key": "{h64}"',
    "idempotency": "Idempotency-Key: {uuid}",
    "node id": '"node_id": "PR_kwDO{A14}"',
    "session of a client": '"session": "ses_{A26}"',
    "completion": '"id": "chatcmpl-{A29}"',
    "response": '"id": "resp_{h48}"',
    "thread": '"thread_id": "thread_{A24}"',
    "server tool": "srvtoolu_{A24}",
    "organization": '"organization": "org-{A24}"',
    "deployment": "dpl_{A28}",
    "customer": '"customer": "cus_{A14}"',
    "prompt cache": '"prompt_cache_key": "{uuid}"',
    "file key": '"file_key": "{h64}"',
    "fingerprint": "GPG_KEY={h40}",
    "cache variable": "CACHE_KEY={h64}",
    "missing": "key {uuid} not found",
    "hash of a token": "token_hash: {h64}",
    "token address": "token 0x{h40} on mainnet",
    "digest of a token": "token sha256:{h64}",
    "model as a key": '"key": "claude-opus-4-20250514"',
    "rollout": "rollout-2026-01-02T03-04-05-{uuid}.jsonl",
}
_OTHERS = {
    "template": "api_key = <your-api-key>",
    "shell variable": 'curl -H "Authorization: Bearer ${API_TOKEN_{d1}}"',
    "environment": 'password = os.environ["DB_PASSWORD_{d1}"]',
    "node environment": "const token = process.env.SERVICE_TOKEN_{d1};",
    "github secret": "token: ${{ secrets.DEPLOY_TOKEN_{d1} }}",
    "jinja": 'password: "{{ vault_password_{d1} }}"',
    "stars": "password: ********",
    "manual aws": "AKIAIOSFODNN7EXAMPLE",
    "manual github": "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "manual anthropic": "ANTHROPIC_API_KEY=sk-ant-...",
    "call": "token = get_token(user_{d2}, scope)",
    "type": "password: str | None = None",
    "attribute": "self.secret = settings.secret_{d2}",
    "prose": "The password must have at least {d2} characters.",
    "prose 2": "Rotate the API key every {d2} days and keep the token out of logs.",
    "limit": '"max_tokens": {d4}, "token_count": {d5}',
    "tokens": "input_tokens={d5} output_tokens={d4}",
    "test name": "test_password_reset_token_expires_after_{d2}_days",
    "label": '"password_label": "Enter your password"',
    "html": '<input type="password" name="password" autocomplete="current-password">',
    "login address": "postgres://user:password@localhost:5432/app_{d2}",
    "public key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{A43} dev@devbox",
    "certificate": "-----BEGIN CERTIFICATE-----\n{A64}\n{A64}\n-----END CERTIFICATE-----",
    "image": "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA{A200}",
    "minified": "var a=function(e,t){return e.token===t.key&&n({d3},r[{d2}].secret)};",
    "css": "--token-color-{d2}: #{h6}; --key: {d2}px;",
    "sentence": "Secret Santa draws {d2} names; the key to it is {d1} rounds.",
    "function": "def rotate_secret(name: str, key_id: str = 'key-{d2}') -> None:",
    "enum": "AuthMethod.PASSWORD = 'password'",
    "publishable": "NEXT_PUBLIC_KEY_NAME=site-key-name-{d2}",
    "base64 words": "{words}",
    "keyword arguments": "def create(self, email, password, **extra_{l6}):",
    "named template": 'IDENTIFIED BY "%(password)s" -- {d2}',
    "apostrophe": "enter a password. Then, you\u2019ll see {d2} more",
    "test outcome": "PASS: tests/test_auth.py::test_token_{l6}",
    "diff of a list": "-  token = old_value_{d2}\n+  token = new_value_{d2}",
    "hook": "https://github.com/acme/app/settings/hooks/{d9}",
    "connection": 'connect("localhost", port_{d2}, timeout)',
    "phrase": "The seed phrase is what a wallet is made from: nobody else may read it {d1}",
    "header name": "Access-Control-Allow-Headers: Authorization, X-Api-Key, Cookie",
}


def look_alikes(seed: int, *, each: int) -> Iterator[tuple[str, bool, str]]:
    """Each kind with whether it must never be touched, and a text."""
    rng = random.Random(seed)
    for kinds, protected in ((_PROTECTED, True), (_OTHERS, False)):
        for kind, form in kinds.items():
            for _ in range(each):
                yield kind, protected, _filled(form, rng)


def _filled(form: str, rng: random.Random) -> str:
    return _BLANK.sub(lambda found: _made(found[1], rng), form)


def _made(what: str, rng: random.Random) -> str:
    if what == "uuid":
        return str(uuid.UUID(int=rng.getrandbits(128), version=4))
    if what == "words":
        said = f"plain words number {rng.randrange(10**6)} and nothing else in them"
        return base64.b64encode(said.encode()).decode()
    signs = {"h": _HEX, "A": _ALNUM, "d": "0123456789", "l": _ALNUM[26:]}[what[0]]
    return "".join(rng.choice(signs) for _ in range(int(what[1:])))
