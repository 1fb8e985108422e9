"""One adapter per vendor: from a session on disk to a stream of normalized messages."""
