"""The transcript: one normalized session, its wire form, and the questions one can ask of it."""
