"""SWE-agent."""

PROVIDER = "swe-agent"
