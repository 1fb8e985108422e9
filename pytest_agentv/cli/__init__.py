"""The command ``agentv``: one module per command."""
