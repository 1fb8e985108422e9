"""Chat messages as OpenAI's API has them, and data sets of such conversations."""

PROVIDER = "openai"
