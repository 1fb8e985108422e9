"""Runs that were kept: what was graded, stored in a folder, and questions about it."""
