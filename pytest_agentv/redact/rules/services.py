"""Tokens of those who send messages, move money, sell, map and measure."""

from __future__ import annotations

from pytest_agentv.redact.rule import contexts, tokens

TOKENS = tokens(
    r"""
slack-bot-token           xoxb-                   [0-9A-Za-z-]{16,120}
slack-user-token          xoxp-                   [0-9A-Za-z-]{16,180}
slack-config-token        xoxe.xoxb- xoxe.xoxp- xoxe-  [0-9A-Za-z-]{16,200}
slack-legacy-token        xoxo- xoxs- xoxa- xoxr-  [0-9A-Za-z-]{8,120}
slack-session-token       xoxc-                   [0-9A-Za-z-]{30,200}
slack-session-cookie      xoxd-                   [\w/\\+%-]{40,400}={0,2}
slack-app-token           xapp-                   [0-9A-Za-z-]{20,200}
slack-webhook             hooks.slack.com/        (?:services|workflows|triggers)/[A-Za-z0-9+/]{20,80}
discord-bot-token         *.*                     [MNO][A-Za-z0-9_-]{22,27}\.[\w-]{6}\.[\w-]{27,38}
discord-mfa-token         mfa.                    [\w-]{80,90}
discord-webhook           discord.com/api/webhooks/ discordapp.com/api/webhooks/  [0-9]{16,20}/[\w-]{40,90}
telegram-bot-token        *:*                     [0-9]{8,10}:[\w-]{35}(?![\w-])
teams-webhook             *.webhook.office.com*   [a-z0-9-]{1,63}\.webhook\.office\.com/webhookb2/[0-9a-z@-]{30,120}/IncomingWebhook/[0-9a-z]{32}/[0-9a-z-]{36}
zapier-webhook            hooks.zapier.com/       hooks/catch/[A-Za-z0-9/]{8,60}
twilio-api-key            SK                      [0-9a-fA-F]{32}(?![0-9A-Za-z])
twilio-account-sid        AC                      [0-9a-f]{32}(?![0-9A-Za-z])
sendgrid-api-key          SG.                     [\w=-]{16,34}\.[\w=.-]{20,64}
sendgrid-api-key          SG.                     [\w=.-]{60,72}
mailgun-key               key- pubkey-            [0-9a-f]{32}(?![0-9A-Za-z])
mailgun-signing-key       *-*                     [a-h0-9]{32}-[a-h0-9]{8}-[a-h0-9]{8}(?![A-Za-z0-9-])
mailchimp-api-key         *-us*                   [0-9a-f]{32}-us[0-9]{1,2}(?![0-9A-Za-z])
mailersend-token          mlsn.                   [0-9A-Za-z]{30,100}
sendinblue-token          xkeysib- xsmtpsib-      [0-9a-fA-F]{64}-[\w-]{16}
resend-api-key            re_                     [A-Za-z0-9]{8}_[A-Za-z0-9]{20,30}
nylas-api-key             nyk_                    (?:v0_)?[\w-]{40,80}
knock-api-key             sk_                     [\w-]{43}(?![\w-])
stripe-key                sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_  [0-9A-Za-z]{10,250}
stripe-webhook-secret     whsec_                  [A-Za-z0-9+/=]{20,100}
stripe-publishable-key    pk_live_ pk_test_       [0-9A-Za-z]{20,250}
square-token              EAAA sq0                (?:[a-z]{3}-)?[\w-]{22,64}
paypal-token              access_token$production$ access_token$sandbox$  [0-9a-z]{16}\$[0-9a-z]{32}
adyen-key                 AQE                     (?=[\w+/-]*[0-9])[\w+/-]{40,240}={0,2}-[\w+/=<>{}()^.:!*&%$#@~?-]{10,120}
shopify-token             shpat_ shpca_ shppa_ shpss_ shptka_ shpua_  [0-9A-Fa-f]{32,64}
razorpay-key              rzp_live_ rzp_test_     [A-Za-z0-9]{14,24}
flutterwave-key           FLWSECK_TEST- FLWSECK- FLWPUBK_TEST- FLWPUBK-  [0-9A-Za-z]{12,40}(?:-X)?
paystack-key              sk_live_ sk_test_       [0-9a-f]{40}
paddle-key                pdl_live_apikey_ pdl_sdbx_apikey_  [A-Za-z0-9_]{40,70}
polar-token               polar_at_ polar_oat_ polar_pat_  [\w-]{20,100}
lob-key                   live_ test_             (?:pub_)?[0-9a-f]{31,35}(?![0-9A-Za-z])
gocardless-token          live_ sandbox_          (?=[\w=-]*[0-9])[\w=-]{40}(?![\w=-])
easypost-token            EZAK EZTK               [A-Za-z0-9]{54}
duffel-token              duffel_test_ duffel_live_  [\w=-]{40,50}
frameio-token             fio-u-                  [\w=-]{60,70}
intra42-secret            s-s4t2ud- s-s4t2af- u-s4t2ud-  [0-9a-f]{64}
plaid-token               access-sandbox- access-development- access-production-  <uuid>
asaas-token               *$aact_*                \$aact_[\w:$=+/-]{20,200}
xendit-key                xnd_production_ xnd_development_  [A-Za-z0-9]{40,80}
mercury-token             mercury_production_     [a-z]{2,8}_[A-Za-z0-9]{40,50}_yrucrem
midtrans-key              Mid-server- Mid-client- SB-Mid-server- SB-Mid-client-  \w{10,30}
klaviyo-key               pk_                     [0-9a-f]{34}(?![0-9A-Za-z])
woocommerce-key           ck_ cs_                 [0-9a-f]{40}
facebook-token            EAA                     (?=[A-Za-z]*[0-9])[A-Za-z0-9]{80,400}
facebook-app-token        *|*                     [0-9]{13,17}(?:\||%7[Cc])[\w-]{24,40}(?![\w-])
instagram-token           IGQV IGAA               [\w=-]{60,250}
twitter-bearer-token      AAAAAAAAAAAAAAAAAAAAA   [A-Za-z0-9%=+/\\]{40,160}
pinterest-token           pina_                   [\w-]{20,200}
linkedin-token            AQ                      [A-Za-z0-9_-]{160,400}
dropbox-token             sl.                     (?:u\.)?[\w=-]{60,1500}
box-token                 box_dev_                [A-Za-z0-9]{32}
mapbox-token              pk. sk. tk.             eyJ[\w-]{30,200}\.[\w-]{20,40}
mapbox-token              pk.                     [A-Za-z0-9]{60}\.[A-Za-z0-9]{22}
salesforce-token          00                      [A-Za-z0-9]{13,16}![A-Za-z0-9._-]{60,260}
hubspot-token             pat-na1- pat-na2- pat-eu1- pat-ap1-  <uuid>
intercom-token            dG9rO                   [A-Za-z0-9+/]{40,80}={0,2}
samsara-token             samsara_api_            [A-Za-z0-9]{26,40}
settlemint-token          sm_aat_ sm_pat_ sm_sat_  [A-Za-z0-9]{16,40}
lichess-token             lip_                    (?=\w*[0-9])\w{16,60}
onfido-token              api_live. api_live_ca. api_live_us. api_sandbox.  [\w.-]{20,80}
persona-key               persona_production_ persona_sandbox_  [\w-]{20,80}
redirect-pizza-token      rpa_                    [A-Za-z0-9]{30}
retell-key                key_                    [0-9a-f]{28}(?![0-9a-f])
beamer-token              b_                      (?=[\w=-]*[0-9])[a-z0-9=_-]{44}(?![\w=-])
miro-token                eyJtaXJv                [\w.-]{20,200}
authress-key              sc_ ext_ scauth_ authress_  [A-Za-z0-9]{5,30}\.[A-Za-z0-9]{4,6}\.acc[_-][A-Za-z0-9-]{10,32}\.[\w+/=-]{30,120}
adobe-client-secret       p8e- p8e_               [A-Za-z0-9-]{30,40}
amplitude-key             amp_                    [0-9a-f]{32}
zoho-token                1000.                   (?:[0-9a-f]{32}\.[0-9a-f]{32}|[A-Z0-9]{30})
lark-app-id               cli_                    [0-9a-f]{16}(?![0-9A-Za-z])
ebay-key                  PRD- SBX-               [0-9a-f]{8,12}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4,12}
workato-token             wrka                    [a-z]{0,2}-eyJ[\w.-]{40,1000}
tableau-token             *==:*                   [A-Za-z0-9+/]{22}==:[A-Za-z0-9]{32}
gcntfy-key                gcntfy-                 [\w-]{70,140}
ebay-client-id            *-PRD-*                 [A-Za-z0-9_-]{4,60}-[A-Za-z0-9_-]{2,60}-PRD-[0-9a-f]{8,12}-[0-9a-f]{8,12}
riot-api-key              RGAPI-                  <uuid>
typeform-token            tfp_                    [\w.=-]{40,70}
salesforce-consumer-key   3MVG                    [\w.]{36,100}
composio-api-key          ak_                     (?=[\w-]*[0-9])[\w-]{40,80}
mercadopago-token         APP_USR-                [0-9]{10,20}-[0-9]{6}-[0-9a-f]{32}-[0-9]{4,12}
braintree-key             sandbox_ production_    [a-z0-9]{8}_[a-z0-9]{16}(?![A-Za-z0-9_])
pubnub-key                pub-c- sub-c- sec-c-    [A-Za-z0-9-]{36,60}
dropbox-token             *AAAAAAAAAA*            [A-Za-z0-9]{11}AAAAAAAAAA[\w-]{43}(?![\w-])
truenas-key               *-*                     [0-9]{1,3}-(?=[a-z0-9]*[A-Z])(?=[A-Za-z]*[0-9])[A-Za-z0-9]{64}(?![\w-])
clickup-token             pk_                     [0-9]{5,12}_[A-Z0-9]{32}
dependency-track-key      odt_                    [A-Za-z0-9]{32,40}(?![A-Za-z0-9])
friendli-token            flp_                    [A-Za-z0-9]{40,52}(?![A-Za-z0-9])
iterative-token           isat_                   <uuid>
statsig-key               secret- console-        (?=[a-z0-9]*[A-Z])(?=[A-Za-z]*[0-9])[A-Za-z0-9]{36,50}(?![\w-])
scale-key                 live_auth_ test_auth_   [0-9a-f]{32}(?![0-9A-Za-z])
crossmint-key             sk_staging_ sk_production_ ck_staging_ ck_production_  [A-Za-z0-9]{20,300}
coderabbit-key            cr-                     [0-9a-f]{50,64}(?![0-9A-Za-z])
pushbullet-token          o.                      (?=[a-z0-9]*[A-Z])(?=[A-Za-z]*[0-9])[A-Za-z0-9]{32}(?![\w.])
honeybadger-token         hbp_                    [A-Za-z0-9]{30,40}
checkly-key               cu_                     [0-9a-f]{32}(?![0-9A-Za-z])
chromatic-token           chpt_                   [0-9a-f]{12,40}
jumpcloud-key             jca_                    [A-Za-z0-9]{30,40}
bitwarden-token           0.                      <uuid>\.[A-Za-z0-9]{30}:[A-Za-z0-9+/=]{24}
matrix-token              syt_                    [A-Za-z0-9]{2,200}_[A-Za-z]{20}_\w{6}
foursquare-key            fsq3                    [A-Za-z0-9+/]{40,60}={0,2}
aftership-key             asat_                   [0-9a-f]{32}
dingtalk-secret           SEC                     [0-9a-f]{64}(?![0-9A-Za-z])
vk-token                  vk1.a.                  [\w-]{60,300}
retool-token              retool_01               [a-z0-9]{20,40}
ghost-admin-key           *:*                     [0-9a-f]{24}:[0-9a-f]{64}(?![0-9A-Za-z])
builder-key               bpk-                    [0-9a-f]{32}(?![0-9A-Za-z])
cfx-key                   cfxk_                   [\w-]{20,80}
dub-key                   dub_                    (?=\w*[0-9])(?=\w*[A-Z])[A-Za-z0-9]{24}(?![A-Za-z0-9])
tolgee-key                tgpak_ tgpat_           [a-z0-9]{40,80}
mintlify-key              mint_                   (?:dsc_)?(?=\w*[0-9])[A-Za-z0-9]{24,60}
shortcut-token            sct_r_ sct_rs_ sct_rw_ sct_rwa_ sct_w_  [\w-]{40,300}
saladcloud-key            salad_cloud_user_       [A-Za-z0-9]{30,80}
pangea-token              pts_ pmt_ ptu_          [a-z0-9]{32}(?![A-Za-z0-9])
sqreen-token              org_ env_org_           [0-9a-f]{60}(?![0-9A-Za-z])
teams-webhook             outlook.office.com/webhook/  [0-9a-f@-]{36,80}/IncomingWebhook/[0-9a-f]{32}/[0-9a-f-]{36}
infura-key                infura.io/v3/ infura.io/ws/v3/  [0-9a-f]{32}
alchemy-key               alchemy.com/v2/ alchemyapi.io/v2/  [\w-]{20,40}
quicknode-key             quiknode.pro/           [0-9a-f]{40}
quicknode-key             QN_                     [0-9a-f]{32}
onepassword-recovery-key  1PRK-                   (?:[A-Z0-9]{4}-){8,14}[A-Z0-9]{4}
twilio-sid                CA MM PN SM AP          [0-9a-f]{32}(?![0-9A-Za-z])
"""
)

CONTEXTS = contexts(
    r"""
adafruit-api-key    adafruit                (?:aio_)?[\w-]{28,32}
amplitude-key       amplitude               [0-9a-f]{32}
apollo-api-key      apollo                  [\w-]{22}
beamer-token        beamer                  b_[\w=-]{44}
bitly-token         bitly                   [0-9a-f]{40}
bittrex-key         bittrex                 [A-Za-z0-9]{32}
box-token           box                     [A-Za-z0-9]{32}
checkout-key        checkout                sk_<uuid>
cloudinary-key      cloudinary              [0-9]{15}|[\w-]{27,32}
coinbase-token      coinbase                [\w-]{64}
coinmarketcap-key   coin.?market.?cap cmc   <uuid>
discord-secret      discord                 [\w=-]{32}|[0-9a-f]{64}|[0-9]{17,19}
disqus-key          disqus                  [A-Za-z0-9]{64}
dropbox-token       dropbox                 [A-Za-z0-9]{15}|[A-Za-z0-9]{11}A{10}[\w=-]{43}|sl\.[\w=-]{135}
etsy-token          etsy                    [A-Za-z0-9]{24}(?::[A-Za-z0-9]{10,64})?
facebook-secret     facebook fb             [0-9a-f]{32}
finicity-token      finicity                [0-9a-f]{32}|[A-Za-z0-9]{20}
finnhub-token       finnhub                 [A-Za-z0-9]{20}
flickr-token        flickr                  [A-Za-z0-9]{32}
freshbooks-token    freshbooks              [A-Za-z0-9]{64}
fullstory-key       fullstory fs.?api       (?:na1|eu1)\.[A-Za-z0-9]{20,}
gumroad-token       gumroad                 [0-9a-f]{64}|[\w-]{43}
hubspot-token       hubspot hapikey         <uuid>
hunter-key          hunter                  [0-9a-f]{40}
instantly-key       instantly               [A-Za-z0-9+/]{66}==
intercom-token      intercom                [\w=-]{60}
kraken-token        kraken                  [\w/=+-]{80,90}
lark-secret         lark feishu             [A-Za-z0-9]{32}
linkedin-client     linked.?in              [A-Za-z0-9]{14}|[A-Za-z0-9]{16}
lob-key             lob                     (?:live|test)_(?:pub_)?[0-9a-f]{31,35}
mailchimp-api-key   mailchimp               [0-9a-f]{32}-us[0-9]{1,2}
mailgun-key         mailgun                 (?:pub)?key-[0-9a-f]{32}|[a-h0-9]{32}-[a-h0-9]{8}-[a-h0-9]{8}
mapbox-token        mapbox                  [ps]k\.[A-Za-z0-9]{60}\.[A-Za-z0-9]{22}
mattermost-token    mattermost              [A-Za-z0-9]{26}
messagebird-key     message.?bird           [A-Za-z0-9]{25}|<uuid>
monday-token        monday                  eyJ[\w.-]{60,1500}
mux-token           mux                     <uuid>|[A-Za-z0-9+/]{75}
nytimes-token       ny.?times new.?york.?times  [\w=-]{32}
openweather-key     openweather pyowm owm   [0-9a-z]{32}
paypal-client       paypal braintree        [\w.-]{78,120}|[0-9a-z]{16}|[0-9a-f]{32}
plaid-client        plaid                   [A-Za-z0-9]{24}|[A-Za-z0-9]{30}
plivo-token         plivo                   MA[A-Z0-9]{18}|[\w-]{40}
polymarket-key      poly                    <uuid>|0x[0-9a-fA-F]{40,64}
postmark-token      postmark                <uuid>
rainforest-key      rainforest              apikey_[0-9a-f]{64}
razorpay-secret     razorpay                [A-Za-z0-9]{24}
sendbird-token      sendbird                [0-9a-f]{40}|<uuid>
shodan-key          shodan                  [A-Za-z0-9]{32}
sslmate-key         sslmate                 [A-Za-z0-9_]{36}
telegram-bot-token  telegr                  [0-9]{5,16}:A[\w-]{34}
telnyx-key          telnyx                  KEY[\w-]{55}
trello-token        trello                  [0-9a-f]{32}|[0-9a-f]{64}|ATTA[0-9A-Za-z]{72}
twilio-token        twilio                  [0-9a-f]{32}
twitch-token        twitch                  [A-Za-z0-9]{30}
twitter-key         twitter                 [A-Za-z0-9]{25}|[A-Za-z0-9]{45}|[A-Za-z0-9]{50}|[0-9]{15,25}-[A-Za-z0-9]{20,40}|A{22}[A-Za-z0-9%]{80,100}
weatherstack-key    weather.?stack          [0-9a-z]{32}
woocommerce-key     woo                     c[sk]_[0-9a-f]{40}
zendesk-secret      zendesk                 [A-Za-z0-9]{40}
zoho-secret         zoho                    [0-9a-f]{42}
zoom-secret         zoom                    [A-Za-z0-9]{20,32}
mistpost-key        postmates               <uuid>
google-maps-key     google.?maps            AIza[\w-]{35}
etsy-token          x.api.key               [A-Za-z0-9]{24}:[A-Za-z0-9]{10,64}
"""
)
