"""Gemini CLI."""

PROVIDER = "gemini-cli"
