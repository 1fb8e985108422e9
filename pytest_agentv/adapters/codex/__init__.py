"""Codex CLI: sessions (it calls their files rollouts) below ``~/.codex``."""

PROVIDER = "codex-cli"
