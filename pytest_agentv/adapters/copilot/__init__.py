"""GitHub Copilot CLI: sessions below ``~/.copilot``, as events or, in old versions, as one JSON."""

PROVIDER = "copilot-cli"
