"""OpenCode."""

PROVIDER = "opencode"
