"""OpenHands, of version 0 and version 1."""

PROVIDER = "openhands"
