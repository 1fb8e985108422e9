"""Secrets in the notations of languages, commands and manifests, and what stands beside them."""

from __future__ import annotations

import base64
import json

import pytest
from planted import opaque

from pytest_agentv.redact import Redactor


def text_of(text: str) -> str:
    clean = Redactor("secrets").text(text)
    assert Redactor("secrets").text(clean) == clean
    return clean


@pytest.mark.parametrize("sign", ["||=", "&&=", "??=", ":=", "::=", ":::=", "?=", "+=", ".=", "=>"])
def test_a_value_is_found_behind_every_sign_that_sets_one(sign: str) -> None:
    secret = opaque(32)
    assert secret not in text_of(f'acme_token {sign} "{secret}"')


@pytest.mark.parametrize(
    "secret",
    [
        "zk0xkaq5-rckl-5c76-7ude-gn4bkr2vrn8g",
        "1rxapz_jj3opr_eth3683zr6rdet",
        "KOctDqVqbhto3NWHIDDd",
    ],
)
def test_random_letters_in_groups_are_no_name(secret: str) -> None:
    assert text_of(f'acme_token = "{secret}"') == 'acme_token = "[REDACTED:secret]"'


@pytest.mark.parametrize(
    "command",
    [
        "curl -u dev:{} https://devbox",
        'curl -u "dev:{}" https://devbox',
        "curl -u dev:'{}' https://devbox",
        'curl -u ":{}" https://devbox',
        'curl -u "{}:" https://devbox',
        'curl --user="dev:{};x&y" https://devbox',
        "curl -X POST https://devbox \\\n  -H 'Accept: */*' \\\n  -u dev:{}",
        "curl --proxy-user dev:{} https://devbox",
    ],
)
def test_a_login_of_a_command_is_found_however_it_is_quoted(command: str) -> None:
    secret = f"x8!{opaque(12)}"
    line = command.format(secret)
    for text in (line, json.dumps({"command": line}), json.dumps(json.dumps([line]))):
        assert secret not in text_of(text)


_KEY = "9f8a3c1d7e5b2046"


@pytest.mark.parametrize("secret", ["hunter22x", "c0rrect-h0rse!", _KEY, opaque(24)])
@pytest.mark.parametrize(
    "command",
    [
        "set -x DB_PASSWORD {}",
        "set -gx DB_PASSWORD '{}'; and ./run",
        'set --global --export DB_PASSWORD "{}"',
        'set DB_PASSWORD "{}"',
        'set password "{}"',
        "setenv DB_PASSWORD {}",
        "setenv db_password '{}'",
        'setx DB_PASSWORD "{}"',
        "SETX /M DB_PASSWORD {}",
        "ENV DB_PASSWORD {}",
        "FROM alpine\n     2\u2192ENV DB_PASSWORD {}\nRUN make",
        "+ENV DB_PASSWORD '{}'",
    ],
)
def test_a_variable_is_set_by_commands_without_a_sign(command: str, secret: str) -> None:
    line = command.format(secret)
    for text in (line, json.dumps({"command": line}), json.dumps(json.dumps([line]))):
        assert secret not in text_of(text)


@pytest.mark.parametrize(
    "line",
    [
        "ENV SECRET_KEY {}",
        "ENV STRIPE_KEY {}",
        "setenv API_TOKEN {}",
        "set -Ux ACME_SECRET '{}'",
        "setx API_KEY {}",
    ],
)
def test_a_short_hexadecimal_key_is_found_where_only_a_variable_can_be_set(line: str) -> None:
    assert text_of(line.format(_KEY)) == line.format("[REDACTED:secret]")


@pytest.mark.parametrize(
    "text",
    [
        "set password reset",
        "Then set DB_PASSWORD correctly",
        "set API_KEY to the value from the vault",
        "set -x DB_PASSWORD $argv[1]",
        "set -euo pipefail",
        "set token [lindex $argv 0]",
        'set password "$argv"',
        "ENV DB_PASSWORD must be set before the start",
        "ENV DB_PASSWORD $DB_PASSWORD",
        "ENV DB_PASSWORD_FILE /run/secrets/db_password",
        "ENV PASSWORD_RESET_TIMEOUT 3600",
        "ENV TOKENIZERS_PARALLELISM false",
        "ENV GPG_KEY A0B1C2D3E4F5061728394A5B6C7D8E9F00112233",
        f"ENV PYTHON_SHA256 {_KEY * 4}",
        f"ENV GIT_COMMIT {_KEY}",
        "ENV SSH_AUTH_SOCK /tmp/agent.sock",
        "setenv AWS_SECRET_NAME production/database",
    ],
)
def test_what_commands_set_besides_is_left_alone(text: str) -> None:
    assert text_of(text) == text


_YAML = """\
apiVersion: v1
items:
- apiVersion: v1
  data:
    # base64
    one: {one}
    two: |
      {two}
    three: "{{{{ .Values.three }}}}"
  kind: Secret
  metadata:
    name: database-login
kind: List
"""


def _coded() -> str:
    return base64.b64encode(opaque(21).encode()).decode()


def _shown(text: str) -> dict[str, str]:
    return {
        "plain": text,
        "numbered": "".join(f"{n:6}\t{line}\n" for n, line in enumerate(text.split("\n"), 1)),
        "nested": json.dumps({"output": text}),
        "twice": json.dumps(json.dumps([text])),
        "escaped": "".join(f"\\u{ord(one):04x}" for one in text),
        "base64": base64.b64encode(text.encode()).decode(),
    }


@pytest.mark.parametrize("place", _shown(""))
def test_the_values_of_a_kubernetes_secret_are_found_in_yaml(place: str) -> None:
    one, two = _coded(), _coded()
    shown = _shown(_YAML.format(one=one, two=two))[place]

    clean = text_of(shown)

    assert clean != shown
    assert one not in clean
    assert two not in clean
    assert _shown(one)["escaped"] not in clean
    if place in {"plain", "nested"}:
        assert "name: database-login" in clean
        assert "kind: Secret" in clean
        assert ".Values.three" in clean


@pytest.mark.parametrize("place", _shown(""))
@pytest.mark.parametrize("holder", ["data", "stringData"])
def test_the_values_of_a_kubernetes_secret_are_found_in_json(place: str, holder: str) -> None:
    secret = _coded()
    manifest = {"kind": "Secret", holder: {"tls": secret}, "metadata": {"name": "database-login"}}

    shown = _shown(json.dumps(manifest, indent=2))[place]

    clean = text_of(shown)

    assert clean != shown
    assert secret not in clean
    assert _shown(secret)["escaped"] not in clean


def test_the_values_of_a_kubernetes_secret_are_found_as_an_object() -> None:
    manifest = {
        "kind": "Secret",
        "data": {"tls": _coded(), "user": "YWRtaW4=", "later": "{{ x }}"},
        "metadata": {"name": "database-login"},
    }
    redactor = Redactor("secrets")

    clean = redactor.value({"items": [manifest]})["items"][0]

    found = "[REDACTED:kubernetes-secret]"
    assert clean["data"] == {"tls": found, "user": found, "later": "{{ x }}"}
    assert clean["metadata"] == manifest["metadata"]
    assert redactor.receipt()["rules"] == {"kubernetes-secret": 2}
    assert Redactor("secrets").value(clean) == clean


@pytest.mark.parametrize(
    "text",
    [
        '{"kind": "ConfigMap", "data": {"tls": "dGhlIHZhbHVlIGlzIGEgdmFsdWU="}}',
        "kind: ConfigMap\ndata:\n  settings: c29tZS1zZXR0aW5nLW9yLW90aGVy\n",
        "kind: ExternalSecret\nspec:\n  data:\n    - secretKey: login\n",
        "kind: Secret\ndata:\n  htpasswd: ''\n  other: {{ .Values.other }}\n",
        # A file that others fill in.
        "API_KEY=\nDB_HOST=db1.internal:5432\n",
        "DB_PASSWORD=\nREDIS_URL=redis://cache:6379/0\n",
        "app.password=\njdbc.app.url=\n",
        "docker run -u 1000:1000 -v /srv:/srv https://devbox",
        "docker run --user node:node alpine",
        'curl -sL --user "$1:$2" "$3"',
        "curl -u <user:password> https://devbox",
        'curl -u ":" https://devbox:9200',
        "The --username and --password options cannot be used with --token.",
        "--api-key is required when --secret was given",
        'proxy = "socks5h://<username>:<password>@proxy-host"',
        "Ed448PrivateKey2 = rust.keys.a1b2c3d4.Ed448PrivateKey2",
        '"accessor": "rA1wk0Y45YCufyfq"',
        'publicToken = "9Cnzj4p4WGeKLs1Pt8QuKUpRKfFLfRYC9AIKjbJTWit"',
        'validKeyChars = "0123456789abcdefghijklmnopqrstuvwxyz_-."',
    ],
)
def test_what_stands_beside_secrets_is_left_alone(text: str) -> None:
    assert text_of(text) == text


@pytest.mark.parametrize(
    "name", ['"key": "{}"', '"access": "{}"', "auth flow: {}", "cache key: {}"]
)
@pytest.mark.parametrize(
    "identifier",
    [
        "toolu_01VO9GjNMRvqrgAwdorGOoOr",
        "toolu_bdrk_01VO9GjNMRvqrgAwdorGOoOr",
        "msg_01y4WQkPRiDIHQmo0ki0tYo2",
        "call_lxT3WSUGxWtfFfiFFmWNqexH",
        "resp_dc4e4648f499bcc4afef29b1449fb8566f2ce699dc6c4acbb1",
        "rs_656c9aade326fdac9af891180c7d4002a8a5b45ee60347917d",
        "req_011CGyMJ2bEUpkaBNGo95d0O",
        "chatcmpl-9Zx81mQpLr5TtYc0AbKw7NdEfGh2J",
        "ses_5kQ1yXc93LmPo7RtVwAaBbCcDd",
        "00-2a878525598c5d09067bc9b1a1c0595b-753cd1cf3ccd72c3-01",
        "01HZ3VG3REQ4K63F81E43EY04W",
        "vpc-010e7d347ee79c63f",
    ],
)
def test_an_identifier_is_left_alone_under_names_that_say_little(
    name: str, identifier: str
) -> None:
    text = name.format(identifier)
    assert text_of(text) == text
