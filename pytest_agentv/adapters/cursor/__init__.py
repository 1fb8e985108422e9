"""Sessions of Cursor's agent."""

PROVIDER = "cursor"
