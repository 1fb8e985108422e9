"""Claude Code: sessions below ``~/.claude/projects``, and what ``claude -p`` prints."""

PROVIDER = "claude-cli"
