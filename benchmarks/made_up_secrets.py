"""Made-up secrets of many kinds, and made-up texts that look like secrets and are none.

Nothing here is a credential, and nothing that looks like one is in this file: each is put together
at run time, from the parts that its kind has, with letters and digits at random.
"""

from __future__ import annotations

import base64
import json
import random
import string
import uuid
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Iterator

_ALNUM = string.ascii_letters + string.digits
_CLASSES = {
    "A": _ALNUM,
    "L": string.ascii_letters,
    "l": string.ascii_lowercase + string.digits,
    "U": string.ascii_uppercase + string.digits,
    "T": string.ascii_uppercase + "234567",
    "h": string.digits + "abcdef",
    "d": string.digits,
    "w": _ALNUM + "_-",
    "b": _ALNUM + "+/",
    "p": _ALNUM + "!#%*+?@^~",
}
# Each kind: its parts. `A36` is so many characters of a class, `uuid` one of those, else a literal.
COMMON = """
github-pat: ghp_ A36
github-fine-grained: github_pat_ A22 _ A59
github-oauth: gho_ A36
github-app: ghs_ A36
gitlab-pat: glpat- w20
aws-access-key: AKIA T16
gcp-api-key: AIza w35
gcp-oauth: GOCSPX- w28
anthropic: sk-ant-api03- w93 AA
openai-project: sk-proj- w74 T3BlbkFJ w74
openai-legacy: sk- A20 T3BlbkFJ A20
huggingface: hf_ L34
slack-bot: xoxb- d12 - d12 - A24
slack-user: xoxp- d12 - d12 - d12 - h32
slack-webhook: https://hooks.slack.com/services/T U10 /B U10 / A24
stripe: sk_live_ A24
stripe-restricted: rk_live_ A24
sendgrid: SG. w22 . w43
npm: npm_ A36
pypi: pypi-AgEIcHlwaS5vcmc w80
jwt: eyJ w20 .eyJ w60 . w43
digitalocean: dop_v1_ h64
azure-client-secret: A3 8Q~ w31
azure-storage: b76 +ASt b6 ==
twilio: SK h32
telegram: d10 :A w34
discord-bot: M A23 . w6 . w27
shopify: shpat_ h32
docker: dckr_pat_ w27
vault: hvs. w95
databricks: dapi h32
linear: lin_api_ A40
notion: ntn_ d11 A35
postman: PMAK- h24 - h34
grafana: glsa_ A32 _ h8
""".strip()
OTHERS = """
adafruit: adafruit_key=w32
algolia: algolia_api_key=l32
alibaba: LTAI A20
age: AGE-SECRET-KEY-1 QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L QPZRY9X8GF2TVDW0S3JN54KHCE
airtable: pat A14 . h64
artifactory: AKCp A69
asana: asana_secret=l32
atlassian: ATATT3 w186
authress: sc_ l10 .l5 .acc- l16 . A40
beamer: b_ l44
bitbucket: bitbucket_secret=w64
bittrex: bittrex_key=l32
buildkite: bkua_ l40
circleci: CCIPAT_ A22 _ h40
clojars: CLOJARS_ l60
cloudflare: cloudflare_token=w40
cloudflare-origin: v1.0- h24 - h146
codecov: codecov_token=l32
cohere: cohere_api_key=A40
coinbase: coinbase_token=w64
confluent: confluent_secret=l64
contentful: contentful_token=w43
crates-io: cio A32
datadog: datadog_api_key=h32
deno: ddp_ A36
doppler: dp.pt. A43
drone: droneci_token=l32
dropbox: dropbox_token=sl. w135
duffel: duffel_live_ w43
dynatrace: dt0c01. U24 . U64
easypost: EZAK A54
elevenlabs: elevenlabs_key=sk_ h48
etsy: etsy_token=l24
facebook: facebook_secret=h32
fastly: fastly_token=w32
figma: figd_ w40
finnhub: finnhub_token=l20
flickr: flickr_token=l32
flutterwave: FLWSECK_TEST- h32 -X
frameio: fio-u- w64
freshbooks: freshbooks_token=l64
gitlab-deploy: gldt- w20
gitlab-runner: glrt- w20
gitlab-trigger: glptt- h40
gitlab-oauth: gloas- w64
gitter: gitter_token=w40
gocardless: gocardless_token=live_ w40
grafana-cloud: glc_ b60
groq: gsk_ A52
harness: pat. w22 . h24 . A20
heroku: heroku_api_key=uuid
hubspot: hubspot_key=uuid
infracost: ico- A32
intercom: intercom_token=w60
intra42: s-s4t2ud- h64
jfrog: jfrog_token=l64
kraken: kraken_key=b84
kucoin: kucoin_secret=uuid
langsmith: lsv2_pt_ h32 _ h10
launchdarkly: launchdarkly_token=w40
linkedin: linkedin_secret=l16
lob: lob_key=live_ h35
mailchimp: h32 -us12
mailgun: key- h32
mapbox: mapbox_token=pk. l60 . l22
mattermost: mattermost_token=l26
messagebird: messagebird_token=l25
netlify: netlify_token=w42
newrelic: NRAK- U27
notion-legacy: secret_ A43
nvidia: nvapi- w64
nytimes: nytimes_key=w32
okta: okta_token=00 w40
onepassword: A3- U6 - U11 - U5 - U5 - U5
openrouter: sk-or-v1- h64
openshift: sha256~ w43
perplexity: pplx- A48
plaid: plaid_secret=l30
planetscale: pscale_tkn_ w43
prefect: pnu_ l36
pulumi: pul- h40
rapidapi: rapidapi_key=w50
readme: rdme_ l70
replicate: r8_ A37
rubygems: rubygems_ h48
scalingo: tk-us- w48
sendbird: sendbird_token=h40
sendinblue: xkeysib- h64 - A16
sentry-user: sntryu_ h64
settlemint: sm_pat_ A16
shippo: shippo_live_ h40
sidekiq: BUNDLE_ENTERPRISE__CONTRIBSYS__COM=h8 :h8
snyk: snyk_token=uuid
sonar: squ_ h40
sourcegraph: sgp_ h40
square: sq0atp- w22
squarespace: squarespace_token=uuid
sumologic: sumo_token=l64
supabase: sbp_ h40
tailscale: tskey-api- A12 - A22
terraform: A14 .atlasv1. w65
travis: travis_token=A22
twitch: twitch_token=l30
twitter: twitter_secret=A45
typeform: typeform_token=tfp_ w59
vercel: vcp_ A56
wandb: wandb_api_key=h40
xai: xai- A80
yandex: yandex_key=AQVN w36
zendesk: zendesk_key=l40
password: password=p12
db-password: DB_PASSWORD=A14
client-secret: client_secret=A32
aws-secret: aws_secret_access_key=b40
private-key-env: SIGNING_SECRET=h64
generic-token: auth_token=A40
unlisted-live: acme_live_ A32
unlisted-pat: acme_pat_ A40
unlisted-key: acme_key_ A40
vendor-key: geoapify_key=h32
environment-key: ACME_MAPS_KEY=h32
uuid-key: acme_api_key=uuid
dotted-key: acme_key=A8 .A40
bcrypt: $2b$12$ A53
sha512crypt: $6$ A16 $ A86
branch: key_live_ A32
clickup: pk_ d8 _ U32
dbt: dbtu_ w40
infura: https://mainnet.infura.io/v3/ h32
jina: jina_ A60
tolgee: tgpak_ l50
""".strip()


class Sample(NamedTuple):
    """A text or a JSON value with a secret in it, or with a text that only looks like one."""

    kind: str
    position: str
    value: object
    held: str


def secrets(seed: int, *, each: int) -> Iterator[Sample]:
    """Secrets of all kinds, each at places that change from one to the next."""
    rng = random.Random(seed)
    places = (*_BARE, *_ANYWHERE)
    turn = 0
    for line in [*COMMON.split("\n"), *OTHERS.split("\n")]:
        kind, _, parts = line.partition(": ")
        for _ in range(each):
            name, text = _made(parts, rng)
            usable = places if not name else _ANYWHERE
            position = usable[turn % len(usable)]
            turn += 1
            yield Sample(kind, position, _placed(position, name, text), text)


def is_common(kind: str) -> bool:
    """Whether everybody meets secrets of a kind."""
    return f"{kind}: " in COMMON


def _made(parts: str, rng: random.Random) -> tuple[str, str]:
    """The name that has to stand before a secret, if any, and the secret."""
    name, equals, rest = parts.partition("=")
    if not equals or " " in name:
        name, rest = "", parts
    return name, "".join(_part(one, rng) for one in rest.split())


def _part(part: str, rng: random.Random) -> str:
    if part == "uuid":
        return str(uuid.UUID(int=rng.getrandbits(128), version=4))
    literal = ""
    if part[:1] in ".:/B" and part[1:2] in _CLASSES and part[2:].isdigit():
        literal, part = part[0], part[1:]
    if part[:1] in _CLASSES and part[1:].isdigit():
        signs = _CLASSES[part[0]]
        return literal + "".join(rng.choice(signs) for _ in range(int(part[1:])))
    return part


_BARE = ("bare", "key", "escaped-letters", "base64", "base64-url", "diff", "numbered", "file-name")
_ANYWHERE = (
    "ini", "json", "nested-json", "twice-nested", "yaml", "code", "object", "escapes",
    "base64-line", "percent", "command",
)  # fmt: skip


def _placed(position: str, name: str, secret: str) -> object:  # noqa: C901, PLR0911, PLR0912
    name = name or "service_token"
    line = f"{name}={secret}"
    pair = json.dumps({name: secret})
    match position:
        case "bare":
            return f"it says {secret} there"
        case "key":
            return {"headers": {secret: True}}
        case "escaped-letters":
            return "".join(f"\\u{ord(one):04x}" for one in secret)
        case "base64":
            return base64.b64encode(f"the value is {secret}".encode()).decode()
        case "base64-url":
            return base64.urlsafe_b64encode(f"<<?>> {secret}".encode()).decode()
        case "diff":
            return f"@@ -1,2 +1,2 @@\n context\n-{secret}\n+{secret}\n"
        case "numbered":
            return f"     1\tfirst\n     2\t{secret}\n"
        case "file-name":
            return {"path": f"/tmp/keys/{secret}.txt"}  # noqa: S108 (a text)
        case "ini":
            return f"[auth]\nuser = dev\n{line}\n"
        case "json":
            return f"prints\n{pair}\nand ends"
        case "nested-json":
            return json.dumps({"arguments": pair})
        case "twice-nested":
            return json.dumps({"a": json.dumps({"b": pair})})
        case "yaml":
            return f'env:\n  {name}: "{secret}"\n'
        case "code":
            return f"const {name} = '{secret}';\nrun({name});"
        case "object":
            return {"env": {name: secret}}
        case "escapes":
            return f"HOME=/home/dev\\n{line}\\nLANG=C"
        case "base64-line":
            return base64.b64encode(f"# settings\n{line}\n".encode()).decode()
        case "percent":
            return quote(f"a=1&{line}", safe="")
        case _:
            return f"export {name}={secret} && make deploy"


def left_in(sample: Sample, redacted: object) -> bool:
    """Whether the secret of a sample is still in it, in any of the ways it may be written."""
    text = redacted if isinstance(redacted, str) else json.dumps(redacted, ensure_ascii=False)
    secret = sample.held
    written = [secret, json.dumps(secret)[1:-1], quote(secret, safe="")]
    written.append("".join(f"\\u{ord(one):04x}" for one in secret))
    for shift in range(3):
        coded = base64.b64encode(b"\0" * shift + secret.encode()).decode()
        inner = coded[4 if shift else 0 : -4]
        written += [inner, inner.replace("+", "-").replace("/", "_")] if len(inner) > 8 else []
    return any(one in text for one in written)
