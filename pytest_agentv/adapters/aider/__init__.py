"""Histories of Aider."""

PROVIDER = "aider"
