"""Tokens of clouds, hosts, databases and networks."""

from __future__ import annotations

from pytest_agentv.redact.rule import contexts, tokens

TOKENS = tokens(
    r"""
aws-access-key            AKIA ASIA ABIA ACCA AGPA AIDA AROA AIPA ANPA ANVA  [A-Z2-7]{16}(?![A-Za-z0-9])
aws-access-key            A3T                     [A-Z0-9][A-Z2-7]{16}(?![A-Za-z0-9])
aws-bedrock-api-key       ABSK                    [A-Za-z0-9+/]{80,300}={0,2}
aws-bedrock-api-key       bedrock-api-key-        [\w+/=%.-]{28,2000}
aws-mws-key               amzn.mws.               [0-9a-z]{8}-[0-9a-z-]{27}
aws-cognito-token         amzn1.oa2-cs.v1.        [0-9a-f]{64}
gcp-api-key               AIza                    [\w-]{35}(?![\w-])
gcp-oauth-client-secret   GOCSPX-                 [\w-]{20,40}
gcp-oauth-access-token    ya29.                   [\w.-]{20,2000}
gcp-oauth-refresh-token   1//0                    [\w-]{30,200}
gcp-hmac-key              GOOG1                   [A-Z0-9]{18,60}(?![A-Za-z0-9])
alibaba-access-key        LTAI                    (?=[A-Z]*[a-z0-9])[A-Za-z0-9]{12,22}(?![A-Za-z0-9])
alibaba-sts-key           STS.                    (?=[A-Za-z.]*[0-9])[A-Za-z0-9]{16,64}(?![A-Za-z0-9])
tencent-secret-id         AKID                    (?=[A-Za-z]*[0-9])[A-Za-z0-9]{32}(?![A-Za-z0-9])
azure-client-secret       *Q~*                    [\w~.]{3}[0-9]Q~[\w~.-]{30,33}[\w~-](?!\.?[\w~-])
azure-storage-key         *+ASt*                  [A-Za-z0-9+/]{76}\+ASt[A-Za-z0-9+/]{6}==
azure-service-key         *AzC*                   [A-Za-z0-9+/]{30,52}AzC[A-Za-z0-9+/]{4,10}=
azure-service-key         *ACDb*                  [A-Za-z0-9+/]{30,52}ACDb[A-Za-z0-9+/]{4,10}=
azure-service-key         *+ARm*                  [A-Za-z0-9+/]{30,52}\+ARm[A-Za-z0-9+/]{4,10}=
azure-service-key         *+ACR*                  [A-Za-z0-9/]{42}\+ACR[A-D][A-Za-z0-9+/]{4,5}
azure-service-key         *+ASb*                  [A-Za-z0-9+/]{30,52}\+ASb[A-Za-z0-9+/]{4,10}=
azure-service-key         *+AEh*                  [A-Za-z0-9+/]{30,52}\+AEh[A-Za-z0-9+/]{4,10}=
azure-search-key          *AzSe*                  [A-Za-z0-9]{42}AzSe[A-D][A-Za-z0-9]{5}
azure-devops-token        *AZDO*                  [A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}
azure-function-key        *AzFu*                  [\w-]{44}AzFu[\w-]{3,8}=?=
digitalocean-token        dop_v1_ doo_v1_ dor_v1_ dos_v1_  [0-9a-fA-F]{64}
linode-token              lin_pat_                [0-9a-f]{40,80}
heroku-api-key            HRKU-                   [\w-]{30,80}
flyio-access-token        fo1_ fm1_ fm2_ fm1a_ fm1r_  [\w+/-]{40,1500}={0,3}
flyio-access-token        FlyV1                   [ ][\w+/=,-]{40,2000}
render-api-key            rnd_                    (?=\w*[0-9])[A-Za-z0-9]{20,40}
scalingo-api-token        tk-us-                  [\w-]{40,60}
upcloud-api-token         ucat_                   [0-9A-Za-z]{24,32}
exoscale-api-key          EXO                     (?=[A-Za-z]*[0-9])[0-9A-Za-z]{24,30}(?![0-9A-Za-z])
ibm-resource-key          ApiKey-                 [0-9a-f-]{36}
cloudflare-api-token      cfut_ cfat_ cfk_        [\w-]{38,60}
cloudflare-origin-ca-key  v1.0-                   [0-9a-f]{24}-[0-9a-f]{120,160}
vercel-token              vck_ vca_ vcr_ vci_ vcp_  [\w-]{40,70}
vercel-blob-token         vercel_blob_rw_         [A-Za-z0-9_]{20,80}
netlify-token             nfp_ nfc_ nfo_ nfu_ nfb_  [A-Za-z0-9]{30,60}
supabase-token            sbp_ sbp_oauth_ sb_secret_ sb_publishable_  [\w-]{28,60}
neon-api-key              napi_                   [A-Za-z0-9]{40,80}
planetscale-token         pscale_tkn_ pscale_oauth_ pscale_pw_  [\w=.-]{30,64}
mongodb-atlas-secret      mdb_sa_sk_              [\w-]{35,60}
mongodb-atlas-id          mdb_sa_id_              [0-9a-f]{24}
cockroachdb-api-key       CCDB1_                  [A-Za-z0-9]{22}_[A-Za-z0-9]{40}
clickhouse-secret-key     4b1d                    (?=[A-Za-z0-9]*[g-zG-Z])[A-Za-z0-9]{38}(?![A-Za-z0-9])
elastic-cloud-api-key     essu_                   [\w-]{40,200}={0,2}
databricks-api-token      dapi dkea dose          [0-9a-f]{32}(?:-[0-9])?
turso-token               turso_                  [\w.-]{40,400}
aiven-token               AVNS_                   [\w-]{15,30}
openshift-token           sha256~                 [\w-]{43}(?![\w-])
tailscale-key             tskey-                  (?:[a-z]+-)?[A-Za-z0-9]{6,40}-?[A-Za-z0-9]{10,60}
defined-networking-token  dnkey-                  [A-Za-z0-9=_-]{26}-[A-Za-z0-9=_-]{52}
vault-token               hvs. hvb. hvr.          [\w-]{24,300}
vault-token               s.                      (?=[a-z]{0,9}[0-9][a-z0-9]{0,6}[0-9])[a-z0-9]{24}(?![\w.])
vault-token               s. b.                   (?=[A-Za-z]*[0-9])(?=[a-z0-9]*[A-Z])[A-Za-z0-9]{24}(?![\w.])
terraform-api-token       *.atlasv1.*             [\w-]{14}\.atlasv1\.[\w=-]{60,90}
pulumi-api-token          pul-                    [0-9a-f]{40}
infracost-api-token       ico-                    [A-Za-z0-9]{32}
docker-token              dckr_pat_ dckr_oat_     [\w-]{20,40}
docker-swarm-token        SWMTKN-1-               [a-z0-9]{40,60}-[a-z0-9]{20,30}
docker-swarm-key          SWMKEY-1-               [A-Za-z0-9+/]{40,50}
doppler-token             dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.  (?:[\w-]{2,35}\.)?[A-Za-z0-9]{40,44}
infisical-token           st.                     [0-9a-f]{24}\.[0-9a-f]{32}\.[0-9a-f]{32}
confluent-secret          cflt                    [A-Za-z0-9+/]{56,64}(?![A-Za-z0-9])
baidu-access-key          ALTAK                   [A-Za-z0-9-]{20,40}
volcengine-access-key     AKLT                    [\w-]{40,80}
yandex-token              y0_                     [\w-]{50,80}
akeyless-token            t- u-                   [0-9a-f]{32}(?![0-9a-f])
prefect-api-token         pnu_ pnb_               [A-Za-z0-9]{36}
dynatrace-token           dt0                     [a-z][0-9]{2}\.[A-Za-z0-9]{8,24}\.[A-Za-z0-9]{64}
grafana-token             glsa_                   [\w-]{32}_[0-9A-Fa-f]{8}
grafana-token             glc_                    [\w+/-]{32,400}={0,3}
grafana-token             eyJrIjoi                [A-Za-z0-9+/=_-]{30,400}
newrelic-key              NRAK- NRAA- NRII- NRIQ- NRRA- NRBR- NRSP- NRJS-  [A-Za-z0-9-]{19,42}
sentry-token              sntrys_ sntryu_ sntrya_  [\w+/=.-]{40,600}
honeycomb-key             hcaik_ hcaic_ hcxik_ hcalk_ hcamk_ hcbik_ hclik_  [A-Za-z0-9]{30,70}
betterstack-token         lk_live_                [A-Za-z0-9]{20,60}
rootly-api-key            rootly_                 [0-9a-f]{64}
axiom-token               xaat- xapt-             [0-9a-f]{8}-[0-9a-f-]{27}
configcat-sdk-key         configcat-sdk-1/        [\w-]{22}/[\w-]{22}
devcycle-sdk-key          dvc_client_ dvc_mobile_ dvc_server_  \w{8,64}
launchdarkly-key          sdk- mob- api-          [0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}
unkey-root-key            unkey_                  (?=\w*[0-9])[A-Za-z0-9]{16,40}
upstash-token             AYNgAS                  [\w+/-]{26,90}={0,2}
runpod-api-key            rpa_                    [A-Za-z0-9]{28,50}
ngrok-token               ak_ cr_                 2[A-Za-z0-9]{24,40}
ramp-client-secret        ramp_sec_ ramp_id_      [A-Za-z0-9]{40,48}
zuplo-api-key             zpka_                   [a-z0-9]{32}_[0-9a-f]{8}
snowflake-token           ver:1-hint:             [0-9]{1,20}-ETMsDgAAA[\w+/=-]{40,400}
workos-api-key            sk_live_a2V5Xz sk_test_a2V5Xz  [A-Za-z0-9+/]{30,120}={0,2}
clerk-key                 sk_live_ sk_test_       [A-Za-z0-9]{32,60}
onesignal-key             os_v2_app_ os_v2_org_   [a-z2-7]{60,120}
datastax-token            AstraCS:                [\w:-]{20,120}
proof-api-key             prf_                    (?:cli_)?[\w-]{20,80}
databento-api-key         db-                     (?=[A-Za-z]*[0-9])[A-Za-z0-9]{29,34}(?![A-Za-z0-9])
akamai-credential         akab- akaa-             [a-z0-9]{16}-[a-z0-9]{16}
aws-appsync-key           da2-                    [a-z0-9]{26}(?![A-Za-z0-9])
newrelic-key              *NRAL*                  [0-9a-z]{36}NRAL
wundergraph-api-key       cosmo_                  [0-9a-f]{32}
nats-seed                 SU SA SO SN SC SX       [A-Z2-7]{54,66}(?![A-Za-z0-9])
"""
)

CONTEXTS = contexts(
    r"""
aws-secret-key             aws amazon secret.?access.?key secret.?key  [A-Za-z0-9/+]{40}
aws-session-token          session.?token security.?token  [A-Za-z0-9/+=]{100,2000}
alibaba-secret-key         alibaba aliyun alicloud  [A-Za-z0-9]{30}
tencent-secret-key         tencent qcloud          [A-Za-z0-9]{32}
azure-key                  azure account.?key shared.?access.?key  [A-Za-z0-9+/_-]{43,86}={1,2}
azure-key                  azure subscription.?key apim  [0-9a-fA-F]{32}
cloudflare-api-key         cloudflare cf.?api cf.?token  [\w-]{40}
cloudflare-global-api-key  cloudflare cf.?api      [0-9a-f]{37}
civo-api-key               civo                    [A-Za-z0-9]{50}
exoscale-api-secret        exoscale                [\w-]{40,60}
heroku-api-key             heroku                  [0-9A-Fa-f]{8}-[0-9A-Fa-f-]{27}
ibm-cloud-api-key          ibm ibmcloud bluemix bx  [\w-]{42,44}
netlify-token              netlify                 [\w=-]{40,46}
vercel-token               vercel                  [A-Za-z0-9]{24}
vultr-api-key              vultr                   [A-Za-z0-9]{36}
linode-token               linode                  [0-9a-f]{64}
hetzner-token              hetzner hcloud          [A-Za-z0-9]{64}
scaleway-secret-key        scaleway scw            [0-9a-f]{8}-[0-9a-f-]{27}
ovh-key                    ovh app.?key application.?key consumer.?key app.?secret application.?secret  [A-Za-z0-9-]{16,32}
infomaniak-api-token       infomaniak              [\w-]{60,100}
fastly-api-token           fastly                  [\w-]{32}
confluent-access-token     confluent               [A-Za-z0-9]{16}
confluent-secret-key       confluent               [A-Za-z0-9+/]{64}
couchbase-api-key          couchbase capella       [A-Za-z0-9+/]{60,120}={0,2}
clickhouse-key-id          clickhouse              [A-Za-z0-9]{20}
influxdb-token             influx                  [\w+/-]{86,90}={0,2}
upstash-token              upstash                 [A-Za-z0-9+/_-]{32,96}={0,2}
planetscale-id             pscale planetscale      [a-z0-9]{12}
snowflake-token            snowflake               [\w-]{100,500}
datadog-access-token       datadog dd.?api.?key dd.?app.?key  [0-9A-Za-z]{32}(?:[0-9A-Za-z]{8})?
newrelic-key               new.?relic              (?:NRAK-|NRII-|NRJS-)?[A-Za-z0-9-]{19,64}
sumologic-token            sumo                    (?:su)?[A-Za-z0-9]{12}|[A-Za-z0-9]{64}
honeycomb-key              honeycomb               [0-9a-f]{32}|[A-Za-z0-9]{22}
sentry-token               sentry                  [0-9a-f]{64}
pagerduty-token            pagerduty pager.?duty pd.?token  (?:u\+|y_NbAkKc)?[\w+-]{18,20}
opsgenie-api-key           opsgenie                [0-9a-f]{8}-[0-9a-f-]{27}
cisco-meraki-api-key       meraki                  [0-9a-f]{40}
okta-access-token          okta                    00[\w=-]{40}
auth0-client-secret        auth0                   [\w-]{32,128}
jumpcloud-api-key          jumpcloud               [A-Za-z0-9]{40}
wiz-client-secret          wiz                     [A-Za-z0-9]{53,64}
kucoin-access-token        kucoin                  [0-9a-f]{24}
kucoin-secret-key          kucoin                  [0-9a-f]{8}-[0-9a-f-]{27}
launchdarkly-key           launch.?darkly          [\w=-]{40}
configcat-sdk-key          configcat               [\w-]{22}/[\w-]{22}
looker-client-id           looker                  [A-Za-z0-9]{20}
looker-client-secret       looker                  [A-Za-z0-9]{24}
hcp-client-secret          hcp.?client             [\w.~-]{32,64}
terraform-password         administrator.?login.?password  [\w=-]{8,20}
virustotal-api-key         virus.?total            [0-9a-f]{64}
abuseipdb-api-key          abuse.?ipdb             [0-9a-f]{80}
ngrok-token                ngrok                   [A-Za-z0-9]{27}_[A-Za-z0-9]{21}|[A-Za-z0-9]{40,50}
nuget-password             clear.?text.?password   .{8,60}
datagov-api-key            data.?gov               [A-Za-z0-9]{40}
"""
)
