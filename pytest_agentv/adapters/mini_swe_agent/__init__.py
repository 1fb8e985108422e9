"""mini-swe-agent."""

PROVIDER = "mini-swe-agent"
