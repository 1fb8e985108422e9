"""Tokens of those who run language models and of tools around them."""

from __future__ import annotations

from pytest_agentv.redact.rule import contexts, tokens

TOKENS = tokens(
    r"""
anthropic-admin-api-key       sk-ant-admin            [0-9]{2}-[\w-]{20,200}
anthropic-oauth-token         sk-ant-oat sk-ant-ort   [0-9]{2}-[\w-]{20,200}
anthropic-session-key         sk-ant-sid              [0-9]{2}-[\w-]{20,200}
anthropic-api-key             sk-ant-                 (?!x{3})[\w-]{20,200}
openrouter-api-key            sk-or-                  (?:v[0-9]-)?[\w-]{20,200}
langfuse-secret-key           sk-lf-                  [0-9a-f]{8}-[0-9a-f-]{27}
langfuse-public-key           pk-lf-                  [0-9a-f]{8}-[0-9a-f-]{27}
minimax-api-key               sk-api-                 [\w-]{40,200}
openai-api-key                sk-                     (?:proj|svcacct|admin|None|service)-[\w-]{20,300}
openai-api-key                sk- Sk- SK-             (?=[A-Za-z0-9_-]*[0-9])(?=[a-z0-9_-]*[A-Z])[\w-]{32,200}
deepseek-api-key              sk- Sk- SK-             [0-9a-fA-F]{32,48}(?![0-9A-Za-z])
openai-session-token          sess-                   [A-Za-z0-9]{40}
huggingface-access-token      hf_                     [\w-]{30,60}
huggingface-organization-token  api_org_                [A-Za-z]{30,60}
groq-api-key                  gsk_                    [\w-]{40,100}
xai-api-key                   xai-                    [\w-]{60,140}
perplexity-api-key            pplx-                   [\w-]{32,80}
replicate-api-token           r8_                     [A-Za-z0-9]{30,60}
cerebras-api-key              csk-                    [a-z0-9]{40,60}
together-api-key              tgp_v1_                 [\w-]{35,60}
nvidia-api-key                nvapi-                  [\w-]{50,90}
fireworks-api-key             fw_                     (?=\w*[0-9])[A-Za-z0-9]{20,40}
langsmith-api-key             lsv2_pt_ lsv2_sk_ ls__  [0-9a-fA-F]{32}(?:_[0-9a-fA-F]{10})?
jina-api-key                  jina_                   (?=\w*[0-9])[\w-]{40,80}
chroma-api-key                ck-                     (?=\w*[0-9])[A-Za-z0-9]{40,60}(?![A-Za-z0-9])
anyscale-key                  esecret_                [A-Za-z0-9]{20,60}
sanity-token                  sk                      (?=[A-Za-z]{0,40}[0-9])(?=[a-z0-9]{0,40}[A-Z])[A-Za-z0-9]{80,200}(?![\w-])
tinybird-token                p.eyJ                   [\w-]{40,400}\.[\w-]{20,100}
llama-cloud-api-key           llx-                    [\w-]{40,60}
pinecone-api-key              pcsk_                   [A-Za-z0-9]{4,8}_[A-Za-z0-9]{40,80}
wandb-api-key                 wandb_v1_               \w{40,100}
tavily-api-key                tvly-                   (?=[\w-]*[0-9])[\w-]{20,60}
firecrawl-api-key             fc-                     [0-9a-f]{32}(?![0-9a-f])
brave-search-api-key          BSA                     (?=[\w-]*[0-9])[\w-]{24,40}
voyage-api-key                pa- al-                 (?=[\w-]*[0-9])(?=[\w-]*[A-Z])[\w-]{43}(?![\w-])
cartesia-api-key              sk_car_                 \w{20,40}
elevenlabs-api-key            sk_                     [0-9a-f]{48}
mem0-api-key                  m0-                     (?=[A-Za-z]*[0-9])[A-Za-z0-9]{24,44}
devin-api-key                 apk_user_ apk_          (?=[\w+/]*[0-9])[A-Za-z0-9+/]{60,200}={0,2}
devin-service-token           cog_                    [a-z2-7]{52}
zhipu-api-key                 *.*                     [0-9a-fA-F]{32}\.[A-Za-z0-9]{16}(?![A-Za-z0-9])
apify-api-token               apify_api_              [A-Za-z0-9]{30,42}
ollama-api-key                *.*                     [0-9a-f]{32}\.[\w-]{24}(?![\w-])
gemini-api-key                AQ.                     Ab8[\w-]{40,60}
cursor-api-key                crsr_                   [0-9a-f]{60,70}
linkup-api-key                lkup_                   [\w-]{20,60}
browserbase-api-key           bb_live_ bb_test_       [\w-]{20,60}
composio-api-key              comp_                   (?=\w*[0-9])[A-Za-z0-9]{20,60}
greptile-api-key              grp_                    [A-Za-z0-9]{32,60}
e2b-api-key                   e2b_                    [0-9a-f]{32,64}
modal-token                   ak- as-                 (?=[A-Za-z]*[0-9])(?=[a-z0-9]*[A-Z])[A-Za-z0-9]{22}(?!\w)
"""
)

CONTEXTS = contexts(
    r"""
assemblyai-api-key  assembly.?ai            [a-z0-9]{32}
cohere-api-token    cohere co.api.key       [A-Za-z0-9]{40}
mistral-api-key     mistral                 [A-Za-z0-9]{32}
stability-api-key   stability               sk-[A-Za-z0-9]{48}
wandb-api-key       wandb weights.?and.?biases  [0-9a-f]{40}
upstage-api-key     upstage                 [A-Za-z0-9]{40,50}
deepgram-api-key    deepgram                [0-9a-f]{40}
fal-api-key         fal.?ai fal.?api fal.?key  [0-9a-f-]{36}:[0-9a-f]{32}
kagi-api-key        kagi                    [\w-]{11}\.[\w-]{43}
azure-openai-key    azure.?openai openai.?azure cognitive  [0-9A-Za-z]{32,88}
private-ai-api-key  private.?ai             [a-z0-9]{32}
lighton-api-key     lighton paradigm        [\w-]{40,80}
greptile-api-key    greptile                [A-Za-z0-9+/]{48}
exa-api-key         exa.?api exa.?key       [0-9a-f-]{36}
serper-api-key      serper serpapi          [0-9a-f]{40,64}
"""
)
