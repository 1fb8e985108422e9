"""Search across all sessions: an index in one SQLite file, kept up to date, and questions to it."""
