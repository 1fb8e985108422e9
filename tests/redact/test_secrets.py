"""Which texts are secrets, and which are not."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote

import pytest
from planted import aws_key, github_token, opaque, private_key

from pytest_agentv.redact import Redactor


def redacted(value: object) -> object:
    return Redactor("secrets").value(value)


def text_of(text: str) -> str:
    return Redactor("secrets").text(text)


def test_a_token_is_replaced_by_the_name_of_its_rule() -> None:
    assert text_of(f"use {github_token()} now") == "use [REDACTED:github-pat] now"


@pytest.mark.parametrize(
    "form",
    [
        "alone: {}",
        "first\\n{}\\nlast",
        "@@ -1 +1 @@\n-{}\n+{}\n",
        "     7\u2192{}\n",
        "/home/dev/{}/file.txt",
        "\x1b[32m{}\x1b[0m",
        "ключ→{}←",
        "&quot;{}&quot;",
        "see `{}`",
        "a \\u001b[1m{}",
    ],
)
def test_tokens_are_found_wherever_they_stand(form: str) -> None:
    assert aws_key() not in text_of(form.format(aws_key(), aws_key()))


def test_escapes_hide_nothing() -> None:
    token = github_token()
    for hidden in (
        "".join(f"\\u{ord(one):04x}" for one in token),
        "".join(f"\\x{ord(one):02x}" for one in token),
        "".join(f"%{ord(one):02X}" for one in token),
        "".join(f"&#{ord(one)};" for one in token),
        json.dumps({"a": json.dumps({"b": json.dumps(token)})}),
    ):
        assert "[REDACTED:github-pat]" in text_of(f"it is {hidden} there")


def test_base64_hides_nothing() -> None:
    said = f"machine x\npassword={github_token()} and then some more text that goes on".encode()
    for hidden in (
        base64.b64encode(said).decode(),
        base64.urlsafe_b64encode(b"<<<???>>>" + said).decode(),
        base64.encodebytes(said * 2).decode(),
        base64.b64encode(base64.b64encode(said)).decode(),
        base64.b64encode(private_key().encode()).decode(),
        base64.b64encode("ключ ".encode() + said).decode(),
    ):
        assert "[REDACTED:" in text_of(f"data: {hidden}")
        assert hidden[20:40] not in text_of(f"data: {hidden}")


def test_keys_of_objects_are_redacted_and_none_is_lost() -> None:
    one, two = github_token(), github_token("Z9y8X7w6V5u4T3s2R1q0P9o8N7m6L5k4J3i2")
    assert redacted({one: 1, two: 2}) == {
        "[REDACTED:github-pat]": 1,
        "[REDACTED:github-pat]_": 2,
    }


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ('password = "hunter2!x"', 'password = "[REDACTED:password]"'),
        ("DB_PASSWORD=correct;horse", "DB_PASSWORD=[REDACTED:password]"),
        ("export PGPASSWORD=abc123 && psql", "export PGPASSWORD=[REDACTED:password] && psql"),
        ('password ||= "s3cretValue9"', 'password ||= "[REDACTED:password]"'),
        ('db_password &&= "s3cretValue9"', 'db_password &&= "[REDACTED:password]"'),
        ("<password>s3cretValue9</password>", "<password>[REDACTED:password]</password>"),
        ("password:\n  s3cretValue9", "password:\n  [REDACTED:password]"),
        ("postgres://dev:s3cr3t@db/app", "postgres://dev:[REDACTED:url-password]@db/app"),
        ("curl -u dev:s3cr3t9 http://x", "curl -u dev:[REDACTED:user-flag] http://x"),
        ("sshpass -p s3cr3t9 ssh dev@x", "sshpass -p [REDACTED:password-flag] ssh dev@x"),
        ("mysql -u root -ps3cr3t9 app", "mysql -u root -p[REDACTED:password-flag] app"),
        ("login --password s3cr3t9 --now", "login --password [REDACTED:password-flag] --now"),
        (
            "machine h login dev password s3cr3t9",
            "machine h login dev password [REDACTED:netrc-password]",
        ),
        ("the password is Tr0ub4dor&3!", "the password is [REDACTED:password-in-text]"),
        (
            "echo s3cr3t9 | sudo -S ls",
            "echo [REDACTED:sudo-password] | sudo -S ls",
        ),
        (
            "CREATE USER x IDENTIFIED BY 's3cr3t9'",
            "CREATE USER x IDENTIFIED BY '[REDACTED:identified-by]'",
        ),
        ("openssl rsa -passin pass:s3cr3t9", "openssl rsa -passin pass:[REDACTED:password-flag]"),
        ("Connect -Password 's3cr3t9x'", "Connect -Password [REDACTED:password-flag]"),
        (
            "schtasks /create /tn x /ru dev /rp s3cr3t9",
            "schtasks /create /tn x /ru dev /rp [REDACTED:password-flag]",
        ),
        (
            "net use Z: \\\\h\\d /user:acme\\dev s3cr3t9",
            "net use Z: \\\\h\\d /user:acme\\dev [REDACTED:password-flag]",
        ),
        (
            "psexec \\\\h -u dev -p s3cr3t9 cmd",
            "psexec \\\\h -u dev -p [REDACTED:password-flag] cmd",
        ),
        (
            "ConvertTo-SecureString 's3cr3t9' -AsPlainText -Force",
            "ConvertTo-SecureString '[REDACTED:password-argument]' -AsPlainText -Force",
        ),
        (
            'new NetworkCredential("dev", "s3cr3t9")',
            'new NetworkCredential("dev", "[REDACTED:password-argument]")',
        ),
        (
            "mysqli_connect('h', 'dev', 's3cr3t9', 'app')",
            "mysqli_connect('h', 'dev', '[REDACTED:password-argument]', 'app')",
        ),
        (
            "<AdministratorPassword><Value>s3cr3t9</Value></AdministratorPassword>",
            "<AdministratorPassword><Value>[REDACTED:unattend-password]</Value></AdministratorPassword>",
        ),
        (
            "snmp-server community s3cr3t9 RW",
            "snmp-server community [REDACTED:network-password] RW",
        ),
        (
            "- name: DB_PASSWORD\n  value: s3cr3t9",
            "- name: DB_PASSWORD\n  value: [REDACTED:password]",
        ),
        (
            '<add key="MailPassword" value="s3cr3t$"/>',
            '<add key="MailPassword" value="[REDACTED:password]"/>',
        ),
        (
            'x = environ.get("PASSWORD") or "s3cr3t!x"; password = x',
            'x = environ.get("PASSWORD") or "[REDACTED:password]"; password = x',
        ),
        ("The password is 'Secret123'", "The password is '[REDACTED:password-in-text]'"),
        (
            "smtps://dev@acme.io:s3cr3t9@mail.acme.io",
            "smtps://dev@acme.io:[REDACTED:url-password]@mail.acme.io",
        ),
        ("10.0.0.7 (PW:s3cr3t9)", "10.0.0.7 (PW:[REDACTED:password-in-text])"),
        (
            "password for dev is s3cr3t9",
            "password for dev is [REDACTED:password-in-text]",
        ),
        (
            "\ube44\ubc00\ubc88\ud638: s3cr3t9",
            "\ube44\ubc00\ubc88\ud638: [REDACTED:password]",
        ),
        ("\u5bc6\u7801\uff1as3cr3t9", "\u5bc6\u7801\uff1a[REDACTED:password]"),
    ],
)
def test_passwords_are_found_by_where_they_stand(text: str, kept: str) -> None:
    assert text_of(text) == kept


def test_a_client_secret_may_end_a_sentence() -> None:
    secret = "xY38Q~" + "aB3.dE6-gH9_jK2~mN5pQ8rS1tU4vW7x"
    assert text_of(f"It is {secret}.") == "It is [REDACTED:azure-client-secret]."


def test_headers_are_redacted() -> None:
    login = base64.b64encode(b"dev:s3cr3t9").decode()
    for text in (
        f"Authorization: Basic {login}",
        "Authorization: Bearer Zf3D0LXCM3EIMbgJpUNnkRtOfOueHznB",
        "Cookie: theme=dark; sid=s%3A9f8e7d6c5b4a3f2e1d0c9b8a.Zx81",
        f'{{"auths": {{"r.io": {{"auth": "{login}"}}}}}}',
    ):
        clean = text_of(text)
        assert "[REDACTED:" in clean
        assert login not in clean
        assert "Zf3D0LXCM3" not in clean
        assert "9f8e7d6c" not in clean


def test_private_keys_are_replaced_as_a_whole() -> None:
    numbered = "\n".join(f"{n:6}\t{one}" for n, one in enumerate(private_key().split("\n"), 1))
    for key in (
        private_key(),
        private_key(line="\\n"),
        numbered,
        "\n".join(f"+{one}" for one in private_key().split("\n")),
        private_key().rsplit("\n", 1)[0],
        private_key().split("\n", 1)[1],
        "PuTTY-User-Key-File-3: x\nPrivate-Lines: 2\nMIIEabc\nMIIEdef\nPrivate-MAC: " + "a1" * 20,
    ):
        clean = text_of(f"before\n{key}\nafter")
        assert "[REDACTED:private-key]" in clean
        assert "MIIE" not in clean
        assert clean.startswith("before")
        assert clean.endswith("after")


def test_a_private_key_in_lines_of_a_list_is_replaced() -> None:
    clean = redacted({"lines": private_key().split("\n")})
    assert "MIIE" not in str(clean)


def test_values_of_kubernetes_secrets_are_replaced() -> None:
    text = "kind: Secret\ndata:\n  user: ZGV2ZWxvcGVy\n---\nkind: ConfigMap\ndata:\n  a: plain\n"
    clean = text_of(text)
    assert "ZGV2" not in clean
    assert "a: plain" in clean


def test_the_name_of_a_value_may_stand_beside_it() -> None:
    secret = opaque(32)
    for value in (
        {"name": "API_TOKEN", "value": secret},
        {"client_secret": [secret]},
        ["tool", "--api-key", secret],
        ["curl", "-u", f"dev:{secret}"],
        f'<add key="ApiToken" value="{secret}" />',
        json.dumps({"name": "API_TOKEN", "value": secret}),
        f"https://x.io/?api_key={quote(secret)}&page=2",
        {"env": {"API_TOKEN": secret}},
    ):
        assert secret not in str(redacted(value))


_HEX = "4f2c9d10" + "81ab7c3d" + "e56f9081" + "a2bc4d7e"
_MIXED = "kQ8vZ2" + "mN5xR7tW" + "1bY4cL9d" + "H3sJ6g"
_UUID = "7b3e1c34-9bcd-4567" + "-8901-23456789abcd"


@pytest.mark.parametrize(
    ("form", "value"),
    [
        ("geoapify_key = {}", _HEX),
        ("ACME_MAPS_KEY={}", _HEX),
        ("x-api-key: {}", _UUID),
        ("credentials:\n  secret: {}", _UUID),
        ("acme_key = Wb7QxzCD.{}", _MIXED),
        ("privatekey => 'ts_{}'", _MIXED.upper()),
        ("Authorization: SSWS 00{}", _MIXED),
        ("acme token {}", _MIXED),
        ("the api key is {}", _HEX),
        ("mix hex.organization auth acme --key {}", _HEX),
        ('variable "acme_api_token" {{\n  type = "string"\n  default = "{}"\n}}', _MIXED),
        ('validationKey="{}"', _HEX.upper()),
        ("https://chat.acme.io/hooks/{}", _MIXED.lower()),
        ("it is acme_live_{} there", _MIXED),
        ("it is acme_key_{} there", _MIXED),
        ("dev:$2b$12${}:1000", (_MIXED * 2)[:53]),
        ("dev:$6$salt${}:1000", (_MIXED * 4)[:86]),
        ("pbkdf2_sha256$600000$salt${}=", (_MIXED * 2)[:43]),
    ],
)
def test_a_key_is_found_by_its_name_its_place_or_its_beginning(form: str, value: str) -> None:
    assert value not in text_of(form.format(value))


def test_the_words_of_a_wallet_are_a_secret() -> None:
    words = "zoo wolf " * 5 + "yard zoo"
    assert text_of(f'"mnemonic": "{words}"') == '"mnemonic": "[REDACTED:seed-phrase]"'
    assert words not in text_of(f"seed phrase: {words}")


def test_a_private_key_of_which_every_sign_is_escaped_is_replaced() -> None:
    begin, end = "-----BEGIN PRIVATE " + "KEY-----", "-----END PRIVATE " + "KEY-----"
    key = "\n".join([begin, *([_MIXED * 2] * 3), end])
    assert text_of("".join(f"\\u{ord(one):04x}" for one in key)) == "[REDACTED:private-key]"


def test_a_name_in_letters_that_json_escapes_is_still_a_name() -> None:
    nested = json.dumps({"a": json.dumps({"b": "\u043f\u0430\u0440\u043e\u043b\u044c: s3cr3t9"})})
    assert "s3cr3t9" not in text_of(nested)


def test_lines_of_a_diff_are_no_flags() -> None:
    lines = ["-  session_token = load(old)", "+## 2. What the tool does (`run_tool.py`)"]
    assert redacted(lines) == lines


def test_what_was_a_secret_once_is_one_everywhere_after() -> None:
    redactor = Redactor("secrets")
    assert redactor.text("it is Kq82LmZp91Xa") == "it is Kq82LmZp91Xa"
    redactor.text('password = "Kq82LmZp91Xa"')
    assert redactor.text("it is Kq82LmZp91Xa") == "it is [REDACTED:password]"
    redactor.value({"db_password": "Wm73TnYr20Cb"})
    assert redactor.text("and Wm73TnYr20Cb") == "and [REDACTED:password]"


@pytest.mark.parametrize(
    "text",
    [
        "4bdbf8f6001d882ded7b783c6449fb9afdb714bc",
        "AKIAIOSFODNN7" + "EXAMPLE",
        'token = os.environ["TOKEN"]',
        "password: ${DB_PASSWORD}",
        "password: str | None = None",
        'api_key = "<your-api-key>"',
        '"password": "[REDACTED:password]"',
        "All checks pass (`pytest`)",
        "the password must have 12 characters",
        "max_tokens: 4096",
        '"sha256": "' + "ab12" * 16 + '"',
        "password=get_password()",
        "secret = settings.secret_key",
        "postgres://user:password@localhost/app",
        "golang.org/x/oauth2 v0.15.0 h1:s8pnnxNVzjWyrvYdFUQq5llS1PX2zhPXmccZv99h7uQ=",
        '{"pwd": "osc7", "version": 3}',
        'fmt.Sprintf(formats.CurrentDir, pwd) = "\\x1b]1337;CurrentDir=%s\\x07"',
        '"doctor.password.save": "shopctl init  # Save the password for good"',
        '"hint.password": "\u8bf7\u68c0\u67e5\uff1a1) \u5bc6\u7801\u662f\u5426\u6b63\u786e"',
        "+ import\u00b7{\u00b7type\u00b7Auth0ConfigIssue,\u00b7testAuth0Connection\u00b7}",
        'HEADERS="Authorization=Bearer token,X-Custom=value"',
        "def create(self, email, password, **extra_fields):",
        'IDENTIFIED BY "%(password)s"',
        "Enter a password. Then, you\u2019ll see more",
        '"session": "ses_20417b6beaafN3BBTTZLmPbSsB"',
        '"prompt_cache_key": "7b3e1c34-9bcd-4567-8901-23456789abcd"',
        "GPG_KEY=A0B1C2D3E4F5061728394A5B6C7D8E9F00112233",
        "PASS: tests/test_auth.py::test_token_2",
        "-password reset flow",
        'sb.append("UserPassword: " + getUserPassword() + ",");',
        "echo 'export DB_PASSWORD=\"'$DB_PASSWORD'\"' >> .env",
        'this.addPassword = "#add-password";',
        "put '/password' => \"users/passwords#update\"",
        'ChangePassword = "arn:aws:iam::aws:policy/ChangePassword"',
        'The password is "invalid"',
        "--- PASS: TestReadsTheFile/#01 (0.00s)",
        "--- PASS: TestV2API3x (0.00s)",
        "\u5bc6\u7801\uff1a\u5fc5\u987b\u81f3\u5c11\u6709\u5341\u4e8c\u4e2a\u5b57\u7b26",
        "https://acme.io/hooks/7b3e1c34-9bcd-4567-8901-23456789abcd",
        "The seed phrase is what a wallet is made from, and nobody else may ever read it",
        "def my_test_ParseHTML5DocumentWithUnicode():",
        "user_test_HandlesUTF8StringsInJSONPayload2",
        "key: ed25519.Ed25519PrivateKey,",
        "('secret', 'sodium_crypto_aead_chacha20poly1305_decrypt')",
        "$argon2id$v=19$m=65536,t=3,p=4",
        f"key_{'9f86d081884c7d65' * 4}",
        f"env_{'9f86d081884c7d65' * 4}",
    ],
)
def test_what_only_looks_like_a_secret_is_left_alone(text: str) -> None:
    assert text_of(text) == text


def test_a_name_that_stood_alone_still_names_the_value_on_the_next_line() -> None:
    redactor = Redactor("secrets")
    assert redactor.text("password:") == "password:"
    assert redactor.text("password:\n  c0rrect-h0rse") == "password:\n  [REDACTED:password]"


@pytest.mark.parametrize("form", ["password: {}", "password:\n  {}", "the password is: {} now"])
def test_a_password_in_a_text_may_hold_any_sign(form: str) -> None:
    assert text_of(form.format("Tr0ub4dor&3")) == form.format("[REDACTED:password]")
