"""Tokens of those who keep, build and deliver code."""

from __future__ import annotations

from pytest_agentv.redact.rule import contexts, tokens

TOKENS = tokens(
    r"""
github-fine-grained-pat      github_pat_             \w{30,100}
github-pat                   ghp_                    [\w-]{30,255}
github-oauth                 gho_                    [\w-]{30,255}
github-app-token             ghu_ ghs_               [0-9A-Za-z_.-]{30,600}
github-refresh-token         ghr_                    [\w-]{30,255}
gitlab-cicd-job-token        glcbt-                  (?:[0-9A-Za-z]{1,5}_)?[\w-]{20,64}
gitlab-deploy-token          gldt-                   [\w-]{20,64}
gitlab-feature-flag-token    glffct-                 [\w-]{20,64}
gitlab-feed-token            glft-                   [\w-]{20,64}
gitlab-incoming-mail-token   glimt-                  [\w-]{20,64}
gitlab-agent-token           glagent-                [\w.-]{40,300}
gitlab-oauth-secret          gloas-                  [\w-]{40,80}
gitlab-pat                   glpat-                  [\w-]{20,300}(?:\.[0-9a-z.]{9,12})?
gitlab-trigger-token         glptt-                  [\w-]{30,64}
gitlab-runner-token          glrt- glrtr-            [\w-]{20,300}(?:\.[0-9a-z.]{9,12})?
gitlab-registration-token    GR1348941               [\w-]{20,64}
gitlab-scim-token            glsoat-                 [\w-]{20,64}
gitlab-workspace-token       glwt-                   [\w-]{20,64}
gitlab-session-cookie        *_gitlab_session=*      _gitlab_session=[0-9a-z]{32}
bitbucket-token              BBDC-                   [\w+/=-]{32,80}
bitbucket-token              ATBB ATCTT3             [\w=-]{24,250}
atlassian-api-token          ATAT ATSTT3             [\w=-]{60,400}
sourcegraph-token            sgp_ slk_ sgd_          (?:(?:[0-9a-fA-F]{16}|local)_)?[0-9a-fA-F]{40,64}
segment-token                sgp_                    [A-Za-z0-9]{64}
npm-access-token             npm_                    [\w-]{30,50}
pypi-token                   pypi-AgEIcHlwaS5vcmc pypi-AgENdGVzdC5weXBpLm9yZw  [\w-]{30,1000}
rubygems-token               rubygems_               [0-9a-f]{48}
clojars-token                CLOJARS_ clojars_       [0-9A-Za-z]{60}
crates-io-token              cio                     (?=[A-Za-z]*[0-9])[A-Za-z0-9]{32}(?![A-Za-z0-9])
nuget-api-key                oy2                     (?=[a-z]*[0-9])[a-z0-9]{43}(?![a-z0-9])
packagist-token              packagist_ort_ packagist_out_ packagist_acs_ packagist_ack_ packagist_uut_ packagist_cut_  [0-9a-f]{28,100}
artifactory-api-key          AKCp                    [A-Za-z0-9]{60,80}
artifactory-reference-token  cmVmd                   [\w-]{50,64}(?![\w-])
cloudsmith-api-key           csa_                    [0-9a-f]{30}[A-Za-z0-9]{6}
deno-token                   ddp_ ddo_ ddw_          [A-Za-z0-9]{36}
circleci-token               CCIPAT_ CCIPRJ_         [A-Za-z0-9]{20,24}_[0-9a-z]{40}
buildkite-token              bkua_ bkaa_ bkaj_ bkar_ bkct_ bkpt_ bkpat_ bkps_  [\w-]{40,340}
harness-api-key              pat. sat.               [\w-]{22}\.[0-9a-f]{24}\.[A-Za-z0-9]{20}
octopus-deploy-key           API-                    (?=[A-Z]*[0-9])[A-Z0-9]{25,31}(?![A-Za-z0-9])
mergify-key                  mergify_application_key_  [\w-]{40,200}
sonar-token                  squ_ sqp_ sqa_          [0-9a-z]{40}
snyk-token                   snyk_uat. snyk_sat.     [0-9a-z]{8}\.[\w.-]{30,400}
endorlabs-key                endr+                   [A-Za-z0-9-]{16}
aikido-token                 AIK_CI_ AIK_CLIENT_ AIK_SECRET_  [A-Za-z0-9]{20,64}
readme-api-token             rdme_                   [0-9a-z]{60,80}
postman-api-key              PMAK-                   [0-9A-Fa-f]{24}-[0-9A-Fa-f]{34}
postman-collection-token     PMAT-                   [A-Za-z0-9]{26}
linear-api-key               lin_api_ lin_oauth_     [0-9A-Za-z]{32,80}
notion-token                 ntn_                    [\w-]{40,120}
notion-token                 secret_                 [A-Za-z0-9]{43}(?![A-Za-z0-9])
figma-token                  figd_ figo_ figu_       [\w-]{36,64}
shippo-token                 shippo_live_ shippo_test_  [0-9A-Fa-f]{40}
posthog-key                  phx_ phc_ phs_ pha_ phr_  [A-Za-z0-9_-]{38,52}
airtable-token               pat                     [A-Za-z0-9]{14}\.[0-9a-fA-F]{64}
asana-token                  */*                     [0-9]/[0-9]{14,18}(?:/[0-9]{14,18})?:[0-9a-f]{32}
clickup-token                pk_                     [0-9]{6,10}_[A-Za-z0-9]{32}
contentful-token             CFPAT-                  [\w-]{43}
val-town-token               vtwn_                   [\w-]{20,80}
wakatime-api-key             waka_                   [0-9a-z-]{32,64}
ionic-token                  ion_                    [A-Za-z0-9]{42}
expo-token                   exp_                    (?=\w*[0-9])[A-Za-z0-9_-]{40}
thunderstore-token           tss_                    (?=[\w-]*[0-9])[\w-]{20,80}
1password-token              ops_eyJ                 [A-Za-z0-9+/_-]{100,1500}={0,3}
1password-secret-key         A3-                     [A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}
age-secret-key               AGE-SECRET-KEY-PQ-1     [0-9A-Z]{50,70}
dbt-token                    dbtc_ dbtu_             [\w-]{30,80}
socket-token                 sktsec_                 \w{30,80}
veracode-id                  vera01ei- vera01es- vera01gi- vera01gs-  [0-9a-f]{32,128}
age-secret-key               AGE-SECRET-KEY-1        [0-9A-Z]{50,70}
maxmind-license-key          *_mmk*                  [A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk
canva-client-secret          cnvca                   [\w-]{40,60}
"""
)

CONTEXTS = contexts(
    r"""
bitbucket-client      bitbucket               [A-Za-z0-9]{32}|[\w=-]{64}
atlassian-api-token   atlassian confluence jira  [A-Za-z0-9]{20}[0-9a-f]{4}
gitea-token           gitea forgejo codeberg  [0-9a-f]{40}
gitter-token          gitter                  [\w-]{40}
codecov-token         codecov                 [A-Za-z0-9]{32}|[A-Za-z0-9-]{36}
coveralls-token       coveralls               [A-Za-z0-9-]{37}
circleci-token        circle.?ci              [0-9a-f]{40}
droneci-token         drone.?ci drone         [A-Za-z0-9]{32}
travisci-token        travis                  [A-Za-z0-9]{22}
bitrise-token         bitrise                 [\w-]{60,120}
sonar-token           sonar                   (?:squ_|sqp_|sqa_)?[A-Za-z0-9=_-]{40}
snyk-token            snyk                    [0-9a-f]{8}-[0-9a-f-]{27}
jfrog-token           jfrog artifactory bintray xray  [A-Za-z0-9]{64}|[A-Za-z0-9]{73}
sidekiq-secret        contribsys              [0-9a-f]{8}:[0-9a-f]{8}
adobe-client-id       adobe                   (?:p8e-)?[0-9a-f]{32}
airtable-token        airtable                [A-Za-z0-9]{17}
asana-client-id       asana                   [0-9]{16}
asana-client-secret   asana                   [A-Za-z0-9]{32}
algolia-api-key       algolia                 [A-Za-z0-9]{32}
contentful-token      contentful              [\w=-]{43}
linear-client-secret  linear                  [0-9a-f]{32}
canva-client-secret   canva                   cnvca[\w-]{51}|OC-[\w-]{8,16}
miro-token            miro                    [A-Za-z0-9]{32}|[0-9]{15,21}
figma-token           figma                   [0-9A-Fa-f]{4}-[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}
browserstack-key      browserstack            [A-Za-z0-9]{20}
sauce-key             sauce                   [0-9a-f]{8}-[0-9a-f-]{27}
typeform-token        typeform                tfp_[\w.=-]{40,70}
wakatime-api-key      waka.?time              [0-9a-f]{8}-[0-9a-f-]{27}
yandex-key            yandex                  t1\.[\w-]+=?=?\.[\w-]{86}=?=?|AQVN[\w-]{35,38}|YC[\w-]{38}
squarespace-token     squarespace             [0-9a-f]{8}-[0-9a-f-]{27}
rapidapi-token        rapid.?api              [\w-]{50}
airtable-token        airtable                [A-Za-z0-9]+\.v1\.[\w-]+\.[0-9a-f]+
"""
)
