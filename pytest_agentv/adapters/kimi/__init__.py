"""Kimi Code, and Kimi CLI before it."""

PROVIDER = "kimi-cli"
